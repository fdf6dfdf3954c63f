import type { Reading } from './reading.js';

/** Why there is no Fleiss' kappa: no task has two answers; values are too many to be counted by class; tasks differ in how many answers they have. */
export type NoFleissReason = 'NO_PAIRS' | 'NOT_CLASSES' | 'UNEQUAL_ANSWERS';

/** Coefficients of everybody's answers that differ from alpha in what they take for chance. */
export interface ChanceCorrected {
  /** Fleiss 1971: defined where every task has the same number of answers; null otherwise, and `noFleiss` says why. */
  readonly fleissKappa: number | null;
  readonly noFleiss: NoFleissReason | null;
  /** Gwet 2008, for tasks of any number of answers from two on; null where values are not counted by class. */
  readonly gwetAc1: number | null;
}

const none = (noFleiss: NoFleissReason): ChanceCorrected => ({ fleissKappa: null, noFleiss, gwetAc1: null });

/**
 * Fleiss' kappa and Gwet's AC1 of what is kept (agreement/chance-corrected.ts has them of whole units): pairs of values by the number of
 * answers of their task say how many tasks there are, what share of their pairs agrees, and how often each value was said.
 * @param classes values that are declared, said or not
 */
export function chanceCorrectedOf({ form, cells }: Reading, classes: number): ChanceCorrected {
  if (form !== 'CLASSES') {
    return none('NOT_CLASSES');
  }
  const tasks = sumOf(cells.map(([size, , , pairs]) => pairs / (size * (size - 1))));
  if (tasks === 0) {
    return none('NO_PAIRS');
  }
  const agreeing = cells.filter(([, said, heard]) => said === heard);
  const observed = sumOf(agreeing.map(([size, , , pairs]) => pairs / (size * (size - 1)))) / tasks;
  const shares = [...sharesOf(cells).values()].map((share) => share / tasks);
  const isEqual = new Set(cells.map(([size]) => size)).size === 1;
  const spread = sumOf(shares.map((share) => share * (1 - share)));
  return {
    fleissKappa: isEqual ? corrected(observed, sumOf(shares.map((share) => share ** 2))) : null,
    noFleiss: isEqual ? null : 'UNEQUAL_ANSWERS',
    gwetAc1: corrected(observed, classes > 1 ? spread / (classes - 1) : 1),
  };
}

/** Of each value its shares of the tasks' answers, added up: in m answers a value has met m - 1 others each time that it was said. */
function sharesOf(cells: Reading['cells']): Map<string, number> {
  const shares = new Map<string, number>();
  for (const [size, said, heard, pairs] of cells) {
    const half = pairs / 2 / (size - 1) / size;
    shares.set(said, (shares.get(said) ?? 0) + half);
    shares.set(heard, (shares.get(heard) ?? 0) + half);
  }
  return shares;
}

const corrected = (observed: number, chance: number) =>
  chance >= 1 ? 1 : (observed - chance) / (1 - chance);

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);
