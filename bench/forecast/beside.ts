import type { Database } from '../../src/services/platform/database.js';
import { runCycles } from '../claim/in-process.js';
import { median, percentile } from '../claim/stats.js';
import type { World } from '../claim/world.js';

/** Something that goes on beside claims until it is told to stop. */
export type Beside = (isOver: () => boolean) => Promise<void>;

const ROUNDS = 5;
const CALLERS = 8;
/** How often the cycles that were asked for are done: once to warm up. */
export const RUNS = 1 + 2 * ROUNDS;

/** What claims and submits lose beside something. */
export interface Slowdown {
  /** By which share fewer cycles of both are done. */
  readonly share: number;
  /** The 99th percentile of claims without and with it, in milliseconds. */
  readonly aloneMs: number;
  readonly besideMs: number;
}

/**
 * By which share fewer cycles of claim and submit are done while something goes on beside them: the median over rounds, each a run
 * without and a run with it, in turns.
 */
export async function slowdownBy(
  { db, world, cycles }: { db: Database; world: World; cycles: number },
  beside: Beside,
): Promise<Slowdown> {
  const experts = world.experts.crowd.slice(0, CALLERS * 4);
  const run = () => runCycles(db, world, { experts, callers: CALLERS, cycles });
  await run();
  const lost: number[] = [];
  const waits = { alone: [] as number[], together: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const alone = round % 2 === 0 ? await run() : null;
    const together = await during(beside, run);
    const without = alone ?? (await run());
    lost.push(1 - together.perSecond / without.perSecond);
    waits.alone.push(...without.claimMs);
    waits.together.push(...together.claimMs);
  }
  return {
    share: median(lost),
    aloneMs: percentile(waits.alone, 0.99),
    besideMs: percentile(waits.together, 0.99),
  };
}

async function during<T>(beside: Beside, work: () => Promise<T>): Promise<T> {
  let over = false;
  const ended = beside(() => over);
  try {
    return await work();
  } finally {
    over = true;
    await ended;
  }
}
