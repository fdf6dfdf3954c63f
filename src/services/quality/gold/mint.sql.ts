import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, type Queryable, run } from '../../platform/rows.js';
import type { GoldPlace } from './golds.sql.js';
import { AGAIN_DAYS } from './mint-looks.sql.js';

const DemandRow = z.object({
  tenantId: z.bigint(),
  projectId: z.bigint(),
  dimensions: z.string(),
  active: z.int(),
  showingsLeft: z.int(),
  experts: z.int(),
  perExpertMean: z.number(),
  perExpertMax: z.number(),
  /** Whether the project has never had any gold. */
  isFirst: z.boolean(),
  /** Where looking at its finished tasks goes on; null: with the latest. */
  lookedBefore: z.bigint().nullable(),
  /** How many were looked at since it began with the latest. */
  looked: z.int(),
});

/** A project that is worked on, and the gold that it has and needs. */
export type ProjectDemand = z.infer<typeof DemandRow>;

/** What the experts of a project do next is taken to be what they did in so many days. */
const HORIZON_DAYS = 7;

/** Gives running projects that have none yet a place among those that take turns, at most so many: before all others. */
export const enterProjects = (db: Queryable, limit: number) =>
  run(
    db,
    Prisma.sql`
      insert into gold_refills (tenant_id, project_id, looked_at)
      select p.tenant_id, p.id, '-infinity' from projects p
      where p.state = 'RUNNING' and not exists (select from gold_refills r where r.tenant_id = p.tenant_id and r.project_id = p.id)
      order by p.id limit ${limit}
      on conflict do nothing`,
  );

const TurnRow = z.object({
  tenantId: z.bigint(),
  projectId: z.bigint(),
  isWorkedOn: z.boolean(),
  /** A draw of it waits to be asked about, or for a budget. */
  hasDraws: z.boolean(),
});

/**
 * Takes the turns of the projects that were looked at longest ago: at most `limit`, and none again within `everySeconds`. Says
 * of each whether it is worked on: somebody holds a task of it, or the last to have been claimed that was answered is of
 * these days. Projects that have ended leave. (Asked by `ended_at`, and for one row: by the state the planner reads all leases
 * that are held, of all projects.)
 */
export const takeTurns = (
  db: Queryable,
  { limit, everySeconds }: { limit: number; everySeconds: number },
): Promise<z.infer<typeof TurnRow>[]> =>
  many(
    db,
    TurnRow,
    Prisma.sql`
      with due as materialized (
        select r.tenant_id, r.project_id, r.looked_at, p.state from gold_refills r
        join projects p on p.tenant_id = r.tenant_id and p.id = r.project_id
        where r.looked_at <= app.clock_now() - make_interval(secs => ${everySeconds})
        order by r.looked_at, r.project_id limit ${limit} for update of r skip locked
      ), ended as (
        delete from gold_refills r using due d where r.tenant_id = d.tenant_id and r.project_id = d.project_id and d.state <> 'RUNNING'
      ), forgotten as (
        delete from mint_looks m using due d where m.tenant_id = d.tenant_id and m.project_id = d.project_id and d.state <> 'RUNNING'
      ), outdated as (
        -- Says nothing any more: the task is looked at again whether it is there or not.
        delete from mint_looks m using (
          select o.tenant_id, o.project_id, o.task_id from mint_looks o
          where o.looked_at <= app.clock_now() - make_interval(days => ${AGAIN_DAYS})
          order by o.looked_at limit ${OUTDATED_AT_ONCE} for update skip locked) o
        where m.tenant_id = o.tenant_id and m.project_id = o.project_id and m.task_id = o.task_id
      ), taken as (
        update gold_refills r set looked_at = app.clock_now() from due d
        where r.tenant_id = d.tenant_id and r.project_id = d.project_id and d.state = 'RUNNING'
      )
      select d.tenant_id as "tenantId", d.project_id as "projectId", d.state = 'RUNNING' and (
               coalesce((
                 select true from assignments a where a.tenant_id = d.tenant_id and a.project_id = d.project_id and a.ended_at is null limit 1), false)
               or coalesce((
                 select n.submitted_at > app.clock_now() - make_interval(days => ${HORIZON_DAYS}) from answers n
                 where n.tenant_id = d.tenant_id and n.project_id = d.project_id order by n.assignment_id desc limit 1), false)) as "isWorkedOn",
             d.state = 'RUNNING' and exists (
               select from truth_draws w
               where w.tenant_id = d.tenant_id and w.project_id = d.project_id and w.reason in ('FIRST_GOLD', 'BUDGET')
                 and not exists (select from adjudications j where j.tenant_id = w.tenant_id and j.parent_id = w.task_id)
                 and not exists (select from dropped_draws x
                                 where x.tenant_id = w.tenant_id and x.project_id = w.project_id and x.task_id = w.task_id)) as "hasDraws"
      from due d order by d.looked_at, d.project_id`,
  );

