import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';

const Figure = z.coerce.number();
const PoolFigures = z.object({
  tenant: z.string(),
  skill: z.string(),
  taskType: z.string(),
  queueDepth: Figure,
  oldestOpenSeconds: Figure,
});
const SkillFigures = z.object({
  tenant: z.string(),
  skill: z.string(),
  pressure: z.number(),
  capacityPerHour: z.number(),
});

/** More would be more series than a collector should be sent. */
const SERIES_MAX = 1_000;

/** Versions of a task type go by one name. Empty pools are told for a day, so that a graph comes down to zero. */
export const poolFigures = (db: Queryable): Promise<z.infer<typeof PoolFigures>[]> =>
  many(
    db,
    PoolFigures,
    Prisma.sql`
      select t.slug as tenant, s.name as skill, y.name as "taskType", sum(p.queue_depth)::bigint as "queueDepth",
             coalesce(extract(epoch from app.clock_now() - min(p.oldest_open_at)), 0)::float8 as "oldestOpenSeconds"
      from pools p
      join tenants t on t.id = p.tenant_id
      join skills s on s.tenant_id = p.tenant_id and s.id = p.skill_id
      join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
      where p.computed_at > app.clock_now() - interval '1 day'
      group by t.slug, s.name, y.name
      order by sum(p.queue_depth) desc limit ${SERIES_MAX}`,
  );

export const skillFigures = (db: Queryable): Promise<z.infer<typeof SkillFigures>[]> =>
  many(
    db,
    SkillFigures,
    Prisma.sql`
      select t.slug as tenant, s.name as skill, p.pressure, p.capacity_per_hour as "capacityPerHour"
      from skill_pools p
      join tenants t on t.id = p.tenant_id
      join skills s on s.tenant_id = p.tenant_id and s.id = p.skill_id
      where p.computed_at > app.clock_now() - interval '1 day'
      order by p.pressure desc limit ${SERIES_MAX}`,
  );

/**
 * Experts, past probation or not, whom every bar of a skill with work keeps out in each task type, and who are not paused: by skill, where
 * there are any.
 */
export const shutOutFigures = (db: Queryable) =>
  many(
    db,
    z.object({ tenant: z.string(), skill: z.string(), experts: Figure }),
    Prisma.sql`
      select t.slug as tenant, k.name as skill, count(s.expert_id) as experts
      from skills k
      join tenants t on t.id = k.tenant_id
      join expert_skills s on s.tenant_id = k.tenant_id and s.skill_id = k.id and s.status <> 'PAUSED'
        and s.taken_for < k.least_bar and not k.least_bar <= any (s.type_gates)
      where k.least_bar > 0
      group by t.slug, k.name order by count(s.expert_id) desc limit ${SERIES_MAX}`,
  );
