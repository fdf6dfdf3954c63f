import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, type Queryable, run } from '../../platform/rows.js';
import { isReady } from '../failures.sql.js';
import type { Pair } from '../scores/keep.sql.js';

/** Answers of an expert in a skill that one look takes in, the first since the last state shown: what is more is the next day's. */
const ANSWERS_A_LOOK = 5_000;

/** A UTC day is over a minute later: what was submitted in its last second has been committed by then. */
const today = Prisma.sql`((app.clock_now() - interval '1 min') at time zone 'UTC')::date`;

/** Notes that something was graded which is not shown; skill 0 is calibration. */
export const noteHidden = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(
    db,
    Prisma.sql`
      insert into shown_marks as m (tenant_id, expert_id, skill_id, hidden) values (${tenantId}, ${expertId}, ${skillId}, true)
      on conflict (tenant_id, expert_id, skill_id) do update set hidden = true where not m.hidden`,
  );

/** Whether an expert was ever shown a state of results in a skill. */
export const wasShown = async (db: Queryable, { tenantId, expertId, skillId }: Pair): Promise<boolean> =>
  (await maybeOne(
    db,
    z.object({ seen: z.int() }),
    Prisma.sql`
      select seen from shown_scores
      where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} and seen > 0 limit 1`,
  )) !== null;

/** A pair that something is hidden of and that was not looked at since the last day ended; none that waits because its look threw. */
export const hiddenPair = (db: Queryable): Promise<Pair | null> =>
  maybeOne(
    db,
    z.object({ tenantId: z.bigint(), expertId: z.bigint(), skillId: z.bigint() }),
    Prisma.sql`
      select tenant_id as "tenantId", expert_id as "expertId", skill_id as "skillId" from shown_marks m
      where hidden and looked_on < ${today}
        and ${isReady('showing', { tenant: Prisma.sql`m.tenant_id`, subject: Prisma.sql`m.expert_id`, skill: Prisma.sql`m.skill_id` })}
      order by looked_on limit 1`,
  );

const MarkRow = z.object({ asOf: z.date().nullable(), afterAssignment: z.bigint(), dayBegan: z.date() });
export type Mark = z.infer<typeof MarkRow>;

/** Takes the look of the day; null: somebody else has. The caller holds the expert's lock. */
export const takeLook = (db: Queryable, { tenantId, expertId, skillId }: Pair): Promise<Mark | null> =>
  maybeOne(
    db,
    MarkRow,
    Prisma.sql`
      update shown_marks set looked_on = ${today}
      where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId}
        and looked_on < ${today}
      returning as_of as "asOf", after_assignment as "afterAssignment", looked_on::timestamp at time zone 'UTC' as "dayBegan"`,
  );

const DayRow = z.object({
  until: z.date(),
  answers: z.int(),
  lastAssignment: z.bigint(),
  stated: z.number(),
});

/**
 * Answers of an expert in a skill since a mark, by UTC days that are over; of skill 0 those with a stated confidence, in all skills. The days end where
 * one look does, with a whole one. Those of other skills are walked past and not counted: whoever gives thousands in another skill would never be shown this one.
 */
export const answerDays = (db: Queryable, { tenantId, expertId, skillId }: Pair, mark: Mark) =>
  many(
    db,
    DayRow,
    Prisma.sql`
      with taken as materialized (
        select a.id, a.submitted_at, n.confidence from assignments a
        join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id
        join answers n on n.tenant_id = a.tenant_id and n.assignment_id = a.id
        where a.tenant_id = ${tenantId} and a.expert_id = ${expertId} and a.id > ${mark.afterAssignment}
          and a.submitted_at > coalesce(${mark.asOf}::timestamptz, '-infinity') and a.submitted_at < ${mark.dayBegan}::timestamptz
          and case when ${skillId} = 0 then n.confidence is not null else p.skill_id = ${skillId} end
        order by a.id limit ${ANSWERS_A_LOOK}
      ), days as (
        select (date_trunc('day', t.submitted_at at time zone 'UTC') + interval '1 day') at time zone 'UTC' as until, count(*)::int as answers,
               max(t.id) as last, coalesce(sum(t.confidence), 0)::float8 as stated, sum(count(*)) over () as taken, count(*) over () as days
        from taken t group by 1
      )
      select d.until, d.answers, d.last as "lastAssignment", d.stated from days d
      where d.taken < ${ANSWERS_A_LOOK} or d.days = 1 or d.until < (select max(o.until) from days o)
      order by d.until`,
  );

