import { type Prior, probabilityBelow } from '../scores/estimate.js';
import { PAUSE_POLICY, type PausePolicy } from './policy.js';
import { type TrustedResult, trustedCounts } from './trusted.js';

/** CLEAR works; WARNED works and has been told; PAUSED is given no work; RETEST is given gold only, counted by itself. */
export type PausePhase = 'CLEAR' | 'WARNED' | 'PAUSED' | 'RETEST';

/** Why the phase is what it is. HUMAN carries a text where it is kept. */
export type PauseReason =
  | 'ACCURACY_BELOW_BAR'
  | 'ACCURACY_RECOVERED'
  | 'RETEST_BEGUN'
  | 'RETEST_PASSED'
  | 'RETEST_FAILED'
  | 'HUMAN'
  | 'FRAUD';

/** One graded answer: the id of its fact, how right it was, and how far whoever graded it is to be believed. */
export interface Result extends TrustedResult {
  readonly id: string;
}

/** What happens to an expert's standing in a skill; a permanent fact each. */
export type PauseEvent = { readonly atMs: number } & (
  | ({ readonly kind: 'RESULT' } & Result)
  | { readonly kind: 'RETEST' }
  /** A human or a watch sets a pause, or a human lifts it. */
  | { readonly kind: 'SET'; readonly reason: 'HUMAN' | 'FRAUD' }
  | { readonly kind: 'LIFT' }
);

/** What the standing rests on: enough to show to the expert and to whoever decides an appeal. */
export interface PauseEvidence {
  /** The facts looked at, oldest first. */
  readonly factIds: readonly string[];
  /** Credits added up, of `of` results, as they were graded. */
  readonly right: number;
  readonly of: number;
  /** P(accuracy < bar), from the policy's prior and these results. */
  readonly probabilityBelow: number;
}

/** The standing of an expert in a skill; plain JSON, a fold over pause events. */
export interface PauseState {
  readonly phase: PausePhase;
  /** Null in the beginning. */
  readonly reason: PauseReason | null;
  readonly sinceMs: number | null;
  /** The last results that count, oldest first: since the last return or lift, or of the re-test. */
  readonly results: readonly Result[];
  /** Re-tests failed since the last time in the clear. */
  readonly failed: number;
}

/** Tells the expert, and whoever audits, that the phase or its reason changed. */
export interface PauseNotice {
  readonly phase: PausePhase;
  readonly reason: PauseReason;
  readonly atMs: number;
  readonly evidence: PauseEvidence;
}

export const NOT_PAUSED: PauseState = { phase: 'CLEAR', reason: null, sinceMs: null, results: [], failed: 0 };

/** The standing after an event; the notice is null where nobody needs to be told. */
export interface PauseStep {
  readonly state: PauseState;
  readonly notice: PauseNotice | null;
}

/**
 * The standing after one more event, and the notice to send if it changed.
 *
 * Nobody is paused by results without having been warned: who crosses both bars at once is warned first, and paused by a
 * later result. Results that arrive in a pause (of the lease still held) move the score but not the standing.
 */
export function stepPause(
  state: PauseState,
  event: PauseEvent,
  policy: PausePolicy = PAUSE_POLICY,
): PauseStep {
  const move = (to: Move) => enter(state, { ...to, atMs: event.atMs }, policy);
  switch (event.kind) {
    case 'RESULT':
      return afterResult(state, event, { policy, move });
    case 'RETEST':
      return isRetestable(state)
        ? move({ phase: 'RETEST', reason: 'RETEST_BEGUN', seen: [], kept: [] })
        : { state, notice: null };
    case 'SET':
      return move({ phase: 'PAUSED', reason: event.reason, seen: state.results, kept: [] });
    case 'LIFT':
      return move({ phase: 'CLEAR', reason: 'HUMAN', seen: state.results, kept: [], failed: 0 });
  }
}

/** The standing that a history of events gives, oldest first. */
export function foldPause(events: readonly PauseEvent[], policy: PausePolicy = PAUSE_POLICY): PauseState {
  return events.reduce((state, event) => stepPause(state, event, policy).state, NOT_PAUSED);
}

