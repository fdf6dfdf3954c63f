import { getOperationAST } from 'graphql';
import type { Viewer } from '../services/access/viewer.js';
import { Recent } from '../services/platform/recent.js';
import type { OperationEngine } from './websocket-operation.js';

/** A document that may be subscribed to, for the schema that it was validated against. */
export interface Valid {
  readonly schema: OperationEngine['schema'];
  readonly document: ReturnType<OperationEngine['parse']>;
}

/** What somebody asks to run. */
export interface AskedFor {
  readonly query: string;
  readonly operationName: string | null;
}

/** Many more than a client's programs have. */
const KEPT_MAX = 500;

/**
 * Subscriptions that an engine has found to be good: a crowd that comes back asks for the same few. What may be asked for
 * depends on the role and on nothing else of a viewer.
 */
export class KnownSubscriptions {
  readonly #valid = new Recent<string, Valid>(KEPT_MAX);

  of({ role }: Viewer, asked: AskedFor): Valid | undefined {
    return this.#valid.get(keyOf(role, asked));
  }

  /** Takes note of a document that is good; of anything but a subscription it keeps nothing. */
  keep({ role }: Viewer, asked: AskedFor, valid: Valid): void {
    if (getOperationAST(valid.document, asked.operationName)?.operation === 'subscription') {
      this.#valid.keep(keyOf(role, asked), valid);
    }
  }
}

const keyOf = (role: string, { query, operationName }: AskedFor) =>
  JSON.stringify([role, operationName, query]);
