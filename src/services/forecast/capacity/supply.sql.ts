import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';

const Id = z.coerce.bigint();

/** Folds answers into the weeks of their experts. Returns how many (see app.fold_hours). */
export async function foldAnswers(
  db: Queryable,
  { batches, answers }: { batches: number; answers: number },
): Promise<number> {
  const { folded } = await one(
    db,
    z.object({ folded: z.int() }),
    Prisma.sql`select app.fold_hours(${batches}::int, ${answers}::int) as folded`,
  );
  return folded;
}

const WeeksRow = z.object({ expertId: Id, weeks: z.string() });

/** Weeks of a tenant's experts that were written since, a row an expert: each its number, a colon, and the seconds of each hour with commas, joined by semicolons. */
export const weeksSince = (
  db: Queryable,
  { tenantId, since, fromWeek }: { tenantId: bigint; since: Date; fromWeek: number },
): Promise<z.infer<typeof WeeksRow>[]> =>
  many(
    db,
    WeeksRow,
    Prisma.sql`
      select w.expert_id as "expertId", string_agg(w.week || ':' || array_to_string(w.seconds, ','), ';') as weeks
      from expert_weeks w
      where w.tenant_id = ${tenantId} and w.updated_at > ${since}::timestamptz and w.week >= ${fromWeek}::int
      group by w.expert_id`,
  );

const PersonRow = z.object({
  expertId: Id,
  createdAt: z.date(),
  languages: z.array(z.string()),
  tags: z.array(z.string()),
  /** Each skill that may be used, what it is taken for, what is proven. */
  skills: z.array(z.tuple([Id, z.number(), z.number()])),
  /** Skill, task type and what it is taken for there, where that is something else. */
  types: z.array(z.tuple([Id, Id, z.number()])).optional(),
  /** Customers that may not be worked for. */
  barred: z.array(Id),
});
export type Person = z.infer<typeof PersonRow>;

/** Experts of a tenant who may claim work, and what of (as app.lanes_of has it). */
export const peopleOf = (db: Queryable, tenantId: bigint): Promise<Person[]> =>
  many(
    db,
    PersonRow,
    Prisma.sql`
      select x.id as "expertId", x.created_at as "createdAt", x.languages, x.tags,
             json_agg(json_build_array(s.skill_id, s.taken_for, s.quality_lower) order by s.skill_id) as skills,
             coalesce((select json_agg(json_build_array(o.skill_id, g.id, g.gate) order by o.skill_id, g.id) from expert_skills o
                       cross join lateral unnest(o.type_ids, o.type_gates) as g(id, gate)
                       where o.tenant_id = x.tenant_id and o.expert_id = x.id and o.type_ids <> '{}'), '[]') as types,
             coalesce((select json_agg(c.customer_id order by c.customer_id) from conflicts c where c.tenant_id = x.tenant_id and c.expert_id = x.id), '[]') as barred
      from experts x
      join expert_skills s on s.tenant_id = x.tenant_id and s.expert_id = x.id and s.status in ('PROBATION', 'ACTIVE')
      where x.tenant_id = ${tenantId} and x.status = 'ACTIVE'
      group by x.tenant_id, x.id
      order by x.id`,
  );

const JobRow = z.object({ expertId: Id, from: z.number(), to: z.number() });

/** Accepted jobs of a tenant that are looked at, those that begin first: ten of each of two thousand workers. */
const JOBS_MAX = 20_000;

/** When experts are at jobs that they have accepted and have not done, from the departure to the end of the work, in seconds since 1970. */
export const jobsOf = (
  db: Queryable,
  { tenantId, hours }: { tenantId: bigint; hours: number },
): Promise<z.infer<typeof JobRow>[]> =>
  many(
    db,
    JobRow,
    Prisma.sql`
      select o.expert_id as "expertId", extract(epoch from lower(o.busy))::float8 as "from", extract(epoch from upper(o.busy))::float8 as "to"
      from (select app.clock_now() as now) clock
      join offers o on o.tenant_id = ${tenantId} and o.state = 'ACCEPTED'
        and o.busy && tstzrange(clock.now, clock.now + make_interval(hours => ${hours}::int))
      order by lower(o.busy), o.id limit ${JOBS_MAX}`,
  );

const WorkRow = z.object({
  batchId: Id,
  /** Its tasks, or the decisions where their answers disagree, which wait elsewhere. */
  kind: z.enum(['WORK', 'ADJUDICATION']),
  /** Answers that one of them may want at most, each from somebody else. */
  redundancy: z.number(),
  projectId: Id,
  customerId: Id,
  laneId: Id,
  skillId: Id,
  minQuality: z.number(),
  /** In which task type that is asked; 0: in any. */
  taskTypeId: Id.optional(),
  alsoAll: z.array(Id),
  alsoAny: z.array(Id),
  alsoMin: z.number(),
  languages: z.array(z.string()),
  tags: z.array(z.string()),
  leaseSeconds: z.number(),
  /** None of what was done by it and goes on since it has passed, as in what is asked about (../forecast.sql.ts). */
  deadline: z.date().nullable(),
  seconds: z.number(),
  spread: z.number(),
  items: z.coerce.number(),
  handlingSeconds: z.number(),
  /** Since it is there. */
  openSeconds: z.number(),
  now: z.date(),
});
export type StoredWork = z.infer<typeof WorkRow>;

/**
 * What is left of all open batches of a tenant that have not been seen done, as last computed, and what is asked of who does it.
 * @param open batches of which something is known to be open, whatever was seen of them
 */
export const workOf = (db: Queryable, tenantId: bigint, open: readonly bigint[]): Promise<StoredWork[]> =>
  many(
    db,
    WorkRow,
    Prisma.sql`
      select b.id as "batchId", k.kind, k.redundancy, b.project_id as "projectId", b.customer_id as "customerId", l.id as "laneId", l.skill_id as "skillId",
             l.min_quality as "minQuality", l.task_type_id as "taskTypeId", l.also_all as "alsoAll", l.also_any as "alsoAny", l.also_min as "alsoMin", l.languages, l.tags,
             p.lease_seconds as "leaseSeconds", case when f.first_ended_at <= d.deadline and d.deadline < f.reopened_at then null else d.deadline end as deadline,
             coalesce(k.seconds, 0) as seconds,
             coalesce(f.work_spread, 0) as spread, coalesce(k.items, 0) as items, coalesce(f.handling_seconds, 300) as "handlingSeconds",
             extract(epoch from app.clock_now() - b.created_at)::float8 as "openSeconds", app.clock_now() as now
      from open_batches o
      join batches b on b.tenant_id = o.tenant_id and b.id = o.batch_id
      join projects p on p.tenant_id = b.tenant_id and p.id = b.project_id
      left join forecasts f on f.tenant_id = b.tenant_id and f.batch_id = b.id
      cross join lateral (select coalesce(b.deadline, p.deadline) as deadline) d
      cross join lateral (values
        ('WORK', p.lane_id, greatest(p.redundancy, (p.redundancy_policy ->> 'max')::int), f.work_seconds, f.open_tasks),
        ('ADJUDICATION', p.adjudication_lane_id, 1, f.adjudication_seconds, f.adjudications)
      ) as k (kind, lane_id, redundancy, seconds, items)
      join lanes l on l.tenant_id = p.tenant_id and l.id = k.lane_id
      where o.tenant_id = ${tenantId} and b.state = 'OPEN' and p.state = 'RUNNING' 
        and (coalesce(f.remaining, 1) > 0 or b.id = any (${[...open]}::bigint[]))
      order by b.id, k.kind desc`,
  );
