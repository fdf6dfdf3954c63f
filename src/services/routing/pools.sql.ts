import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable, run } from '../platform/rows.js';

// pg says int8 as text, Prisma as bigint.
const Id = z.coerce.bigint();
const Count = z.coerce.number();

const DepthRow = z.object({
  tenantId: Id,
  skillId: Id,
  taskTypeId: Id,
  laneId: Id,
  queueDepth: Count,
  openAnswers: Count,
  oldestOpenAt: z.date().nullable(),
});
/** What waits in one lane, of one task type. */
export type Depth = z.infer<typeof DepthRow>;

/**
 * What waits, of all tenants, in one pass over the queue. Ids of tasks rise with time, so the smallest of a project is its
 * oldest. Running projects that wait for nothing are in it with zeros. Of a task that is out of sight no answer can be given now, but of gold in its place.
 */
export const depths = (db: Queryable): Promise<Depth[]> =>
  many(
    db,
    DepthRow,
    Prisma.sql`
      with waiting as materialized (
        select r.tenant_id, r.project_id, count(*) filter (where not r.is_gold) as tasks,
               sum(r.need) filter (where r.phase < 3) as answers, min(r.task_id) filter (where not r.is_gold) as oldest
        from ready r group by r.tenant_id, r.project_id
      )
      select p.tenant_id as "tenantId", p.skill_id as "skillId", p.task_type_id as "taskTypeId", p.lane_id as "laneId",
             coalesce(sum(w.tasks), 0)::int as "queueDepth", coalesce(sum(w.answers), 0)::bigint as "openAnswers",
             min(t.created_at) as "oldestOpenAt"
      from projects p
      left join waiting w on w.tenant_id = p.tenant_id and w.project_id = p.id
      left join tasks t on t.tenant_id = w.tenant_id and t.id = w.oldest
      where p.state = 'RUNNING'
      group by p.tenant_id, p.skill_id, p.task_type_id, p.lane_id
      order by p.tenant_id`,
  );

/**
 * Rows that were ever written of what pools are measured by, as the statistics of the database have it, which are a second
 * late, and ten or more of a session that went idle: a figure that stays says that nobody is at work.
 */
export const writtenRows = async (db: Queryable): Promise<number> =>
  (
    await one(
      db,
      z.object({ written: z.number() }),
      Prisma.sql`
        select sum(pg_stat_get_tuples_inserted(c) + pg_stat_get_tuples_updated(c) + pg_stat_get_tuples_deleted(c))::float8 as written
        from unnest(array['assignments', 'experts', 'expert_skills', 'pauses', 'projects', 'ready']::regclass[]) as t(c)`,
    )
  ).written;

const ShareRow = z.object({
  skillId: Id,
  /** Null: of the skill as a whole. */
  laneId: Id.nullable(),
  available: Count,
  availableShare: z.number(),
  qualified: Count,
  qualifiedShare: z.number(),
});
/** Who is there for a lane, or for a skill. An expert with work in k skills counts 1/k in each share. */
export type Share = z.infer<typeof ShareRow>;

/** Half an hour: longer than most leases, shorter than a break for the day. */
const ACTIVE = Prisma.sql`interval '30 minutes'`;

/**
 * Who qualifies in one tenant, and who of them was at work lately. `busy`: lanes and skills that have work; for such a skill
 * only those count who qualify for some of it. Windows and arrays
 * where joins would be shorter: the planner takes the experts of all lanes for one row, and a join of them for a loop
 * (30 s with 2,000 experts).
 */
export const shares = (
  db: Queryable,
  tenantId: bigint,
  busy: { lanes: readonly bigint[]; skills: readonly bigint[] },
): Promise<Share[]> =>
  many(
    db,
    ShareRow,
    Prisma.sql`
      with seen as materialized (
        select x.id as expert_id, exists (
          select from assignments a where a.tenant_id = x.tenant_id and a.expert_id = x.id and a.state = 'LEASED' and a.lease_until > app.clock_now()
        ) or coalesce((
          select greatest(a.leased_at, a.submitted_at) > app.clock_now() - ${ACTIVE} from assignments a
          where a.tenant_id = x.tenant_id and a.expert_id = x.id order by a.id desc limit 1
        ), false) as is_active
        from experts x where x.tenant_id = ${tenantId} and x.status = 'ACTIVE'
      ), held as materialized (
        select s.expert_id, s.is_active, l.lane_id, l.skill_id,
               l.lane_id = any (${busy.lanes.map(String)}::bigint[]) as is_busy
        from seen s cross join lateral app.lanes_of(${tenantId}::bigint, s.expert_id, null) l
      ), of_skill as materialized (
        select h.expert_id, h.is_active, h.skill_id, bool_or(h.is_busy) as is_busy,
               coalesce(array_agg(h.lane_id) filter (where h.is_busy), '{}') as busy_lanes
        from held h group by h.expert_id, h.is_active, h.skill_id
      ), weighed as materialized (
        select o.*, 1.0::float8 / greatest(1, count(*) filter (where o.is_busy) over (partition by o.expert_id)) as share
        from of_skill o
      ), counted as (
        select w.skill_id, null::bigint as lane_id, w.is_active, w.share from weighed w
        where w.is_busy or not w.skill_id = any (${busy.skills.map(String)}::bigint[])
        union all
        select w.skill_id, l.lane_id, w.is_active, w.share from weighed w cross join lateral unnest(w.busy_lanes) as l(lane_id)
      )
      select c.skill_id as "skillId", c.lane_id as "laneId",
             count(*) filter (where c.is_active)::int as "available",
             coalesce(sum(c.share) filter (where c.is_active), 0)::float8 as "availableShare",
             count(*)::int as "qualified", sum(c.share)::float8 as "qualifiedShare"
      from counted c
      group by c.skill_id, c.lane_id`,
  );

