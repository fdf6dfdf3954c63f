import { NOT_PAUSED, type PauseEvent, type PauseNotice, type PauseState, stepPause } from './pause.js';

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

/** The standing that a history gives, and everything that was to be told on the way. */
export function standingOf(facts: StandingFacts): { state: PauseState; notices: PauseNotice[] } {
  const notices: PauseNotice[] = [];
  let state = NOT_PAUSED;
  for (const event of eventsOf(facts)) {
    const step = stepPause(state, event);
    state = step.state;
    if (step.notice !== null) {
      notices.push(step.notice);
    }
  }
  return { state, notices };
}
