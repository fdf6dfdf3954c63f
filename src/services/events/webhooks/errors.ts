import { DomainError } from '../../platform/errors.js';

/** The webhook is disabled: nothing is sent. */
export class WebhookDisabledError extends DomainError {
  readonly code = 'WEBHOOK_DISABLED';
  constructor() {
    super('The webhook is disabled: set it again to enable it.');
  }
}
