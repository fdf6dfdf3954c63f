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

const LookRow = z.object({ look: z.string(), bytesMin: z.coerce.number(), bytesMax: z.coerce.number() });

/** How the tasks of a project look to experts, each look once (app.look_of), with the lengths of their payloads; none: it has none yet. */
export const looksOf = (db: Queryable, { tenantId, projectId }: GoldPlace) =>
  many(
    db,
    LookRow,
    Prisma.sql`
      select look, bytes_min as "bytesMin", bytes_max as "bytesMax" from project_looks
      where tenant_id = ${tenantId} and project_id = ${projectId} order by look limit 1000`,
  );

/** Whether a project was given tasks. */
export const hasTasks = async (db: Queryable, { tenantId, projectId }: GoldPlace): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ has: z.boolean() }),
      Prisma.sql`select exists (select from project_looks where tenant_id = ${tenantId} and project_id = ${projectId}) as has`,
    )
  ).has;

/** See app.note_looks. */
export const noteLooks = async (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  tasks: string,
): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ grew: z.boolean() }),
      Prisma.sql`select app.note_looks(${tenantId}, ${projectId}, ${tasks}::jsonb) as grew`,
    )
  ).grew;

/** See app.set_gold_aside. */
export const setGoldAside = async (db: Queryable, { tenantId, projectId }: GoldPlace): Promise<number> =>
  (
    await one(
      db,
      z.object({ changed: z.int() }),
      Prisma.sql`select app.set_gold_aside(${tenantId}, ${projectId}) as changed`,
    )
  ).changed;

/** Whether a project has gold that may be given. */
export const hasGold = async (db: Queryable, { tenantId, projectId }: GoldPlace): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ has: z.boolean() }),
      Prisma.sql`
        select exists (select from golds g where g.tenant_id = ${tenantId} and g.project_id = ${projectId} and g.state = 'ACTIVE'
                         and g.state <> 'SUSPENDED') as has`,
    )
  ).has;

const TaskId = z.object({ taskId: z.bigint() });

/** Gold that nobody was shown and that needs a name: it has none where tasks of its type all have one, or one of `taken`, which are tasks' own. */
export const goldToName = (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  taken: readonly string[],
): Promise<z.infer<typeof TaskId>[]> =>
  many(
    db,
    TaskId,
    Prisma.sql`
      with looks as materialized (
        select l.look from project_looks l where l.tenant_id = ${tenantId} and l.project_id = ${projectId}
      )
      select g.task_id as "taskId" from golds g join tasks t on t.tenant_id = g.tenant_id and t.id = g.task_id
      where g.tenant_id = ${tenantId} and g.project_id = ${projectId} and g.state = 'ACTIVE' and g.exposures = 0 and g.slots = 0
        and (t.external_id is null and exists (select from looks l where l.look = app.look_of('', t.content_type))
               and not exists (select from looks l where l.look = app.look_of(null, t.content_type))
             or g.source <> 'MINTED' and t.external_id = any (${[...taken]}::text[]))
      order by g.task_id`,
  );

/** Names of the latest open tasks of a project, some of them. */
export const latestNames = async (db: Queryable, { tenantId, projectId }: GoldPlace): Promise<string[]> =>
  (
    await many(
      db,
      z.object({ name: z.string() }),
      Prisma.sql`
        select l.external_id as name
        from (select t.external_id from tasks t
              where t.tenant_id = ${tenantId} and t.project_id = ${projectId} and t.state = 'OPEN' and t.kind = 'WORK'
              order by t.id desc limit 500) l
        where l.external_id is not null limit 100`,
    )
  ).map(({ name }) => name);

const TakenRow = z.object({ name: z.string(), isGold: z.boolean() });

/** Which of these names a project's tasks have, and its gold. */
export const namesTaken = async (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  names: readonly string[],
): Promise<z.infer<typeof TakenRow>[]> => {
  const asked = Prisma.sql`${[...names]}::text[]`;
  return names.length === 0
    ? []
    : many(
        db,
        TakenRow,
        Prisma.sql`
          select t.external_id as name, false as "isGold" from batches b
          join tasks t on t.tenant_id = b.tenant_id and t.batch_id = b.id and t.external_id = any (${asked}) and t.line > 0
          where b.tenant_id = ${tenantId} and b.project_id = ${projectId}
          union
          select t.external_id, true from golds g join tasks t on t.tenant_id = g.tenant_id and t.id = g.task_id
          where g.tenant_id = ${tenantId} and g.project_id = ${projectId} and t.external_id = any (${asked})`,
      );
};

const AsideRow = z.object({
  taskId: z.bigint(),
  payloadKey: z.string(),
  externalId: z.string().nullable(),
  contentType: z.string(),
});

/** Of these payloads those whose gold is aside and was shown to nobody, with how it looks. */
export const asideGold = (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  payloadKeys: readonly string[],
) =>
  many(
    db,
    AsideRow,
    Prisma.sql`
      select g.task_id as "taskId", g.payload_key as "payloadKey", t.external_id as "externalId", t.content_type as "contentType"
      from golds g join tasks t on t.tenant_id = g.tenant_id and t.id = g.task_id
      where g.tenant_id = ${tenantId} and g.project_id = ${projectId} and g.payload_key = any (${[...payloadKeys]}::text[])
        and g.state = 'ACTIVE' and g.state <> 'SUSPENDED' and g.aside is not null and g.exposures = 0 and g.slots = 0`,
  );

/** Lets gold that nobody was shown look otherwise: `[{taskId, externalId, contentType?}]`; without a media type that stays. */
export const changeLooks = (db: Queryable, { tenantId }: GoldPlace, looks: string) =>
  run(
    db,
    Prisma.sql`
      with changed as (
        update tasks t set external_id = c."externalId", content_type = coalesce(c."contentType", t.content_type)
        from jsonb_to_recordset(${looks}::jsonb) as c("taskId" bigint, "externalId" text, "contentType" text)
        where t.tenant_id = ${tenantId} and t.id = c."taskId" and t.kind = 'GOLD'
        returning 1
      )
      select count(*)::int from changed`,
  );

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

/** Retires the gold of a project that has a payload, or by its maker's word a name, which is now a task's: whoever has both would know it. Returns how many. */
export const retireGiven = async (
  db: Queryable,
  { tenantId, projectId }: GoldPlace,
  { payloadKeys, names }: { payloadKeys: readonly string[]; names: readonly string[] },
): Promise<number> => {
  const { retired } = await one(
    db,
    z.object({ retired: z.int() }),
    Prisma.sql`
      with told as materialized (
        select g.task_id, 'GIVEN_AS_TASK' as why from golds g
        where g.tenant_id = ${tenantId} and g.project_id = ${projectId} and g.state <> 'SUSPENDED'
          and g.payload_key = any (${[...payloadKeys]}::text[])
        union all
        select g.task_id, 'NAME_GIVEN_AS_TASK' from golds g join tasks t on t.tenant_id = g.tenant_id and t.id = g.task_id
        where g.tenant_id = ${tenantId} and g.project_id = ${projectId} and g.state = 'ACTIVE' and g.source <> 'MINTED'
          and t.external_id = any (${[...names]}::text[]) and g.payload_key <> all (${[...payloadKeys]}::text[])
      ), retired as (
        update golds g set state = 'RETIRED', ended_at = app.clock_now(), reason = d.why
        from told d where g.tenant_id = ${tenantId} and g.task_id = d.task_id and g.state = 'ACTIVE'
        returning 1
      )
      select count(*)::int as retired from retired`,
  );
  return retired;
};
