import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';
import { CALIBRATED_TASKS_MIN } from './calibrated.sql.js';
import { drawnTasks, seenGradings } from './gold-answers.sql.js';

export interface ProjectPlace {
  readonly tenantId: bigint;
  readonly projectId: bigint;
}

/** Gives running projects that have none yet a place among those that take turns, at most so many: before all others. */
export const enterProjects = (db: Queryable, limit: number) =>
  run(
    db,
    Prisma.sql`
      insert into inference_turns (tenant_id, project_id, looked_at)
      select p.tenant_id, p.id, '-infinity' from projects p
      where p.state = 'RUNNING' and not exists (select from inference_turns r where r.tenant_id = p.tenant_id and r.project_id = p.id)
      order by p.id limit ${limit}
      on conflict do nothing`,
  );

const TurnRow = z.object({ tenantId: z.bigint(), projectId: z.bigint() });

/** Takes the turns of the projects that were looked at longest ago, none again within `everySeconds`. Projects that have ended leave. */
export const takeTurns = (
  db: Queryable,
  { limit, everySeconds }: { limit: number; everySeconds: number },
): Promise<ProjectPlace[]> =>
  many(
    db,
    TurnRow,
    Prisma.sql`
      with due as materialized (
        select r.tenant_id, r.project_id, r.looked_at, p.state from inference_turns r
        join projects p on p.tenant_id = r.tenant_id and p.id = r.project_id
        where r.looked_at <= app.clock_now() - make_interval(secs => ${everySeconds})
        order by r.looked_at, r.project_id limit ${limit} for update of r skip locked
      ), ended as (
        delete from inference_turns r using due d where r.tenant_id = d.tenant_id and r.project_id = d.project_id and d.state <> 'RUNNING'
      ), taken as (
        update inference_turns r set looked_at = app.clock_now() from due d
        where r.tenant_id = d.tenant_id and r.project_id = d.project_id and d.state = 'RUNNING'
      )
      select d.tenant_id as "tenantId", d.project_id as "projectId" from due d
      where d.state = 'RUNNING' order by d.looked_at, d.project_id`,
  );

const ProjectRow = z.object({
  customerId: z.bigint(),
  dimensions: z.string(),
  /** Of what holds now: null before the first version. */
  lastGrading: z.bigint().nullable(),
  answers: z.int().nullable(),
  goldAnswers: z.int().nullable(),
  isChosen: z.boolean().nullable(),
  isOld: z.boolean().nullable(),
  /** Of some of it nobody kept how many of its tasks were drawn. */
  isUnknown: z.boolean().nullable(),
  fittedAt: z.date().nullable(),
});

/**
 * What is looked at of a running project that has answers graded. The caller alone is at it until its transaction ends. Null: it has
 * ended, or nothing of it was ever graded.
 */
export const projectOf = (db: Queryable, { tenantId, projectId }: ProjectPlace, ageSeconds: number) =>
  maybeOne(
    db,
    ProjectRow,
    Prisma.sql`
      with mine as materialized (
        select r.project_id from inference_turns r where r.tenant_id = ${tenantId} and r.project_id = ${projectId} for update
      )
      select p.customer_id as "customerId", y.dimensions, h.*
      from mine m
      join projects p on p.tenant_id = ${tenantId} and p.id = m.project_id and p.state = 'RUNNING'
      join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
      left join lateral (
        select max(v.last_grading) as "lastGrading", max(v.answers) as answers,
               max(v.gold_answers) as "goldAnswers", bool_or(v.reason = 'CHOSEN_ON_GOLD') as "isChosen",
               max(v.fitted_at) <= app.clock_now() - make_interval(secs => ${ageSeconds}) as "isOld",
               max(v.fitted_at) as "fittedAt", bool_or(v.drawn_tasks is null) as "isUnknown"
        from (select distinct on (i.dimension) i.* from inference_versions i
              where i.tenant_id = p.tenant_id and i.project_id = p.id order by i.dimension, i.number desc) v
      ) h on true
      where exists (select from gradings g where g.tenant_id = p.tenant_id and g.project_id = p.id)`,
  );

