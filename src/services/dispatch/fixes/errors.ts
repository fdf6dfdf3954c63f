import { DomainError, RetryLaterError } from '../../platform/errors.js';

/** Where workers are cannot be asked just now: Redis is away. Nothing was guessed in its place. */
export class HotIndexUnavailableError extends RetryLaterError {
  readonly code = 'HOT_INDEX_UNAVAILABLE';
  constructor() {
    super('Where workers are cannot be asked just now: try again in 2 s.', 2);
  }
}

/** Fixes are taken from workers on their shift only: where somebody is at other times is nobody's business. */
export class OffShiftError extends DomainError {
  readonly code = 'OFF_SHIFT';
  constructor() {
    super('Fixes are taken during your shift only.');
  }
}

/** A fix comes from the worker it is about, and from nobody else. */
export class NotYourFixError extends DomainError {
  readonly code = 'FORBIDDEN';
  constructor() {
    super('A worker reports their own fixes only.');
  }
}