/** More than a round of turns adds, of all projects. */
const OUTDATED_AT_ONCE = 5_000;

/** What a project needs. The caller alone is at it until its transaction ends. Null: the project has ended. */
export const demandOf = (db: Queryable, { tenantId, projectId }: GoldPlace): Promise<ProjectDemand | null> =>
  maybeOne(
    db,
    DemandRow,
    Prisma.sql`
      with mine as materialized (
        select r.project_id, r.looked_before, r.looked from gold_refills r where r.tenant_id = ${tenantId} and r.project_id = ${projectId} for update
      ), busy as materialized (
        select p.*, m.looked_before, m.looked from projects p join mine m on m.project_id = p.id where p.tenant_id = ${tenantId} and p.state = 'RUNNING'
      )
      select b.tenant_id as "tenantId", b.id as "projectId", y.dimensions, g.active, g.left as "showingsLeft", e.experts,
             e.mean as "perExpertMean", e.most as "perExpertMax",
             not exists (select from golds o where o.tenant_id = b.tenant_id and o.project_id = b.id) as "isFirst",
             b.looked_before as "lookedBefore", b.looked
      from busy b
      join task_types y on y.tenant_id = b.tenant_id and y.id = b.task_type_id
      cross join lateral (
        select count(*)::int as active, coalesce(sum(o.exposures_max - o.exposures), 0)::int as left from golds o
        where o.tenant_id = b.tenant_id and o.project_id = b.id and o.state = 'ACTIVE' and o.aside is null
      ) g
      cross join lateral (
        select count(*)::int as experts, coalesce(avg(w.golds), 0)::float8 as mean, coalesce(max(w.golds), 0)::float8 as most
        from (
          select count(*) * max(r.rate) as golds from answers n
          join assignments a on a.tenant_id = n.tenant_id and a.id = n.assignment_id
          cross join lateral app.gold_rate(n.tenant_id, n.expert_id, b.skill_id, b.task_type_id) r
          where n.tenant_id = b.tenant_id and n.project_id = b.id
            and n.submitted_at > app.clock_now() - make_interval(days => ${HORIZON_DAYS})
          group by n.expert_id
        ) w
      ) e`,
  );

const CandidateRow = z.object({
  taskId: z.bigint(),
  payloadKey: z.string(),
  payloadBytes: z.coerce.number(),
  contentType: z.string(),
  externalId: z.string().nullable(),
  isAdjudicated: z.boolean(),
  posterior: z.number(),
  answers: z.int(),
  agreeing: z.int(),
  proven: z.int(),
  values: z.array(
    z.object({
      dimension: z.string(),
      text: z.string().nullable(),
      number: z.number().nullable(),
      tolerance: z.number().nullable(),
    }),
  ),
});

/** A finished task, as it would be gold. */
export type MintCandidateRow = z.infer<typeof CandidateRow>;

