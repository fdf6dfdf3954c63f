import { setTimeout as wait } from 'node:timers/promises';
import { DomainError } from '../../src/services/platform/errors.js';
import { isConnectionLost } from '../../src/services/platform/sqlstate.js';

const TRIES = 50;

/**
 * Makes a call until its outcome is known. A connection that was cut leaves it open whether the call was carried out, so
 * it is made again, as clients do: every call here is safe to repeat. A refusal is an outcome; anything else is a bug.
 */
export async function untilKnown<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof DomainError || attempt >= TRIES || !isCut(error)) {
        throw error;
      }
      await wait(1);
    }
  }
}

/** Whether a connection ended under the call: shut down by an administrator, or gone. */
export function isCut(error: unknown): boolean {
  const text = error instanceof Error ? error.message : String(error);
  return (
    isConnectionLost(error) || /terminating connection|ECONNRESET|P1017|closed the connection/i.test(text)
  );
}
