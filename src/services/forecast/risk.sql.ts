import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable } from '../platform/rows.js';

export interface ProjectName {
  readonly tenantId: bigint;
  readonly projectId: bigint;
}

/** Tenants and projects as two arrays, for `unnest`. */
export const columnsOf = (projects: readonly ProjectName[]): [bigint[], bigint[]] => [
  projects.map(({ tenantId }) => tenantId),
  projects.map(({ projectId }) => projectId),
];

const Id = z.coerce.bigint();
const ProjectRow = z.object({ tenantId: Id, projectId: Id });
const ClearedRow = ProjectRow.extend({ batchId: Id, customerId: Id, now: z.date() });

/** Takes the turn at forecasting until the transaction ends; false where another node has it. */
export const tryRiskTurn = async (db: Queryable): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ taken: z.boolean() }),
      Prisma.sql`select pg_try_advisory_xact_lock(${RISK_LOCK_SPACE}::int, 1) as "taken"`,
    )
  ).taken;

/** Advisory locks of other parts have other first numbers. */
const RISK_LOCK_SPACE = 0x7058;

/**
 * Projects whose forecasts are due though nobody said that anything happened: of something open never made, or made a while ago (time
 * passes, and with it the chance); or of a cancelled project that is still said to be at risk.
 */
export const projectsDue = (
  db: Queryable,
  { olderThanSeconds, limit }: { olderThanSeconds: number; limit: number },
): Promise<ProjectName[]> =>
  many(
    db,
    ProjectRow,
    Prisma.sql`
      select d.tenant_id as "tenantId", d.project_id as "projectId"
      from (
        select o.tenant_id, o.project_id, f.computed_at
        from open_batches o
        join batches b on b.tenant_id = o.tenant_id and b.id = o.batch_id and b.state = 'OPEN'
        join projects p on p.tenant_id = o.tenant_id and p.id = o.project_id and p.state = 'RUNNING'
        left join forecasts f on f.tenant_id = o.tenant_id and f.batch_id = o.batch_id
        where f.batch_id is null or f.computed_at <= app.clock_now() - make_interval(secs => ${olderThanSeconds})
        union all
        select f.tenant_id, f.project_id, f.computed_at
        from forecasts f join projects p on p.tenant_id = f.tenant_id and p.id = f.project_id
        where f.at_risk and p.state = 'CANCELLED') d
      group by d.tenant_id, d.project_id
      order by min(d.computed_at) nulls first
      limit ${limit}`,
  );

const ClosedRow = ProjectRow.extend({ customerId: Id });

/**
 * Nothing of a cancelled project is to be forecast, nor of a batch that could not be stored. In the order in which others take them.
 * Returns the projects of which something was closed.
 */
export const takeGone = (db: Queryable): Promise<z.infer<typeof ClosedRow>[]> =>
  many(
    db,
    ClosedRow,
    Prisma.sql`
      with gone as materialized (
        select o.tenant_id, o.project_id, o.batch_id, p.customer_id from open_batches o
        join projects p on p.tenant_id = o.tenant_id and p.id = o.project_id
        join batches b on b.tenant_id = o.tenant_id and b.id = o.batch_id
        where p.state = 'CANCELLED' or b.state = 'FAILED'
        order by 1, 2, 3 for update of o skip locked
      ),
      closed as (
        delete from open_batches o using gone g
        where o.tenant_id = g.tenant_id and o.project_id = g.project_id and o.batch_id = g.batch_id
        returning o.tenant_id, o.project_id, g.customer_id
      )
      select distinct tenant_id as "tenantId", project_id as "projectId", customer_id as "customerId" from closed`,
  );

const RiskRow = z.object({
  tenantId: Id,
  projectId: Id,
  customerId: Id,
  /** Whether it is lifted. */
  isLifted: z.boolean(),
  /** Whether a lift of it has not been ended; it may have lapsed. */
  hasLift: z.boolean(),
  atRisk: z.array(
    z.object({
      batchId: Id,
      probability: z.number().nullable(),
      /** Quantiles of when it is done; null while nothing can be said. */
      seconds: z.array(z.number()).nullable(),
      /** Until its deadline; below 0 once it is past. */
      secondsLeft: z.number().nullable(),
    }),
  ),
});

/** Which batches of some projects are at risk, as stored. */
export const risksOf = (
  db: Queryable,
  projects: readonly ProjectName[],
): Promise<z.infer<typeof RiskRow>[]> => {
  const [tenantIds, projectIds] = columnsOf(projects);
  return many(
    db,
    RiskRow,
    Prisma.sql`
      select p.tenant_id as "tenantId", p.id as "projectId", p.customer_id as "customerId",
             coalesce(l.until > app.clock_now(), false) as "isLifted", l.until is not null as "hasLift",
             coalesce(r.batches, '[]') as "atRisk"
      from unnest(${tenantIds}::bigint[], ${projectIds}::bigint[]) as w(tenant_id, project_id)
      join projects p on p.tenant_id = w.tenant_id and p.id = w.project_id
      left join project_lifts l on l.tenant_id = p.tenant_id and l.project_id = p.id and l.ended_at is null
      cross join lateral (
        select jsonb_agg(jsonb_build_object('batchId', f.batch_id::text, 'probability', f.probability_on_time, 'seconds', f.seconds,
                 'secondsLeft', extract(epoch from f.deadline - app.clock_now()))) as batches
        from forecasts f where f.tenant_id = p.tenant_id and f.project_id = p.id and f.at_risk
      ) r`,
  );
};

/** What was at risk in projects that are cancelled now is so no longer. Returns the batches concerned. */
export const clearCancelled = (
  db: Queryable,
  projects: readonly ProjectName[],
): Promise<z.infer<typeof ClearedRow>[]> => {
  const [tenantIds, projectIds] = columnsOf(projects);
  return many(
    db,
    ClearedRow,
    Prisma.sql`
      update forecasts f set at_risk = false, computed_at = app.clock_now()
      from projects p
      where p.tenant_id = f.tenant_id and p.id = f.project_id and p.state = 'CANCELLED'
        and (f.tenant_id, f.project_id) in (select * from unnest(${tenantIds}::bigint[], ${projectIds}::bigint[])) and f.at_risk
      returning f.tenant_id as "tenantId", f.project_id as "projectId", f.batch_id as "batchId",
                f.customer_id as "customerId", f.computed_at as "now"`,
  );
};
