import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { maybeOne, one, type Queryable, run } from '../platform/rows.js';
import type { Requirement } from './requirement.js';

const Id = z.object({ id: z.bigint() });

/** A project as it is stored at first. */
export interface NewProjectRow {
  readonly tenantId: bigint;
  readonly customerId: bigint;
  readonly name: string;
  readonly taskTypeId: bigint;
  readonly skillId: bigint;
  readonly laneId: bigint;
  readonly minQuality: number;
  readonly requirement: Requirement;
  readonly maxPerExpert: number | null;
  readonly priceMinor: bigint;
  readonly currency: string;
  readonly redundancy: number;
  readonly weight: number;
  readonly leaseSeconds: number;
  readonly deadline: Date | null;
  readonly origin: 'API' | 'IMPORT' | 'DEMO' | 'TEST';
  readonly idempotencyKey: string;
  readonly requestDigest: string;
}

/** What a project refers to, where it exists and the customer may use it. */
export const findReferences = (
  db: Queryable,
  ref: {
    tenantId: bigint;
    customerId: bigint;
    taskTypeId: bigint;
    skillId: bigint;
    requirement: Requirement;
  },
) =>
  one(
    db,
    z.object({ customer: z.boolean(), taskType: z.boolean(), skill: z.boolean() }),
    Prisma.sql`
      select
        exists (select from customers c where c.tenant_id = ${ref.tenantId} and c.id = ${ref.customerId}) as customer,
        exists (select from task_types t where t.tenant_id = ${ref.tenantId} and t.id = ${ref.taskTypeId}
                  and (t.customer_id is null or t.customer_id = ${ref.customerId})) as "taskType",
        not exists (select from unnest(${skillsOf(ref)}::bigint[]) as w(id)
                    where not exists (select from skills s where s.tenant_id = ${ref.tenantId} and s.id = w.id)) as skill`,
  );

const skillsOf = ({ skillId, requirement }: { skillId: bigint; requirement: Requirement }) =>
  texts([skillId, ...requirement.allOf, ...requirement.anyOf]);

/** Prisma sends arrays of bigint as text. */
const texts = (ids: readonly bigint[]) => ids.map(String);

/**
 * The lane of a skill, its minimum quality and what else is asked, made if it is new. Two statements: a lane that another
 * transaction makes meanwhile stops the insert, and only a statement that begins after it can see it.
 */
export async function ensureLane(
  db: Queryable,
  lane: {
    tenantId: bigint;
    skillId: bigint;
    taskTypeId: bigint;
    minQuality: number;
    requirement: Requirement;
  },
): Promise<{ id: bigint }> {
  const { allOf, anyOf, minQuality, languages, tags } = lane.requirement;
  // Without a bar work of all types may wait in one lane.
  const taskTypeId = lane.minQuality === 0 ? 0n : lane.taskTypeId;
  await run(
    db,
    Prisma.sql`
      insert into lanes (tenant_id, skill_id, min_quality, also_all, also_any, also_min, languages, tags, task_type_id)
      values (${lane.tenantId}, ${lane.skillId}, ${lane.minQuality}::float8, ${texts(allOf)}::bigint[],
        ${texts(anyOf)}::bigint[], ${minQuality}::float8, ${languages}::text[], ${tags}::text[], ${taskTypeId})
      on conflict on constraint lanes_requirement do nothing`,
  );
  return one(
    db,
    Id,
    Prisma.sql`
      select id from lanes
      where tenant_id = ${lane.tenantId} and skill_id = ${lane.skillId} and min_quality = ${lane.minQuality}::float8
        and also_all = ${texts(allOf)}::bigint[] and also_any = ${texts(anyOf)}::bigint[]
        and also_min = ${minQuality}::float8 and languages = ${languages}::text[] and tags = ${tags}::text[]
          and task_type_id = ${taskTypeId}`,
  );
}

