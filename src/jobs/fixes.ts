import type { Logger } from 'pino';
import type { RoadMemory } from '../services/dispatch/eta/road-memory.js';
import { keepFixDays } from '../services/dispatch/fixes/fix-days.js';
import type { FixStore } from '../services/dispatch/fixes/fix-store.js';
import type { HotIndex } from '../services/dispatch/fixes/hot-index.js';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { createLoop, type Job } from './loop.js';

/** What was sampled is written about once a second. */
const WRITE_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 10_000;
const DAYS_EVERY_MS = 10 * 60_000;

export interface FixUpkeepOptions {
  readonly index: Pick<HotIndex, 'sweep'>;
  readonly store: Pick<FixStore, 'flush'>;
  /** Of a process that asks for ETAs. */
  readonly memory?: Pick<RoadMemory, 'flush'>;
  readonly log: Logger;
}

/** Writes what this process has sampled and learnt, and takes out of the index who is gone. */
export function createFixUpkeep({ index, store, memory, log }: FixUpkeepOptions): Job[] {
  return [
    createLoop({
      name: 'fixes.writing',
      log,
      async step() {
        await store.flush();
        await memory?.flush();
        return jitter(WRITE_EVERY_MS);
      },
    }),
    createLoop({
      name: 'fixes.sweeping',
      log,
      async step() {
        await index.sweep();
        return jitter(SWEEP_EVERY_MS);
      },
    }),
  ];
}

/** Makes the archive's days and drops those that are over. Any number of nodes may run it: each waits for the other. */
export function createFixDays({ db, log }: { db: Database; log: Logger }): Job {
  return createLoop({
    name: 'fixes.days',
    log,
    async step() {
      const kept = await keepFixDays(db);
      if (kept.made + kept.days + kept.rows + kept.pairs > 0) {
        log.info(kept, 'fixes.days');
      }
      return jitter(DAYS_EVERY_MS);
    },
  });
}