/** Moves the mark; something is hidden still where gradings came later. */
export const moveMark = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  { asOf, afterAssignment, hidden }: { asOf: Date; afterAssignment: bigint; hidden: boolean },
) =>
  run(
    db,
    Prisma.sql`
      update shown_marks set as_of = ${asOf}::timestamptz, after_assignment = ${afterAssignment}, hidden = ${hidden}
      where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId}`,
  );

const NowRow = z.object({ now: z.date(), answers: z.int(), lastAssignment: z.bigint() });

/** The instant, and how many answers of an expert in a skill lie behind the last state shown: at most `enough`. */
export const answersSinceShown = (db: Queryable, { tenantId, expertId, skillId }: Pair, enough: number) =>
  maybeOne(
    db,
    NowRow,
    Prisma.sql`
      select app.clock_now()::timestamptz(3) as now, g.answers,
             coalesce((select max(a.id) from assignments a where a.tenant_id = ${tenantId} and a.expert_id = ${expertId}), 0) as "lastAssignment"
      from shown_marks m
      cross join lateral (
        select count(*)::int as answers from (
          select from assignments a
          join projects p on p.tenant_id = m.tenant_id and p.id = a.project_id and p.skill_id = m.skill_id
          where a.tenant_id = m.tenant_id and a.expert_id = m.expert_id and a.id > m.after_assignment
            and a.submitted_at > coalesce(m.as_of, '-infinity')
          order by a.id desc limit ${enough}) x
      ) g
      where m.tenant_id = ${tenantId} and m.expert_id = ${expertId} and m.skill_id = ${skillId}`,
  );

export interface ShownState {
  readonly asOf: Date;
  readonly seen: number;
  readonly mean: number;
  readonly lower: number;
  readonly upper: number;
  /** Of the last results, which standings rest on. */
  readonly lastRight: number;
  readonly lastOf: number;
  readonly probabilityBelow: number;
}

/** Shows a state, unless it is the one shown last. */
export const showState = (db: Queryable, { tenantId, expertId, skillId }: Pair, s: ShownState) =>
  run(
    db,
    Prisma.sql`
      insert into shown_scores (tenant_id, expert_id, skill_id, as_of, seen, mean, lower, upper, last_right, last_of, probability_below)
      select ${tenantId}, ${expertId}, ${skillId}, ${s.asOf}::timestamptz, ${s.seen}, ${s.mean}::float8, ${s.lower}::float8,
             ${s.upper}::float8, ${s.lastRight}::float8, ${s.lastOf}, ${s.probabilityBelow}::float8
      where not exists (
        select from (
          select c.seen, c.mean, c.last_right from shown_scores c
          where c.tenant_id = ${tenantId} and c.expert_id = ${expertId} and c.skill_id = ${skillId} order by c.as_of desc limit 1
        ) w where w.seen = ${s.seen} and w.mean = ${s.mean}::float8 and w.last_right = ${s.lastRight}::float8)
      on conflict do nothing`,
  );

export interface ShownCalibration {
  readonly asOf: Date;
  readonly pairs: number;
  readonly stated: number;
  readonly actual: number;
  readonly error: number;
  readonly use: 'USABLE' | 'TOO_FEW' | 'SAYS_NOTHING';
}

export const showCalibration = (db: Queryable, { tenantId, expertId }: Pair, c: ShownCalibration) =>
  run(
    db,
    Prisma.sql`
      insert into shown_calibrations (tenant_id, expert_id, as_of, pairs, stated, actual, error, use)
      values (${tenantId}, ${expertId}, ${c.asOf}::timestamptz, ${c.pairs}, ${c.stated}::float8, ${c.actual}::float8, ${c.error}::float8, ${c.use})
      on conflict do nothing`,
  );
