import { z } from 'zod';
import { scopeOf, type Viewer } from '../services/access/viewer.js';
import { JOB_STATES, type JobStanding, type JobState, liveJobs } from '../services/dispatch/reads.js';
import type { StreamEvent } from '../services/events/stream.js';
import { customerJobs, STAFF_JOBS } from '../services/events/streams.js';
import { withScope } from '../services/platform/database.js';
import { requireRole } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** Where a job stands. Of an item that says that all present ones have been told everything is null. */
export interface JobEvent {
  readonly jobId: bigint | null;
  readonly state: JobState | null;
  readonly at: Date | null;
  readonly dueBy: Date | null;
  /** Only for staff. */
  readonly noShow: boolean | null;
  /** Only for staff: why it is in its state. */
  readonly reason: string | null;
}

export interface JobEventArgs {
  readonly after?: string | null | undefined;
}

/** Jobs that are not over, then an item without a job, then what becomes of them: a customer's own, or the tenant's. */
export async function jobEvents(
  { db, hub, cursorSecret }: LiveParts,
  viewer: Viewer,
  { after = null }: JobEventArgs,
): Promise<AsyncIterableIterator<LiveItem<JobEvent>>> {
  requireRole(viewer, ['CUSTOMER', 'DISPATCHER', 'OPERATOR']);
  const { tenantId, customerId } = viewer;
  const stream = customerId === null ? STAFF_JOBS : customerJobs(customerId);
  const source = { tenantId, stream };
  return subscription({
    reader: hub.open(source, null),
    cursors: createCursorCodec(cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      const jobs = await withScope(db, scopeOf(viewer), liveJobs);
      yield* jobs.map((job) => eventOfJob(job, viewer));
      yield CURRENT;
    },
    change: sharedValue(`jobEvents ${customerId === null}`, eventOfStream),
  });
}

const CURRENT: JobEvent = { jobId: null, state: null, at: null, dueBy: null, noShow: null, reason: null };

const eventOfJob = ({ noShow, reason, ...job }: JobStanding, { customerId }: Viewer): JobEvent =>
  customerId === null ? { ...job, noShow, reason } : { ...job, noShow: null, reason: null };

const Body = z.object({
  jobId: z.int().pipe(z.coerce.bigint()),
  state: z.enum(JOB_STATES),
  dueBy: z.coerce.date(),
  // Of what customers are told they are not part.
  noShow: z.boolean().nullable().default(null),
  reason: z.string().nullable().default(null),
});

/** Null for what this version does not know: a newer node wrote it, for subscribers of its own. */
function eventOfStream({ body, at }: StreamEvent): JobEvent | null {
  const told = Body.safeParse(JSON.parse(body));
  return told.success ? { ...told.data, at } : null;
}
