import { DomainError } from '../platform/errors.js';

/** The budget of the project does not pay for what was asked; nothing was done. */
export class BudgetExceededError extends DomainError {
  readonly code = 'BUDGET_EXCEEDED';
  constructor() {
    super('The budget of the project does not pay for this. Raise it, or ask for less.');
  }
}

/** A budget cannot be less than what is spent and reserved already. */
export class BudgetTooLowError extends DomainError {
  readonly code = 'BUDGET_TOO_LOW';
  /** @param committedMinor what is spent and reserved, in minor units of the project's currency */
  constructor(readonly committedMinor: bigint) {
    super(
      'What is spent and reserved already is more than this budget. Give at least that, or null for none.',
    );
  }
}
