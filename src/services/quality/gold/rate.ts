import { binomialAtLeast } from '../../platform/beta.js';

/** Why the rate is what it is; kept with each draw. */
export type RateReason =
  | 'RETEST'
  | 'PROBATION'
  | 'EVIDENCE'
  | 'BAR_KEPT'
  | 'AFTER_MISS'
  | 'AFTER_ABSENCE'
  | 'NEW_INSTRUCTIONS'
  | 'DRIFT';

/** What a gold rate depends on; of one expert, skill and task type. */
export interface RateInputs {
  /** PROBATION until proven, ACTIVE, or RETEST after a pause. */
  readonly standing: 'PROBATION' | 'ACTIVE' | 'RETEST';
  /** Gold and adjudications counted so far. */
  readonly seen: number;
  /** The last credits, oldest first: the score's `recent`. */
  readonly recent: readonly number[];
  /** They hold a bar that is not proven of them any more, or are tried at one. */
  readonly isKept?: boolean;
  /** Tasks answered since the last gold miss, since the return from the last absence of more than two weeks, and since
   * the instructions last changed; null where that never happened. */
  readonly tasksSinceMiss: number | null;
  readonly tasksSinceAbsence: number | null;
  readonly tasksSinceInstructions: number | null;
}

export interface GoldRate {
  /** The share of this expert's claims that become gold, if there is one to give. */
  readonly rate: number;
  readonly reason: RateReason;
}

/** Below one half, so that an expert on probation cannot tell gold by counting. */
const PROBATION_RATE = 0.4;
/** A re-test is over sooner, and still not all gold: the other tasks are ones that a proven expert has covered. */
const RETEST_RATE = 0.45;
const RATE_MAX = 0.25;
const RATE_MIN = 0.03;
/** The rate halves in this many results. */
const HALVING = 10;
const RAISED = 0.15;
const RAISED_FOR_TASKS = 10;

/**
 * The gold rate of one expert: .25 / (1 + n / 10), between .03 and .25, and at least .15 for ten tasks after a miss, an
 * absence or new instructions, while the last results look like drift, and while a bar is held that is not proven any more.
 *
 * At 60 results about 4 % of claims are gold; a flat 10-30 % is what others pay (Bragg, Mausam and Weld 2016 measure what
 * adaptive testing saves).
 */
export function goldRate(inputs: RateInputs): GoldRate {
  if (inputs.standing !== 'ACTIVE') {
    return inputs.standing === 'RETEST'
      ? { rate: RETEST_RATE, reason: 'RETEST' }
      : { rate: PROBATION_RATE, reason: 'PROBATION' };
  }
  const byEvidence = Math.min(RATE_MAX, Math.max(RATE_MIN, RATE_MAX / (1 + inputs.seen / HALVING)));
  const reason = raisedBy(inputs);
  return reason === null || byEvidence >= RAISED
    ? { rate: byEvidence, reason: 'EVIDENCE' }
    : { rate: RAISED, reason };
}

function raisedBy(inputs: RateInputs): RateReason | null {
  const isNear = (tasks: number | null) => tasks !== null && tasks < RAISED_FOR_TASKS;
  if (inputs.isKept === true) {
    return 'BAR_KEPT';
  }
  if (isNear(inputs.tasksSinceMiss)) {
    return 'AFTER_MISS';
  }
  if (isNear(inputs.tasksSinceAbsence)) {
    return 'AFTER_ABSENCE';
  }
  if (isNear(inputs.tasksSinceInstructions)) {
    return 'NEW_INSTRUCTIONS';
  }
  return hasDrifted(inputs.recent) ? 'DRIFT' : null;
}

const LATEST = 10;
/** Chance of a false alarm at one look, before the shrinking below, which makes it rarer. */
const DRIFT_BELOW = 0.02;

/**
 * Whether the last ten results are worse than the ones before them can explain: P(so few right of ten) is below .02 at the
 * accuracy of the older ones, shrunk by one result right and one wrong. Needs twenty results.
 *
 * A raised rate is all that follows, so false alarms are cheap: a steady expert is looked at so in about 1 % of looks
 * (simulated).
 */
export function hasDrifted(recent: readonly number[]): boolean {
  const older = recent.slice(0, -LATEST);
  const latest = recent.slice(-LATEST);
  if (older.length < LATEST) {
    return false;
  }
  const expected = (sum(older) + 1) / (older.length + 2);
  const wrong = Math.round(LATEST - sum(latest));
  return binomialAtLeast(wrong, LATEST, 1 - expected) < DRIFT_BELOW;
}

/** What a draw decided, to be kept with the claim: anyone can see later that chance, and nothing else, chose. */
export interface GoldDraw extends GoldRate {
  /** The uniform number that was drawn, 0 to below 1. */
  readonly drawn: number;
  readonly isGold: boolean;
}

/** Decides whether a claim becomes gold. `drawn` is a uniform number that the caller draws and nobody can foresee. */
export function drawGold({ rate, reason }: GoldRate, drawn: number): GoldDraw {
  return { rate, reason, drawn, isGold: drawn < rate };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