const NewsRow = z.object({ answers: z.int(), gradings: z.int(), goldTold: z.int() });

export interface NewsSince {
  readonly lastGrading: bigint;
  /** Answers that came after it; null: nobody asks. */
  readonly fittedAt: Date | null;
  readonly limit: number;
}

/**
 * What has come since: answers among the latest `limit`, whenever they were begun; gradings of drawn truths, at most `limit`; and how many of
 * those that the version was made from, the latest `limit` of then, count now in the widest dimension, so that suspended gold is
 * news too.
 */
export const newsOf = (
  db: Queryable,
  { tenantId, projectId }: ProjectPlace,
  { lastGrading, fittedAt, limit }: NewsSince,
) =>
  one(
    db,
    NewsRow,
    Prisma.sql`
      select (select count(*)::int from (
                select a.submitted_at from answers a
                where ${fittedAt}::timestamptz is not null and a.tenant_id = ${tenantId} and a.project_id = ${projectId} and a.customer_id <> 0
                order by a.assignment_id desc limit ${limit}) n where n.submitted_at > ${fittedAt}::timestamptz) as answers,
             (select count(*)::int from ${seenGradings({ tenantId, projectId }, { limit })} g where g.id > ${lastGrading}) as gradings,
             (select coalesce(max(w.told), 0)::int from (
                select count(*) as told from ${seenGradings({ tenantId, projectId }, { limit, asOf: { upTo: lastGrading } })} g
                where not exists (select from voided_gradings v where v.tenant_id = g.tenant_id and v.grading_id = g.id)
                group by g.dimension) w) as "goldTold"`,
  );

const WorkRow = z.object({
  assignmentId: z.bigint(),
  taskId: z.bigint(),
  expertId: z.bigint(),
  dimension: z.string(),
  label: z.string(),
});

/**
 * The latest answers of a project that count, gold left out; an adjudication's belong to the task that it is about. Not those to tasks that were
 * drawn, which methods are tried on.
 */
export const workAnswers = (db: Queryable, { tenantId, projectId }: ProjectPlace, limit: number) =>
  many(
    db,
    WorkRow,
    Prisma.sql`
      with given as materialized (
        select a.assignment_id, a.task_id, a.expert_id from answers a
        where a.tenant_id = ${tenantId} and a.project_id = ${projectId} and a.customer_id <> 0
        order by a.assignment_id desc limit ${limit}
      )
      select g.assignment_id as "assignmentId", coalesce(j.parent_id, g.task_id) as "taskId", g.expert_id as "expertId", v.dimension,
             coalesce(v.text_value, v.number_value::text) as label
      from given g
      join assignments s on s.tenant_id = ${tenantId} and s.id = g.assignment_id and s.state in ('SUBMITTED', 'ACCEPTED')
      join answer_values v on v.tenant_id = ${tenantId} and v.assignment_id = g.assignment_id
      left join adjudications j on j.tenant_id = ${tenantId} and j.task_id = g.task_id
      where num_nonnulls(v.text_value, v.number_value) = 1
        and coalesce(j.parent_id, g.task_id) not in (${drawnTasks({ tenantId, projectId })})`,
  );

/** Of the draws of a project that are decided a twentieth may wait for a budget, and what is fitted on them is of all still. */
const WAITING_SHARE = 20;

/**
 * How many draws of a project wait for a budget, counted up to a bound: they wanted more than sure ones do, and are missing among those that are
 * decided.
 */
