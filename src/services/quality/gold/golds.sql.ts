import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable, run } from '../../platform/rows.js';

/** Where gold belongs: it is used in its own project only. */
export interface GoldPlace {
  readonly tenantId: bigint;
  readonly projectId: bigint;
}

const AddedRow = z.object({ payloadKey: z.string(), taskId: z.bigint() });

/**
 * Adds golds: `[{payloadKey, payloadBytes, contentType, externalId, label, sourceTaskId, barred, values: [{dimension,
 * text, number, tolerance?}]}]`, each a task of its own, in no batch and of no customer. A payload that is gold of the project already
 * is passed over; what was suspended can be given again, and is kept from whom it was shown to. A tolerance that is not given is its dimension's. Returns those added.
 */
export const insertGolds = (
  db: Queryable,
  place: GoldPlace & { source: 'HAND' | 'IMPORT' | 'MINTED'; actorId: bigint | null },
  golds: string,
): Promise<z.infer<typeof AddedRow>[]> =>
  many(
    db,
    AddedRow,
    Prisma.sql`
      with given as materialized (
        select nextval('tasks_id_seq') as id, coalesce(g.barred, w.barred) as kept_from, g.* from jsonb_to_recordset(${golds}::jsonb) as g("payloadKey" text,
          "payloadBytes" bigint, "contentType" text, "externalId" text, label text, "sourceTaskId" bigint, barred bigint[],
          "values" jsonb)
        left join lateral (
          select array_agg(distinct k.expert_id) as barred
          from golds o
          cross join lateral (
            select a.expert_id from assignments a where a.tenant_id = o.tenant_id and a.task_id = o.task_id
            union select unnest(o.barred)) k
          where o.tenant_id = ${place.tenantId} and o.project_id = ${place.projectId} and o.payload_key = g."payloadKey"
            and o.state = 'SUSPENDED'
        ) w on true
        where not exists (select from golds o where o.tenant_id = ${place.tenantId} and o.project_id = ${place.projectId}
                            and o.payload_key = g."payloadKey" and (o.state <> 'SUSPENDED' or ${place.source} = 'MINTED'))
      ), added as (
        insert into tasks (tenant_id, id, project_id, customer_id, kind, line, external_id, payload_key, payload_bytes, content_type, wanted)
        overriding system value
        select ${place.tenantId}, g.id, ${place.projectId}, 0, 'GOLD', 0, g."externalId", g."payloadKey", g."payloadBytes", g."contentType", 1000
        from given g
      ), gold as (
        insert into golds (tenant_id, task_id, project_id, payload_key, label, look, source, source_task_id, barred, created_by)
        select ${place.tenantId}, g.id, ${place.projectId}, g."payloadKey", g.label, app.look_of(g."externalId", g."contentType"), ${place.source}::text, g."sourceTaskId",
               coalesce(g.kept_from, '{}'), ${place.actorId}::bigint
        from given g
      ), keyed as (
        insert into gold_keys (tenant_id, task_id, dimension, text_value, number_value, tolerance)
        select ${place.tenantId}, g.id, v.dimension, v.text, v.number, coalesce(v.tolerance, d.tolerance, 0)
        from given g
        cross join lateral jsonb_to_recordset(g."values") as v(dimension text, text text, number double precision, tolerance double precision)
        left join lateral (
          select app.tolerance_of(e) as tolerance
          from projects p join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
          cross join lateral jsonb_array_elements(y.dimensions::jsonb) e
          where p.tenant_id = ${place.tenantId} and p.id = ${place.projectId} and e ->> 'name' = v.dimension
        ) d on true
      )
      select g."payloadKey", g.id as "taskId" from given g`,
  );

const KeyRow = z.object({
  payloadKey: z.string(),
  taskId: z.bigint(),
  state: z.enum(['ACTIVE', 'RETIRED', 'SUSPENDED']),
  dimension: z.string(),
  text: z.string().nullable(),
  number: z.number().nullable(),
  tolerance: z.number(),
});

export type GoldKeyRow = z.infer<typeof KeyRow>;

/** What is right, for the gold of a project that has one of these payloads: a row a dimension. */
export const keysOfPayloads = (db: Queryable, place: GoldPlace, payloadKeys: readonly string[]) =>
  many(
    db,
    KeyRow,
    Prisma.sql`
      select g.payload_key as "payloadKey", g.task_id as "taskId", g.state, k.dimension, k.text_value as text, k.number_value as number, k.tolerance
      from golds g join gold_keys k on k.tenant_id = g.tenant_id and k.task_id = g.task_id
      where g.tenant_id = ${place.tenantId} and g.project_id = ${place.projectId} and g.payload_key = any (${[...payloadKeys]}::text[])
      order by g.task_id`,
  );

const ClassRow = z.object({ label: z.string(), available: z.int(), prevalence: z.int() });

/** Tasks whose answers say how frequent each class is. */
const SAMPLE = 500;

/** Classes of a project's gold that may be given, and how often each was answered in its latest finished tasks (a dimension, or null). */
export const classesOf = (db: Queryable, place: GoldPlace, dimension: string | null) =>
  many(
    db,
    ClassRow,
    Prisma.sql`
      with sample as materialized (
        select t.id from tasks t
        where t.tenant_id = ${place.tenantId} and t.project_id = ${place.projectId} and t.state = 'DONE'
        order by t.id desc limit ${SAMPLE}
      ), given as (
        select coalesce(v.text_value, v.number_value::text) as label, count(*) as answers
        from sample s join answer_values v on v.tenant_id = ${place.tenantId} and v.task_id = s.id and v.dimension = ${dimension}::text
        group by 1
      )
      select g.label, count(*)::int as available, coalesce(max(n.answers), 0)::int as prevalence
      from golds g left join given n on n.label = g.label
      where g.tenant_id = ${place.tenantId} and g.project_id = ${place.projectId} and g.state = 'ACTIVE' and g.aside is null
      group by g.label order by g.label`,
  );

