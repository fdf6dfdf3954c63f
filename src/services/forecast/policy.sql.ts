import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, type Queryable, run } from '../platform/rows.js';
import type { RiskPolicy } from './policy.js';
import { columnsOf, type ProjectName } from './risk.sql.js';

const Id = z.coerce.bigint();

const OwnerRow = z.object({ customerId: Id });

/** Whose project it is, locked against another change of it; null where there is none. */
export const lockOwner = (db: Queryable, { tenantId, projectId }: ProjectName) =>
  maybeOne(
    db,
    OwnerRow,
    Prisma.sql`
      select customer_id as "customerId" from projects where tenant_id = ${tenantId} and id = ${projectId} for no key update`,
  );

export const insertPolicy = (
  db: Queryable,
  { tenantId, projectId, customerId, actorId }: ProjectName & { customerId: bigint; actorId: bigint },
  { threshold, lift, liftBelow }: RiskPolicy,
): Promise<void> =>
  run(
    db,
    Prisma.sql`
      insert into risk_policies (tenant_id, project_id, customer_id, threshold, lift, lift_below, set_by)
      values (${tenantId}, ${projectId}, ${customerId}, ${threshold}, ${lift}, ${liftBelow}, ${actorId})`,
  );

const PolicyRow = z.object({
  projectId: Id,
  threshold: z.number(),
  lift: z.number().nullable(),
  liftBelow: z.number(),
});

/**
 * The policy of each project as last set, of those that the scope shows; of those without one, none. Of policies that do not say below which
 * chance a lift counts it is the threshold with which the lift was allowed, for only operators could say that.
 */
export const policiesOf = (db: Queryable, projects: readonly ProjectName[]) => {
  const [tenantIds, projectIds] = columnsOf(projects);
  return many(
    db,
    PolicyRow,
    Prisma.sql`
      select w.project_id as "projectId", p.threshold, p.lift, p.lift_below as "liftBelow"
      from unnest(${tenantIds}::bigint[], ${projectIds}::bigint[]) as w(tenant_id, project_id)
      cross join lateral (
        select r.threshold, r.lift, coalesce(r.lift_below, (
                 select o.threshold from risk_policies o
                 where o.tenant_id = r.tenant_id and o.project_id = r.project_id and o.lift is not distinct from r.lift
                   and not exists (
                     select from risk_policies n
                     where n.tenant_id = r.tenant_id and n.project_id = r.project_id and n.id > o.id and n.lift is distinct from r.lift)
                 order by o.id limit 1)) as lift_below
        from risk_policies r
        where r.tenant_id = w.tenant_id and r.project_id = w.project_id order by r.id desc limit 1
      ) p`,
  );
};

const ShownRow = PolicyRow.omit({ liftBelow: true }).extend({ id: Id, liftedSince: z.date().nullable() });
/** What a project's policy is and since when it is lifted. */
export type ShownPolicy = z.infer<typeof ShownRow>;

/** {@link policiesOf} with what is lifted now; `id` is the project's. */
export const shownPolicies = (
  db: Queryable,
  projectIds: readonly bigint[],
  standard: RiskPolicy,
): Promise<ShownPolicy[]> =>
  many(
    db,
    ShownRow,
    Prisma.sql`
      select j.id, j.id as "projectId", coalesce(p.threshold, ${standard.threshold}::float8) as threshold, p.lift,
             l.began_at as "liftedSince"
      from projects j
      left join lateral (
        select r.threshold, r.lift from risk_policies r
        where r.tenant_id = j.tenant_id and r.project_id = j.id order by r.id desc limit 1
      ) p on true
      left join project_lifts l on l.tenant_id = j.tenant_id and l.project_id = j.id and l.ended_at is null and l.until > app.clock_now()
      where j.tenant_id = (select app.tenant_id()) and j.id = any (${[...projectIds]}::bigint[])`,
  );
