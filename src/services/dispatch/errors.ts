import { DomainError } from '../platform/errors.js';

/** The offer's time was up before the answer came. Nothing was done; somebody else is asked. */
export class OfferExpiredError extends DomainError {
  readonly code = 'OFFER_EXPIRED';
  constructor() {
    super('The offer has ended unanswered. The next one comes by itself.');
  }
}

/** The offer was answered otherwise, or was taken back. */
export class OfferGoneError extends DomainError {
  readonly code = 'OFFER_GONE';
  constructor() {
    super('This offer was answered already, or was taken back: it stands no more.');
  }
}

/** What is asked for cannot be done in the state that the job is in. */
export class JobStateError extends DomainError {
  readonly code = 'JOB_STATE';
  constructor(readonly state: string) {
    super(`The job is ${state}: this cannot be done with it.`);
  }
}

/** The code is not the one that the customer has. */
export class WrongCodeError extends DomainError {
  readonly code = 'WRONG_CODE';
  constructor(readonly triesLeft: number) {
    super(`This is not the code of the job: ask the customer for it. ${triesLeft} tries are left.`);
  }
}

/** Too many wrong codes were given: only somebody who dispatches can go on, by giving the job anew. */
export class CheckInLockedError extends DomainError {
  readonly code = 'CHECK_IN_LOCKED';
  constructor() {
    super('Five wrong codes were given. Call whoever dispatches you.');
  }
}

/** The worker is elsewhere at the time of the job, with all hands that they have. */
export class WorkerBusyError extends DomainError {
  readonly code = 'WORKER_BUSY';
  constructor() {
    super(
      'The worker has as many jobs at that time as they can: choose another, or preempt jobs of lower priority.',
    );
  }
}

/** The expert is no worker, or an inactive one. */
export class NotAWorkerError extends DomainError {
  readonly code = 'NOT_A_WORKER';
  constructor() {
    super('This expert is no active worker: give them a shift and an area with setWorker.');
  }
}

/** Whoever decides may not decide for themselves. */
export class OwnJobError extends DomainError {
  readonly code = 'OWN_JOB';
  constructor() {
    super('You may not give a job to yourself: somebody else who dispatches must.');
  }
}
