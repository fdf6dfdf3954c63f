import type { Queryable } from '../../platform/rows.js';
import type { Demand } from '../forecast.sql.js';
import { adaptiveSpread } from './adaptive-spread.js';
import { finishedLike, heldOf } from './history.sql.js';
import type { Finished } from './progress.js';

/** How batches like one went. */
export interface History {
  /** Each as it was at the same share of its answers; in the order in which they ended, those of other projects first. */
  readonly finished: readonly Finished[];
  /** By how much the spread is to be multiplied, for past forecasts to have held as often as they said. */
  readonly scale: number;
}

export const NO_HISTORY: History = { finished: [], scale: 1 };

/** Shares are looked at in twentieths. */
const STEP = 5;

/** The last twentieth that a batch has passed, in percent, 0 to 95. */
export function shareOf({ answers, remaining }: Pick<Demand, 'answers' | 'remaining'>): number {
  return remaining <= 0 ? 100 - STEP : STEP * Math.floor((answers / (answers + remaining)) * (100 / STEP));
}

/**
 * How such batches went, for each that is not done, at the same share of its answers (or the first that was kept): finished ones of the same project, and of the same
 * customer and task type. As far as the scope may see.
 */
export async function historiesOf(db: Queryable, demands: readonly Demand[]): Promise<Map<bigint, History>> {
  const asked = demands
    .filter(({ remaining }) => remaining > 0)
    .map((demand) => ({ batchId: demand.batchId, tenantId: demand.tenantId, share: shareOf(demand) }));
  if (asked.length === 0) {
    return new Map();
  }
  const finished = new Map<bigint, Finished[]>(asked.map(({ batchId }) => [batchId, []]));
  for (const { batchId, ...one } of await finishedLike(db, asked)) {
    finished.get(batchId)?.push(one);
  }
  const held = new Map((await heldOf(db, asked)).map((row) => [row.batchId, row.held]));
  return new Map(
    asked.map(({ batchId }) => [
      batchId,
      { finished: finished.get(batchId) ?? [], scale: scaleAfter(held.get(batchId) ?? []) },
    ]),
  );
}

function scaleAfter(held: readonly boolean[]): number {
  const spread = adaptiveSpread();
  for (const one of held) {
    spread.learn(one);
  }
  return spread.scale;
}
