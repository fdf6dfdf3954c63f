import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { one, type Queryable, run } from '../../platform/rows.js';
import type { GoldPlace } from './golds.sql.js';
import { ANSWERS_MIN } from './lifecycle.js';

/** Of which no gold could be made is looked at again with other answers, or after so many days: experts may have proven themselves. */
export const AGAIN_DAYS = 1;
/** Finished tasks that are read at once to find some that may become gold. */
const READ_AT_ONCE = 1_000;

const PageRow = z.object({ taskIds: z.array(z.bigint()), last: z.bigint().nullable(), isEnd: z.boolean() });

/**
 * Finished tasks of a project that may become gold, the latest first, of those before one or of all: with three answers or decided by a stronger expert, no
 * gold yet, and not looked at in vain lately. `last` is the last that was read, `isEnd` where there are no more.
 */
export const tasksToMint = (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  { before, limit }: { before: bigint | null; limit: number },
) =>
  one(
    db,
    PageRow,
    Prisma.sql`
      with page as materialized (
        select t.id, t.counted, t.payload_key from tasks t
        where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.state = 'DONE' and t.kind = 'WORK'
          and t.id < coalesce(${before}::bigint, 9223372036854775807)
        order by t.id desc limit ${READ_AT_ONCE}
      ), unseen as materialized (
        select p.* from page p
        where (p.counted >= ${ANSWERS_MIN} or exists (
            select from adjudications j join tasks d on d.tenant_id = j.tenant_id and d.id = j.task_id and d.state = 'DONE'
            where j.tenant_id = ${tenantId} and j.parent_id = p.id))
          and not exists (
            select from mint_looks m where m.tenant_id = ${tenantId} and m.project_id = ${projectId} and m.task_id = p.id
              and m.counted = p.counted and m.looked_at > app.clock_now() - make_interval(days => ${AGAIN_DAYS}))
      ), fit as materialized (
        select u.id from unseen u
        where not exists (select from golds o where o.tenant_id = ${tenantId} and o.project_id = ${projectId}
                            and (o.source_task_id = u.id or o.payload_key = u.payload_key))
        order by u.id desc limit ${limit}
      )
      select coalesce((select array_agg(f.id order by f.id desc) from fit f), '{}') as "taskIds", (select min(p.id) from page p) as last,
             (select count(*) from page) < ${READ_AT_ONCE} as "isEnd"`,
  );

/** Tasks whose payload is to be given again are looked at again sooner: so many hours on the look in vain lasts. */
const OPEN_HOURS = 1;

/**
 * Keeps of which finished tasks no gold could be made with the answers that they have, and of which none may be while their payload is
 * open again: sixty such would be all that is ever looked at.
 */
export const noteVain = (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  { vain, open }: { vain: readonly bigint[]; open: readonly bigint[] },
) =>
  run(
    db,
    Prisma.sql`
      with noted as (
        insert into mint_looks (tenant_id, project_id, task_id, counted, looked_at)
        select t.tenant_id, t.project_id, t.id, t.counted,
               app.clock_now() - case when t.id = any (${open.map(String)}::bigint[])
                 then make_interval(days => ${AGAIN_DAYS}) - make_interval(hours => ${OPEN_HOURS}) else interval '0' end
        from tasks t
        where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.id = any (${[...vain, ...open].map(String)}::bigint[])
        on conflict (tenant_id, project_id, task_id) do update set counted = excluded.counted, looked_at = excluded.looked_at
        returning 1
      )
      select count(*)::int from noted`,
  );

/** Keeps how far a project's finished tasks were looked at; null: the next look begins with the latest. */
export const noteLooked = (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  { before, looked }: { before: bigint | null; looked: number },
) =>
  run(
    db,
    Prisma.sql`
      with noted as (
        update gold_refills set looked_before = ${before}::bigint, looked = ${looked}
        where tenant_id = ${tenantId} and project_id = ${projectId} and (looked_before, looked) is distinct from (${before}::bigint, ${looked}::int)
        returning 1
      )
      select count(*)::int from noted`,
  );
