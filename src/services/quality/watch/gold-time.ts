import { rankSumZ } from './ranks.js';

/** The time of one expert on one gold. */
export interface TimedGold {
  readonly gold: string;
  readonly credit: number;
  /** Seconds from claim to submit. */
  readonly seconds: number;
}

export interface TimeFinding {
  /** QUICK: knows the answers. SLOW: takes care where it counts, so tells gold from other work. */
  readonly sign: 'QUICK_ON_GOLD' | 'SLOW_ON_GOLD';
  /** Standardised rank sum of the times on gold. */
  readonly z: number;
}

const SEEN_MIN = 12;
/** One in 30,000 either way at one look, so that looking again and again stays below 1 of 200. */
const Z_ABOVE = 4;

/**
 * Whether one expert's times on gold differ from their times on ordinary tasks of the same kind; null while there are
 * fewer than twelve of either.
 *
 * Wilcoxon's rank-sum test in its normal approximation (Mann and Whitney 1947), ties sharing their rank. Ranks, since
 * times have long tails and one pause must not decide. Both signs count: colluders who recognise gold have been seen to
 * spend longer on it (Checco, Bates and Demartini 2020).
 */
export function findTimeGap(
  gold: readonly TimedGold[],
  ordinarySeconds: readonly number[],
): TimeFinding | null {
  if (gold.length < SEEN_MIN || ordinarySeconds.length < SEEN_MIN) {
    return null;
  }
  const z = rankSumZ(
    gold.map(({ seconds }) => seconds),
    ordinarySeconds,
  );
  if (Math.abs(z) <= Z_ABOVE) {
    return null;
  }
  return { sign: z < 0 ? 'QUICK_ON_GOLD' : 'SLOW_ON_GOLD', z };
}

/** The share of an expert's usual time below which an answer is quick. */
const QUICK = 0.5;

/**
 * The gold to retire when an expert was found to know gold: what they got right, and quickly if it was their speed that
 * gave them away. Some of it they may just have known; a gold too many retired costs one more minted.
 */
export function presumedKnown(
  gold: readonly TimedGold[],
  { ordinarySeconds, isQuick }: { ordinarySeconds: readonly number[]; isQuick: boolean },
): string[] {
  const usual = median(ordinarySeconds);
  return gold
    .filter(({ credit, seconds }) => credit >= 1 && (!isQuick || seconds < QUICK * usual))
    .map((shown) => shown.gold);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
