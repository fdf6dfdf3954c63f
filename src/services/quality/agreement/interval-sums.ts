/**
 * Krippendorff's alpha on an interval scale, live, for values that hardly ever repeat: pairs of values need not be
 * counted, since the squared differences of all pairs of m numbers sum to 2 (m Σx² - (Σx)²). One answer costs its unit's
 * answers; three numbers are kept. Equal to counting coincidences up to rounding.
 */
export class IntervalSums {
  /** Σ over units of the squared differences within, each weighted by 1 / (m - 1); and n, Σx, Σ(x - origin)² of all. */
  private within = 0;
  private count = 0;
  private sum = 0;
  private squares = 0;
  /** Values are taken relative to the first one: far from zero the squares would eat the digits. */
  private origin: number | null = null;

  /** Takes the answers of a unit for what they are now instead of what they were. */
  change(before: readonly number[], after: readonly number[]): void {
    this.origin ??= after[0] ?? before[0] ?? null;
    this.unit(before, -1);
    this.unit(after, 1);
  }

  /** Null where no unit has two answers, 1 where every answer is the same. */
  alpha(): number | null {
    if (this.count === 0) {
      return null;
    }
    const between = 2 * (this.count * this.squares - this.sum ** 2);
    return between <= 0 ? 1 : 1 - ((this.count - 1) * this.within) / between;
  }

  private unit(values: readonly number[], sign: 1 | -1): void {
    const size = values.length;
    if (size < 2) {
      return;
    }
    const relative = values.map((value) => value - (this.origin ?? 0));
    const mean = relative.reduce((sum, value) => sum + value, 0) / size;
    this.within += (sign * 2 * size * sumOf(relative, (value) => (value - mean) ** 2)) / (size - 1);
    this.count += sign * size;
    this.sum += sign * mean * size;
    this.squares += sign * sumOf(relative, (value) => value ** 2);
  }
}

function sumOf(values: readonly number[], term: (value: number) => number): number {
  return values.reduce((sum, value) => sum + term(value), 0);
}
