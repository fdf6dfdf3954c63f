import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable, run } from '../../platform/rows.js';
import type { GoldPlace } from './golds.sql.js';

// What the tasks of a project look like to experts: gold that looks otherwise would be told.

/** Which of these payloads a project has as tasks. */
export const givenAsTasks = async (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  payloadKeys: readonly string[],
): Promise<Set<string>> => {
  const rows = await many(
    db,
    z.object({ payloadKey: z.string() }),
    Prisma.sql`
      select distinct t.payload_key as "payloadKey" from tasks t
      where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.kind <> 'GOLD'
        and t.payload_key = any (${[...payloadKeys]}::text[])`,
  );
  return new Set(rows.map(({ payloadKey }) => payloadKey));
};

/**
 * Of finished tasks that are to become gold, by their payloads: who has had a task of that payload, in the project, or is kept
 * from one, and whether one is still to be given to somebody. A payload may be the project's several times.
 */
export const knownPayloads = (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  payloadKeys: readonly string[],
) =>
  many(
    db,
    z.object({ payloadKey: z.string(), isOpen: z.boolean(), knownTo: z.array(z.coerce.bigint()) }),
    Prisma.sql`
      with same as materialized (
        select t.id, t.payload_key, t.state, t.block from tasks t
        where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.kind <> 'GOLD'
          and t.payload_key = any (${[...payloadKeys]}::text[])
      )
      select s.payload_key as "payloadKey", bool_or(s.state = 'OPEN') as "isOpen",
             to_jsonb(array(
               select a.expert_id from assignments a
               where a.tenant_id = ${tenantId} and a.task_id in (select o.id from same o where o.payload_key = s.payload_key)
               union
               select unnest(o.block) from same o where o.payload_key = s.payload_key)) as "knownTo"
      from same s group by s.payload_key`,
  );

/** Whether the tasks of a project have names of their customer's; null where there are some of both, or none at all. */
export const areTasksNamed = async (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
): Promise<boolean | null> => {
  const { named, unnamed } = await one(
    db,
    z.object({ named: z.boolean(), unnamed: z.boolean() }),
    Prisma.sql`
      select exists (select from tasks t where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.kind = 'WORK'
                       and t.external_id is not null) as named,
             exists (select from tasks t where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.kind = 'WORK'
                       and t.external_id is null) as unnamed`,
  );
  return named === unnamed ? null : named;
};

/**
 * Until the transaction ends no gold is made in the project where it gives tasks, and no task is given where it makes gold:
 * else each would miss what the other has not committed. To be taken before the project's own lock.
 */
export const holdLooks = (db: Queryable, { projectId }: GoldPlace, doing: 'TASKS' | 'GOLD') => {
  const place = Prisma.sql`7274, (${projectId}::bigint % 2147483647)::integer`;
  return run(
    db,
    doing === 'GOLD'
      ? Prisma.sql`select 1 as ok from pg_advisory_xact_lock(${place})`
      : Prisma.sql`select 1 as ok from pg_advisory_xact_lock_shared(${place})`,
  );
};

/** Retires the gold of a project that has one of these payloads, now given as tasks: whoever has both would know it. Returns how many. */
export const retireGiven = async (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  payloadKeys: readonly string[],
): Promise<number> => {
  const { retired } = await one(
    db,
    z.object({ retired: z.int() }),
    Prisma.sql`
      with retired as (
        update golds g set state = 'RETIRED', ended_at = app.clock_now(), reason = 'GIVEN_AS_TASK'
        where g.tenant_id = ${tenantId} and g.project_id = ${projectId} and g.state = 'ACTIVE' and g.state <> 'SUSPENDED'
          and g.payload_key = any (${[...payloadKeys]}::text[])
        returning 1
      )
      select count(*)::int as retired from retired`,
  );
  return retired;
};
