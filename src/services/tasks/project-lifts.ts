import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable, run } from '../platform/rows.js';

/** A project of a tenant. */
interface ProjectRef {
  readonly tenantId: bigint;
  readonly projectId: bigint;
}

/** Why a project is lifted: a batch of it is at risk, by what chance. */
export interface Lift {
  readonly customerId: bigint;
  readonly batchId: bigint;
  readonly probability: number | null;
  /** How many times its weight it counts: more than 1, at most 8. */
  readonly lift: number;
}

type LiftEnd = 'ON_TRACK' | 'POLICY' | 'LATE';

/** How a project is to be lifted from now on, or that it is not, and why. */
export type LiftWanted = ProjectRef & (({ readonly wanted: Lift } & object) | { readonly ends: LiftEnd });

const Changed = z.object({ tenantId: z.coerce.bigint(), projectId: z.coerce.bigint() });

/** A lift that no judging renews lapses after so long. */
const RENEWED_SECONDS = 600;

/**
 * Lifts projects, or ends that. A lifted one counts for `lift` times its weight in the turns of its skill: kept, and seen to in
 * the next round of `rebalance`, with the bounds of every lift. One that is lifted so already goes on.
 */
export async function setLifts(tx: Queryable, projects: readonly LiftWanted[]): Promise<void> {
  const rows = JSON.stringify(
    projects.map((one) => ({
      tenant: String(one.tenantId),
      project: String(one.projectId),
      ...('wanted' in one
        ? { ...one.wanted, customerId: String(one.wanted.customerId), batchId: String(one.wanted.batchId) }
        : { ends: one.ends }),
    })),
  );
  const ended = await end(tx, rows);
  const begun = projects.some((one) => 'wanted' in one) ? await begin(tx, rows) : [];
  const changed = [...ended, ...begun];
  if (changed.length > 0) {
    await dueNow(tx, changed);
  }
}

const wantedRows = (rows: string) => Prisma.sql`
  jsonb_to_recordset(${rows}::jsonb) as w(tenant bigint, project bigint, "customerId" bigint, "batchId" bigint, probability float8,
    lift float8, ends text)`;

/** Ends what is not wanted, or wanted otherwise, and what has lapsed. */
const end = (tx: Queryable, rows: string) =>
  many(
    tx,
    Changed,
    Prisma.sql`
      update project_lifts l set ended_at = least(app.clock_now(), l.until),
        end_reason = case when l.until <= app.clock_now() then 'LAPSED' else coalesce(w.ends, 'POLICY') end
      from ${wantedRows(rows)}
      where l.tenant_id = w.tenant and l.project_id = w.project and l.ended_at is null
        and (l.lift is distinct from w.lift or l.until <= app.clock_now())
      returning l.tenant_id as "tenantId", l.project_id as "projectId"`,
  );

/** Ends lifts that no judging has renewed. */
export const endLapsed = (db: Queryable): Promise<void> =>
  run(
    db,
    Prisma.sql`
      update project_lifts l set ended_at = l.until, end_reason = 'LAPSED' where l.ended_at is null and l.until <= app.clock_now()`,
  );

/** Begins what is wanted and not there, and renews the rest. Returns what has begun. */
const begin = (tx: Queryable, rows: string) =>
  many(
    tx,
    Changed,
    Prisma.sql`
      with set as (
        insert into project_lifts as l (tenant_id, project_id, customer_id, lift, batch_id, probability, until)
        select w.tenant, w.project, w."customerId", w.lift, w."batchId", w.probability,
               app.clock_now() + make_interval(secs => ${RENEWED_SECONDS})
        from ${wantedRows(rows)} where w.lift is not null
        on conflict (tenant_id, project_id) where ended_at is null do update set until = excluded.until
        returning l.tenant_id, l.project_id, l.until > l.began_at + make_interval(secs => ${RENEWED_SECONDS}) as renewed
      )
      select s.tenant_id as "tenantId", s.project_id as "projectId" from set s where not s.renewed`,
  );

/** Skills in one order, as who measures them takes them. */
function dueNow(tx: Queryable, projects: readonly ProjectRef[]): Promise<void> {
  const [tenantIds, projectIds] = [
    projects.map(({ tenantId }) => tenantId),
    projects.map(({ projectId }) => projectId),
  ];
  return run(
    tx,
    Prisma.sql`
      with due as materialized (
        select s.tenant_id, s.skill_id from skill_pools s
        where (s.tenant_id, s.skill_id) in (
          select p.tenant_id, p.skill_id from unnest(${tenantIds}::bigint[], ${projectIds}::bigint[]) as c(tenant_id, project_id)
          join projects p on p.tenant_id = c.tenant_id and p.id = c.project_id)
        order by s.tenant_id, s.skill_id for no key update
      )
      update skill_pools s set balanced_at = null from due d where s.tenant_id = d.tenant_id and s.skill_id = d.skill_id`,
  );
}
