import { DomainError } from '../services/platform/errors.js';

/** Why a subscription was refused, or ended before its time. */
export class SubscriptionError extends DomainError {
  constructor(
    readonly code: 'FORBIDDEN' | 'NOT_FOUND' | 'SLOW_CONSUMER' | 'UNAUTHENTICATED',
    message: string,
    /** Where to go on from, for a reader that was too slow. */
    readonly cursor: string | null = null,
  ) {
    super(message);
  }
}
