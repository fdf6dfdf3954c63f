import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable, run } from '../../platform/rows.js';
import { isReady } from '../failures.sql.js';

const DueRow = z.object({
  tenantId: z.bigint(),
  projectId: z.bigint(),
  dimensions: z.string(),
  posterior: z.number(),
  min: z.int(),
  max: z.int(),
  nextAccuracy: z.number(),
});

export interface DueWhere {
  readonly seconds: number;
  readonly limit: number;
  /** This one only; null: whichever is due. */
  readonly projectId: bigint | null;
}

/** Running projects that stop at a posterior and whose model is older than `seconds`, the oldest first; not those whose answers have nothing to compare. */
export const fitsDue = (db: Queryable, { seconds, limit, projectId }: DueWhere) =>
  many(
    db,
    DueRow,
    Prisma.sql`
      select p.tenant_id as "tenantId", p.id as "projectId", y.dimensions,
             (p.redundancy_policy ->> 'posterior')::float8 as posterior, (p.redundancy_policy ->> 'min')::int as min,
             (p.redundancy_policy ->> 'max')::int as max,
             coalesce((select avg(s.quality_mean) from expert_skills s
                       where s.tenant_id = p.tenant_id and s.skill_id = p.skill_id and s.status <> 'PAUSED'
                         and s.quality_lower >= p.min_quality), 0.8) as "nextAccuracy"
      from projects p
      join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
      cross join lateral (
        select min(m.updated_at) as fitted from stopping_models m where m.tenant_id = p.tenant_id and m.project_id = p.id
      ) f
      where (${projectId}::bigint is null or p.id = ${projectId}::bigint)
        and p.state = 'RUNNING' and p.redundancy_policy ->> 'kind' = 'POSTERIOR' and y.dimensions::jsonb <> '[]'
        and ${isReady('stopping', { tenant: Prisma.sql`p.tenant_id`, subject: Prisma.sql`p.id` })}
        and coalesce(f.fitted, '-infinity') <= app.clock_now() - make_interval(secs => ${seconds}::float8)
      order by f.fitted nulls first limit ${limit}`,
  );

const Matrix = z.record(z.string(), z.record(z.string(), z.number()));
const ModelRow = z.object({
  dimension: z.string(),
  versionId: z.bigint(),
  prior: z.record(z.string(), z.number()).nullable(),
  /** Null where scores weigh. */
  accuracy: z.number().nullable(),
  matrix: Matrix.nullable(),
  experts: z.array(z.object({ id: z.coerce.bigint(), accuracy: z.number(), matrix: Matrix.nullable() })),
});

/** By what the answers of each dimension of a project are weighed now, where a method was chosen; `experts`: whose models are needed. */
export const modelsOf = (
  db: Queryable,
  { tenantId, projectId }: { tenantId: bigint; projectId: bigint },
  experts: readonly bigint[],
) =>
  many(
    db,
    ModelRow,
    Prisma.sql`
      select v.dimension, v.id as "versionId", v.prior, v.accuracy, v.matrix, (
               select coalesce(jsonb_agg(jsonb_build_object('id', e.expert_id::text, 'accuracy', e.accuracy, 'matrix', e.matrix)), '[]')
               from inference_experts e
               where e.tenant_id = ${tenantId} and e.version_id = v.id and e.expert_id = any (${experts}::bigint[])) as experts
      from (select distinct on (i.dimension) i.* from inference_versions i
            where i.tenant_id = ${tenantId} and i.project_id = ${projectId} order by i.dimension, i.number desc) v`,
  );

export interface FittedRow {
  readonly dimension: string;
  readonly threshold: number | null;
  readonly intercept: number | null;
  readonly slope: number | null;
  readonly items: number;
  /** By which version answers were weighed; null: by scores, before any. */
  readonly versionId: bigint | null;
}

/** Keeps a fit, unless the policy that it is for has changed meanwhile. */
export const saveFit = (
  db: Queryable,
  project: {
    tenantId: bigint;
    projectId: bigint;
    nextAccuracy: number;
    posterior: number;
    min: number;
    max: number;
  },
  fit: FittedRow,
) =>
  run(
    db,
    Prisma.sql`
      with of as materialized (
        select p.tenant_id, p.id from projects p
        where p.tenant_id = ${project.tenantId} and p.id = ${project.projectId}
          and (p.redundancy_policy ->> 'posterior')::float8 = ${project.posterior}::float8
          and (p.redundancy_policy ->> 'min')::int = ${project.min} and (p.redundancy_policy ->> 'max')::int = ${project.max}
        for share
      )
      insert into stopping_models (tenant_id, project_id, dimension, threshold, intercept, slope, items, next_accuracy, version_id,
        updated_at)
      select of.tenant_id, of.id, ${fit.dimension}, ${fit.threshold}::float8, ${fit.intercept}::float8,
        ${fit.slope}::float8, ${fit.items}, ${project.nextAccuracy}::float8, ${fit.versionId}::bigint, app.clock_now() from of
      on conflict (tenant_id, project_id, dimension) do update set
        threshold = excluded.threshold, intercept = excluded.intercept, slope = excluded.slope, items = excluded.items,
        next_accuracy = excluded.next_accuracy, version_id = excluded.version_id, updated_at = excluded.updated_at`,
  );
