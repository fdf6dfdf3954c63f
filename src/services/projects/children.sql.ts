import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';

/** One page of children for each of several parents. */
export interface ChildPage {
  readonly parentIds: readonly bigint[];
  readonly take: number;
  /** Children after this one; null from the first. */
  readonly afterId: bigint | null;
}

const ChildRow = z.object({ parentId: z.bigint(), id: z.bigint() });

// A page of each parent in one statement: as many short index ranges as there are parents, and never a statement each.

/** Ids of batches by project, oldest first or newest first. */
export const batchIds = (db: Queryable, { newestFirst, ...page }: ChildPage & { newestFirst: boolean }) => {
  const [order, beyond] = newestFirst
    ? [Prisma.sql`desc`, Prisma.sql`b.id < ${page.afterId}::bigint`]
    : [Prisma.sql`asc`, Prisma.sql`b.id > ${page.afterId}::bigint`];
  return many(
    db,
    ChildRow,
    Prisma.sql`
      select p.id as "parentId", c.id
      from unnest(${page.parentIds}::bigint[]) as p(id)
      cross join lateral (
        select b.id from batches b
        where b.tenant_id = app.tenant_id() and b.project_id = p.id
          and (${page.afterId}::bigint is null or ${beyond})
        order by b.id ${order} limit ${page.take}
      ) c
      order by 1, 2 ${order}`,
  );
};

/** Ids of tasks of one kind by project, oldest first; with `states` only those. */
export const taskIds = (
  db: Queryable,
  { states, kind, ...page }: ChildPage & { states: readonly string[] | null; kind: 'WORK' | 'ADJUDICATION' },
) =>
  many(
    db,
    ChildRow,
    Prisma.sql`
      select p.id as "parentId", c.id
      from unnest(${page.parentIds}::bigint[]) as p(id)
      cross join lateral (
        select t.id from tasks t
        where t.tenant_id = app.tenant_id() and t.project_id = p.id and t.kind = ${kind}
          and (${states}::text[] is null or t.state = any (${states}::text[]))
          and (${page.afterId}::bigint is null or t.id > ${page.afterId}::bigint)
        order by t.id limit ${page.take}
      ) c
      order by 1, 2`,
  );

/** Ids of answered assignments by project, in their order, gold left out. */
export const answeredIds = (db: Queryable, page: ChildPage) =>
  many(
    db,
    ChildRow,
    Prisma.sql`
      select p.id as "parentId", c.id
      from unnest(${page.parentIds}::bigint[]) as p(id)
      cross join lateral (
        select a.assignment_id as id from answers a
        where a.tenant_id = app.tenant_id() and a.project_id = p.id and a.customer_id <> 0
          and (${page.afterId}::bigint is null or a.assignment_id > ${page.afterId}::bigint)
        order by a.assignment_id limit ${page.take}
      ) c
      order by 1, 2`,
  );

const FaultyRow = z.object({ parentId: z.bigint(), line: z.bigint(), reason: z.string() });

/** A row of an upload that did not become a task. */
export type FaultyRow = z.infer<typeof FaultyRow>;

/** Faulty rows by batch, in the order of their lines; `afterId` is a line. */
export const faultyRows = (db: Queryable, page: ChildPage): Promise<FaultyRow[]> =>
  many(
    db,
    FaultyRow,
    Prisma.sql`
      select p.id as "parentId", c.line, c.reason
      from unnest(${page.parentIds}::bigint[]) as p(id)
      cross join lateral (
        select e.line, e.reason from batch_errors e
        where e.tenant_id = app.tenant_id() and e.batch_id = p.id
          and (${page.afterId}::bigint is null or e.line > ${page.afterId}::bigint)
        order by e.line limit ${page.take}
      ) c
      order by 1, 2`,
  );
