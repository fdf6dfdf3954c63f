import type { Database } from '../services/platform/database.js';
import type { Beginnings } from './beginnings.js';
import type { LiveHub } from './hub.js';
import type { RevocationWatch } from './revocation.js';
import type { SharedReads } from './shared-reads.js';

/** What subscriptions are made of. */
export interface LiveParts {
  readonly db: Database;
  readonly hub: LiveHub;
  readonly sharedReads: SharedReads;
  readonly beginnings: Beginnings;
  readonly revocation: RevocationWatch;
  /** The key of opaque ids. The same on every node, so that any of them can go on from any cursor. */
  readonly cursorSecret: string;
}