/** When an expert who is paused may be re-tested, in ms of the database's clock; null if they are not to be. */
export function retestFromMs(
  state: PauseState,
  { retest: { waitSeconds } }: PausePolicy = PAUSE_POLICY,
): number | null {
  if (!isRetestable(state) || state.sinceMs === null) {
    return null;
  }
  const wait = waitSeconds[Math.min(state.failed, waitSeconds.length - 1)] ?? 0;
  return state.sinceMs + wait * 1000;
}

/** A re-test undoes what results did. Whom a human or a finding of fraud paused returns by a human's hand only. */
function isRetestable({ phase, reason }: PauseState): boolean {
  return phase === 'PAUSED' && (reason === 'ACCURACY_BELOW_BAR' || reason === 'RETEST_FAILED');
}

interface Move {
  readonly phase: PausePhase;
  readonly reason: PauseReason;
  /** The results it was decided on. */
  readonly seen: readonly Result[];
  /** The results that go on counting. */
  readonly kept: readonly Result[];
  readonly failed?: number;
}

interface Judging {
  readonly policy: PausePolicy;
  readonly move: (to: Move) => PauseStep;
}

function afterResult(state: PauseState, { id, credit, trust, chance }: Result, judging: Judging): PauseStep {
  const result = trust === undefined ? { id, credit } : { id, credit, trust, chance };
  const results = [...state.results, result].slice(-judging.policy.window);
  switch (state.phase) {
    case 'CLEAR':
    case 'WARNED':
      return atWork(state, results, judging);
    case 'PAUSED':
      return { state, notice: null };
    case 'RETEST':
      return inRetest(state, results, judging);
  }
}

function atWork(state: PauseState, results: readonly Result[], { policy, move }: Judging): PauseStep {
  const below = probabilityBelowBar(results, policy);
  const isEnough = results.length >= policy.resultsMin;
  if (state.phase === 'WARNED' && isEnough && below > policy.pauseAbove) {
    return move({ phase: 'PAUSED', reason: 'ACCURACY_BELOW_BAR', seen: results, kept: [] });
  }
  if (state.phase === 'CLEAR' && isEnough && below > policy.warnAbove) {
    return move({ phase: 'WARNED', reason: 'ACCURACY_BELOW_BAR', seen: results, kept: results });
  }
  // A warning ends only when the bar is more likely passed than not: it does not flicker with each result.
  if (state.phase === 'WARNED' && below < 0.5) {
    return move({ phase: 'CLEAR', reason: 'ACCURACY_RECOVERED', seen: results, kept: results });
  }
  return { state: { ...state, results }, notice: null };
}

function inRetest(state: PauseState, results: readonly Result[], { policy, move }: Judging): PauseStep {
  const { retest, bar } = policy;
  const below = probabilityBelowBar(results, { bar, prior: retest.prior });
  const isEnough = results.length >= retest.resultsMin;
  if (isEnough && 1 - below > retest.passAbove) {
    return move({ phase: 'CLEAR', reason: 'RETEST_PASSED', seen: results, kept: results, failed: 0 });
  }
  if ((isEnough && below > retest.failAbove) || results.length >= retest.resultsMax) {
    const failed = state.failed + 1;
    return move({ phase: 'PAUSED', reason: 'RETEST_FAILED', seen: results, kept: [], failed });
  }
  return { state: { ...state, results }, notice: null };
}

function enter(
  state: PauseState,
  { phase, reason, seen, kept, failed = state.failed, atMs }: Move & { atMs: number },
  policy: PausePolicy,
): PauseStep {
  return {
    state: { phase, reason, sinceMs: atMs, results: kept, failed },
    notice: { phase, reason, atMs, evidence: evidenceOf(seen, policy) },
  };
}

/** What results say of an accuracy below the bar. */
export function evidenceOf(results: readonly Result[], policy: PausePolicy): PauseEvidence {
  return {
    factIds: results.map(({ id }) => id),
    right: creditOf(results),
    of: results.length,
    probabilityBelow: probabilityBelowBar(results, policy),
  };
}

function probabilityBelowBar(
  results: readonly Result[],
  { bar, prior }: { bar: number; prior: Prior },
): number {
  return probabilityBelow(trustedCounts(results, bar), bar, prior);
}

const creditOf = (results: readonly Result[]) => results.reduce((sum, { credit }) => sum + credit, 0);
