import type { Random } from '../../platform/random.js';
import { between, FRESHNESS, type Known, WEEKS_MAX } from './known.js';
import { variance } from './variance.js';

// Holidays, releases and slack weeks are everybody's: experts' weeks go together, and sums of them vary more than by chance.

/** The weeks of the past that all experts take at once, by week to come (as weeks back), and the odds with which each does. */
export interface CommonWeeks {
  readonly weeks: Uint8Array;
  readonly share: number;
}

/** With fewer weeks or experts nothing is known of how they go together. */
const WEEKS_MIN = 4;
const EXPERTS_MIN = 2;
/** So much more may the variance of the sum be by chance: of eight weeks its standard deviation is half of it. */
const BY_CHANCE = 0.5;

/**
 * With which odds an expert's week to come is the one that all others take, for the sum of their hours to vary from week to week as it did:
 * with odds p each two share a week with p², so that p² of their covariance is kept.
 */
export function togetherOf(known: readonly Known[]): number {
  const ever = known.filter(({ active }) => active > 0);
  const of = (weeks: number) => ever.filter(({ open }) => open[weeks - 1] === weeks - 1);
  let weeks = WEEKS_MAX;
  while (weeks > WEEKS_MIN && of(weeks).length < ever.length / 2) {
    weeks -= 1;
  }
  const compared = of(weeks);
  if (compared.length < EXPERTS_MIN) {
    return 0;
  }
  const secondsOf = ({ sums }: Known) =>
    Array.from({ length: weeks }, (_, back) => between(sums, -back - 1, -back));
  const each = compared.map(secondsOf);
  const apart = each.reduce((sum, one) => sum + variance(one), 0);
  const sums = Array.from({ length: weeks }, (_, back) =>
    each.reduce((sum, one) => sum + (one[back] ?? 0), 0),
  );
  const beyond = apart === 0 ? 0 : variance(sums) / apart - 1;
  return beyond <= BY_CHANCE ? 0 : Math.sqrt(1 - BY_CHANCE / beyond);
}

/** Draws weeks for all. @param most weeks of the past that are known */
export const commonWeeks = (
  { weeks, share, most }: { weeks: number; share: number; most: number },
  random: Random,
): CommonWeeks => ({ share, weeks: Uint8Array.from({ length: weeks }, () => drawWeek(most, random)) });

/** Drawn by looking up: so many places for the weeks that are known. */
const PLACES = 512;
const DRAWN = Array.from({ length: WEEKS_MAX + 1 }, (_, weeks) =>
  Uint8Array.from({ length: PLACES }, (_place, n) => weekAt((n + 0.5) / PLACES, weeks)),
);

/** Which of so many weeks, 0 for the last, with weights that fall by {@link FRESHNESS}. */
export const drawWeek = (weeks: number, random: Random): number =>
  DRAWN[Math.min(WEEKS_MAX, weeks)]?.[Math.floor(random() * PLACES)] ?? 0;

function weekAt(share: number, weeks: number): number {
  return Math.floor(Math.log(1 - share * (1 - FRESHNESS ** weeks)) / Math.log(FRESHNESS));
}
