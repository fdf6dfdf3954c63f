/** The value that a part `share` of all is not above. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length - 1) * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The pairwise ratios' median: both of a pair were measured within seconds of each other. */
export const medianRatio = (pairs: readonly (readonly [number, number])[]): number =>
  median(pairs.map(([one, other]) => one / other));
