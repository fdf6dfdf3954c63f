import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable, run } from '../../platform/rows.js';
import { isReady } from '../failures.sql.js';

const LifeRow = z.object({
  tenantId: z.bigint(),
  taskId: z.bigint(),
  projectId: z.bigint(),
  dimensions: z.string(),
  exposures: z.int(),
  exposuresMax: z.int(),
  ageSeconds: z.number(),
  watched: z.int(),
  /** A slot of it waits in the queue. */
  isWaiting: z.boolean(),
  /** Findings about it of which a human said that they mean nothing. */
  dismissed: z.array(z.string()),
});

/** A gold that may have come to its end. */
export type Life = z.infer<typeof LifeRow>;

/**
 * Active gold that is worn out, old, or was shown (at least `showings` times) since it was last watched. What is worn out and waits for
 * somebody is not looked at for that: it would come again at each look, in the place of others.
 */
export const livesToLookAt = (
  db: Queryable,
  { ageSecondsMax, showings, limit }: { ageSecondsMax: number; showings: number; limit: number },
): Promise<Life[]> =>
  many(
    db,
    LifeRow,
    Prisma.sql`
      select g.tenant_id as "tenantId", g.task_id as "taskId", g.project_id as "projectId", y.dimensions, g.exposures,
             g.exposures_max as "exposuresMax", extract(epoch from app.clock_now() - g.created_at)::float8 as "ageSeconds", g.watched,
             exists (select from ready r where r.tenant_id = g.tenant_id and r.task_id = g.task_id) as "isWaiting",
             array(select f.kind from gold_findings f
                   join finding_decisions d on d.tenant_id = f.tenant_id and d.finding_id = f.id and d.decision = 'DISMISSED'
                   where f.tenant_id = g.tenant_id and f.task_id = g.task_id) as dismissed
      from golds g
      join projects p on p.tenant_id = g.tenant_id and p.id = g.project_id
      join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
      where g.state = 'ACTIVE' and (g.exposures >= g.exposures_max and not exists (
          select from ready r where r.tenant_id = g.tenant_id and r.task_id = g.task_id)
        or g.exposures > g.watched and g.exposures >= ${showings}
        or g.created_at <= app.clock_now() - make_interval(secs => ${ageSecondsMax}))
        and ${isReady('gold', { tenant: Prisma.sql`g.tenant_id`, subject: Prisma.sql`g.task_id` })}
      order by g.tenant_id, g.task_id limit ${limit}`,
  );

export const markWatched = (db: Queryable, { tenantId, taskId, exposures }: Life) =>
  run(
    db,
    Prisma.sql`
      with seen as (update golds set watched = ${exposures} where tenant_id = ${tenantId} and task_id = ${taskId} returning 1)
      select count(*)::int from seen`,
  );

const AnswerRow = z.object({
  /** Of the class dimension; null where it was left open. */
  label: z.string().nullable(),
  key: z.string().nullable(),
  credit: z.number(),
  mean: z.number(),
  lower: z.number(),
  seconds: z.number(),
  /** What the expert usually takes for tasks of the project that are no gold; null: not known yet. */
  usualSeconds: z.number().nullable(),
  quick: z.number().nullable(),
});

/** Ordinary tasks of an expert that say what is usual. */
const USUAL_TASKS = 30;
/** Fewer say nothing. */
const USUAL_MIN = 5;

/** Answers to a gold in the order of its showings, each with what its expert is known for. */
export const answersToGold = (
  db: Queryable,
  { tenantId, taskId, dimension }: { tenantId: bigint; taskId: bigint; dimension: string | null },
): Promise<z.infer<typeof AnswerRow>[]> =>
  many(
    db,
    AnswerRow,
    Prisma.sql`
      with graded as (
        select g.assignment_id, g.expert_id, min(g.skill_id) as skill_id, min(g.task_type_id) as task_type_id,
               avg(g.is_right::int)::float8 as credit,
               min(g.answered) filter (where g.dimension = ${dimension}::text) as label,
               min(g.truth) filter (where g.dimension = ${dimension}::text) as key
        from gradings g where g.tenant_id = ${tenantId} and g.task_id = ${taskId} and g.kind = 'GOLD'
        group by g.assignment_id, g.expert_id
      )
      select g.label, g.key, g.credit, coalesce(q.mean, s.quality_mean, 0.8)::float8 as mean,
             coalesce(q.lower, s.quality_lower, 0)::float8 as lower,
             extract(epoch from a.submitted_at - a.leased_at)::float8 as seconds, u.usual::float8 as "usualSeconds", u.quick::float8 as quick
      from graded g
      join assignments a on a.tenant_id = ${tenantId} and a.id = g.assignment_id
      left join quality_scores q on q.tenant_id = ${tenantId} and q.expert_id = g.expert_id and q.skill_id = g.skill_id
        and q.task_type_id = g.task_type_id
      left join expert_skills s on s.tenant_id = ${tenantId} and s.expert_id = g.expert_id and s.skill_id = g.skill_id
      left join lateral (
        select m.usual, avg((o.seconds < m.usual / 2)::int) as quick
        from (select array_agg(extract(epoch from l.submitted_at - l.leased_at)::float8) as times
              from (select o.submitted_at, o.leased_at from assignments o
                    where o.tenant_id = ${tenantId} and o.expert_id = g.expert_id and o.project_id = a.project_id
                      and o.customer_id <> 0 and o.submitted_at is not null
                    order by o.id desc limit ${USUAL_TASKS}) l) h
        cross join lateral (select percentile_cont(0.5) within group (order by t.seconds) as usual, count(*) as n
                            from unnest(h.times) as t(seconds)) m
        cross join lateral unnest(h.times) as o(seconds)
        where m.n >= ${USUAL_MIN}
        group by m.usual
      ) u on true
      order by a.slot`,
  );

/** Keeps what the watch found, once. */
export const recordFinding = (
  db: Queryable,
  f: { tenantId: bigint; projectId: bigint; taskId: bigint; kind: 'LEAKED' | 'UNHEALTHY'; evidence: string },
) =>
  run(
    db,
    Prisma.sql`
      with kept as (
        insert into gold_findings (tenant_id, kind, task_id, project_id, evidence, found_at)
        values (${f.tenantId}, ${f.kind}, ${f.taskId}, ${f.projectId}, ${f.evidence}::jsonb, app.clock_now())
        on conflict do nothing returning 1
      )
      select count(*)::int from kept`,
  );
