import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';

/** What an alert can be about; what each means, and when it ends, stands in docs/live.md. */
export const ALERT_KINDS = [
  'DEADLINE_AT_RISK',
  'SKILL_STARVED',
  'SKILL_SHORT',
  'EXPERT_PAUSED',
  'GOLD_LEAKED',
  'GOLD_SUSPENDED',
  'EXPERT_FINDING',
  'ADJUDICATIONS_WAITING',
  'BATCH_FAILED',
  'LEASES_LAPSED',
  'WEBHOOK_FAILING',
  'BUDGET_EXHAUSTED',
  'JOB_UNASSIGNED',
  'JOB_NO_SHOW',
  'RETEST_STALLED',
  'JOBS_DUE_SOON',
  'WINDOWS_MISSED',
  'OFFERS_EXPIRING',
  'ROUTES_GUESSED',
  'WORKERS_SILENT',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** What dispatchers hear of, and of nothing else; see app.is_of_dispatch. */
export const DISPATCH_ALERT_KINDS: readonly AlertKind[] = [
  'JOB_UNASSIGNED',
  'JOB_NO_SHOW',
  'JOBS_DUE_SOON',
  'WINDOWS_MISSED',
  'OFFERS_EXPIRING',
  'ROUTES_GUESSED',
  'WORKERS_SILENT',
];

export const ALERT_SEVERITIES = ['INFO', 'WARNING', 'CRITICAL'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

/** Open: nobody has acknowledged it. An alert that ended is resolved, acknowledged or not. */
export const ALERT_STATES = ['OPEN', 'ACKNOWLEDGED', 'RESOLVED'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

const Id = z.coerce.bigint();
const AlertRow = z.object({
  id: Id,
  kind: z.enum(ALERT_KINDS),
  severity: z.enum(ALERT_SEVERITIES),
  reason: z.string(),
  projectId: Id.nullable(),
  batchId: Id.nullable(),
  skillId: Id.nullable(),
  expertId: Id.nullable(),
  openedAt: z.date(),
  lastSeenAt: z.date(),
  acknowledgedAt: z.date().nullable(),
  acknowledgedBy: Id.nullable(),
  note: z.string().nullable(),
  resolvedAt: z.date().nullable(),
});
export type Alert = z.infer<typeof AlertRow>;

const columns = Prisma.sql`
  a.id, a.kind, a.severity, a.reason, a.project_id as "projectId", a.batch_id as "batchId", a.skill_id as "skillId",
  a.expert_id as "expertId", a.opened_at as "openedAt", a.last_seen_at as "lastSeenAt", a.acknowledged_at as "acknowledgedAt",
  a.acknowledged_by as "acknowledgedBy", a.note, a.resolved_at as "resolvedAt"`;

/** Which alerts are asked for. */
export interface AlertFilter {
  /** Null: in any state. */
  readonly states: readonly AlertState[] | null;
  readonly kinds: readonly AlertKind[] | null;
  readonly projectId: bigint | null;
  /** Whether what is about gold is left out. */
  readonly withoutGold: boolean;
}

/** Alerts that the scope of the transaction shows, newest first. */
export const alertPage = (
  db: Queryable,
  { states, kinds, projectId, withoutGold }: AlertFilter,
  { take, afterId }: { take: number; afterId: bigint | null },
): Promise<Alert[]> =>
  many(
    db,
    AlertRow,
    Prisma.sql`
      select ${columns} from alerts a
      where a.tenant_id = (select app.tenant_id())
        and (${states}::text[] is null or case when a.resolved_at is not null then 'RESOLVED'
               when a.acknowledged_at is not null then 'ACKNOWLEDGED' else 'OPEN' end = any (${states}::text[]))
        and (${kinds}::text[] is null or a.kind = any (${kinds}::text[]))
        and (${projectId}::bigint is null or a.project_id = ${projectId}::bigint)
        and not (a.about_gold and ${withoutGold}::boolean)
        and (${afterId}::bigint is null or a.id < ${afterId}::bigint)
      order by a.id desc limit ${take}::int`,
  );

/** Alerts that are not resolved, oldest first, at most `limit`. */
export const unresolvedAlerts = (
  db: Queryable,
  { withoutGold, limit }: { withoutGold: boolean; limit: number },
): Promise<Alert[]> =>
  many(
    db,
    AlertRow,
    Prisma.sql`
      select ${columns} from alerts a
      where a.tenant_id = (select app.tenant_id()) and a.resolved_at is null and not (a.about_gold and ${withoutGold}::boolean)
      order by a.id limit ${limit}::int`,
  );

/** One alert that the scope shows, or null. */
export const alertById = (
  db: Queryable,
  {
    id,
    withoutGold,
    kinds = null,
  }: { id: bigint; withoutGold: boolean; kinds?: readonly AlertKind[] | null },
): Promise<Alert | null> =>
  maybeOne(
    db,
    AlertRow,
    Prisma.sql`
      select ${columns} from alerts a
      where a.tenant_id = (select app.tenant_id()) and a.id = ${id}::bigint and not (a.about_gold and ${withoutGold}::boolean)
        and (${kinds}::text[] is null or a.kind = any (${kinds}::text[]))`,
  );

/**
 * Acknowledges an alert that nobody has acknowledged; null where somebody has, or there is none. What cannot end by itself
 * (a gold that leaked stays known) ends with it.
 */
export const acknowledge = (
  db: Queryable,
  {
    id,
    by,
    note,
    withoutGold,
    kinds,
  }: {
    id: bigint;
    by: bigint;
    note: string | null;
    withoutGold: boolean;
    kinds: readonly AlertKind[] | null;
  },
): Promise<{ id: bigint } | null> =>
  maybeOne(
    db,
    z.object({ id: Id }),
    Prisma.sql`
      update alerts a set acknowledged_at = app.clock_now(), acknowledged_by = ${by}::bigint, note = ${note}::text,
        resolved_at = case when a.kind in ('GOLD_LEAKED', 'GOLD_SUSPENDED', 'BATCH_FAILED') then coalesce(a.resolved_at, app.clock_now())
                           else a.resolved_at end
      where a.tenant_id = (select app.tenant_id()) and a.id = ${id}::bigint and a.acknowledged_at is null
        and not (a.about_gold and ${withoutGold}::boolean) and (${kinds}::text[] is null or a.kind = any (${kinds}::text[]))
      returning a.id`,
  );

/** See app.watch_alerts. */
export const watchAlerts = (db: Queryable): Promise<void> =>
  run(db, Prisma.sql`select 1 as ok from app.watch_alerts()`);

/** Takes the turn at looking until the transaction ends; false where another node has it. */
export const tryAlertTurn = async (db: Queryable): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ taken: z.boolean() }),
      Prisma.sql`select pg_try_advisory_xact_lock(${ALERT_LOCK_SPACE}::int, 1) as "taken"`,
    )
  ).taken;

/** Advisory locks of other parts have other first numbers. */
const ALERT_LOCK_SPACE = 0x7068;

/** Takes away alerts that ended more than a year ago, at most `limit`; returns how many. */
export const dropAlerts = async (db: Queryable, limit: number): Promise<number> =>
  (
    await one(
      db,
      z.object({ gone: z.int() }),
      Prisma.sql`
        with old as (
          select a.tenant_id, a.id from alerts a where a.resolved_at < app.clock_now() - interval '1 year' limit ${limit}::int
        ), gone as (
          delete from alerts a using old o where a.tenant_id = o.tenant_id and a.id = o.id returning 1
        )
        select count(*)::int as "gone" from gone`,
    )
  ).gone;
