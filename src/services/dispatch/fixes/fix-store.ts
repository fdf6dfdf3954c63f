import type { Logger } from 'pino';
import type { Database } from '../../platform/database.js';
import { pgQueryable } from '../../platform/pg-queryable.js';
import { sealPosition } from './archive-seal.js';
import type { Fix } from './fix.js';
import type { FixKeys } from './fix-keys.js';
import * as sql from './fix-store.sql.js';
import { workerKey } from './shifts.js';

/** What is kept of fixes in PostgreSQL: one of each worker in thirty seconds. */
export interface FixStore {
  /**
   * Takes the fix if it is the first of its worker in its half minute. It is written with the next {@link FixStore.flush}.
   * @param worker their WorkerKey.key, where it is at hand
   */
  sample(fix: Fix, worker?: string): void;
  /** Writes what waits. What cannot be written waits on, up to a bound. */
  flush(): Promise<void>;
  /** The latest fixes of a tenant's workers that are not gone. */
  latest(tenantId: bigint): Promise<Fix[]>;
  waiting(): number;
}

const BUCKET_MS = 30_000;
/** Rows of one statement; the database takes some ninety thousand a second. */
const ROWS_MAX = 1_000;
/** A minute of what fifty thousand workers leave. */
const WAITING_MAX = 100_000;
/** Workers whose half minute is remembered; whoever reported longest ago goes first. */
const WORKERS_MAX = 200_000;

export interface FixStoreParts {
  readonly db: Pick<Database, 'systemPool'>;
  readonly keys: FixKeys;
  readonly log: Logger;
  /** Told of fixes that were given up because the database did not take them. */
  readonly onLost: (count: number) => void;
}

/** Samples, seals and writes. */
export function createFixStore({ db, keys, log, onLost }: FixStoreParts): FixStore {
  const buckets = new Map<string, number>();
  let waiting: Fix[] = [];

  function isFirst({ deviceMs }: Fix, worker: string): boolean {
    const bucket = Math.floor(deviceMs / BUCKET_MS);
    if ((buckets.get(worker) ?? 0) >= bucket) {
      return false;
    }
    buckets.delete(worker);
    buckets.set(worker, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > WORKERS_MAX && oldest !== undefined) {
      buckets.delete(oldest);
    }
    return true;
  }

  async function write(fixes: readonly Fix[]): Promise<void> {
    const kept = await Promise.all(
      fixes.map(async (fix) => ({ fix, sealed: sealPosition(await keys.of(fix.tenantId), fix, fix) })),
    );
    await sql.keepFixes(pgQueryable(db.systemPool), kept);
  }

  return {
    sample(fix, worker = workerKey(fix.tenantId, fix.expertId).key) {
      if (isFirst(fix, worker)) {
        waiting.push(fix);
      }
    },
    async flush() {
      while (waiting.length > 0) {
        const some = waiting.slice(0, ROWS_MAX);
        await write(some).catch((error: unknown) => {
          const lost = Math.max(0, waiting.length - WAITING_MAX);
          waiting.splice(0, lost);
          onLost(lost);
          log.warn({ err: error, waiting: waiting.length, lost }, 'fixes.not_kept');
          throw error;
        });
        waiting = waiting.slice(some.length);
      }
    },
    async latest(tenantId) {
      const rows = await sql.latestFixes(pgQueryable(db.systemPool), tenantId);
      return rows.map(({ deviceAt, receivedAt, ...row }) => ({
        ...row,
        tenantId,
        deviceMs: deviceAt.getTime(),
        receivedMs: receivedAt.getTime(),
        accuracyMetres: null,
      }));
    },
    waiting: () => waiting.length,
  };
}
