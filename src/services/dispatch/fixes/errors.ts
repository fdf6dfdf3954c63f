import { RetryLaterError } from '../../platform/errors.js';

/** Where workers are cannot be asked just now: Redis is away. Nothing was guessed in its place. */
export class HotIndexUnavailableError extends RetryLaterError {
  readonly code = 'HOT_INDEX_UNAVAILABLE';
  constructor() {
    super('Where workers are cannot be asked just now: try again in 2 s.', 2);
  }
}
