import { DomainError } from '../platform/errors.js';

/** There is no such assignment, or it is not the caller's. */
export class AssignmentNotFoundError extends DomainError {
  readonly code = 'ASSIGNMENT_NOT_FOUND';
  constructor() {
    super('There is no such assignment of yours.');
  }
}

/** The lease ran out. What was sent is kept as a draft; `reclaimable` says whether the slot is still free. */
export class LeaseExpiredError extends DomainError {
  readonly code = 'LEASE_EXPIRED';
  constructor(readonly reclaimable: boolean) {
    super(
      reclaimable
        ? 'The lease has ended. Your work is kept as a draft: take the task back with reclaimAssignment.'
        : 'The lease has ended and the task can no longer be taken back. Your work is kept as a draft; claim the next task.',
    );
  }
}

/** The call names an earlier claim of this assignment than the one that is held now. */
export class StaleLeaseError extends DomainError {
  readonly code = 'STALE_LEASE';
  constructor(readonly currentEpoch: number) {
    super('This assignment was claimed again since: use the lease epoch of that claim.');
  }
}

/** The project was cancelled with the policy STOP, or can take no more work. */
export class ProjectCancelledError extends DomainError {
  readonly code = 'PROJECT_CANCELLED';
  constructor() {
    super('The project was cancelled. Claim the next task.');
  }
}

/** The lease was ended by an operator: nothing can be submitted under it. */
export class LeaseWithdrawnError extends DomainError {
  readonly code = 'LEASE_WITHDRAWN';
  constructor() {
    super('This task was withdrawn from you. Ask those who run the work.');
  }
}

/** The assignment has an answer already; a different one, or one of another claim, is refused. */
export class AlreadySubmittedError extends DomainError {
  readonly code = 'ALREADY_SUBMITTED';
  constructor() {
    super('This assignment has an answer already, and it was another one. It stays as it was.');
  }
}

/** The assignment ended by a flag. */
export class AlreadyFlaggedError extends DomainError {
  readonly code = 'ALREADY_FLAGGED';
  constructor() {
    super('You have said that this task cannot be answered. Claim the next task.');
  }
}

/** The expert gave the slot back, or it was given to somebody else, or the task is done. */
export class SlotTakenError extends DomainError {
  readonly code = 'SLOT_TAKEN';
  constructor() {
    super('You gave the task back, or it was given to somebody else or is done. Claim the next task.');
  }
}

/** The expert holds another live claim, and may hold only one. */
export class HoldsAnotherError extends DomainError {
  readonly code = 'HOLDS_ANOTHER';
  constructor(readonly heldAssignmentId: bigint) {
    super('You hold another task: submit or release it first.');
  }
}

/** The expert may not work on this task any more: paused, not qualified, a conflict of interest, a full project or a full day. */
export class NotQualifiedError extends DomainError {
  readonly code = 'NOT_QUALIFIED';
  constructor() {
    super(
      'You may not work on this project just now: you are paused, lack something that it asks for, may not see the work of its customer, have had as many of its tasks as one expert may, or have taken as many tasks today (UTC) as your daily cap allows. Ask for the next task: the answer says when to come back.',
    );
  }
}
