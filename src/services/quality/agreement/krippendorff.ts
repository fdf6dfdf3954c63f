import { type Coincidence, Coincidences } from './coincidences.js';
import { compareValues, type Occurrence, type Scale, squaredDifference, type Value } from './scales.js';

/**
 * Krippendorff's alpha of units (each: the answers it has, in any order, missing ones left out). 1 where all agree, 0 at
 * chance, below 0 for systematic disagreement. Units with one answer say nothing and are ignored. Where every answer is
 * the same there is no chance to correct for: 1 by definition. Null where no unit has two answers.
 * Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011; Hayes & Krippendorff 2007.
 */
export function krippendorffAlpha(units: Iterable<readonly Value[]>, scale: Scale): number | null {
  const coincidences = new Coincidences();
  for (const answers of units) {
    coincidences.change([], answers);
  }
  return alphaOf(coincidences, scale);
}

/**
 * Alpha from counts of coincidences: α = 1 - (n - 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck. The same counts give the same bits,
 * whatever order they came in. Costs the square of the number of distinct values.
 */
export function alphaOf(coincidences: Iterable<Coincidence>, scale: Scale): number | null {
  const sorted = [...coincidences].sort(compareCoincidences);
  const occurrences = occurrencesOf(sorted);
  const total = occurrences.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) {
    return null;
  }
  const delta = squaredDifference(scale, occurrences);
  const expected = expectedDisagreement(occurrences, delta);
  if (expected === 0) {
    return 1;
  }
  const places = new Map(occurrences.map(({ value }, place) => [value, place]));
  const observed = sorted.reduce(
    (sum, { size, one, other, pairs }) =>
      sum + (pairs / (size - 1)) * delta(places.get(one) ?? 0, places.get(other) ?? 0),
    0,
  );
  return 1 - ((total - 1) * observed) / expected;
}

/**
 * How some of the pairs that `all` is made of agree, by the chance of all of them: 1 - their mean δ² over the mean δ² that is
 * expected of any two answers. Weighted by pairs, the mean over parts that make up the whole is its alpha. Null without pairs.
 */
export function alphaAgainst(
  part: Iterable<Coincidence>,
  all: Iterable<Coincidence>,
  scale: Scale,
): number | null {
  const occurrences = occurrencesOf(all);
  const total = occurrences.reduce((sum, { count }) => sum + count, 0);
  const delta = squaredDifference(scale, occurrences);
  const expected = expectedDisagreement(occurrences, delta) / (total * (total - 1));
  const places = new Map(occurrences.map(({ value }, place) => [value, place]));
  let pairs = 0;
  let observed = 0;
  for (const { size, one, other, pairs: count } of [...part].sort(compareCoincidences)) {
    pairs += count / (size - 1);
    observed += (count / (size - 1)) * delta(places.get(one) ?? 0, places.get(other) ?? 0);
  }
  if (pairs === 0) {
    return null;
  }
  return expected > 0 ? 1 - observed / pairs / expected : 1;
}

/** How often each value is one of a pair, smallest value first. */
function occurrencesOf(coincidences: Iterable<Coincidence>): Occurrence[] {
  const counts = new Map<Value, number>();
  for (const { size, one, other, pairs } of coincidences) {
    // A pair of unlike values stands once for both orders, of which each value heads half.
    for (const value of [one, other]) {
      counts.set(value, (counts.get(value) ?? 0) + pairs / 2 / (size - 1));
    }
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => compareValues(one.value, other.value));
}

function expectedDisagreement(
  occurrences: readonly Occurrence[],
  delta: (c: number, k: number) => number,
): number {
  let sum = 0;
  for (const [c, { count }] of occurrences.entries()) {
    for (const [k, other] of occurrences.slice(0, c).entries()) {
      sum += 2 * count * other.count * delta(c, k);
    }
  }
  return sum;
}

function compareCoincidences(a: Coincidence, b: Coincidence): number {
  return a.size - b.size || compareValues(a.one, b.one) || compareValues(a.other, b.other);
}
