/**
 * A refusal that the caller can act on. Services throw these; everything else they throw is a bug and is masked.
 * Each subclass is one member of the result unions in the API.
 */
export abstract class DomainError extends Error {
  /** Stable and machine-readable, SCREAMING_SNAKE; part of the public API once released. */
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/**
 * Not now, whoever asks: the same call may succeed after `retryAfterSeconds`. Always a top-level error, never a member of
 * a result union, for there is nothing about the call itself to put right.
 */
export abstract class RetryLaterError extends DomainError {
  constructor(
    message: string,
    /** Whole seconds, at least 1. */
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** More is asked of this node than it can serve in time. Nothing was done. */
export class OverloadedError extends RetryLaterError {
  readonly code = 'OVERLOADED';
  constructor(retryAfterSeconds: number) {
    super(`Too many requests wait just now: try again in ${retryAfterSeconds} s.`, retryAfterSeconds);
  }
}

/** This identity asks too often. Nothing was done. */
export class RateLimitedError extends RetryLaterError {
  readonly code = 'RATE_LIMITED';
  constructor(retryAfterSeconds: number) {
    super(`You ask too often: try again in ${retryAfterSeconds} s.`, retryAfterSeconds);
  }
}

/** The process stops, or what it stands on cannot be reached. */
export class StoppingError extends RetryLaterError {
  readonly code = 'SERVICE_UNAVAILABLE';
  constructor() {
    super('This node is stopping: try again shortly.', 1);
  }
}

/** Whoever asked has gone. Nobody hears of it. */
export class CancelledError extends DomainError {
  readonly code = 'CANCELLED';
  constructor() {
    super('The request was cancelled by its client.');
  }
}