/**
 * Some finished tasks of a project, with what is known of their answers: the least sure of their dimensions
 * decides. How sure that is says the weight of scores, calibrated on the project's gold: gold moves scores, and may not rest on
 * who agrees with whom (rule 11). Where another method was chosen and says something else the task is none. Proven is who is past probation with a lower bound at the bar: in the task type, and in one that they have no
 * results of yet, in the skill, so that a new type comes to gold by those who are good at others.
 */
export const mintCandidates = (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  { bar, taskIds }: { bar: number; taskIds: readonly bigint[] },
) =>
  many(
    db,
    CandidateRow,
    Prisma.sql`
      with done as materialized (
        select t.* from tasks t where t.tenant_id = ${tenantId} and t.id = any (${taskIds.map(String)}::bigint[])
      ), chosen as materialized (
        -- Where scores weigh, both say the same.
        select exists (
          select from (select distinct on (i.dimension) i.accuracy from inference_versions i
                       where i.tenant_id = ${tenantId} and i.project_id = ${projectId} order by i.dimension, i.number desc) v
          where v.accuracy is not null) as is_other
      ), best as (
        select q.*, not h.is_other or c.label is not distinct from q.label as is_chosen
        -- A task a call: of many at once each of their classes would be joined with all their answers.
        from done d
        cross join chosen h
        cross join lateral app.task_best(${tenantId}, array[d.id], false) q
        left join lateral app.task_best(${tenantId}, case when h.is_other then array[d.id] else '{}' end) c on c.dimension = q.dimension
      ), judged as (
        select b.task_id, min(b.stated)::float8 as posterior, min(b.votes)::int as agreeing,
               jsonb_agg(jsonb_build_object('dimension', b.dimension, 'text', v.text_value, 'number', coalesce(b.number, v.number_value),
                 'tolerance', b.tolerance)) as values
        from best b
        left join lateral (
          select v.text_value, v.number_value from answer_values v
          where b.number is null and v.tenant_id = ${tenantId} and v.task_id = b.task_id and v.dimension = b.dimension
            and coalesce(v.text_value, v.number_value::text) = b.label limit 1
        ) v on true
        where b.number is not null or num_nonnulls(v.text_value, v.number_value) = 1
        group by b.task_id having bool_and(b.is_chosen)
      )
      select d.id as "taskId", d.payload_key as "payloadKey", d.payload_bytes as "payloadBytes", d.content_type as "contentType",
             d.external_id as "externalId", j.posterior, d.counted::int as answers, j.agreeing, j.values,
             exists (select from adjudications o join tasks t on t.tenant_id = o.tenant_id and t.id = o.task_id and t.state = 'DONE'
                     where o.tenant_id = ${tenantId} and o.parent_id = d.id) as "isAdjudicated",
             (select count(*)::int from assignments a
              join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id
              join expert_skills x on x.tenant_id = a.tenant_id and x.expert_id = a.expert_id and x.skill_id = p.skill_id and x.status = 'ACTIVE'
              left join quality_scores s on s.tenant_id = a.tenant_id and s.expert_id = a.expert_id and s.skill_id = p.skill_id
                and s.task_type_id = p.task_type_id
              where a.tenant_id = ${tenantId} and a.task_id = d.id and a.submitted_at is not null
                and coalesce(s.lower, x.quality_lower) >= greatest(p.min_quality, ${bar}::float8)) as proven
      from done d join judged j on j.task_id = d.id
      order by d.id`,
  );

/** Draws some of a project's first tasks for its first gold, done or not: see app.draw_first_gold. */
export const drawFirstGold = (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  { atOnce, most }: { atOnce: number; most: number },
) =>
  run(
    db,
    Prisma.sql`select app.draw_first_gold(${tenantId}, ${projectId}, ${atOnce}::int, ${most}::int) as drawn`,
  );

/** Asks a stronger expert about draws that are done by now, first gold or stopped by a budget once: see app.ask_draws. */
export const askDraws = (db: Queryable, { tenantId, projectId }: GoldPlace, atOnce: number) =>
  run(db, Prisma.sql`select app.ask_draws(${tenantId}, ${projectId}, ${atOnce}::int) as opened`);
