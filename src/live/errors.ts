/** Why a subscription was refused or ended before its time; `code` stands in the error's extensions. */
export class SubscriptionError extends Error {
  override readonly name = 'SubscriptionError';

  constructor(
    readonly code: 'FORBIDDEN' | 'NOT_FOUND' | 'SLOW_CONSUMER' | 'UNAUTHENTICATED',
    message: string,
    /** Where to go on from, for a reader that was too slow. */
    readonly cursor: string | null = null,
  ) {
    super(message);
  }
}
