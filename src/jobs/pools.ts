import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { Prisma } from '../generated/prisma/client.js';
import type { EventBus } from '../services/events/bus.js';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { type Queryable, run } from '../services/platform/rows.js';
import { measurePools } from '../services/routing/pools.js';
import { writtenRows } from '../services/routing/pools.sql.js';
import { rebalanceDue } from '../services/routing/rebalance.js';
import { refreshLanes } from '../services/routing/upkeep.sql.js';
import { createLoop, type Job } from './loop.js';
import { createMeasuring, REST_PER_COST } from './measuring.js';
import { createSessionLock } from './session-lock.js';

export interface PoolsOptions {
  readonly db: Database;
  readonly bus: EventBus;
  readonly log: Logger;
}

const STANDBY_MS = 1_000;
/** Marks move each second, and from the very beginning of the queue each minute. */
const MARKS_EVERY_MS = 1_000;
const WHOLE_EVERY_MS = 60_000;
/** The session that holds the lock is ended when it is silent for 5 s. */
const SILENT_MAX_MS = 4_000;
const SIGN_OF_LIFE = Prisma.sql`select 1 as ok`;

/** Work that comes round: never sooner than `everyMs`, and with a pause of twenty times what it took. */
interface Round {
  readonly everyMs: number;
  dueAtMs: number;
}

/**
 * Measures pools, weighs deadlines and moves the low-water marks of lanes: one node at a time, elected by a session lock,
 * on the very session that holds it.
 */
export function createPools({ db, bus, log }: PoolsOptions): Job {
  const lock = createSessionLock({ url: db.url, name: 'touchstone_pools', key: 7 });
  const marks: Round = { everyMs: MARKS_EVERY_MS, dueAtMs: 0 };
  const whole: Round = { everyMs: WHOLE_EVERY_MS, dueAtMs: 0 };
  const measuring = createMeasuring();

  async function measure(session: Queryable): Promise<void> {
    const { skills, told } = await measurePools(session);
    await rebalanceDue((work) => work(session), skills);
    if (told > 0) {
      bus.poke();
    }
  }

  async function step(): Promise<number> {
    const session = await lock.acquire();
    if (session === null) {
      return jitter(STANDBY_MS);
    }
    const isWhole = performance.now() >= whole.dueAtMs;
    const looked = await inTurn(isWhole ? [whole, marks] : [marks], () => refreshLanes(session, isWhole));
    const measured = await measuring.step({
      written: () => writtenRows(session),
      measure: () => measure(session),
      now: () => performance.now(),
    });
    if (!looked && !measured) {
      await run(session, SIGN_OF_LIFE);
    }
    const nextAtMs = Math.min(marks.dueAtMs, measuring.dueAtMs);
    return Math.min(SILENT_MAX_MS, Math.max(0, nextAtMs - performance.now()));
  }

  const loop = createLoop({ name: 'pools', log, step });
  return {
    start: loop.start,
    async stop() {
      await loop.stop();
      await lock.release();
    },
  };
}

/** Does the work if its round has come, and says whether it did. */
async function inTurn(rounds: readonly [Round, ...Round[]], work: () => Promise<void>): Promise<boolean> {
  const beganMs = performance.now();
  if (beganMs < rounds[0].dueAtMs) {
    return false;
  }
  await work();
  const tookMs = performance.now() - beganMs;
  for (const round of rounds) {
    round.dueAtMs = performance.now() + Math.max(round.everyMs, REST_PER_COST * tookMs);
  }
  return true;
}
