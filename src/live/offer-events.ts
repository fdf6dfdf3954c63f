import { z } from 'zod';
import type { Viewer } from '../services/access/viewer.js';
import { liveOffers, OFFER_STATES, type OfferState } from '../services/dispatch/reads.js';
import type { StreamEvent } from '../services/events/stream.js';
import { workerOffers } from '../services/events/streams.js';
import { ownStream } from './own-stream.js';
import type { LiveParts } from './parts.js';
import type { LiveItem } from './subscription.js';

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
export function offerEvents(
  parts: LiveParts,
  viewer: Viewer,
  { after = null }: OfferEventArgs,
): Promise<AsyncIterableIterator<LiveItem<OfferEvent>>> {
  return ownStream(parts, viewer, { ...OWN, after });
}

const CURRENT: OfferEvent = { offerId: null, jobId: null, state: null, at: null, expiresAt: null };

const OWN = {
  name: 'offerEvents',
  stream: workerOffers,
  present: liveOffers,
  current: CURRENT,
  change: eventOfStream,
} as const;

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