/** Null where the customer's idempotency key is taken. */
export const insertProject = (db: Queryable, p: NewProjectRow) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      insert into projects (tenant_id, customer_id, name, task_type_id, skill_id, lane_id, min_quality, price_minor,
        currency, redundancy, weight, lease_seconds, deadline, origin, idempotency_key, request_digest,
        required_all, required_any, required_min, languages, tags, max_per_expert)
      values (${p.tenantId}, ${p.customerId}, ${p.name}, ${p.taskTypeId}, ${p.skillId}, ${p.laneId},
        ${p.minQuality}::float8, ${p.priceMinor}, ${p.currency}, ${p.redundancy}::smallint, ${p.weight},
        ${p.leaseSeconds}, ${p.deadline}, ${p.origin}, ${p.idempotencyKey}, ${p.requestDigest},
        ${texts(p.requirement.allOf)}::bigint[], ${texts(p.requirement.anyOf)}::bigint[],
        ${p.requirement.minQuality}::float8, ${p.requirement.languages}::text[], ${p.requirement.tags}::text[],
        ${p.maxPerExpert}::int)
      on conflict (tenant_id, customer_id, idempotency_key) do nothing
      returning id`,
  );

export const findByKey = (
  db: Queryable,
  key: { tenantId: bigint; customerId: bigint; idempotencyKey: string },
) =>
  one(
    db,
    z.object({ id: z.bigint(), requestDigest: z.string() }),
    Prisma.sql`
      select id, request_digest as "requestDigest" from projects
      where tenant_id = ${key.tenantId} and customer_id = ${key.customerId}
        and idempotency_key = ${key.idempotencyKey}`,
  );

/** See app.cancel_project. `customerId` null: any customer's project. */
export const cancelProject = (
  c: { tenantId: bigint; actorId: bigint; projectId: bigint; customerId: bigint | null },
  policy: string,
) => Prisma.sql`
  select app.cancel_project(${c.tenantId}::bigint, ${c.actorId}::bigint, ${c.projectId}::bigint,
    ${c.customerId}::bigint, ${policy}::text)`;

const ChangingRow = z.object({
  isRunning: z.boolean(),
  priceMinor: z.bigint(),
  isCritical: z.boolean(),
  /** What a task is opened with. */
  answers: z.int(),
  /** JSON; null: none. */
  policy: z.string().nullable(),
  /** Of a critical project: the rule that was given, JSON, where it is known. */
  wholePolicy: z.string().nullable(),
});
/** What changes of a project depend on. */
export type ChangingProject = z.infer<typeof ChangingRow>;

/** A project, locked against a cancel. `customerId` null: any customer's. */
export const lockToChange = (
  db: Queryable,
  p: { tenantId: bigint; projectId: bigint; customerId: bigint | null },
) =>
  maybeOne(
    db,
    ChangingRow,
    Prisma.sql`
      select state = 'RUNNING' as "isRunning", price_minor as "priceMinor", is_critical as "isCritical",
             redundancy as answers, redundancy_policy::text as policy, whole_policy::text as "wholePolicy"
      from projects
      where tenant_id = ${p.tenantId} and id = ${p.projectId}
        and (${p.customerId}::bigint is null or customer_id = ${p.customerId}::bigint)
      for no key update`,
  );

/** Makes the lane that a project's adjudications go to, if it is new. */
export const ensureStrongerLane = (db: Queryable, p: { tenantId: bigint; projectId: bigint }) =>
  run(db, Prisma.sql`select app.stronger_lane(${p.tenantId}, ${p.projectId}) as id`);

/** The rule that a project's tasks are opened with and judged by. */
export interface RuleRow {
  readonly tenantId: bigint;
  readonly projectId: bigint;
  readonly answers: number;
  /** JSON; null: none. */
  readonly policy: string | null;
  readonly isCritical: boolean;
  /** What a critical project's rule was held to three to five answers from, JSON; else null. */
  readonly wholePolicy: string | null;
  /** Null: as it was. */
  readonly firstGoldMax: number | null;
  readonly auditShare: number | null;
}

export const updateRule = (db: Queryable, rule: RuleRow) =>
  run(
    db,
    Prisma.sql`
      update projects set redundancy = ${rule.answers}::smallint, is_critical = ${rule.isCritical},
        redundancy_policy = ${rule.policy}::jsonb, whole_policy = ${rule.wholePolicy}::jsonb,
        first_gold_max = coalesce(${rule.firstGoldMax}::smallint, first_gold_max),
        audit_share = coalesce(${rule.auditShare}::float8, audit_share)
      where tenant_id = ${rule.tenantId} and id = ${rule.projectId}`,
  );

/** Forgets what gold said of stopping under the rule before. A fit that is under way sees that it is another one. */
export const dropStoppingModels = (db: Queryable, p: { tenantId: bigint; projectId: bigint }) =>
  run(
    db,
    Prisma.sql`
      with gone as (delete from stopping_models where tenant_id = ${p.tenantId} and project_id = ${p.projectId} returning 1)
      select count(*)::int from gone`,
  );

const ProjectKind = z.object({ id: z.bigint(), origin: z.string() });

export const lockProject = (db: Queryable, p: { tenantId: bigint; projectId: bigint }) =>
  maybeOne(
    db,
    ProjectKind,
    Prisma.sql`
      select id, origin from projects where tenant_id = ${p.tenantId} and id = ${p.projectId} for no key update`,
  );

export const updateLease = (
  db: Queryable,
  p: { tenantId: bigint; projectId: bigint; leaseSeconds: number },
) =>
  run(
    db,
    Prisma.sql`
      update projects set lease_seconds = ${p.leaseSeconds}
      where tenant_id = ${p.tenantId} and id = ${p.projectId}`,
  );

/** What changes of a running project; absent stays as it is. */
export interface ProjectChange {
  readonly name?: string;
  /** Null: none any more. */
  readonly deadline?: Date | null;
  readonly weight?: number;
}

/**
 * Null where there is no such project. A greater weight marks the project's flow: the next
 * round of app.close_ranks sets what waits as close as it allows.
 */
export const updateProject = (
  db: Queryable,
  p: { tenantId: bigint; projectId: bigint },
  change: ProjectChange,
) =>
  maybeOne(
    db,
    Id,
    Prisma.sql`
      with old as materialized (
        select id, lane_id, weight from projects
        where tenant_id = ${p.tenantId} and id = ${p.projectId}
        for no key update
      ), marked as (
        update flows f set lifted_until = coalesce(f.lifted_until, app.clock_now()) from old o
        where f.tenant_id = ${p.tenantId} and f.lane_id = o.lane_id and f.project_id = o.id
          and ${change.weight ?? null}::int > o.weight
      )
      update projects p set
        name = coalesce(${change.name ?? null}::text, p.name),
        deadline = case when ${change.deadline === undefined} then p.deadline else ${change.deadline ?? null}::timestamptz end,
        weight = coalesce(${change.weight ?? null}::int, p.weight)
      from old o
      where p.tenant_id = ${p.tenantId} and p.id = o.id
      returning p.id`,
  );
