import { z } from 'zod';
import { scopeOf, type Viewer } from '../services/access/viewer.js';
import { liveOffers, OFFER_STATES, type OfferState } from '../services/dispatch/reads.js';
import type { StreamEvent } from '../services/events/stream.js';
import { workerOffers } from '../services/events/streams.js';
import { withScope } from '../services/platform/database.js';
import { requireRole } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import { SubscriptionError } from './errors.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** What became of an offer. Of an item that says that all present ones have been told everything is null. */
export interface OfferEvent {
  readonly offerId: bigint | null;
  readonly jobId: bigint | null;
  readonly state: OfferState | null;
  readonly at: Date | null;
  readonly expiresAt: Date | null;
}

export interface OfferEventArgs {
  readonly after?: string | null | undefined;
}

/** The offers of the worker who asks: those that stand, then an item without one, then what becomes of them and what comes. */
export async function offerEvents(
  { db, hub, cursorSecret }: LiveParts,
  viewer: Viewer,
  { after = null }: OfferEventArgs,
): Promise<AsyncIterableIterator<LiveItem<OfferEvent>>> {
  requireRole(viewer, ['EXPERT']);
  const { tenantId, expertId } = viewer;
  if (expertId === null) {
    throw new SubscriptionError('NOT_FOUND', 'Nobody is offered anything.');
  }
  const source = { tenantId, stream: workerOffers(expertId) };
  return subscription({
    reader: hub.open(source, null),
    cursors: createCursorCodec(cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      yield* await withScope(db, scopeOf(viewer), liveOffers);
      yield CURRENT;
    },
    change: sharedValue('offerEvents', eventOfStream),
  });
}

const CURRENT: OfferEvent = { offerId: null, jobId: null, state: null, at: null, expiresAt: null };

const Id = z.int().pipe(z.coerce.bigint());
const Body = z.object({
  offerId: Id,
  jobId: Id,
  state: z.enum(OFFER_STATES),
  expiresAt: z.coerce.date(),
});

/** Null for what this version does not know: a newer node wrote it, for subscribers of its own. */
function eventOfStream({ body, at }: StreamEvent): OfferEvent | null {
  const told = Body.safeParse(JSON.parse(body));
  return told.success ? { ...told.data, at } : null;
}
