import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';

const Id = z.coerce.bigint();

const AnswersRow = z.object({
  batchId: Id,
  kind: z.enum(['WORK', 'ADJUDICATION']),
  /** Null: tasks that were looked at. */
  expertId: Id.nullable(),
  tasks: z.coerce.number(),
});

/** How many of the open tasks of a batch experts may not do any more. */
export interface Barred {
  /** Those that each has answered. */
  readonly work: ReadonlyMap<bigint, number>;
  /** Adjudications of such that each has answered or may not see. */
  readonly adjudication: ReadonlyMap<bigint, number>;
}

/** A batch, and how many of its tasks are open. */
export interface OpenTasks {
  readonly batchId: bigint;
  readonly tasks: number;
}

/** Of so many open tasks of a batch all are looked at, of more about as many, whichever their numbers say. */
const LOOKED_AT = 5_000;

/** By batch who may not do how many of its open tasks; of very many tasks by the share of those that were looked at. Adjudications are few. */
export async function barredOf(
  db: Queryable,
  tenantId: bigint,
  open: readonly OpenTasks[],
): Promise<Map<bigint, Barred>> {
  const every = new Map(
    open.map(({ batchId, tasks }) => [batchId, Math.max(1, Math.ceil(tasks / LOOKED_AT))]),
  );
  const rows = await many(
    db,
    AnswersRow,
    Prisma.sql`
      with looked as materialized (
        select t.tenant_id, t.id, t.batch_id, t.kind, t.block
        from unnest(${[...every.keys()]}::bigint[], ${[...every.values()]}::int[]) as l(batch_id, every)
        join tasks t on t.tenant_id = ${tenantId} and t.batch_id = l.batch_id and t.state = 'OPEN'
         and (t.kind = 'ADJUDICATION' or t.kind = 'WORK' and (l.every = 1 or abs(hashint8(t.line)::bigint) % l.every = 0))
      )
      select batch_id as "batchId", kind, null as "expertId", count(*) as tasks from looked group by 1, 2
      union all
      select t.batch_id, t.kind, x.expert_id, count(*)
      from looked t
      cross join lateral (
        select a.expert_id from assignments a
        where t.kind = 'WORK' and a.tenant_id = t.tenant_id and a.task_id = t.id and a.submitted_at is not null
        union all
        select unnest(t.block) where t.kind = 'ADJUDICATION') x
      group by 1, 2, 3`,
  );
  return new Map(
    open.map(({ batchId, tasks }) => {
      const own = rows.filter((row) => row.batchId === batchId);
      const looked = own.find(({ kind, expertId }) => kind === 'WORK' && expertId === null)?.tasks ?? 0;
      const times = every.get(batchId) === 1 ? 1 : tasks / Math.max(1, looked);
      return [
        batchId,
        { work: countsOf(own, 'WORK', times), adjudication: countsOf(own, 'ADJUDICATION', 1) },
      ];
    }),
  );
}

const countsOf = (
  rows: readonly z.infer<typeof AnswersRow>[],
  of: 'WORK' | 'ADJUDICATION',
  times: number,
): Map<bigint, number> =>
  new Map(
    rows.flatMap(({ kind, expertId, tasks }) =>
      kind === of && expertId !== null ? [[expertId, tasks * times] as const] : [],
    ),
  );
