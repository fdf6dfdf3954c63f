import { normalise, type Posterior } from './posterior.js';
import { lowestPoint } from './valley.js';

/**
 * What turns stated into actual probabilities: log odds are multiplied by `temper`, for the errors of workers come together
 * and count more than once; then with probability `doubt` nothing is known, for on some items everybody is surely wrong.
 */
export interface Calibration {
  readonly temper: number;
  readonly doubt: number;
}

export const UNCALIBRATED: Calibration = { temper: 1, doubt: 0 };

/** Log weights of the classes of items whose truth is known: `fixed` (if any) + temper × `logs`, items × classes each. */
export interface KnownItems {
  readonly classes: number;
  readonly logs: Float64Array;
  readonly fixed?: Float64Array;
  readonly truths: readonly number[];
}

/** An impossible class is not believed to be impossible: a posterior of 0 would survive every temper. */
export const LEAST = 1e-9;

/** How far from 1 the temper is believed to be, as a spread of its logarithm, before an item was seen. */
const SPREAD = 1;
const LOWEST = 0.02;
const DOUBT_MAX = 0.5;
const ROUNDS = 3;

/** Two parameters need no more: with 2,000 items the share of right ones is known to a hundredth. */
const ITEMS_MAX = 2_000;

/** Where the search for doubt begins: from 0 alone it would not find what few sure errors make of a flat temper. */
const BEGINNINGS = [0, 0.05] as const;

/**
 * The temper in [.02, highest] that makes the known truths likeliest (log loss), with a weak belief in 1 that a handful of
 * items does not overturn. Without items: 1. (Temperature scaling, Guo et al. 2017.)
 */
export function fitTemper(known: KnownItems, highest = 1): number {
  return fitTemperAt(thinned(known), { highest, doubt: 0 });
}

/**
 * The temper and the doubt that make the known truths likeliest, and beside them one item of which nothing is known: thirty
 * right answers of thirty are no proof of certainty. A temper alone goes down to nothing for the sake of a few sure errors;
 * with doubt, on simulated sets with shared errors, the gap between stated and actual went from .05 to .035 for Dawid-Skene and from
 * .09 to .04 for the majority, and the one item took that of the chosen method from .016 to .005 on average.
 */
export function fitCalibration(all: KnownItems, highest = 1): Calibration {
  if (all.truths.length === 0) {
    return UNCALIBRATED;
  }
  const known = thinned(all);
  const costOf = (calibration: Calibration) => logLoss(known, calibration) + ignorance(known, calibration);
  const fits = BEGINNINGS.map((start) => {
    let doubt: number = start;
    let temper = 1;
    for (let round = 0; round < ROUNDS; round++) {
      temper = fitTemperAt(known, { highest, doubt });
      doubt = lowestPoint((d) => costOf({ temper, doubt: d }), 0, DOUBT_MAX);
    }
    return { temper, doubt, cost: belief(temper) + costOf({ temper, doubt }) };
  });
  const { temper, doubt } = fits.reduce((best, fit) => (fit.cost < best.cost ? fit : best));
  return { temper, doubt };
}

/** Loss of one item more, an average one of which nothing is known: any of its classes is the truth. */
function ignorance({ classes, logs, truths }: KnownItems, { temper, doubt }: Calibration): number {
  const shares = new Float64Array(classes);
  let loss = 0;
  for (let at = 0; at < logs.length; at += classes) {
    for (let j = 0; j < classes; j++) {
      shares[j] = temper * (logs[at + j] as number);
    }
    normalise(shares, 0, classes);
    for (let j = 0; j < classes; j++) {
      loss -= Math.log(Math.max(LEAST, (1 - doubt) * (shares[j] as number) + doubt / classes));
    }
  }
  return loss / classes / truths.length;
}

/** Minus the log of what the known truths are given, summed. */
export function logLoss(
  { classes, logs, fixed, truths }: KnownItems,
  { temper, doubt }: Calibration,
): number {
  const shares = new Float64Array(classes);
  let loss = 0;
  for (const [item, truth] of truths.entries()) {
    const at = item * classes;
    for (let j = 0; j < classes; j++) {
      shares[j] = (fixed === undefined ? 0 : (fixed[at + j] as number)) + temper * (logs[at + j] as number);
    }
    normalise(shares, 0, classes);
    loss -= Math.log(Math.max(LEAST, (1 - doubt) * (shares[truth] as number) + doubt / classes));
  }
  return loss;
}

/** A copy of a posterior, calibrated. */
export function calibrate(posterior: Posterior, classes: number, { temper, doubt }: Calibration): Posterior {
  const shares = logsOf(posterior);
  for (let at = 0; at < shares.length; at += classes) {
    for (let j = at; j < at + classes; j++) {
      shares[j] = temper * (shares[j] as number);
    }
    normalise(shares, at, classes);
  }
  return shares.map((share) => (1 - doubt) * share + doubt / classes);
}

/** Log probabilities, none of them that of an impossible class. */
export function logsOf(posterior: Posterior): Float64Array {
  return posterior.map((p) => Math.log(Math.max(LEAST, p)));
}

/** At most ITEMS_MAX of the items, evenly spread. */
function thinned(known: KnownItems): KnownItems {
  const { classes, logs, fixed, truths } = known;
  if (truths.length <= ITEMS_MAX) {
    return known;
  }
  const kept = Array.from({ length: ITEMS_MAX }, (_, k) => Math.floor((k * truths.length) / ITEMS_MAX));
  const rowsOf = (rows: Float64Array) =>
    Float64Array.from({ length: ITEMS_MAX * classes }, (_, at) => {
      const item = kept[Math.floor(at / classes)] ?? 0;
      return rows[item * classes + (at % classes)] ?? 0;
    });
  return {
    classes,
    logs: rowsOf(logs),
    ...(fixed === undefined ? {} : { fixed: rowsOf(fixed) }),
    truths: kept.map((item) => truths[item] ?? 0),
  };
}

function fitTemperAt(known: KnownItems, { highest, doubt }: { highest: number; doubt: number }): number {
  const cost = (log: number) => belief(Math.exp(log)) + logLoss(known, { temper: Math.exp(log), doubt });
  return Math.exp(lowestPoint(cost, Math.log(LOWEST), Math.log(highest)));
}

function belief(temper: number): number {
  return Math.log(temper) ** 2 / (2 * SPREAD ** 2);
}
