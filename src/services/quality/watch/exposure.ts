import { betaBinomialAtLeast } from '../../platform/beta.js';

/** One showing of a gold, in the order of its showings. */
export interface Showing {
  readonly credit: number;
  /** The expert's accuracy as it was believed at the time. */
  readonly expected: number;
  /** The time it took as a share of the expert's own median on tasks of this kind that are no gold; null: unknown. */
  readonly timeShare: number | null;
}

/** Showings that are taken for untouched; what is later is compared with them. */
export const EARLY = 20;
/** Later showings that are needed. */
const LATE_MIN = 8;

/**
 * Standardised rise of accuracy with exposure: what later showings were right beyond what those experts and the gold's
 * own difficulty (its first twenty showings) let expect. About normal with variance 1 if nothing changed; null while there
 * are fewer than eight later showings.
 *
 * The difference of two mean residuals, credit less expectation, over its standard error (the one-sided two-proportion
 * test, with each expert's own proportion). Alone it is weak: twenty and twelve showings tell .80 from .98 half the time.
 */
export function exposureRise(showings: readonly Showing[]): number | null {
  const early = showings.slice(0, EARLY);
  const late = showings.slice(EARLY);
  if (late.length < LATE_MIN) {
    return null;
  }
  return (residual(late) - residual(early)) / Math.sqrt(variance(late) + variance(early));
}

/** Faster than this share of the usual time is quick. */
const QUICK = 0.5;
/** So many showings the usual share of quick and right answers weighs beside the gold's own first ones. */
const USUAL_WEIGHT = 10;

/**
 * The probability of so many answers both quick (less than half of the expert's usual time) and right among the later
 * showings, given how many there were among the first ones; null while there are fewer than eight later ones with a time.
 *
 * `usualQuick` is the share of quick answers on ordinary tasks. The share of this gold is Beta distributed around it and
 * what the first showings had, so that an easy gold, quick from the start, is not called known.
 */
export function quickAnswersByChance(showings: readonly Showing[], usualQuick: number): number | null {
  const isQuick = ({ timeShare, credit }: Showing) => timeShare !== null && timeShare < QUICK && credit >= 1;
  const timed = showings.filter(({ timeShare }) => timeShare !== null);
  const early = timed.slice(0, EARLY);
  const late = timed.slice(EARLY);
  if (late.length < LATE_MIN) {
    return null;
  }
  const quickAtFirst = early.filter(isQuick).length;
  const shape = {
    a: USUAL_WEIGHT * usualQuick + quickAtFirst,
    b: USUAL_WEIGHT * (1 - usualQuick) + early.length - quickAtFirst,
  };
  return betaBinomialAtLeast(late.filter(isQuick).length, late.length, shape);
}

export type LeakSign = 'ACCURACY_RISES' | 'TIME_FALLS';

export interface LeakFinding {
  readonly sign: LeakSign;
  /** The standardised rise, or the probability of so many quick answers. */
  readonly statistic: number;
  readonly showings: number;
}

/** Looks are few (a gold has at most twenty showings after the first twenty), golds are many. */
const RISE_ABOVE = 3.4;
const QUICK_BELOW = 0.002;

/**
 * Whether a gold seems to be known among experts. Asked after each showing over its life of forty, an honest gold is
 * called leaked in less than 1 of 200 cases (simulated); one that a third of later experts know, in most.
 */
export function findLeak(showings: readonly Showing[], usualQuick: number): LeakFinding | null {
  const chance = quickAnswersByChance(showings, usualQuick);
  if (chance !== null && chance < QUICK_BELOW) {
    return { sign: 'TIME_FALLS', statistic: chance, showings: showings.length };
  }
  const rise = exposureRise(showings);
  return rise !== null && rise > RISE_ABOVE
    ? { sign: 'ACCURACY_RISES', statistic: rise, showings: showings.length }
    : null;
}

function residual(showings: readonly Showing[]): number {
  return showings.reduce((sum, { credit, expected }) => sum + credit - expected, 0) / showings.length;
}

function variance(showings: readonly Showing[]): number {
  const total = showings.reduce((sum, { expected }) => sum + expected * (1 - expected), 0);
  return total / showings.length ** 2;
}
