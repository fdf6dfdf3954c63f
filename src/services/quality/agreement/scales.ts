/** What a difference between two answers means (Krippendorff's levels of measurement). */
export type Scale = 'NOMINAL' | 'ORDINAL' | 'INTERVAL' | 'RATIO';

/** A value of an answer's dimension. Every scale but NOMINAL needs numbers; a rank is a number. */
export type Value = string | number;

/** A value and how often it is one of a pair (may be a fraction). */
export interface Occurrence {
  readonly value: Value;
  readonly count: number;
}

/** Smallest first where all are numbers, else by text: an order that does not depend on who came first. */
export function compareValues(one: Value, other: Value): number {
  if (typeof one === 'number' && typeof other === 'number') {
    return one - other;
  }
  const [left, right] = [`${typeof one}:${one}`, `${typeof other}:${other}`];
  return left < right ? -1 : Number(left > right);
}

/**
 * The squared differences δ² of sorted values by their places: `δ²(c, k)` of the c-th and the k-th of `occurrences`.
 * ORDINAL goes by how many answers lie between the two, half of each end's own included. RATIO takes two zeros for equal.
 * (Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011.)
 * @throws TypeError where a scale with an order meets a value that is no number
 */
export function squaredDifference(
  scale: Scale,
  occurrences: readonly Occurrence[],
): (c: number, k: number) => number {
  if (scale === 'NOMINAL') {
    return (c, k) => (c === k ? 0 : 1);
  }
  const at = scale === 'ORDINAL' ? middles(occurrences) : occurrences.map(({ value }) => numberOf(value));
  const differenceOf = scale === 'RATIO' ? relative : absolute;
  return (c, k) => differenceOf(at[c] ?? 0, at[k] ?? 0) ** 2;
}

const absolute = (one: number, other: number): number => one - other;

const relative = (one: number, other: number): number => (one === other ? 0 : (one - other) / (one + other));

/** Where the middle of each value's answers lies when all are laid out in order. */
function middles(occurrences: readonly Occurrence[]): number[] {
  let before = 0;
  return occurrences.map(({ value, count }) => {
    numberOf(value);
    const middle = before + count / 2;
    before += count;
    return middle;
  });
}

function numberOf(value: Value): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new TypeError(`Only a nominal scale has values that are no numbers: ${JSON.stringify(value)}.`);
  }
  return value;
}
