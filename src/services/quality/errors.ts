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

/** A gold that was taken for wrong is not one that is merely shown no more: what it graded does not count again. */
export class GoldEndedError extends DomainError {
  override readonly code = 'GOLD_ENDED';
  constructor() {
    super('The gold was suspended: it was taken for wrong, is shown to nobody, and cannot be retired.');
  }
}
