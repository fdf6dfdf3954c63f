import type { App } from '../context.js';
import { migrationStatus } from '../runtime/migrate.js';
import { HttpProblem } from './problem.js';

/** Whether this process should be sent requests. */
export interface Readiness {
  /** @throws HttpProblem with the reason why not */
  check(): Promise<void>;
  /** From now on it should not. */
  drain(): void;
}

/** A probe that waits longer than this for a part has its answer. */
const LIMIT_MS = 2_000;

/** Ready means: the database answers and is migrated, the payload storage answers, and nobody asked it to stop. */
export function createReadiness(
  { db, payloads }: Pick<App, 'db' | 'payloads'>,
  databaseUrl: string,
): Readiness {
  let draining = false;
  let migrated = false;
  let hasLine = false;
  return {
    drain() {
      draining = true;
    },
    async check() {
      if (draining) {
        throw notReady('This process is stopping.');
      }
      await inTime(db.appPool.query('select 1'), 'The database cannot be reached.');
      // Migrations only ever go forward: once they were all there they are not asked for again.
      migrated ||= await inTime(isMigrated(databaseUrl), 'The database cannot be reached.');
      if (!migrated) {
        throw notReady('The database is not migrated to this version: run `npx touchstone migrate`.');
      }
      // A login keeps the roles that it has: once is enough, and the line's two connections are for batches.
      if (!hasLine) {
        const message = 'Claims cannot be served: the login of the database needs the role touchstone_line.';
        await inTime(db.linePool.query('select 1'), message);
        hasLine = true;
      }
      await inTime(payloads.check(), 'The payload storage cannot be reached.');
    },
  };
}

async function isMigrated(url: string): Promise<boolean> {
  const status = await migrationStatus({ url });
  return status.every(({ state }) => state === 'applied');
}

async function inTime<T>(work: Promise<T>, message: string): Promise<T> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  const late = new Promise<never>((_resolve, reject) => {
    limit.addEventListener('abort', () => reject(notReady(message)));
  });
  return Promise.race([work, late]).catch(() => {
    throw notReady(message);
  });
}

function notReady(message: string): HttpProblem {
  return new HttpProblem(503, 'NOT_READY', message);
}