const PaceRow = z.object({ skillId: Id, answers: Count, seconds: z.number() });
/** Answers of a skill that were given lately, and how long they took in all. */
export type Pace = z.infer<typeof PaceRow>;

/** How long answers took: the last few of each expert, of the last day. */
export const paces = (db: Queryable, tenantId: bigint): Promise<Pace[]> =>
  many(
    db,
    PaceRow,
    Prisma.sql`
      select l.skill_id as "skillId", count(*)::int as answers,
             sum(extract(epoch from a.submitted_at - a.leased_at))::float8 as seconds
      from experts x
      cross join lateral (
        select a.lane_id, a.leased_at, a.submitted_at from assignments a
        where a.tenant_id = x.tenant_id and a.expert_id = x.id order by a.id desc limit 10
      ) a
      join lanes l on l.tenant_id = x.tenant_id and l.id = a.lane_id
      where x.tenant_id = ${tenantId} and a.submitted_at > app.clock_now() - interval '1 day'
      group by l.skill_id`,
  );

/** One pool as it is stored. */
export interface PoolRow {
  readonly skillId: bigint;
  readonly taskTypeId: bigint;
  readonly queueDepth: number;
  readonly openAnswers: number;
  readonly oldestOpenAt: Date | null;
}

/** Pools that are not named wait for nothing: their projects have ended. */
export const storePools = (db: Queryable, tenantId: bigint, pools: readonly PoolRow[]): Promise<void> =>
  run(
    db,
    Prisma.sql`
      with given as materialized (
        select * from jsonb_to_recordset(${json(pools)}::jsonb) as g("skillId" bigint, "taskTypeId" bigint,
          "queueDepth" int, "openAnswers" bigint, "oldestOpenAt" timestamptz)
      ), ended as (
        update pools p set queue_depth = 0, open_answers = 0, oldest_open_at = null, computed_at = app.clock_now()
        where p.tenant_id = ${tenantId} and p.queue_depth > 0
          and not exists (select from given g where g."skillId" = p.skill_id and g."taskTypeId" = p.task_type_id)
      )
      insert into pools as p (tenant_id, skill_id, task_type_id, queue_depth, open_answers, oldest_open_at, computed_at)
      select ${tenantId}, g."skillId", g."taskTypeId", g."queueDepth", g."openAnswers", g."oldestOpenAt", app.clock_now()
      from given g order by g."skillId", g."taskTypeId"
      on conflict (tenant_id, skill_id, task_type_id) do update set queue_depth = excluded.queue_depth,
        open_answers = excluded.open_answers, oldest_open_at = excluded.oldest_open_at, computed_at = excluded.computed_at`,
  );

/** A skill as it was measured. */
export interface SkillPoolRow extends Omit<PoolRow, 'taskTypeId'> {
  readonly available: number;
  readonly qualified: number;
  readonly secondsPerAnswer: number;
  readonly capacityPerHour: number;
  readonly pressure: number;
}

const SkillPool = z.object({
  skillId: Id,
  queueDepth: Count,
  openAnswers: Count,
  oldestOpenAt: z.date().nullable(),
  available: Count,
  qualified: Count,
  secondsPerAnswer: z.number(),
  capacityPerHour: z.number(),
  pressure: z.number(),
  computedAt: z.date(),
  toldDepth: Count,
  toldPressure: z.number(),
  balancedCapacity: z.number(),
  balancedSecondsAgo: z.number().nullable(),
});
/** A skill as it is stored, with what was made of it before. */
export type StoredSkillPool = z.infer<typeof SkillPool>;

