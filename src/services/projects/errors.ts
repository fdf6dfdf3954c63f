import { DomainError } from '../platform/errors.js';

/** The key was used before, for something else. The first one stands. */
export class IdempotencyConflictError extends DomainError {
  readonly code = 'IDEMPOTENCY_CONFLICT';
  constructor() {
    super('This idempotencyKey was used before with other content. Use a new key for a new request.');
  }
}

/** A project that was stopped cannot be set to finish. */
export class AlreadyStoppedError extends DomainError {
  readonly code = 'ALREADY_STOPPED';
  constructor() {
    super('The project was stopped already: its leases have ended, so there is nothing left to finish.');
  }
}

/** The project was cancelled: it takes no further work. */
export class ProjectNotRunningError extends DomainError {
  readonly code = 'PROJECT_NOT_RUNNING';
  constructor() {
    super(
      'The project was cancelled: it takes no further work, and nothing of it can be changed. Create a new project.',
    );
  }
}
