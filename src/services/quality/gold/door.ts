import { accuracyAt, type Estimate, estimate, type Prior } from '../scores/estimate.js';
import type { ScoreState } from '../scores/score.js';

/** LOWER_BOUND is the rule; the others are exceptions, and each is recorded with its draw. */
export type DoorKind = 'LOWER_BOUND' | 'EXPLORATION' | 'SCARCE_SKILL';

/** Which quality the claim is to take an expert for, and why; kept until the next result so that it can be audited. */
export interface Door {
  readonly kind: DoorKind;
  /** What the claim compares with a project's minimum. */
  readonly quality: number;
  readonly estimate: Estimate;
  /** The uniform numbers drawn: whether to explore, and Thompson's. Null where nothing was left to chance. */
  readonly drawn: { readonly explore: number; readonly accuracy: number } | null;
}

export interface DoorInputs {
  readonly score: ScoreState;
  readonly prior: Prior;
  /** Experts of the skill whose lower bound passes the minimum that most of its work asks for. */
  readonly provenExperts: number;
  /** Two uniform numbers that nobody can foresee. */
  readonly explore: number;
  readonly accuracy: number;
}

/** Below so many facts somebody is new. */
const NEW_BELOW = 10;
/** The share of newcomers' doors that are opened by Thompson's draw: 5-10 % of a skill's claims once they are counted. */
const EXPLORATION_SHARE = 0.1;
/** With fewer proven experts a skill is scarce. */
const SCARCE_BELOW = 3;
const HOPE = 0.9;

/**
 * The quality that gates an expert: the lower bound, except for newcomers. Where the skill is scarce they are taken for
 * the accuracy that they are below with probability .9; else one door in ten is opened by a draw from their posterior (Thompson 1933).
 *
 * The bar itself is never lowered: who comes in by an exception is on record as one.
 */
export function openDoor({ score, prior, provenExperts, explore, accuracy }: DoorInputs): Door {
  const known = estimate(score, prior);
  if (score.seen >= NEW_BELOW) {
    return { kind: 'LOWER_BOUND', quality: known.lower, estimate: known, drawn: null };
  }
  if (provenExperts < SCARCE_BELOW) {
    return { kind: 'SCARCE_SKILL', quality: accuracyAt(score, prior, HOPE), estimate: known, drawn: null };
  }
  const drawn = { explore, accuracy };
  const theta = accuracyAt(score, prior, accuracy);
  return explore < EXPLORATION_SHARE && theta > known.lower
    ? { kind: 'EXPLORATION', quality: theta, estimate: known, drawn }
    : { kind: 'LOWER_BOUND', quality: known.lower, estimate: known, drawn };
}
