import { DomainError, RetryLaterError } from '../../platform/errors.js';
import type { RedisFault } from '../../platform/redis-errors.js';

/** Why where workers are cannot be asked: as Redis said, or it is being built and is not whole yet. */
export type IndexFault = RedisFault | 'BUILDING';

/** What passes by itself, or when somebody makes room; of the rest a person has to put something right. */
const PASSES: ReadonlySet<IndexFault> = new Set(['BUILDING', 'NO_SERVER', 'LATE', 'NO_MEMORY', 'READ_ONLY']);
const SOON_SECONDS = 2;
const LATER_SECONDS = 60;

/**
 * Where workers are cannot be asked just now. Nothing was guessed in its place. Two codes: one that passes, and one (what Redis has is not
 * ours, a script of ours fails, our login may not) that waits for a person.
 */
export class HotIndexUnavailableError extends RetryLaterError {
  readonly code: 'HOT_INDEX_UNAVAILABLE' | 'HOT_INDEX_BROKEN';

  constructor(readonly fault: IndexFault) {
    const passes = PASSES.has(fault);
    const seconds = passes ? SOON_SECONDS : LATER_SECONDS;
    super(
      passes
        ? `Where workers are cannot be asked just now: try again in ${seconds} s.`
        : `Where workers are cannot be asked until somebody who runs this has put it right: try again in ${seconds} s.`,
      seconds,
    );
    this.code = passes ? 'HOT_INDEX_UNAVAILABLE' : 'HOT_INDEX_BROKEN';
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
