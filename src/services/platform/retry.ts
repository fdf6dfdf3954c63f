import { channel } from 'node:diagnostics_channel';
import { setTimeout as wait } from 'node:timers/promises';
import { sqlState } from './sqlstate.js';

/** Serialisation failure and deadlock: the transaction left nothing behind and may succeed when run again. */
const RETRYABLE = new Set(['40001', '40P01']);
const TRIES = 3;
const retries = channel('touchstone:retry');

/** A lock could not be had within the statement's own limit. */
export const LOCK_TIMEOUT = '55P03';

/** Whether running the transaction again may help: it left nothing behind. */
export const isRetryable = (error: unknown): boolean => RETRYABLE.has(sqlState(error) ?? '');

/**
 * Runs a whole transaction again after a serialisation failure or deadlock (or what `isPassing` says), at most three
 * times, with jitter.
 */
export async function retrying<T>(
  transaction: () => Promise<T>,
  isPassing: (error: unknown) => boolean = isRetryable,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt >= TRIES || !isPassing(error)) {
        throw error;
      }
      retries.publish(sqlState(error) ?? 'LOST');
      await wait(jitter(attempt * 20));
    }
  }
}

/**
 * Hears the SQLSTATE of each transaction of this process that is run again, whichever server of it began it.
 * @returns ends the hearing
 */
export function onRetry(listener: (sqlstate: string) => void): () => void {
  const hear = (state: unknown) => listener(String(state));
  retries.subscribe(hear);
  return () => void retries.unsubscribe(hear);
}

/** Half to one and a half times `ms`, so that those who met once do not meet again. */
export function jitter(ms: number): number {
  return ms * (0.5 + Math.random());
}
