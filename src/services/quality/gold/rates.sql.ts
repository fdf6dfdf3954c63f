import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, type Queryable, run } from '../../platform/rows.js';

const RateRow = z.object({
  tenantId: z.bigint(),
  expertId: z.bigint(),
  skillId: z.bigint(),
  taskTypeId: z.bigint(),
  standing: z.enum(['PROBATION', 'ACTIVE', 'RETEST']),
  seen: z.int(),
  recent: z.array(z.number()),
  isKept: z.boolean(),
  tasksSinceMiss: z.int().nullable(),
  tasksSinceAbsence: z.int().nullable(),
});

/** What one expert's rate of one skill and task type depends on. */
export type DueRate = z.infer<typeof RateRow>;

/** Tasks that are counted at most: no rate is raised for longer. */
const TASKS_MAX = 10;
/** An absence of more than two weeks. */
const ABSENCE_DAYS = 14;
/** A raised rate, and the rate of somebody at work, are looked at again after so long. */
const AGAIN_SECONDS = 30;
const AT_WORK_SECONDS = 600;

/** The one turn over all nodes at what is done for gold; false where another node has it. */
export const tryGoldTurn = async (db: Queryable): Promise<boolean> =>
  (
    await many(
      db,
      z.object({ taken: z.boolean() }),
      Prisma.sql`select pg_try_advisory_xact_lock(7251, 0) as taken`,
    )
  )[0]?.taken === true;

/** Whose rate: the order in which rounds go. */
export type RateKey = Pick<DueRate, 'tenantId' | 'expertId' | 'skillId' | 'taskTypeId'>;

/** Before all rates. */
const FIRST: RateKey = { tenantId: 0n, expertId: 0n, skillId: 0n, taskTypeId: 0n };

const tuple = (key: RateKey | null) => {
  const { tenantId, expertId, skillId, taskTypeId } = key ?? FIRST;
  return Prisma.sql`(${tenantId}::bigint, ${expertId}::bigint, ${skillId}::bigint, ${taskTypeId}::bigint)`;
};

/** The last of the next `size` scores after one; null: there are not so many. */
export const endOfPage = (
  db: Queryable,
  { after, size }: { after: RateKey | null; size: number },
): Promise<RateKey | null> =>
  maybeOne(
    db,
    RateRow.pick({ tenantId: true, expertId: true, skillId: true, taskTypeId: true }),
    Prisma.sql`
      select tenant_id as "tenantId", expert_id as "expertId", skill_id as "skillId", task_type_id as "taskTypeId" from quality_scores
      where (tenant_id, expert_id, skill_id, task_type_id) > ${tuple(after)}
      order by tenant_id, expert_id, skill_id, task_type_id offset ${size - 1} limit 1`,
  );

/**
 * Rates that are due of a page of scores (after one, up to and with another; null: to the end): never judged, with new results or
 * another standing, raised a while ago, or of somebody at work.
 */
