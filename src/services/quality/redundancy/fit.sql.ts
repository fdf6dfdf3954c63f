import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable, run } from '../../platform/rows.js';

const DueRow = z.object({
  tenantId: z.bigint(),
  projectId: z.bigint(),
  dimensions: z.string(),
  posterior: z.number(),
  min: z.int(),
  nextAccuracy: z.number(),
  priorMean: z.number(),
});

/** Running projects that stop at a posterior and whose model is older than `seconds`, the oldest first; not those whose answers have nothing to compare. */
export const fitsDue = (db: Queryable, { seconds, limit }: { seconds: number; limit: number }) =>
  many(
    db,
    DueRow,
    Prisma.sql`
      select p.tenant_id as "tenantId", p.id as "projectId", y.dimensions,
             (p.redundancy_policy ->> 'posterior')::float8 as posterior, (p.redundancy_policy ->> 'min')::int as min,
             coalesce((select avg(s.quality_mean) from expert_skills s
                       where s.tenant_id = p.tenant_id and s.skill_id = p.skill_id and s.status <> 'PAUSED'
                         and s.quality_lower >= p.min_quality), 0.8) as "nextAccuracy",
             coalesce(k.mean, 0.8) as "priorMean"
      from projects p
      join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
      left join skill_priors k on k.tenant_id = p.tenant_id and k.skill_id = p.skill_id
      cross join lateral (
        select min(m.updated_at) as fitted from stopping_models m where m.tenant_id = p.tenant_id and m.project_id = p.id
      ) f
      where p.state = 'RUNNING' and p.redundancy_policy ->> 'kind' = 'POSTERIOR' and y.dimensions::jsonb <> '[]'
        and coalesce(f.fitted, '-infinity') <= app.clock_now() - make_interval(secs => ${seconds}::float8)
      order by f.fitted nulls first limit ${limit}`,
  );

const RevealedRow = z.object({
  taskId: z.bigint(),
  expertId: z.bigint(),
  dimension: z.string(),
  truth: z.string(),
  answered: z.string(),
  isRight: z.boolean(),
});

/** What was answered on the gold of a project, the latest of it, in the order in which it came. */
export const revealedAnswers = (
  db: Queryable,
  { tenantId, projectId, limit }: { tenantId: bigint; projectId: bigint; limit: number },
) =>
  many(
    db,
    RevealedRow,
    Prisma.sql`
      select g.task_id as "taskId", g.expert_id as "expertId", g.dimension, g.truth, g.answered, g.is_right as "isRight"
      from (
        select * from gradings where tenant_id = ${tenantId} and project_id = ${projectId} and kind = 'GOLD' and answered is not null
        order by id desc limit ${limit}
      ) g
      where not exists (select from voided_gradings v where v.tenant_id = g.tenant_id and v.grading_id = g.id)
      order by g.id`,
  );

export interface FittedRow {
  readonly dimension: string;
  readonly threshold: number | null;
  readonly intercept: number | null;
  readonly slope: number | null;
  readonly items: number;
}

export const saveFit = (
  db: Queryable,
  project: { tenantId: bigint; projectId: bigint; nextAccuracy: number },
  fit: FittedRow,
) =>
  run(
    db,
    Prisma.sql`
      insert into stopping_models (tenant_id, project_id, dimension, threshold, intercept, slope, items, next_accuracy, updated_at)
      values (${project.tenantId}, ${project.projectId}, ${fit.dimension}, ${fit.threshold}::float8, ${fit.intercept}::float8,
        ${fit.slope}::float8, ${fit.items}, ${project.nextAccuracy}::float8, app.clock_now())
      on conflict (tenant_id, project_id, dimension) do update set
        threshold = excluded.threshold, intercept = excluded.intercept, slope = excluded.slope, items = excluded.items,
        next_accuracy = excluded.next_accuracy, updated_at = excluded.updated_at`,
  );
