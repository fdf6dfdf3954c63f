/** The ranks of `some` among both, summed; equal values share their mean rank. */
export interface RankSum {
  readonly sum: number;
  /** The sum over groups of t equal values of t^3 - t: what ties take from the variance. */
  readonly ties: number;
}

/** Wilcoxon's rank sum. */
export function rankSum(some: readonly number[], others: readonly number[]): RankSum {
  const all = [
    ...some.map((value) => ({ value, isSome: true })),
    ...others.map((value) => ({ value, isSome: false })),
  ];
  all.sort((a, b) => a.value - b.value);
  let sum = 0;
  let ties = 0;
  for (let from = 0; from < all.length; ) {
    let to = from;
    let ofSome = 0;
    for (; to < all.length && all[to]?.value === all[from]?.value; to++) {
      ofSome += all[to]?.isSome ? 1 : 0;
    }
    sum += ((from + 1 + to) / 2) * ofSome;
    ties += (to - from) ** 3 - (to - from);
    from = to;
  }
  return { sum, ties };
}

/** P(one of `some` is larger than one of `others`), equal ones counting half: Mann and Whitney's U over its maximum. */
export function probabilityLarger(some: readonly number[], others: readonly number[]): number {
  const { sum } = rankSum(some, others);
  return (sum - (some.length * (some.length + 1)) / 2) / (some.length * others.length);
}

/** The rank sum standardised: negative where `some` are smaller; 0 where all are equal. */
export function rankSumZ(some: readonly number[], others: readonly number[]): number {
  const { sum, ties } = rankSum(some, others);
  const [n, m, total] = [some.length, others.length, some.length + others.length];
  const mean = (n * (total + 1)) / 2;
  const variance = ((n * m) / 12) * (total + 1 - ties / (total * (total - 1)));
  return variance <= 0 ? 0 : (sum - mean) / Math.sqrt(variance);
}
