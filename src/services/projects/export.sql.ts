import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable, run } from '../platform/rows.js';
import { isCalibrated } from '../quality/inference/calibrated.sql.js';
import { isByNewcomersAlone } from '../quality/reads/project-quality.sql.js';

const AnswerRow = z.object({
  assignmentId: z.bigint(),
  taskId: z.bigint(),
  externalId: z.string().nullable(),
  handle: z.string(),
  body: z.string(),
  epoch: z.int(),
  submittedAt: z.date(),
  digest: z.string(),
  priceMinor: z.bigint(),
  currency: z.string(),
  batchName: z.string(),
  /** Of the task type. */
  kind: z.string(),
  taskKind: z.enum(['WORK', 'ADJUDICATION']),
});
export type AnswerRow = z.infer<typeof AnswerRow>;

/** The next answers of a project after an assignment, gold left out, with where each comes from. Read through answers_by_project. */
export const answersAfter = (
  db: Queryable,
  page: { tenantId: bigint; projectId: bigint; after: bigint; limit: number },
) =>
  many(
    db,
    AnswerRow,
    Prisma.sql`
      select n.assignment_id as "assignmentId", n.task_id as "taskId", t.external_id as "externalId", e.handle,
             n.body, n.epoch, n.submitted_at as "submittedAt", n.digest, a.price_minor as "priceMinor",
             a.currency::text as currency, b.name as "batchName", y.kind, t.kind as "taskKind"
      from (
        select * from answers
        where tenant_id = ${page.tenantId} and project_id = ${page.projectId} and assignment_id > ${page.after} and customer_id <> 0
        order by assignment_id limit ${page.limit}
      ) n
      join assignments a on a.tenant_id = n.tenant_id and a.id = n.assignment_id
      join tasks t on t.tenant_id = n.tenant_id and t.id = n.task_id
      join batches b on b.tenant_id = n.tenant_id and b.id = t.batch_id
      join projects p on p.tenant_id = n.tenant_id and p.id = n.project_id
      join task_types y on y.tenant_id = n.tenant_id and y.id = p.task_type_id
      join experts e on e.tenant_id = n.tenant_id and e.id = n.expert_id
      order by n.assignment_id`,
  );

const ResultRow = z.object({
  taskId: z.bigint(),
  externalId: z.string().nullable(),
  batchName: z.string(),
  answers: z.int(),
  isAdjudicated: z.boolean(),
  isByNewcomersAlone: z.boolean(),
  dimension: z.string(),
  label: z.string(),
  probability: z.number(),
  method: z.string(),
  version: z.int().nullable(),
  isCalibrated: z.boolean(),
  dimensions: z.string(),
});
export type ResultRow = z.infer<typeof ResultRow>;

export interface ResultPage {
  readonly tenantId: bigint;
  readonly projectId: bigint;
  readonly after: bigint;
  readonly limit: number;
}

/** The next finished tasks of a project after one, gold and adjudications left out, in the order of their ids. */
export const finishedAfter = async (
  db: Queryable,
  { tenantId, projectId, after, limit }: ResultPage,
): Promise<bigint[]> =>
  (
    await many(
      db,
      z.object({ id: z.bigint() }),
      Prisma.sql`
        select t.id from tasks t
        where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.kind = 'WORK' and t.state = 'DONE' and t.id > ${after}
        order by t.id limit ${limit}`,
    )
  ).map(({ id }) => id);

/** What the answers of some tasks amount to, with the method and the version that say so; of those that are finished still. */
export const resultsOf = (db: Queryable, tenantId: bigint, taskIds: readonly bigint[]) =>
  many(
    db,
    ResultRow,
    Prisma.sql`
      with page as materialized (
        select t.* from tasks t
        where t.tenant_id = ${tenantId} and t.id = any (${taskIds.map(String)}::bigint[]) and t.state = 'DONE'
      )
      select t.id as "taskId", t.external_id as "externalId", b.name as "batchName", t.counted::int as answers,
             exists (select from adjudications j join tasks o on o.tenant_id = j.tenant_id and o.id = j.task_id and o.state = 'DONE'
                     where j.tenant_id = ${tenantId} and j.parent_id = t.id) as "isAdjudicated",
             ${isByNewcomersAlone} as "isByNewcomersAlone",
             r.dimension, r.label, r.stated as probability,
             coalesce(i.method, case when r.number is null then 'GOLD_BAYES' else 'NUMBERS' end) as method, i.number as version,
             ${isCalibrated} as "isCalibrated", y.dimensions
      from app.task_best(${tenantId}, array(select p.id from page p)) r
      join page t on t.id = r.task_id
      join batches b on b.tenant_id = ${tenantId} and b.id = t.batch_id
      join projects p on p.tenant_id = ${tenantId} and p.id = t.project_id
      join task_types y on y.tenant_id = ${tenantId} and y.id = p.task_type_id
      left join inference_versions i on i.tenant_id = ${tenantId} and i.id = r.version_id
      order by t.id, r.dimension`,
  );

/** Says who took the answers of a project away. */
export const logExport = (db: Queryable, entry: { tenantId: bigint; actorId: bigint; projectId: bigint }) =>
  run(
    db,
    Prisma.sql`
      insert into access_log (tenant_id, actor_id, role, subject_type, subject_id, purpose)
      values (${entry.tenantId}, ${entry.actorId}, 'OPERATOR', 'PROJECT', ${entry.projectId}, 'EXPORT')`,
  );
