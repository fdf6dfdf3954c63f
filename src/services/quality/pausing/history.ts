import {
  evidenceOf,
  NOT_PAUSED,
  type PauseEvent,
  type PauseNotice,
  type PausePhase,
  type PauseState,
  stepPause,
} from './pause.js';
import { PAUSE_POLICY } from './policy.js';

/** A pause as it is kept. */
export interface KeptPause {
  readonly pausedAt: Date;
  readonly resumedAt: Date | null;
  /** Set by results, not by a human. */
  readonly byResults: boolean;
  /** What was held ended with it: for fraud. */
  readonly withdrew: boolean;
  /** Ended by a re-test. */
  readonly returned: boolean;
}

/** What a standing is folded from. */
export interface StandingFacts {
  readonly results: readonly Extract<PauseEvent, { kind: 'RESULT' }>[];
  readonly pauses: readonly KeptPause[];
  readonly retests: readonly Date[];
}

/**
 * The events of a standing, oldest first; pauses are given in the order in which they were set. A pause by results is not an
 * event: it follows from them. Of the same millisecond pauses and lifts stand as they followed each other, a pause before its own
 * lift and after the lift of the one before, and all of them before results: what was told to a human had happened.
 */
export function eventsOf({ results, pauses, retests }: StandingFacts): PauseEvent[] {
  const events: PauseEvent[] = [
    ...pauses.flatMap(eventsOfPause),
    ...retests.map((at) => ({ kind: 'RETEST' as const, atMs: at.getTime() })),
    ...results,
  ];
  return events.sort((a, b) => a.atMs - b.atMs);
}

function eventsOfPause({ pausedAt, resumedAt, byResults, withdrew, returned }: KeptPause): PauseEvent[] {
  const reason = withdrew ? 'FRAUD' : 'HUMAN';
  const isLifted = resumedAt !== null && !returned;
  return [
    ...(byResults ? [] : [{ kind: 'SET' as const, reason, atMs: pausedAt.getTime() } as const]),
    ...(isLifted ? [{ kind: 'LIFT' as const, atMs: resumedAt.getTime() }] : []),
  ];
}

/** Where a history begins: a standing, and the span of time, its beginning left out, whose events follow. */
export interface StandingSpan {
  readonly state: PauseState;
  readonly afterMs: number;
  readonly untilMs: number;
}

const EVER: StandingSpan = {
  state: NOT_PAUSED,
  afterMs: Number.NEGATIVE_INFINITY,
  untilMs: Number.POSITIVE_INFINITY,
};

/**
 * The standing that a history gives, and everything that was to be told on the way. Results are all taken; pauses, lifts and re-tests
 * as far as they are of the span.
 */
export function standingOf(
  facts: StandingFacts,
  { state: from, afterMs, untilMs }: StandingSpan = EVER,
): { state: PauseState; notices: PauseNotice[] } {
  const notices: PauseNotice[] = [];
  let state = from;
  const isOfSpan = ({ kind, atMs }: PauseEvent) => kind === 'RESULT' || (atMs > afterMs && atMs <= untilMs);
  for (const event of eventsOf(facts).filter(isOfSpan)) {
    const step = stepPause(state, event);
    state = step.state;
    if (step.notice !== null) {
      notices.push(step.notice);
    }
  }
  return { state, notices };
}

/** The last change of standing that is kept, and when the fold runs. */
export interface Told {
  readonly last: { readonly phase: PausePhase; readonly reason: string; readonly atMs: number } | null;
  readonly nowMs: number;
}

/** A standing by itself. */
export interface Beginning {
  readonly phase: PausePhase;
  readonly reason: string | null;
}

/**
 * What a fold has to add to the changes that are kept. A fold that runs again may find other changes in the same past (a gold was
 * suspended, an adjudication came late): what is kept stays as it is, and only that the standing is another one now is news.
 * `begins` is the standing before these changes.
 */
export function newsOf(
  {
    state,
    notices,
    begins = NOT_PAUSED,
  }: { state: PauseState; notices: readonly PauseNotice[]; begins?: Beginning },
  { last, nowMs }: Told,
): PauseNotice[] {
  const kept: Beginning & { atMs: number } = last ?? { ...NOT_PAUSED, atMs: Number.NEGATIVE_INFINITY };
  const goesOn = isSame(notices.findLast(({ atMs }) => atMs <= kept.atMs) ?? begins, kept);
  const news = goesOn ? notices.filter(({ atMs }) => atMs > kept.atMs) : [];
  if (isSame(state, news.at(-1) ?? kept)) {
    return news;
  }
  const { phase, reason } = state;
  const evidence = notices.at(-1)?.evidence ?? evidenceOf(state.results, PAUSE_POLICY);
  return [...news, { phase, reason: reason ?? 'ACCURACY_RECOVERED', atMs: nowMs, evidence }];
}

/** Who is in the clear without a reason stands as whoever came back. */
const isSame = (found: Beginning, kept: Beginning): boolean =>
  found.phase === kept.phase && (found.reason === null || found.reason === kept.reason);
