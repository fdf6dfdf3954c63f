import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable, run } from '../platform/rows.js';

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
  kind: z.string(),
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
             a.currency::text as currency, b.name as "batchName", y.kind
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

/** Says who took the answers of a project away. */
export const logExport = (db: Queryable, entry: { tenantId: bigint; actorId: bigint; projectId: bigint }) =>
  run(
    db,
    Prisma.sql`
      insert into access_log (tenant_id, actor_id, role, subject_type, subject_id, purpose)
      values (${entry.tenantId}, ${entry.actorId}, 'OPERATOR', 'PROJECT', ${entry.projectId}, 'EXPORT')`,
  );
