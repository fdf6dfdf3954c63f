import { DomainError } from '../../platform/errors.js';

/** Somebody else has acknowledged the alert already; what they said stands. */
export class AlertAcknowledgedError extends DomainError {
  readonly code = 'ALREADY_ACKNOWLEDGED';
  constructor(readonly acknowledgedAt: Date | null) {
    super('Somebody else has acknowledged this alert already.');
  }
}
