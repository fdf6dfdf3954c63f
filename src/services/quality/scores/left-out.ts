import type { ConfusionState } from './confusion.js';
import { DISCOUNT, type DimensionScore } from './dimensions.js';
import type { ScoreState } from './score.js';

/** One result that is in a score, and where it stands among the others of its dimension. */
export interface CountedResult {
  readonly dimension: string;
  readonly truth: string;
  readonly answered: string;
  readonly isRight: boolean;
  readonly weight: number;
  /** Later results of the dimension, and those of them with the same truth. */
  readonly later: number;
  readonly laterOfTruth: number;
  /** What the earlier ones are worth in the score. */
  readonly earlierRight: number;
  readonly earlierWrong: number;
}

/**
 * A score without one of its results in one dimension, as if it had never been folded: an answer must not vouch for itself. What came
 * before it was discounted once more because of it, which is given back; of matrices only the result itself is taken out.
 */
export function withoutResult(score: ScoreState, result: CountedResult): ScoreState {
  return {
    ...score,
    dimensions: score.dimensions.map((of) => (of.dimension === result.dimension ? without(of, result) : of)),
    confusions: score.confusions.map((of) =>
      of.dimension === result.dimension ? withoutOutcome(of, result) : of,
    ),
  };
}

function without({ dimension, right, wrong }: DimensionScore, result: CountedResult): DimensionScore {
  const own = result.weight * DISCOUNT ** result.later;
  const back = 1 / DISCOUNT - 1;
  const left = (sum: number, isOwn: boolean, earlier: number) =>
    Math.max(0, sum - (isOwn ? own : 0) + back * earlier);
  return {
    dimension,
    right: left(right, result.isRight, result.earlierRight),
    wrong: left(wrong, !result.isRight, result.earlierWrong),
  };
}

function withoutOutcome(state: ConfusionState, result: CountedResult): ConfusionState {
  const own = result.weight * DISCOUNT ** result.laterOfTruth;
  const isOf = (cell: { truth: string; answer: string }) =>
    cell.truth === result.truth && cell.answer === result.answered;
  return {
    ...state,
    seen: state.seen - (state.cells.some(isOf) ? 1 : 0),
    cells: state.cells.map((cell) =>
      isOf(cell) ? { ...cell, weight: Math.max(0, cell.weight - own) } : cell,
    ),
  };
}
