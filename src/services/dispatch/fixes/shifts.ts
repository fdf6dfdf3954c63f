import DataLoader from 'dataloader';
import type { Database } from '../../platform/database.js';
import { pgQueryable } from '../../platform/pg-queryable.js';
import * as sql from './shifts.sql.js';

export { type WorkerKey, workerKey } from './shifts.sql.js';

/** Whether somebody is a worker, and on their shift. */
export type Standing = 'ON_SHIFT' | 'OFF_SHIFT' | 'NO_WORKER';

/** Who may report fixes just now. */
export interface Shifts {
  /** Asks the database, at most once in half a minute of one worker, many workers at once. */
  standing(worker: sql.WorkerKey): Promise<Standing>;
  /** What was known within the last minute, at once; it is asked again behind this where it is old. Null where nothing is known. */
  known(worker: sql.WorkerKey): Standing | null;
}

/** A shift's end takes effect within this time of who reports all the time. */
const KEPT_MS = 30_000;
/** And of everybody within this, whether the database can be asked or not: what is not known is not taken for a shift. */
const BELIEVED_MS = 60_000;
/** What failed is asked again so much later, at the earliest. */
const RETRY_MS = 1_000;
const LOOKED_UP_MAX = 500;
/** Workers remembered at once; who was looked up longest ago goes first. */
const REMEMBERED_MAX = 200_000;

interface Entry {
  readonly standing: Promise<Standing>;
  untilMs: number;
  last: { readonly standing: Standing; readonly atMs: number } | null;
}

/** Looks up the shifts of those who report. */
export function createShifts(
  db: Pick<Database, 'systemPool'>,
  monotonicMs: () => number = () => performance.now(),
): Shifts {
  const entries = new Map<string, Entry>();
  const loader = new DataLoader((workers: readonly sql.WorkerKey[]) => look(db, workers), {
    cache: false,
    maxBatchSize: LOOKED_UP_MAX,
    batchScheduleFn: (go) => void setImmediate(go),
  });

  function refreshed(worker: sql.WorkerKey): Entry {
    const { key } = worker;
    const before = entries.get(key);
    const atMs = monotonicMs();
    const entry: Entry = {
      standing: loader.load(worker),
      untilMs: atMs + KEPT_MS,
      last: before?.last ?? null,
    };
    entries.delete(key);
    entries.set(key, entry);
    entry.standing.then(
      (standing) => {
        entry.last = { standing, atMs };
      },
      () => {
        entry.untilMs = monotonicMs() + RETRY_MS;
      },
    );
    const [oldest] = entries.keys();
    if (entries.size > REMEMBERED_MAX && oldest !== undefined) {
      entries.delete(oldest);
    }
    return entry;
  }

  const entryOf = (worker: sql.WorkerKey): Entry => {
    const entry = entries.get(worker.key);
    return entry === undefined || entry.untilMs <= monotonicMs() ? refreshed(worker) : entry;
  };

  return {
    standing: (worker) => entryOf(worker).standing,
    known(worker) {
      const { last } = entryOf(worker);
      return last !== null && monotonicMs() - last.atMs <= BELIEVED_MS ? last.standing : null;
    },
  };
}

async function look(
  db: Pick<Database, 'systemPool'>,
  workers: readonly sql.WorkerKey[],
): Promise<Standing[]> {
  const found = await sql.onShift(pgQueryable(db.systemPool), workers);
  const standings = workers.map((): Standing => 'NO_WORKER');
  for (const { index, onShift } of found) {
    standings[index] = onShift ? 'ON_SHIFT' : 'OFF_SHIFT';
  }
  return standings;
}
