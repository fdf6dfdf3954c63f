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

/** A batch, and how many of its tasks and of its adjudications are open. */
export interface OpenTasks {
  readonly batchId: bigint;
  readonly tasks: number;
  readonly adjudications: number;
}

/** Of so many open tasks of a batch all are looked at, of more about as many, whichever their numbers say. */
const LOOKED_AT = 5_000;
/** So many open rows of a batch are read to find those; where there are more, lines all over it are looked up. */
const READ_MAX = 2 * LOOKED_AT;
/** The golden section: so many steps of it round a circle lie all over it, however many those are. */
const STEP = (Math.sqrt(5) - 1) / 2;

/** By batch who may not do how many of its open tasks; of very many by the share of those that were looked at, so that it costs no more. */
export async function barredOf(
  db: Queryable,
  tenantId: bigint,
  open: readonly OpenTasks[],
): Promise<Map<bigint, Barred>> {
  const every = open.map(({ tasks }) => Math.max(1, Math.ceil(tasks / LOOKED_AT)));
  const rows = await many(
    db,
    AnswersRow,
    Prisma.sql`
      with looked as materialized (${lookedAt(tenantId, open, every)})
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
    open.map(({ batchId, tasks, adjudications }, place) => {
      const own = rows.filter((row) => row.batchId === batchId);
      const timesOf = (of: number, kind: 'WORK' | 'ADJUDICATION') =>
        of / Math.max(1, own.find((row) => row.kind === kind && row.expertId === null)?.tasks ?? 0);
      const isAll = every[place] === 1 && tasks + adjudications <= READ_MAX;
      return [
        batchId,
        {
          work: countsOf(own, 'WORK', isAll ? 1 : timesOf(tasks, 'WORK')),
          adjudication: countsOf(
            own,
            'ADJUDICATION',
            adjudications <= LOOKED_AT ? 1 : timesOf(adjudications, 'ADJUDICATION'),
          ),
        },
      ];
    }),
  );
}

/**
 * The tasks that are looked at: each part of it reads so many rows of a batch at most (a limit also keeps it from being planned otherwise). In
 * the order of an index, lest all tasks be read one after the other where of other batches more are open than of this one.
 */
function lookedAt(tenantId: bigint, open: readonly OpenTasks[], every: readonly number[]): Prisma.Sql {
  const columns = Prisma.sql`n.tenant_id, n.id, n.batch_id, n.kind, n.block, n.line`;
  const isMany = open.map(({ tasks, adjudications }) => tasks + adjudications > READ_MAX);
  const asked = Prisma.sql`
    unnest(${open.map(({ batchId }) => batchId)}::bigint[], ${[...every]}::int[], ${isMany}::boolean[]) as l(id, every, is_many)
    join batches b on b.tenant_id = ${tenantId} and b.id = l.id`;
  return Prisma.sql`
    select t.* from ${asked}
    cross join lateral (
      select ${columns} from tasks n
      where n.tenant_id = b.tenant_id and n.batch_id = b.id and n.state between 'OPEN' and 'OPEN'
      order by n.state limit ${READ_MAX}) t
    where not l.is_many and t.kind = 'WORK' and (l.every = 1 or abs(hashint8(t.line)::bigint) % l.every = 0)
    union all
    select t.* from ${asked}
    cross join lateral (
      select n.line from tasks n where n.tenant_id = b.tenant_id and n.batch_id = b.id order by n.line desc limit 1) last
    cross join lateral (
      select distinct 1 + floor(last.line * (s * ${STEP}::float8 - floor(s * ${STEP}::float8)))::bigint as line
      from generate_series(1, ${LOOKED_AT}::int) s) p
    cross join lateral (
      select ${columns}, n.state from tasks n
      where n.tenant_id = b.tenant_id and n.batch_id = b.id and n.line = p.line limit 1) o
    cross join lateral (select o.tenant_id, o.id, o.batch_id, o.kind, o.block, o.line) t
    where l.is_many and o.state = 'OPEN' and o.kind = 'WORK'
    union all
    select t.* from ${asked}
    cross join lateral (
      select ${columns} from tasks n
      where n.tenant_id = b.tenant_id and n.project_id = b.project_id and n.batch_id = b.id
        and n.kind = 'ADJUDICATION' and n.state = 'OPEN' order by n.created_at limit ${LOOKED_AT}) t`;
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
