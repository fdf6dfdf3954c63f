/** Of forecasts that have ended, in this order, whether the interval they gave (so probable) held. */
export interface AdaptiveSpread {
  /** By how much the spread of the next forecast is to be multiplied. */
  readonly scale: number;
  /** The forecast that has just ended. */
  learn(hasHeld: boolean): void;
}

/** How much of what was stated the intervals are to hold. */
export const INTERVAL = 0.8;
const STEP = 0.1;
/** However long everything held (or nothing did): a spread of nothing is never right. */
const LIMITS = { low: 0.25, high: 4 } as const;

/**
 * Adaptive conformal inference (Gibbs & Candès 2021): what missed too often is widened, what never misses is narrowed, so that
 * in the long run intervals hold as often as they say, whatever the data are like. The step is made on the logarithm of
 * the spread instead of the stated probability: an interval that must hold four in five has no use for quantiles beyond
 * those of its sample.
 */
export function adaptiveSpread(): AdaptiveSpread {
  let log = 0;
  return {
    get scale() {
      return Math.exp(log);
    },
    learn(hasHeld) {
      log += STEP * (Number(!hasHeld) - (1 - INTERVAL));
      log = Math.min(Math.log(LIMITS.high), Math.max(Math.log(LIMITS.low), log));
    },
  };
}