export const drawsWaiting = async (db: Queryable, { tenantId, projectId }: ProjectPlace): Promise<number> =>
  (
    await one(
      db,
      z.object({ waiting: z.int() }),
      Prisma.sql`
        select count(*)::int as waiting from (
          select from truth_draws w
          join budget_stops s on s.tenant_id = w.tenant_id and s.project_id = w.project_id and s.task_id = w.task_id
          where w.tenant_id = ${tenantId} and w.project_id = ${projectId} and w.reason in ('FIRST_GOLD', 'BUDGET')
            and not exists (select from dropped_draws x
                            where x.tenant_id = w.tenant_id and x.project_id = w.project_id and x.task_id = w.task_id)
          limit ${WAITING_MAX}) k`,
    )
  ).waiting;

/** More than any fit could make up for: it looks at five thousand draws. */
const WAITING_MAX = 1_000;

export interface VersionRow {
  readonly customerId: bigint;
  readonly dimension: string;
  readonly method: string;
  readonly reason: string;
  readonly goldTasks: number;
  /** Those of them that were drawn. */
  readonly drawnTasks: number;
  readonly goldAnswers: number;
  readonly goldItems: number;
  readonly answersAnItem: number;
  readonly answers: number;
  readonly trials: readonly unknown[];
  readonly temper: number;
  readonly doubt: number;
  readonly scoresTemper: number;
  readonly scoresDoubt: number;
  readonly intercept: number | null;
  readonly slope: number | null;
  readonly prior: Readonly<Record<string, number>> | null;
  readonly accuracy: number | null;
  readonly matrix: Matrix | null;
  readonly lastAssignment: bigint;
  readonly lastGrading: bigint;
  readonly experts: readonly {
    readonly expertId: bigint;
    readonly accuracy: number;
    readonly matrix: Matrix | null;
  }[];
}

/** P(answer | truth) by truth and answer. */
export type Matrix = Readonly<Record<string, Readonly<Record<string, number>>>>;

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));

/** Keeps a version with what is known of its experts, made while so many draws wait for a budget. It holds from the end of the transaction on. */
export const saveVersion = (
  db: Queryable,
  { tenantId, projectId }: ProjectPlace,
  { waiting, ...v }: VersionRow & { readonly waiting: number },
) =>
  run(
    db,
    Prisma.sql`
      with made as (
        insert into inference_versions (tenant_id, project_id, customer_id, dimension, number, method, reason, gold_tasks, gold_answers,
          gold_items, answers_an_item, answers, trials, temper, doubt, scores_temper, scores_doubt, intercept, slope, prior, accuracy,
          matrix, last_assignment, last_grading, drawn, drawn_tasks)
        values (${tenantId}, ${projectId}, ${v.customerId}, ${v.dimension},
          1 + coalesce((select max(i.number) from inference_versions i where i.tenant_id = ${tenantId} and i.project_id = ${projectId}
                          and i.dimension = ${v.dimension}), 0),
          ${v.method}, ${v.reason}, ${v.goldTasks}, ${v.goldAnswers}, ${v.goldItems}, ${v.answersAnItem}, ${v.answers},
          ${JSON.stringify(v.trials)}::jsonb, ${v.temper}::float8, ${v.doubt}::float8, ${v.scoresTemper}::float8, ${v.scoresDoubt}::float8,
          ${v.intercept}::float8, ${v.slope}::float8, ${json(v.prior)}::jsonb, ${v.accuracy}::float8, ${json(v.matrix)}::jsonb,
          ${v.lastAssignment}, ${v.lastGrading}, ${waiting * WAITING_SHARE <= v.drawnTasks || v.drawnTasks < CALIBRATED_TASKS_MIN}, ${v.drawnTasks})
        returning id
      )
      insert into inference_experts (tenant_id, version_id, expert_id, accuracy, matrix)
      select ${tenantId}, made.id, (e ->> 'expertId')::bigint, (e ->> 'accuracy')::float8, nullif(e -> 'matrix', 'null')
      from made cross join jsonb_array_elements(${JSON.stringify(v.experts.map((e) => ({ ...e, expertId: String(e.expertId) })))}::jsonb) e`,
  );