/** Sets the classes that a claim chooses among; none: the project gives no gold. */
export const storePool = (
  db: Queryable,
  place: GoldPlace,
  { labels, targets }: { labels: readonly string[]; targets: readonly number[] },
) =>
  labels.length === 0
    ? run(
        db,
        Prisma.sql`
          with gone as (delete from gold_pools where tenant_id = ${place.tenantId} and project_id = ${place.projectId} returning 1)
          select count(*)::int from gone`,
      )
    : run(
        db,
        Prisma.sql`
          insert into gold_pools (tenant_id, project_id, labels, targets)
          values (${place.tenantId}, ${place.projectId}, ${[...labels]}::text[], ${[...targets]}::float8[])
          on conflict (tenant_id, project_id) do update set labels = excluded.labels, targets = excluded.targets
          where (gold_pools.labels, gold_pools.targets) is distinct from (excluded.labels, excluded.targets)`,
      );

const TypeRow = z.object({
  id: z.bigint(),
  version: z.int(),
  answerSchema: z.string(),
  dimensions: z.string(),
  isRunning: z.boolean(),
});

/** The task type of a project, and whether the project runs; null where there is none. The project is locked against a cancel. */
export const typeOfProject = async (db: Queryable, place: GoldPlace) =>
  (
    await many(
      db,
      TypeRow,
      Prisma.sql`
        select y.id, y.version, y.answer_schema as "answerSchema", y.dimensions, p.state = 'RUNNING' as "isRunning"
        from projects p join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
        where p.tenant_id = ${place.tenantId} and p.id = ${place.projectId} for key share of p`,
    )
  )[0] ?? null;

/** Whether an identity may also act as an expert: who knows gold must not meet it. */
export const isExpert = async (
  db: Queryable,
  { tenantId, identityId }: { tenantId: bigint; identityId: bigint },
) =>
  (
    await many(
      db,
      z.object({ ok: z.int() }),
      Prisma.sql`
        select 1 as ok from identity_roles where tenant_id = ${tenantId} and identity_id = ${identityId} and role = 'EXPERT'`,
    )
  ).length > 0;

const PlaceRow = z.object({ projectId: z.bigint(), dimensions: z.string() });

/** Where a gold belongs, and the dimensions of its task type as JSON; null where the task is no gold. */
export const placeOfGold = async (
  db: Queryable,
  { tenantId, taskId }: { tenantId: bigint; taskId: bigint },
) =>
  (
    await many(
      db,
      PlaceRow,
      Prisma.sql`
        select g.project_id as "projectId", y.dimensions from golds g
        join projects p on p.tenant_id = g.tenant_id and p.id = g.project_id
        join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
        where g.tenant_id = ${tenantId} and g.task_id = ${taskId}`,
    )
  )[0] ?? null;

/** Ends a gold (app.end_gold). @returns the state in which it is then, and why */
export const endGold = async (
  db: Queryable,
  g: { tenantId: bigint; taskId: bigint; state: 'RETIRED' | 'SUSPENDED'; reason: string },
): Promise<{ state: 'RETIRED' | 'SUSPENDED'; reason: string }> => {
  await run(db, Prisma.sql`select app.end_gold(${g.tenantId}, ${g.taskId}, ${g.state}, ${g.reason}) as ok`);
  return one(
    db,
    z.object({ state: z.enum(['RETIRED', 'SUSPENDED']), reason: z.string() }),
    Prisma.sql`select state, reason from golds where tenant_id = ${g.tenantId} and task_id = ${g.taskId}`,
  );
};

/** Takes away what gold graded by these assignments: it was known. Their scores are folded anew. @returns how many gradings that are */
export const voidGradings = async (
  db: Queryable,
  tenantId: bigint,
  assignments: readonly bigint[],
): Promise<number> =>
  (
    await one(
      db,
      z.object({ voided: z.int() }),
      Prisma.sql`
        with voided as (
          insert into voided_gradings (tenant_id, grading_id, reason, at)
          select g.tenant_id, g.id, 'LEAKED', app.clock_now() from gradings g
          where g.tenant_id = ${tenantId} and g.assignment_id = any (${assignments.map(String)}::bigint[]) and g.kind = 'GOLD'
          on conflict do nothing returning 1
        )
        select count(*)::int as voided from voided`,
    )
  ).voided;

/** {@link voidGradings} of all answers to a leaked gold after the first `after`, in the order of its showings. */
export const voidLaterGradings = (
  db: Queryable,
  { tenantId, taskId, after }: { tenantId: bigint; taskId: bigint; after: number },
) =>
  run(
    db,
    Prisma.sql`
      with voided as (
        insert into voided_gradings (tenant_id, grading_id, reason, at)
        select g.tenant_id, g.id, 'LEAKED', app.clock_now()
        from (select a.id, row_number() over (order by a.slot) as place from assignments a
              where a.tenant_id = ${tenantId} and a.task_id = ${taskId} and a.submitted_at is not null) n
        join gradings g on g.tenant_id = ${tenantId} and g.assignment_id = n.id and g.kind = 'GOLD'
        where n.place > ${after}
        on conflict do nothing returning 1
      )
      select count(*)::int from voided`,
  );
