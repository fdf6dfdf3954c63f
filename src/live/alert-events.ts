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
import { type StreamEvent, untold } from '../services/events/stream.js';
import { customerAlerts, DISPATCH_ALERTS, STAFF_ALERTS, WORK_ALERTS } from '../services/events/streams.js';
import { withScope } from '../services/platform/database.js';
import { isAlsoExpert } from '../services/quality/gold/access.js';
import { requireRole, untilExpert } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** What can be heard of an alert; CURRENT is not a change: it says that the present state has been told. */
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
  const stream = streamOf(viewer, withoutGold);
  const source = { tenantId: viewer.tenantId, stream };
  const reader = parts.hub.open(source, null);
  return subscription({
    reader,
    cursors: createCursorCodec(parts.cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      const { position } = reader; // What comes after it will be told.
      const alerts = await inScope((tx) => unresolvedAlerts(tx, { withoutGold, limit: TOLD_MAX }));
      yield* asTold(alerts, await untold(parts.db, { ...source, ...position }));
      yield CURRENT;
    },
    change: sharedValue('alertEvents', eventOfStream),
    until: stream === STAFF_ALERTS ? untilExpert(parts, viewer) : undefined,
  });
}

/**
 * Alerts that last, as whoever stands at a position of their stream has been told of them: one that is raised after it comes as a change,
 * and one that is acknowledged after it is raised until then. (Alerts are read first: what they have, the stream has.)
 */
function asTold(alerts: readonly Alert[], changes: readonly Untold[]): AlertEvent[] {
  const toCome = new Set(
    changes.flatMap(({ kind, body }) => keyOf(kind, Body.safeParse(JSON.parse(body)).data)),
  );
  return alerts
    .filter(({ id }) => !toCome.has(`RAISED ${id}`))
    .map((alert) =>
      eventOfAlert(toCome.has(`ACKNOWLEDGED ${alert.id}`) ? { ...alert, acknowledgedAt: null } : alert),
    );
}

type Untold = Awaited<ReturnType<typeof untold>>[number];

const keyOf = (kind: string, told: { readonly alertId: bigint } | undefined): string[] =>
  told === undefined ? [] : [`${kind} ${told.alertId}`];

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
