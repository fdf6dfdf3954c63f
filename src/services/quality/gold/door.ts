import { PAUSE_POLICY } from '../pausing/policy.js';
import { type TrustedResult, trustedCounts } from '../pausing/trusted.js';
import { accuracyAt, type Estimate, estimate, type Prior } from '../scores/estimate.js';
import { NO_SCORE, type ScoreState } from '../scores/score.js';

/** LOWER_BOUND is the rule; the others are exceptions, and each is recorded with its draw. */
export type DoorKind =
  | 'LOWER_BOUND'
  | 'EXPLORATION'
  | 'SCARCE_SKILL'
  | 'RETEST'
  | 'HIGH_BARS'
  | 'KEPT'
  | 'TRIAL';

/** Which quality the claim is to take an expert for, and why; kept until the next result so that it can be audited. */
export interface Door {
  readonly kind: DoorKind;
  /** What the claim compares with a project's minimum. */
  readonly quality: number;
  readonly estimate: Estimate;
  /** The uniform numbers drawn: whether to explore, and Thompson's. Null where nothing was left to chance. */
  readonly drawn: { readonly explore: number; readonly accuracy: number; readonly share: number } | null;
}

export interface DoorInputs {
  readonly score: ScoreState;
  readonly prior: Prior;
  /** Experts of the skill whose lower bound passes the minimum that most of its work asks for. */
  readonly provenExperts: number;
  /** Two uniform numbers that nobody can foresee. */
  readonly explore: number;
  readonly accuracy: number;
  /** The skill's share of doors that chance opens, 0 to .5; null: {@link EXPLORATION_SHARE}. */
  readonly share?: number | null;
}

/** Below so many facts somebody is new. */
export const NEW_BELOW = 10;
/** The share of newcomers' doors that are opened by Thompson's draw: 5-10 % of a skill's claims once they are counted. A skill may have its own. */
export const EXPLORATION_SHARE = 0.1;
/** With fewer proven experts a skill is scarce. */
export const PROVEN_ENOUGH = 3;
const HOPE = 0.9;
/** No exception reaches the bar of adjudications (app.stronger_lane): who judges others has proven it. */
export const EXCEPTION_MAX = 0.79;

/**
 * The quality that gates an expert: the lower bound, except for newcomers. Where the skill is scarce they are taken for
 * the accuracy that they are below with probability .9; else one door in ten is opened by a draw from their posterior (Thompson 1933).
 *
 * The bar itself is never lowered: who comes in by an exception is on record as one. No exception goes up to where
 * adjudications wait.
 */
export function openDoor({
  score,
  prior,
  provenExperts,
  explore,
  accuracy,
  share: own = null,
}: DoorInputs): Door {
  const known = estimate(score, prior);
  if (score.seen >= NEW_BELOW) {
    return { kind: 'LOWER_BOUND', quality: known.lower, estimate: known, drawn: null };
  }
  if (provenExperts < PROVEN_ENOUGH) {
    const quality = Math.min(EXCEPTION_MAX, accuracyAt(score, prior, HOPE));
    return { kind: 'SCARCE_SKILL', quality: Math.max(known.lower, quality), estimate: known, drawn: null };
  }
  const share = own ?? EXPLORATION_SHARE;
  const drawn = { explore, accuracy, share };
  const theta = Math.min(EXCEPTION_MAX, accuracyAt(score, prior, accuracy));
  return explore < share && theta > known.lower
    ? { kind: 'EXPLORATION', quality: theta, estimate: known, drawn }
    : { kind: 'LOWER_BOUND', quality: known.lower, estimate: known, drawn };
}

/** Results with which somebody is judged by what is proven of them, however high the bars. */
const KNOWN_FROM = 60;

/**
 * The door of a newcomer to a skill whose work all asks for more than any exception reaches: they are taken for the least of
 * those bars while they may be that good (the accuracy that they are below with probability .9 is not below it) and have not proven it.
 * Null: there is none, or it closed; then the other doors count. The least bar is below every lane of adjudications of the skill, which
 * are .05 above the bars that they belong to.
 */
export function openHighDoor(
  { score, prior }: Pick<DoorInputs, 'score' | 'prior'>,
  leastBar: number | null,
): Door | null {
  const known = estimate(score, prior);
  const isOpen =
    leastBar !== null &&
    known.lower < leastBar &&
    score.seen < KNOWN_FROM &&
    accuracyAt(score, prior, HOPE) >= leastBar;
  return isOpen ? { kind: 'HIGH_BARS', quality: leastBar, estimate: known, drawn: null } : null;
}

export interface RetestInputs {
  /** Of the re-test alone, in which nobody is presumed good. */
  readonly results: readonly TrustedResult[];
  /** What all results amount to. */
  readonly known: Estimate;
  /** The least bar of the skill's running projects; null: there are none. */
  readonly leastBar: number | null;
}

/**
 * The quality that gates an expert in a re-test: the accuracy that they are below with probability .9 by its results, and the least bar of
 * the skill until the test has ended, for without work it would never end. By their past they would be given none.
 */
export function openRetestDoor({ results, known, leastBar }: RetestInputs): Door {
  const score = { ...NO_SCORE, seen: results.length, ...trustedCounts(results, PAUSE_POLICY.bar) };
  const hope = Math.min(EXCEPTION_MAX, accuracyAt(score, PAUSE_POLICY.retest.prior, HOPE));
  const quality = Math.max(known.lower, hope, leastBar ?? 0);
  return { kind: 'RETEST', quality, estimate: known, drawn: null };
}
