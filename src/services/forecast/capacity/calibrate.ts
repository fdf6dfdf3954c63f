import { FINISHED_MIN } from '../history/completion-model.js';
import type { History } from '../history/history.js';
import { NORMAL } from '../history/prior.js';
import { evenly, type Sample } from '../sample.js';

/** By how much longer than the hours of experts say work takes, before anything is known: by the median, and its spread (of the logarithm). */
const PRIOR = { ratio: 1.1, spread: 0.35 } as const;
/** As if so many finished batches had said so. */
const PRIOR_STRENGTH = 3;
/** Of a finished batch the next one counts so much more. */
const FRESHNESS = 0.97;
/** Between two of them lie values too. */
const SMOOTHING = 0.08;
const SIZE = 99;

/** Work that took more than so many times what was said, or less than that part of it, was another thing than what was forecast. */
const RATIO_MOST = 20;

/** Finished batches that were forecast by the hours of experts, from the same progress. */
const compared = ({ finished }: History) =>
  finished.flatMap(({ remainingSeconds, capacitySeconds }) =>
    capacitySeconds == null || remainingSeconds <= 0
      ? []
      : [clipped(Math.log(remainingSeconds / capacitySeconds))],
  );

const clipped = (log: number): number => Math.min(Math.log(RATIO_MOST), Math.max(-Math.log(RATIO_MOST), log));

/** Whether what finished batches took is known against what the hours of experts said. */
export const isCalibrated = (history: History): boolean => compared(history).length >= FINISHED_MIN;

/**
 * By how much longer work takes than the hours of experts say: as it did in finished batches at the same share of their answers (split
 * conformal, Papadopoulos 2002, on the logarithm), the latest counting most; with a prior, and widened or narrowed by whether the last
 * forecasts held (../history/adaptive-spread.ts).
 */
export function ratiosOf(history: History): Sample {
  const logs = compared(history);
  const weights = logs.map((_, place) => FRESHNESS ** (logs.length - 1 - place));
  const whole = weights.reduce((sum, weight) => sum + weight, PRIOR_STRENGTH);
  const centre =
    logs.reduce(
      (sum, log, place) => sum + log * (weights[place] ?? 0),
      PRIOR_STRENGTH * Math.log(PRIOR.ratio),
    ) / whole;
  const points = [
    ...logs.flatMap((log, place) =>
      NORMAL.map((z) => ({ value: log + z * SMOOTHING, weight: (weights[place] ?? 0) / NORMAL.length })),
    ),
    ...NORMAL.map((z) => ({ value: centre + z * PRIOR.spread, weight: PRIOR_STRENGTH / NORMAL.length })),
  ];
  const spread = ({ value, weight }: (typeof points)[number]) => ({
    value: Math.exp(centre + (value - centre) * history.scale),
    weight,
  });
  return evenly(points.map(spread), SIZE);
}
