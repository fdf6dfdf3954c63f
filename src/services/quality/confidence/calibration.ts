import {
  applyPlatt,
  fitPlatt,
  logit,
  type PlattMap,
  type PlattPrior,
  type Stated,
  sigmoid,
} from './platt.js';

/** What a stated confidence means, and whether it says anything. */
export interface ConfidenceMap {
  readonly map: PlattMap;
  /** What an expert is usually worth by it: who states more is surer than usual. */
  readonly usual: number;
  /** Whether inference may use it, or why not. */
  readonly use: 'USABLE' | 'TOO_FEW' | 'SAYS_NOTHING';
}

/** How well an expert knows what they know; measured on gold, shown to them. */
export interface ConfidenceCalibration extends ConfidenceMap {
  /** Pairs it rests on: the last ones. */
  readonly pairs: number;
  /** Mean stated confidence, and the share that was right. */
  readonly stated: number;
  readonly actual: number;
  /** Expected calibration error: the mean distance of stated and actual within about five groups of equal size. */
  readonly error: number;
  /** Mean squared distance of what was stated from what came true (Brier 1950). */
  readonly brier: number;
}

/** Pairs kept: people learn. */
export const PAIRS_MAX = 200;
const PAIRS_MIN = 30;
const GROUPS = 5;
/** The map of an expert of whom nothing is known: half of what they say about being surer or less sure is real. */
const PRIOR: PlattPrior = { centre: { intercept: 0.5, slope: 0.5 }, strength: 4 };
const FOLDS = 10;
/** The map must beat the expert's bare accuracy by so many nats a pair on pairs it has not seen. */
const GAIN_MIN = 0.01;

/**
 * An expert's calibration from their (stated, right) pairs on gold, oldest first.
 *
 * It is USABLE from thirty pairs on, if what is stated tells right from wrong: on pairs left out, the fitted map predicts
 * better than the expert's accuracy alone does (log loss, ten folds). Who always says the same, or is sure at random, is no
 * worse an expert for it; their answers count by their accuracy.
 */
export function calibrateConfidence(all: readonly Stated[]): ConfidenceCalibration {
  const pairs = all.slice(-PAIRS_MAX);
  return {
    pairs: pairs.length,
    stated: mean(pairs.map(({ probability }) => probability)),
    actual: accuracyOf(pairs),
    error: expectedCalibrationError(pairs),
    brier: mean(pairs.map(({ probability, isRight }) => (probability - (isRight ? 1 : 0)) ** 2)),
    map: fitPlatt(pairs, PRIOR),
    usual: accuracyOf(pairs),
    use: useOf(pairs, PRIOR),
  };
}

/** In a skill, or a dimension of it, nothing that is stated counts before so many pairs of its own. */
const OWN_PAIRS_MIN = 10;

/**
 * What an expert's stated confidence means in one skill, or one dimension of its answers, by their pairs there, oldest first: a map that is shrunk
 * to the wider one (of all their skills; of the skill). With ten pairs of its own it is used where the wider one is, and from thirty on
 * by what it says itself: who knows what they know where it is easy may state anything where they guess.
 */
export function calibrateWithin(all: readonly Stated[], wider: ConfidenceMap): ConfidenceMap {
  const pairs = all.slice(-PAIRS_MAX);
  const prior = { centre: wider.map, strength: PRIOR.strength };
  const map = fitPlatt(pairs, prior);
  const usual = mean(pairs.map(({ probability }) => applyPlatt(map, probability)));
  if (pairs.length < OWN_PAIRS_MIN) {
    return { map, usual, use: 'TOO_FEW' };
  }
  return { map, usual, use: pairs.length < PAIRS_MIN ? wider.use : useOf(pairs, prior) };
}

/** Whether the confidence stated with an answer counts. */
export const isUsable = (
  calibration: ConfidenceMap | null,
  stated: number | null,
): calibration is ConfidenceMap => calibration?.use === 'USABLE' && stated !== null;

/**
 * The probability that one answer is right: the expert's accuracy, moved by how much surer than usual they are, where that
 * may be used. What the map says beyond what it usually does is added to the log-odds of the accuracy that was measured in
 * this skill and dimension, and does not take its place.
 */
export function accuracyOfAnswer(
  accuracy: number,
  calibration: ConfidenceMap | null,
  stated: number | null,
): number {
  if (!isUsable(calibration, stated) || stated === null) {
    return accuracy;
  }
  const usual = Math.min(0.98, Math.max(0.02, calibration.usual));
  return sigmoid(logit(accuracy) + logit(applyPlatt(calibration.map, stated)) - logit(usual));
}

/**
 * Expected calibration error of pairs: sorted by what was stated, cut into about five groups of equal size that never part
 * equal statements, the mean over groups of |mean stated - share right| (Naeini et al. 2015, with equal sizes, because
 * people state few different numbers).
 */
export function expectedCalibrationError(pairs: readonly Stated[]): number {
  const sorted = [...pairs].sort((a, b) => a.probability - b.probability);
  return groupsOf(sorted).reduce((sum, group) => {
    const gap = mean(group.map(({ probability }) => probability)) - accuracyOf(group);
    return sum + (group.length / sorted.length) * Math.abs(gap);
  }, 0);
}

function groupsOf(sorted: readonly Stated[]): Stated[][] {
  const groups: Stated[][] = [];
  for (const pair of sorted) {
    const last = groups.at(-1);
    const isFull = last !== undefined && last.length >= sorted.length / GROUPS;
    if (last === undefined || (isFull && last.at(-1)?.probability !== pair.probability)) {
      groups.push([pair]);
    } else {
      last.push(pair);
    }
  }
  return groups;
}

function useOf(pairs: readonly Stated[], prior: PlattPrior): ConfidenceMap['use'] {
  if (pairs.length < PAIRS_MIN) {
    return 'TOO_FEW';
  }
  let gain = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const rest = pairs.filter((_, i) => i % FOLDS !== fold);
    const map = fitPlatt(rest, prior);
    const base = (rest.filter(({ isRight }) => isRight).length + 1) / (rest.length + 2);
    for (const pair of pairs.filter((_, i) => i % FOLDS === fold)) {
      gain += logLikelihood(applyPlatt(map, pair.probability), pair) - logLikelihood(base, pair);
    }
  }
  return gain / pairs.length > GAIN_MIN ? 'USABLE' : 'SAYS_NOTHING';
}

function logLikelihood(probability: number, { isRight }: Stated): number {
  return Math.log(isRight ? probability : 1 - probability);
}

function accuracyOf(pairs: readonly Stated[]): number {
  return mean(pairs.map(({ isRight }) => (isRight ? 1 : 0)));
}

/** 0 of nothing. */
function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