const skillPoolColumns = Prisma.sql`
  s.skill_id as "skillId", s.queue_depth as "queueDepth", s.open_answers as "openAnswers",
  s.oldest_open_at as "oldestOpenAt", s.experts_available as available, s.experts_qualified as qualified,
  s.seconds_per_answer as "secondsPerAnswer", s.capacity_per_hour as "capacityPerHour", s.pressure,
  s.computed_at as "computedAt", s.told_depth as "toldDepth", s.told_pressure as "toldPressure",
  s.balanced_capacity as "balancedCapacity",
  extract(epoch from app.clock_now() - s.balanced_at)::float8 as "balancedSecondsAgo"`;

/** Stores the skills of a tenant and returns all of them as they stand now; those that are not named have ended. */
export async function storeSkillPools(
  db: Queryable,
  tenantId: bigint,
  skills: readonly SkillPoolRow[],
): Promise<StoredSkillPool[]> {
  await run(
    db,
    Prisma.sql`
      with given as materialized (
        select * from jsonb_to_recordset(${json(skills)}::jsonb) as g("skillId" bigint, "queueDepth" int,
          "openAnswers" bigint, "oldestOpenAt" timestamptz, available int, qualified int, "secondsPerAnswer" float8,
          "capacityPerHour" float8, pressure float8)
      ), ended as (
        update skill_pools s set queue_depth = 0, open_answers = 0, oldest_open_at = null, pressure = 0,
          computed_at = app.clock_now()
        where s.tenant_id = ${tenantId} and s.queue_depth > 0
          and not exists (select from given g where g."skillId" = s.skill_id)
      )
      insert into skill_pools as s (tenant_id, skill_id, queue_depth, open_answers, oldest_open_at, experts_available,
        experts_qualified, seconds_per_answer, capacity_per_hour, pressure, computed_at)
      select ${tenantId}, g."skillId", g."queueDepth", g."openAnswers", g."oldestOpenAt", g.available, g.qualified,
             g."secondsPerAnswer", g."capacityPerHour", g.pressure, app.clock_now()
      from given g order by g."skillId"
      on conflict (tenant_id, skill_id) do update set queue_depth = excluded.queue_depth,
        open_answers = excluded.open_answers, oldest_open_at = excluded.oldest_open_at,
        experts_available = excluded.experts_available, experts_qualified = excluded.experts_qualified,
        seconds_per_answer = excluded.seconds_per_answer, capacity_per_hour = excluded.capacity_per_hour,
        pressure = excluded.pressure, computed_at = excluded.computed_at`,
  );
  return skillPools(db, tenantId, null);
}

/** The skills of a tenant as last measured, or one of them. */
export const skillPools = (
  db: Queryable,
  tenantId: bigint,
  skillId: bigint | null,
): Promise<StoredSkillPool[]> =>
  many(
    db,
    SkillPool,
    Prisma.sql`
      select ${skillPoolColumns} from skill_pools s
      where s.tenant_id = ${tenantId} and (${skillId}::bigint is null or s.skill_id = ${skillId}::bigint)
      order by s.skill_id`,
  );

/** A lane's pressure, where it moved by more than a tenth: claims read it, and each write leaves a dead row. */
export const storePressures = (
  db: Queryable,
  tenantId: bigint,
  lanes: readonly { laneId: bigint; pressure: number }[],
): Promise<void> =>
  run(
    db,
    Prisma.sql`
      update lanes l set pressure = g.pressure
      from jsonb_to_recordset(${json(lanes)}::jsonb) as g("laneId" bigint, pressure float8)
      where l.tenant_id = ${tenantId} and l.id = g."laneId"
        and abs(l.pressure - g.pressure) > 0.1 * greatest(l.pressure, g.pressure)`,
  );

/** Tells subscribers how a skill stands, and keeps what they were told, in one statement. */
export const tellPool = (
  db: Queryable,
  tenantId: bigint,
  { pool, stream }: { pool: StoredSkillPool; stream: string },
): Promise<void> =>
  run(
    db,
    Prisma.sql`
      with told as (
        update skill_pools set told_depth = ${pool.queueDepth}::int, told_pressure = ${pool.pressure}::float8
        where tenant_id = ${tenantId} and skill_id = ${pool.skillId} returning 1
      )
      select 1 as ok from told
      cross join app.append_event(${tenantId}::bigint, ${stream}::text, 'CHANGED', ${json(pool)}::jsonb, null, null)`,
  );

/** Tenants whose pools may have to go to zero though none of their projects runs any more. */
export const tenantsWithPools = (db: Queryable) =>
  many(
    db,
    z.object({ tenantId: Id }),
    Prisma.sql`select distinct tenant_id as "tenantId" from pools where queue_depth > 0`,
  );

const json = (rows: object) =>
  JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