export const dueRates = (
  db: Queryable,
  { after, until }: { after: RateKey | null; until: RateKey | null },
): Promise<DueRate[]> =>
  many(
    db,
    RateRow,
    Prisma.sql`
      with due as materialized (
        select q.tenant_id, q.expert_id, q.skill_id, q.task_type_id, q.seen, q.state, s.status,
               app.taken_for(s, q.task_type_id) > case when q.task_type_id = any (s.type_ids) then q.lower else s.quality_lower end as is_kept
        from quality_scores q
        join expert_skills s on s.tenant_id = q.tenant_id and s.expert_id = q.expert_id and s.skill_id = q.skill_id
        left join gold_rates g on g.tenant_id = q.tenant_id and g.expert_id = q.expert_id and g.skill_id = q.skill_id
          and g.task_type_id = q.task_type_id
        where (q.tenant_id, q.expert_id, q.skill_id, q.task_type_id) > ${tuple(after)}
          and ${until === null ? Prisma.sql`true` : Prisma.sql`(q.tenant_id, q.expert_id, q.skill_id, q.task_type_id) <= ${tuple(until)}`}
          and (g.computed_at is null or g.computed_at <= greatest(q.updated_at, s.updated_at)
          or g.computed_at <= app.clock_now() - make_interval(secs => ${AGAIN_SECONDS}) and g.reason not in ('EVIDENCE', 'PROBATION', 'BAR_KEPT')
          or g.computed_at <= app.clock_now() - make_interval(secs => ${AT_WORK_SECONDS}) and exists (
               select from assignments a where a.tenant_id = q.tenant_id and a.expert_id = q.expert_id and a.state = 'LEASED'))
      )
      select d.tenant_id as "tenantId", d.expert_id as "expertId", d.skill_id as "skillId", d.task_type_id as "taskTypeId",
             case when n.phase = 'RETEST' then 'RETEST' when d.status = 'PROBATION' then 'PROBATION' else 'ACTIVE' end as standing,
             d.seen, array(select jsonb_array_elements_text(d.state::jsonb -> 'recent')::float8) as recent,
             d.is_kept as "isKept", m.tasks as "tasksSinceMiss", b.tasks as "tasksSinceAbsence"
      from due d
      left join standings n on n.tenant_id = d.tenant_id and n.expert_id = d.expert_id and n.skill_id = d.skill_id
      left join lateral (
        select (select count(*)::int from (
                  select from assignments a join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id
                  where a.tenant_id = d.tenant_id and a.expert_id = d.expert_id and p.task_type_id = d.task_type_id
                    and a.submitted_at > miss.at
                  order by a.id desc limit ${TASKS_MAX}) t) as tasks
        from (select max(g.graded_at) as at from gradings g
              where g.tenant_id = d.tenant_id and g.expert_id = d.expert_id and g.skill_id = d.skill_id
                and g.task_type_id = d.task_type_id and not g.is_right
                and not exists (select from voided_gradings v where v.tenant_id = g.tenant_id and v.grading_id = g.id)) miss
        where miss.at is not null
      ) m on true
      left join lateral (
        select count(l.submitted_at)::int as tasks
        from (select max(g.leased_at) as back from (
                select a.leased_at, a.leased_at - lag(a.leased_at) over (order by a.leased_at) as gap
                from (select o.leased_at from assignments o where o.tenant_id = d.tenant_id and o.expert_id = d.expert_id
                      order by o.id desc limit ${TASKS_MAX + 2}) a) g
              where g.gap > make_interval(days => ${ABSENCE_DAYS})) r
        join lateral (select o.leased_at, o.submitted_at from assignments o where o.tenant_id = d.tenant_id and o.expert_id = d.expert_id
                      order by o.id desc limit ${TASKS_MAX + 2}) l on l.leased_at >= r.back
        having count(*) > 0
      ) b on true`,
  );

/** Keeps rates: `[{tenantId, expertId, skillId, taskTypeId, rate, reason}]`; and how high they are in each skill. */
export const storeRates = (db: Queryable, rates: string) =>
  run(
    db,
    Prisma.sql`
      with given as materialized (
        select * from jsonb_to_recordset(${rates}::jsonb) as r("tenantId" bigint, "expertId" bigint, "skillId" bigint,
          "taskTypeId" bigint, rate float8, reason text)
      ), kept as (
        insert into gold_rates (tenant_id, expert_id, skill_id, task_type_id, rate, reason, computed_at)
        select r."tenantId", r."expertId", r."skillId", r."taskTypeId", r.rate, r.reason, app.clock_now() from given r
        on conflict (tenant_id, expert_id, skill_id, task_type_id) do update
          set rate = excluded.rate, reason = excluded.reason, computed_at = excluded.computed_at
      ), most as (
        select k.*, (
          select coalesce(max(coalesce(r.rate, g.rate, case s.status when 'ACTIVE' then 0.25 else 0.4 end)), 0)
          from (select distinct p.task_type_id from gold_pools o
                join projects p on p.tenant_id = o.tenant_id and p.id = o.project_id and p.state = 'RUNNING'
                where o.tenant_id = k."tenantId" and p.skill_id = k."skillId") y
          left join given r on r."tenantId" = k."tenantId" and r."expertId" = k."expertId" and r."skillId" = k."skillId"
            and r."taskTypeId" = y.task_type_id
          left join gold_rates g on g.tenant_id = k."tenantId" and g.expert_id = k."expertId" and g.skill_id = k."skillId"
            and g.task_type_id = y.task_type_id) as rate
        from (select distinct r."tenantId", r."expertId", r."skillId" from given r) k
        join expert_skills s on s.tenant_id = k."tenantId" and s.expert_id = k."expertId" and s.skill_id = k."skillId"
      ), raised as (
        update expert_skills s set gold_rate_most = m.rate from most m
        where s.tenant_id = m."tenantId" and s.expert_id = m."expertId" and s.skill_id = m."skillId" and s.gold_rate_most <> m.rate
      )
      select count(*)::int from given`,
  );
