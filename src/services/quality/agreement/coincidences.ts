import { compareValues, type Value } from './scales.js';

/**
 * How often two values met among the answers to units with `size` answers: ordered pairs, so that c beside k counts
 * twice in one unit with one of each. Whole numbers whatever was added and removed, and in any order: that is why they are
 * kept apart by size, by which alone they are weighted.
 */
export interface Coincidence {
  readonly size: number;
  readonly one: Value;
  readonly other: Value;
  readonly pairs: number;
}

/**
 * What one unit's answers contribute: nothing where there are fewer than two. Each pair of values stands once, smaller
 * first (compareValues).
 */
function coincidencesOf(answers: readonly Value[]): Coincidence[] {
  const size = answers.length;
  if (size < 2) {
    return [];
  }
  const counts = [...countsOf(answers)].sort(([one], [other]) => compareValues(one, other));
  return counts.flatMap(([one, ones], at) =>
    counts
      .slice(at)
      .map(([other, others]) => ({
        size,
        one,
        other,
        pairs: one === other ? ones * (ones - 1) : 2 * ones * others,
      }))
      .filter(({ pairs }) => pairs > 0),
  );
}

/**
 * What changes in the counts when a unit's answers change, for a table of counters that is updated in place: one answer
 * more or less touches the pairs of its own unit and nothing else.
 */
export function coincidenceChanges(before: readonly Value[], after: readonly Value[]): Coincidence[] {
  const changes = new Coincidences();
  changes.change(before, after);
  return [...changes];
}

/**
 * Counts of coincidences, live: one answer more or less costs as much as its own unit has distinct values, squared,
 * however many units there are. Alpha is a function of these counts alone (alphaOf).
 */
export class Coincidences implements Iterable<Coincidence> {
  private readonly counts = new Map<string, Coincidence>();

  /** Takes the answers of a unit for what they are now instead of what they were. */
  change(before: readonly Value[], after: readonly Value[]): void {
    for (const coincidence of coincidencesOf(before)) {
      this.count(coincidence, -coincidence.pairs);
    }
    for (const coincidence of coincidencesOf(after)) {
      this.count(coincidence, coincidence.pairs);
    }
  }

  /** One more answer to a unit that had `others`. */
  add(others: readonly Value[], value: Value): void {
    this.change(others, [...others, value]);
  }

  /** One answer less: `others` are those that stay. */
  remove(others: readonly Value[], value: Value): void {
    this.change([...others, value], others);
  }

  [Symbol.iterator](): Iterator<Coincidence> {
    return this.counts.values();
  }

  private count({ size, one, other }: Coincidence, change: number): void {
    const key = JSON.stringify([size, one, other]);
    const pairs = (this.counts.get(key)?.pairs ?? 0) + change;
    if (pairs === 0) {
      this.counts.delete(key);
    } else {
      this.counts.set(key, { size, one, other, pairs });
    }
  }
}

function countsOf(answers: readonly Value[]): Map<Value, number> {
  const counts = new Map<Value, number>();
  for (const answer of answers) {
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  return counts;
}
