import { z } from 'zod';
import { scopeOf, type Viewer } from '../services/access/viewer.js';
import {
  ALERT_KINDS,
  ALERT_SEVERITIES,
  type Alert,
  type AlertKind,
  type AlertSeverity,
  unresolvedAlerts,
} from '../services/events/alerts/alerts.js';
import type { StreamEvent } from '../services/events/stream.js';
import { customerAlerts, DISPATCH_ALERTS, STAFF_ALERTS, WORK_ALERTS } from '../services/events/streams.js';
import { withScope } from '../services/platform/database.js';
import { isAlsoExpert } from '../services/quality/gold/access.js';
import { requireRole } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** What can be heard of an alert, in the order in which it happens; CURRENT is not a change: it says that the present state has been told. */
export const ALERT_EVENT_KINDS = ['CURRENT', 'RAISED', 'ACKNOWLEDGED', 'RESOLVED'] as const;
type AlertEventKind = (typeof ALERT_EVENT_KINDS)[number];

/** What became of an alert. Of a CURRENT item everything but the kind is null. */
export interface AlertEvent {
  readonly kind: AlertEventKind;
  readonly alertId: bigint | null;
  readonly alertKind: AlertKind | null;
  readonly severity: AlertSeverity | null;
  readonly reason: string | null;
  readonly projectId: bigint | null;
  readonly batchId: bigint | null;
  readonly skillId: bigint | null;
  readonly expertId: bigint | null;
  readonly at: Date | null;
}

export interface AlertEventArgs {
  readonly after?: string | null | undefined;
}

/** The oldest of more are told of; a tenant with so many open alerts reads the list. */
const TOLD_MAX = 1_000;

/** Alerts that last, as RAISED or ACKNOWLEDGED, then CURRENT, then what becomes of them: a customer's own, those of dispatch, or the tenant's. */
export async function alertEvents(
  parts: LiveParts,
  viewer: Viewer,
  { after = null }: AlertEventArgs,
): Promise<AsyncIterableIterator<LiveItem<AlertEvent>>> {
  requireRole(viewer, ['CUSTOMER', 'ANALYST', 'DISPATCHER', 'OPERATOR']);
  const inScope = <T>(work: Parameters<typeof withScope<T>>[2]) => withScope(parts.db, scopeOf(viewer), work);
  const withoutGold = await inScope((tx) => isAlsoExpert(tx, viewer));
  const source = { tenantId: viewer.tenantId, stream: streamOf(viewer, withoutGold) };
  const told = createTold();
  const heard = sharedValue('alertEvents', eventOfStream);
  return subscription({
    reader: parts.hub.open(source, null),
    cursors: createCursorCodec(parts.cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      const alerts = await inScope((tx) => unresolvedAlerts(tx, { withoutGold, limit: TOLD_MAX }));
      yield* told.begin(alerts.map(eventOfAlert));
      yield CURRENT;
    },
    change(event) {
      const change = heard(event);
      return change === null || told.has(change) ? null : change;
    },
  });
}

/**
 * What a beginning has told. It is read after the stream's position, so that nothing falls between the two, and holds what was
 * committed by then: the stream may tell the last of it once more, or what went before it.
 */
function createTold() {
  const ranks = new Map<bigint | null, number>();
  const rankOf = ({ kind }: AlertEvent) => ALERT_EVENT_KINDS.indexOf(kind);
  return {
    begin(events: readonly AlertEvent[]): readonly AlertEvent[] {
      ranks.clear();
      for (const event of events) {
        ranks.set(event.alertId, rankOf(event));
      }
      return events;
    },
    has(change: AlertEvent): boolean {
      const rank = ranks.get(change.alertId);
      if (rank === undefined || rankOf(change) <= rank) {
        return rank !== undefined;
      }
      ranks.delete(change.alertId);
      return false;
    },
  };
}

function streamOf({ customerId, role }: Viewer, withoutGold: boolean): string {
  if (role === 'DISPATCHER') {
    return DISPATCH_ALERTS;
  }
  return customerId !== null ? customerAlerts(customerId) : withoutGold ? WORK_ALERTS : STAFF_ALERTS;
}

const CURRENT: AlertEvent = {
  kind: 'CURRENT',
  alertId: null,
  alertKind: null,
  severity: null,
  reason: null,
  projectId: null,
  batchId: null,
  skillId: null,
  expertId: null,
  at: null,
};

function eventOfAlert(alert: Alert): AlertEvent {
  const { id, kind, severity, reason, projectId, batchId, skillId, expertId } = alert;
  return {
    kind: alert.acknowledgedAt === null ? 'RAISED' : 'ACKNOWLEDGED',
    alertId: id,
    alertKind: kind,
    ...{ severity, reason, projectId, batchId, skillId, expertId },
    at: alert.acknowledgedAt ?? alert.openedAt,
  };
}

const Id = z.int().pipe(z.coerce.bigint());
const Body = z.object({
  alertId: Id,
  alertKind: z.enum(ALERT_KINDS),
  severity: z.enum(ALERT_SEVERITIES),
  reason: z.string(),
  projectId: Id.nullable(),
  batchId: Id.nullable(),
  skillId: Id.nullable(),
  expertId: Id.nullable(),
});

/** Null for what this version does not know: a newer node wrote it, for subscribers of its own. */
function eventOfStream({ kind, body, at }: StreamEvent): AlertEvent | null {
  const known = z.enum(ALERT_EVENT_KINDS).safeParse(kind);
  const told = Body.safeParse(JSON.parse(body));
  return known.success && told.success ? { kind: known.data, ...told.data, at } : null;
}
