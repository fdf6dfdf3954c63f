import { z } from 'zod';
import type { Viewer } from '../services/access/viewer.js';
import type { StreamEvent } from '../services/events/stream.js';
import { expertLeases, projectLeases } from '../services/events/streams.js';
import { LEASES_A_PAGE, type LiveLease, liveLeases } from '../services/routing/live-leases.js';
import { requireProject, requireRole } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** What can be heard of a lease; CURRENT is not a change: it says that the present state has been told. */
export const LEASE_EVENT_KINDS = [
  'CURRENT',
  'LEASED',
  'SUBMITTED',
  'EXPIRING',
  'EXPIRED',
  'RELEASED',
  'FLAGGED',
  'CANCELLED',
] as const;
export type LeaseEventKind = (typeof LEASE_EVENT_KINDS)[number];

/** What happened to a lease. Of a CURRENT item everything but the kind is null. */
export interface LeaseEvent {
  readonly kind: LeaseEventKind;
  readonly assignmentId: bigint | null;
  readonly taskId: bigint | null;
  readonly projectId: bigint | null;
  readonly at: Date | null;
  readonly leaseUntil: Date | null;
  /** Only for operators. */
  readonly expertId: bigint | null;
}

export interface LeaseEventArgs {
  readonly projectId?: bigint | null | undefined;
  /** Absent: all. CURRENT is always told. */
  readonly kinds?: readonly LeaseEventKind[] | null | undefined;
  readonly after?: string | null | undefined;
}

/**
 * The leases of a project (its customer, operators), or of the expert who asks: live ones first, as LEASED or EXPIRING,
 * then CURRENT, then what happens. An expert hears of what happens to their lease without their doing.
 */
export async function leaseEvents(
  parts: LiveParts,
  viewer: Viewer,
  { projectId = null, kinds = null, after = null }: LeaseEventArgs,
): Promise<AsyncIterableIterator<LiveItem<LeaseEvent>>> {
  requireRole(viewer, ['EXPERT', 'CUSTOMER', 'OPERATOR']);
  if (projectId !== null || viewer.role !== 'EXPERT') {
    await requireProject(parts, viewer, projectId);
  }
  const of = whoseLeases(viewer, projectId);
  const source = {
    tenantId: viewer.tenantId,
    stream: 'expertId' in of ? expertLeases(of.expertId) : projectLeases(of.projectId),
  };
  const wanted = (event: LeaseEvent) =>
    event.kind === 'CURRENT' ||
    ((kinds === null || kinds.includes(event.kind)) && (projectId === null || event.projectId === projectId));
  const heardBy = sharedValue(`leaseEvents ${viewer.role}`, (event) => eventOfStream(event, viewer));
  return subscription({
    reader: parts.hub.open(source, null),
    cursors: createCursorCodec(parts.cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      for await (const lease of presentLeases(parts, viewer, of)) {
        const event = eventOfLease(lease, viewer);
        if (wanted(event)) {
          yield event;
        }
      }
      yield CURRENT;
    },
    change(event) {
      const heard = heardBy(event);
      return heard !== null && wanted(heard) ? heard : null;
    },
  });
}

/** Those of a project are asked for together with others': many follow some when a server starts. */
async function* presentLeases(
  { db, beginnings }: LiveParts,
  viewer: Viewer,
  of: Whose,
): AsyncGenerator<LiveLease> {
  if ('expertId' in of) {
    yield* await beginnings.inTurn(viewer, () => collected(liveLeases(db, viewer, { ...of, afterId: 0n })));
    return;
  }
  const first = await beginnings.firstLeases(viewer, of.projectId);
  yield* first;
  const last = first.at(-1);
  if (last !== undefined && first.length === LEASES_A_PAGE) {
    yield* liveLeases(db, viewer, { ...of, afterId: last.assignmentId });
  }
}

/** Of one expert: there are one or two. */
async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}

type Whose = { readonly projectId: bigint } | { readonly expertId: bigint };

function whoseLeases({ expertId }: Viewer, projectId: bigint | null): Whose {
  if (expertId !== null) {
    return { expertId };
  }
  if (projectId === null) {
    throw new Error('Only experts may ask without a project.');
  }
  return { projectId };
}

const CURRENT: LeaseEvent = {
  kind: 'CURRENT',
  assignmentId: null,
  taskId: null,
  projectId: null,
  at: null,
  leaseUntil: null,
  expertId: null,
};

function eventOfLease(lease: LiveLease, viewer: Viewer): LeaseEvent {
  return {
    kind: lease.isExpiring ? 'EXPIRING' : 'LEASED',
    assignmentId: lease.assignmentId,
    taskId: lease.taskId,
    projectId: lease.projectId,
    at: lease.leasedAt,
    leaseUntil: lease.leaseUntil,
    expertId: seenExpert(lease.expertId, viewer),
  };
}

const Id = z.union([z.int(), z.string()]).pipe(z.coerce.bigint());
const Kind = z.enum(LEASE_EVENT_KINDS);
const LeaseBody = z.object({
  assignmentId: Id,
  taskId: Id,
  projectId: Id,
  expertId: Id,
  leaseUntil: z.coerce.date(),
});

/** Null for a kind that this version does not know: a newer node wrote it, for subscribers of its own. */
function eventOfStream({ kind, body, at }: StreamEvent, viewer: Viewer): LeaseEvent | null {
  const known = Kind.safeParse(kind);
  if (!known.success) {
    return null;
  }
  const { expertId, ...rest } = LeaseBody.parse(JSON.parse(body));
  return { kind: known.data, at, ...rest, expertId: seenExpert(expertId, viewer) };
}

/** Rule 16: a customer never learns who works for them. */
function seenExpert(expertId: bigint, { role }: Viewer): bigint | null {
  return role === 'OPERATOR' ? expertId : null;
}
