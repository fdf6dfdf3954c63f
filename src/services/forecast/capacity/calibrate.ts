import { FINISHED_MIN } from '../history/completion-model.js';
import type { History } from '../history/history.js';
import { NORMAL } from '../history/prior.js';
import { evenly, quantileOf, type Sample, sampleOf, type Weighted } from '../sample.js';

/**
 * By how much longer than the hours of experts say work takes, before anything is known: by the median, and its spread (of the logarithm);
 * which is less once so many batches were forecast by hours.
 */
const PRIOR = { ratio: 1.03, spread: 0.2, spreadLater: 0.14 } as const;
/** With one or two experts it is spread at least so much, whatever has finished: one is ill, and all is otherwise. */
const FEW_SPREAD = 0.3;
/** What differs by less has no shape that could be stretched. */
const SPREAD_TOLD = 1e-6;
/** As if so many finished batches had said so. */
const PRIOR_STRENGTH = 3;
/** A finished batch whose possible futures differed by this much says half as much of the hours as one that was foreseen exactly. */
const FORESEEN_SPREAD = 0.3;
/** Of a finished batch the next one counts so much more. */
const FRESHNESS = 0.97;
/** Between two of them lie values too. */
const SMOOTHING = 0.08;
const SIZE = 99;

/** Work that took more than so many times what was said, or less than that part of it, was another thing than what was forecast. */
const RATIO_MOST = 20;

/** What a finished batch took against the hours of experts, as logarithms: how much more, and how much its possible futures differed. */
interface Compared {
  readonly log: number;
  readonly spread: number;
}

/** Finished batches that were forecast by the hours of experts, from the same progress. */
const compared = ({ finished }: History): Compared[] =>
  finished.flatMap(({ remainingSeconds, capacitySeconds, capacitySpread }) =>
    capacitySeconds == null || remainingSeconds <= 0
      ? []
      : [{ log: clipped(Math.log(remainingSeconds / capacitySeconds)), spread: capacitySpread ?? 0 }],
  );

const clipped = (log: number): number => Math.min(Math.log(RATIO_MOST), Math.max(-Math.log(RATIO_MOST), log));

/**
 * As how much what is learned without regard to hours counts against them, 0 to 1: alike until so many finished batches were forecast by
 * hours; then less and less, and as much less as it says less (the squares of the spreads, as of two measurements).
 */
export function learnedShare(history: History, learned: Sample, isFew = false): number {
  const known = compared(history).length;
  return known < FINISHED_MIN
    ? 1
    : (FINISHED_MIN / known) *
        Math.min(1, (widthOf(ratiosOf(history, { isWhole: true, isFew })) / widthOf(learned)) ** 2);
}

/** Of the middle four fifths, on the logarithm. */
const widthOf = (sample: Sample): number =>
  Math.max(Number.EPSILON, Math.log(quantileOf(sample, 0.9) / Math.max(1e-9, quantileOf(sample, 0.1))));

interface RatiosOptions {
  /** One or two experts can do it. */
  readonly isFew?: boolean;
  /** With what was in the possible futures anyway. */
  readonly isWhole?: boolean;
}

/**
 * By how much longer work takes than the hours of experts say: as it did in finished batches at the same share of their answers (split
 * conformal, Papadopoulos 2002, on the logarithm), the latest counting most, and those
 * that were foreseen best; with a prior, and widened or narrowed by whether the last
 * forecasts held (../history/adaptive-spread.ts). Those took what they took in one of their possible futures: as much as these differed is in
 * the futures of the next ones already, and not in this.
 */
export function ratiosOf(history: History, { isFew = false, isWhole = false }: RatiosOptions = {}): Sample {
  const all = compared(history);
  const weights = all.map(
    ({ spread }, place) => FRESHNESS ** (all.length - 1 - place) / (1 + (spread / FORESEEN_SPREAD) ** 2),
  );
  const sumBy = (of: (one: Compared) => number) =>
    all.reduce((sum, one, place) => sum + of(one) * (weights[place] ?? 0), 0);
  const whole = PRIOR_STRENGTH + sumBy(() => 1);
  const centre = (PRIOR_STRENGTH * Math.log(PRIOR.ratio) + sumBy(({ log }) => log)) / whole;
  const variance = sumBy(({ log }) => (log - centre) ** 2);
  const foreseen = isWhole ? 0 : sumBy(({ spread }) => spread ** 2);
  const own = variance === 0 ? 1 : Math.sqrt(Math.max(0, 1 - foreseen / variance));
  const points = [
    ...all.flatMap(({ log }, place) =>
      NORMAL.map((z) => ({
        value: centre + (log - centre) * own + z * SMOOTHING,
        weight: (weights[place] ?? 0) / NORMAL.length,
      })),
    ),
    ...NORMAL.map((z) => ({
      value: centre + z * priorSpread(all.length),
      weight: PRIOR_STRENGTH / NORMAL.length,
    })),
  ];
  const scale = isFew ? Math.max(history.scale, FEW_SPREAD / spreadOf(points, centre)) : history.scale;
  const spread = ({ value, weight }: Weighted) => ({
    value: Math.exp(centre + (value - centre) * scale),
    weight,
  });
  return evenly(points.map(spread), SIZE);
}

/** @param known batches that were forecast by hours */
const priorSpread = (known: number): number =>
  PRIOR.spread + (PRIOR.spreadLater - PRIOR.spread) * Math.min(1, known / FINISHED_MIN);

/** What is said of when work will be done without regard to hours, spread at least as much where one or two experts can do it. */
export function asOfFew(sample: Sample): Sample {
  const points = Array.from(sample, (value) => ({ value: Math.log(Math.max(1, value)), weight: 1 }));
  const centre = Math.log(Math.max(1, quantileOf(sample, 0.5)));
  const spread = spreadOf(points, centre);
  if (spread >= FEW_SPREAD) {
    return sample;
  }
  const rests =
    spread < SPREAD_TOLD
      ? NORMAL.map((z) => z * FEW_SPREAD)
      : points.map(({ value }) => ((value - centre) * FEW_SPREAD) / spread);
  return sampleOf(rests.map((rest) => Math.exp(centre + rest)));
}

function spreadOf(points: readonly Weighted[], centre: number): number {
  const whole = points.reduce((sum, { weight }) => sum + weight, 0);
  const square = points.reduce((sum, { value, weight }) => sum + weight * (value - centre) ** 2, 0);
  return Math.sqrt(square / whole);
}
