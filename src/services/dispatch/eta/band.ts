import type { Eta } from '../ports.js';

/** How the truth compares with what was said: quantiles of actual over estimated time. */
export interface Spread {
  /** The 10th, 50th and 90th hundredth. */
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** Before anybody has arrived: a router without traffic is slightly early, an estimate by distance may be anything. */
export const FIRST_SPREADS: Readonly<Record<Eta['confidence'], Spread>> = {
  HIGH: { low: 0.85, middle: 1.05, high: 1.45 },
  LOW: { low: 0.6, middle: 1.1, high: 2.2 },
};

/** Of fewer arrivals nothing is concluded. */
export const ARRIVALS_MIN = 30;
/** What is older than so many arrivals is forgotten: roads and seasons change. */
export const ARRIVALS_MAX = 500;

/**
 * The band of four fifths, from past ratios of actual to estimated time, by the order statistics of split conformal prediction
 * (Vovk et al. 2005): of exchangeable trips at least four fifths fall into it, whatever the distribution. Null for too few.
 */
export function spreadOf(ratios: readonly number[]): Spread | null {
  const n = ratios.length;
  if (n < ARRIVALS_MIN) {
    return null;
  }
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (rank: number) => sorted[Math.min(n, Math.max(1, rank)) - 1] ?? 1;
  return {
    low: at(Math.floor((n + 1) * 0.1)),
    middle: at(Math.round((n + 1) * 0.5)),
    high: at(Math.ceil((n + 1) * 0.9)),
  };
}

/** The spread of two errors that come one upon the other and know nothing of each other: logarithms add in squares. */
export function both(one: Spread, other: Spread): Spread {
  const middle = one.middle * other.middle;
  const side = (of: 'low' | 'high') =>
    Math.hypot(Math.log(one[of] / one.middle), Math.log(other[of] / other.middle));
  return { low: middle * Math.exp(-side('low')), middle, high: middle * Math.exp(side('high')) };
}

/** A fix that old is what calibration stands on; what is older makes the band wider by its seconds. */
const FRESH_SECONDS = 30;

/** The estimate with its band. `ageSeconds`: of the fix that it starts from. */
export function banded(
  { seconds, spread, ageSeconds }: { seconds: number; spread: Spread; ageSeconds: number },
  told: Pick<Eta, 'confidence' | 'source'>,
): Eta {
  const staleSeconds = Math.max(0, ageSeconds - FRESH_SECONDS);
  const expected = seconds * spread.middle;
  return {
    seconds: Math.round(expected),
    roadSeconds: seconds,
    lowSeconds: Math.max(0, Math.floor(Math.min(expected, seconds * spread.low) - staleSeconds)),
    highSeconds: Math.ceil(Math.max(expected, seconds * spread.high) + staleSeconds),
    ...told,
  };
}
