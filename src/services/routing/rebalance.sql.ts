import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable, run } from '../platform/rows.js';

const Id = z.coerce.bigint();
const Count = z.coerce.number();

const FlowRow = z.object({
  projectId: Id,
  laneId: Id,
  weight: z.number(),
  openAnswers: Count,
  hoursLeft: z.number().nullable(),
  lift: z.number(),
  isOpenRanked: z.boolean(),
  atLeast: z.number(),
});
/**
 * A project with work in a skill, and how it stands. `isOpenRanked`: it was lifted, and its rows may have gaps; `atLeast`: what
 * it is lifted by because its deadline is at risk, 1 where it is not.
 */
export type Flow = z.infer<typeof FlowRow>;

/** Which skill of which tenant. */
export interface SkillRef {
  readonly tenantId: bigint;
  readonly skillId: bigint;
}

export const flowsOfSkill = (db: Queryable, { tenantId, skillId }: SkillRef): Promise<Flow[]> =>
  many(
    db,
    FlowRow,
    Prisma.sql`
      select p.id as "projectId", p.lane_id as "laneId", p.weight, w.answers as "openAnswers",
             (extract(epoch from p.deadline - app.clock_now()) / 3600)::float8 as "hoursLeft",
             f.lift, f.lifted_until is not null as "isOpenRanked",
             coalesce((select l.lift from project_lifts l
                       where l.tenant_id = p.tenant_id and l.project_id = p.id and l.ended_at is null
                         and l.until > app.clock_now()), 1)::float8 as "atLeast"
      from projects p
      join flows f on f.tenant_id = p.tenant_id and f.lane_id = p.lane_id and f.project_id = p.id
      cross join lateral (
        select sum(r.need)::bigint as answers from ready r where r.tenant_id = p.tenant_id and r.project_id = p.id and not r.is_gold
      ) w
      where p.tenant_id = ${tenantId} and p.skill_id = ${skillId} and p.state = 'RUNNING' and w.answers > 0
      order by p.id`,
  );

/** Whether projects ask for the skill, but only beside another. */
export const isFurtherSkill = async (db: Queryable, { tenantId, skillId }: SkillRef): Promise<boolean> =>
  (
    await many(
      db,
      z.object({ found: z.literal(1) }),
      Prisma.sql`
        select 1 as found from lanes l
        where l.tenant_id = ${tenantId} and ${skillId}::bigint = any (l.also_all || l.also_any) limit 1`,
    )
  ).length > 0;

const MovedRow = z.object({ moved: Count });

/** See app.lift_flow. Returns how many rows moved. */
export const liftFlow = (
  db: Queryable,
  { tenantId, laneId, projectId }: { tenantId: bigint; laneId: bigint; projectId: bigint },
  to: { lift: number; seconds: number; limit: number },
) =>
  one(
    db,
    MovedRow,
    Prisma.sql`
      select app.lift_flow(${tenantId}::bigint, ${laneId}::bigint, ${projectId}::bigint, ${to.lift}::float8,
        app.clock_now() + make_interval(secs => ${to.seconds}::float8), ${to.limit}::int) as moved`,
  );

/** See app.close_ranks. */
export const closeRanks = (
  db: Queryable,
  { tenantId, laneId, projectId }: { tenantId: bigint; laneId: bigint; projectId: bigint },
  limit: number,
) =>
  run(
    db,
    Prisma.sql`
      select app.close_ranks(${tenantId}::bigint, ${laneId}::bigint, ${projectId}::bigint, ${limit}::int)`,
  );

/** What the deadlines of a skill were weighed against, and when. */
export const markBalanced = (db: Queryable, { tenantId, skillId }: SkillRef, capacityPerHour: number) =>
  run(
    db,
    Prisma.sql`
      update skill_pools set balanced_capacity = ${capacityPerHour}::float8, balanced_at = app.clock_now()
      where tenant_id = ${tenantId} and skill_id = ${skillId}`,
  );
