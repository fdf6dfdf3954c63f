import { z } from 'zod';
import type { Viewer } from '../services/access/viewer.js';
import { type TraceExport, traceExports } from '../services/dispatch/fixes/traces.js';
import type { StreamEvent } from '../services/events/stream.js';
import { workerTraces } from '../services/events/streams.js';
import type { Tx } from '../services/platform/database.js';
import { ownStream } from './own-stream.js';
import type { LiveParts } from './parts.js';
import type { LiveItem } from './subscription.js';

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
export function traceEvents(
  parts: LiveParts,
  viewer: Viewer,
  { after = null }: TraceEventArgs,
): Promise<AsyncIterableIterator<LiveItem<TraceEvent>>> {
  return ownStream(parts, viewer, { ...OWN, after });
}

const CURRENT: TraceEvent = { given: null };

const OWN = {
  name: 'traceEvents',
  stream: workerTraces,
  present: formerTraces,
  current: CURRENT,
  change: eventOfStream,
} as const;

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

async function formerTraces(tx: Tx): Promise<TraceEvent[]> {
  const former = await traceExports(tx, { take: FORMER, afterId: null });
  return former.reverse().map((given) => ({ given }));
}
