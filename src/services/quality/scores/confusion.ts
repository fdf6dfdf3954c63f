import type { Outcome } from './facts.js';

/** A later gold of a class makes an earlier one of that class count this much less (see DISCOUNT in score.ts). */
const DISCOUNT_OF_CLASS = 0.97;
/**
 * Answers a class needs, on average, before a matrix is used. The notes' advice is five; measured on rte, matrices from
 * ten a class stop a little sooner and are a little less often right than the one-number model at the same price.
 */
const GOLD_PER_CLASS_MIN = 15;
/** So many answers the expert's accuracy weighs in each row. */
const STRENGTH = 4;

/** What an expert answered where the key was `truth`, discounted: an answer's weight falls with later ones of its class. */
export interface ConfusionCell {
  readonly truth: string;
  readonly answer: string;
  readonly weight: number;
}

/** All that is kept of one dimension; plain JSON. */
export interface ConfusionState {
  readonly dimension: string;
  /** Gold and adjudications counted, undiscounted. */
  readonly seen: number;
  readonly cells: readonly ConfusionCell[];
}

/** Adds one outcome to its dimension. */
export function addOutcome(
  states: readonly ConfusionState[],
  { dimension, truth, answer }: Outcome,
  weight: number,
): ConfusionState[] {
  const known = states.find((state) => state.dimension === dimension) ?? { dimension, seen: 0, cells: [] };
  const older = known.cells.map((cell) =>
    cell.truth === truth ? { ...cell, weight: cell.weight * DISCOUNT_OF_CLASS } : cell,
  );
  const cells = addToCell(older, { truth, answer, weight });
  return [
    ...states.filter((state) => state.dimension !== dimension),
    { dimension, seen: known.seen + 1, cells },
  ].sort((a, b) => (a.dimension < b.dimension ? -1 : 1));
}

function addToCell(cells: readonly ConfusionCell[], added: ConfusionCell): ConfusionCell[] {
  const isAdded = (cell: ConfusionCell) => cell.truth === added.truth && cell.answer === added.answer;
  return cells.some(isAdded)
    ? cells.map((cell) => (isAdded(cell) ? { ...cell, weight: cell.weight + added.weight } : cell))
    : [...cells, added];
}

/**
 * P(answer | truth) of an expert, a row for each true class in the order of `labels`; each row sums to 1.
 *
 * Null until there are fifteen gold a class on average: with less, a matrix is no better than one number. Each row is a Dirichlet
 * posterior whose prior is the expert's overall `accuracy`, the errors spread evenly, worth four answers: a class never
 * seen is the one-number model.
 */
export function confusionMatrix(
  state: ConfusionState | undefined,
  { labels, accuracy }: { labels: readonly string[]; accuracy: number },
): number[][] | null {
  if (state === undefined || labels.length < 2 || state.seen < GOLD_PER_CLASS_MIN * labels.length) {
    return null;
  }
  const weightOf = (truth: string, answer: string) =>
    state.cells.find((cell) => cell.truth === truth && cell.answer === answer)?.weight ?? 0;
  return labels.map((truth) => {
    const row = labels.map(
      (answer) =>
        weightOf(truth, answer) +
        STRENGTH * (truth === answer ? accuracy : (1 - accuracy) / (labels.length - 1)),
    );
    const total = row.reduce((sum, value) => sum + value, 0);
    return row.map((value) => value / total);
  });
}
