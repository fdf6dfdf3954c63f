import { z } from 'zod';
import { scopeOf, type Viewer } from '../services/access/viewer.js';
import { type TraceExport, traceExports } from '../services/dispatch/fixes/traces.js';
import type { StreamEvent } from '../services/events/stream.js';
import { workerTraces } from '../services/events/streams.js';
import { withScope } from '../services/platform/database.js';
import { requireRole } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import { SubscriptionError } from './errors.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** That somebody was given a trace. Of an item that says that all former ones have been told it is null. */
export interface TraceEvent {
  readonly given: TraceExport | null;
}

export interface TraceEventArgs {
  readonly after?: string | null | undefined;
}

/** Of the former ones so many are told when somebody begins to listen; the list has all. */
const FORMER = 100;

/** Who was given the trace of the worker who asks: the latest, oldest first, then an item without one, then whoever is given it. */
export async function traceEvents(
  { db, hub, cursorSecret }: LiveParts,
  viewer: Viewer,
  { after = null }: TraceEventArgs,
): Promise<AsyncIterableIterator<LiveItem<TraceEvent>>> {
  requireRole(viewer, ['EXPERT']);
  const { tenantId, expertId } = viewer;
  if (expertId === null) {
    throw new SubscriptionError('NOT_FOUND', 'Nobody is followed here.');
  }
  const source = { tenantId, stream: workerTraces(expertId) };
  return subscription({
    reader: hub.open(source, null),
    cursors: createCursorCodec(cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      const page = { take: FORMER, afterId: null };
      const former = await withScope(db, scopeOf(viewer), (tx) => traceExports(tx, page));
      yield* former.reverse().map((given): TraceEvent => ({ given }));
      yield CURRENT;
    },
    change: sharedValue('traceEvents', (event) => eventOfStream(event, expertId)),
  });
}

const CURRENT: TraceEvent = { given: null };

const Id = z.int().pipe(z.coerce.bigint());
const Body = z.object({
  exportId: Id,
  jobId: Id,
  exportedBy: Id,
  role: z.enum(['DISPATCHER', 'OPERATOR']),
  reason: z.string(),
  fromAt: z.coerce.date(),
  toAt: z.coerce.date(),
  fixes: z.int(),
});

/** Null for what this version does not know: a newer node wrote it, for subscribers of its own. */
function eventOfStream({ body, at }: StreamEvent, expertId: bigint): TraceEvent | null {
  const told = Body.safeParse(JSON.parse(body));
  if (!told.success) {
    return null;
  }
  const { exportId: id, ...rest } = told.data;
  return { given: { id, expertId, ...rest, at } };
}
