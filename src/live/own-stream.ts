import { scopeOf, type Viewer } from '../services/access/viewer.js';
import type { StreamEvent } from '../services/events/stream.js';
import { type Tx, withScope } from '../services/platform/database.js';
import { requireRole } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import { SubscriptionError } from './errors.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** What an expert is told of that is theirs alone. */
interface OwnStream<T> {
  /** Names what is made of its events. */
  readonly name: string;
  readonly stream: (expertId: bigint) => string;
  /** What there is when somebody begins to listen. */
  readonly present: (tx: Tx) => Promise<readonly T[]>;
  /** Says that all of that has been told. */
  readonly current: T;
  readonly change: (event: StreamEvent, expertId: bigint) => T | null;
}

/** What there is of the expert who asks, then an item that says so, then what becomes of it and what comes. */
export async function ownStream<T>(
  { db, hub, cursorSecret }: LiveParts,
  viewer: Viewer,
  own: OwnStream<T> & { readonly after: string | null },
): Promise<AsyncIterableIterator<LiveItem<T>>> {
  requireRole(viewer, ['EXPERT']);
  const { tenantId, expertId } = viewer;
  if (expertId === null) {
    throw new SubscriptionError('NOT_FOUND', 'There is no such expert.');
  }
  const source = { tenantId, stream: own.stream(expertId) };
  return subscription({
    reader: hub.open(source, null),
    cursors: createCursorCodec(cursorSecret, source),
    after: own.after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      yield* await withScope(db, scopeOf(viewer), own.present);
      yield own.current;
    },
    change: sharedValue(own.name, (event) => own.change(event, expertId)),
  });
}
