import { DomainError } from '../platform/errors.js';

/** Only what is done can be looked at again. */
export class NotEscalatableError extends DomainError {
  override readonly code = 'NOT_ESCALATABLE';
  constructor(readonly why: 'NOT_DONE' | 'ADJUDICATED' | 'NOT_RUNNING') {
    super(
      {
        NOT_DONE: 'The task has not all the answers that it wants yet.',
        ADJUDICATED: 'The task is being adjudicated, or was.',
        NOT_RUNNING: 'The project was cancelled.',
      }[why],
    );
  }
}

/**
 * A gold ends once for one reason: what was taken for wrong is not merely shown no more, for what it graded would count again; and what has
 * ended keeps the reason that it ended for.
 */
export class GoldEndedError extends DomainError {
  override readonly code = 'GOLD_ENDED';
  constructor(
    readonly state: 'RETIRED' | 'SUSPENDED',
    readonly reason: string,
  ) {
    super(
      state === 'SUSPENDED'
        ? 'The gold was suspended already: it was taken for wrong, is shown to nobody, and keeps its reason.'
        : 'The gold was retired already, for another reason, which it keeps.',
    );
  }
}

/** Nobody is paused because of a finding that somebody has said means nothing. */
export class FindingDismissedError extends DomainError {
  override readonly code = 'FINDING_DISMISSED';
  constructor() {
    super(
      'This finding was dismissed: it means nothing. Pause the expert by `pauseExpert`, for a reason of its own.',
    );
  }
}
