import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable, run } from '../../platform/rows.js';
import type { Pair } from '../scores/keep.sql.js';
import type { Told } from './history.js';
import type { PauseNotice, PauseState } from './pause.js';

const PauseRow = z.object({
  pausedAt: z.date(),
  resumedAt: z.date().nullable(),
  byResults: z.boolean(),
  withdrew: z.boolean(),
  returned: z.boolean(),
});

/** Pauses of one skill of an expert. */
export const pausesOf = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  many(
    db,
    PauseRow,
    Prisma.sql`
      select paused_at as "pausedAt", resumed_at as "resumedAt", paused_by is null as "byResults", withdrew, returned
      from pauses where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} order by id`,
  );

export const retestsOf = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  many(
    db,
    z.object({ begunAt: z.date() }),
    Prisma.sql`
      select begun_at as "begunAt" from retests
      where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} order by begun_at`,
  );

export const saveStanding = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  { state, retestFrom }: { state: PauseState; retestFrom: Date | null },
) =>
  run(
    db,
    Prisma.sql`
      insert into standings (tenant_id, expert_id, skill_id, phase, reason, since, retest_from, state, updated_at)
      values (${tenantId}, ${expertId}, ${skillId}, ${state.phase}, ${state.reason},
        ${state.sinceMs === null ? null : new Date(state.sinceMs)}::timestamptz, ${retestFrom}::timestamptz,
        ${JSON.stringify(state)}, app.clock_now())
      on conflict (tenant_id, expert_id, skill_id) do update set
        phase = excluded.phase, reason = excluded.reason, since = excluded.since, retest_from = excluded.retest_from,
        state = excluded.state, updated_at = excluded.updated_at`,
  );

/** The last change that is kept, and the instant. */
export const lastNotice = async (db: Queryable, { tenantId, expertId, skillId }: Pair): Promise<Told> => {
  const { now, phase, reason, at } = await one(
    db,
    LastRow,
    Prisma.sql`
      select app.clock_now()::timestamptz(3) as now, n.phase, n.reason, n.at
      from (values (1)) v
      left join lateral (
        select * from standing_notices
        where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} order by id desc limit 1) n on true`,
  );
  const last =
    phase === null || reason === null || at === null ? null : { phase, reason, atMs: at.getTime() };
  return { last, nowMs: now.getTime() };
};

const LastRow = z.object({
  now: z.date(),
  phase: z.enum(['CLEAR', 'WARNED', 'PAUSED', 'RETEST']).nullable(),
  reason: z.string().nullable(),
  at: z.date().nullable(),
});

/** Keeps what is to be told. */
export const saveNotices = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  notices: readonly PauseNotice[],
) =>
  run(
    db,
    Prisma.sql`
      insert into standing_notices (tenant_id, expert_id, skill_id, phase, reason, at, evidence)
      select ${tenantId}, ${expertId}, ${skillId}, n.phase, n.reason, to_timestamp(n."atMs" / 1000.0), n.evidence
      from jsonb_to_recordset(${JSON.stringify(notices)}::jsonb) as n(phase text, reason text, "atMs" float8, evidence jsonb)
      on conflict do nothing`,
  );

/**
 * Begins the re-tests that are due, by when the pause came into effect: a fact each, and the fold of the pair is due with it.
 * Returns whose.
 */
export const beginRetests = (db: Queryable, limit: number) =>
  many(
    db,
    z.object({ expertId: z.bigint() }),
    Prisma.sql`
      with due as materialized (
        select tenant_id, expert_id, skill_id from shown_standings
        where phase = 'PAUSED' and retest_from <= app.clock_now() order by retest_from limit ${limit} for update skip locked
      ), cleared as (
        update shown_standings s set retest_from = null from due d
        where s.tenant_id = d.tenant_id and s.expert_id = d.expert_id and s.skill_id = d.skill_id
      ), begun as (
        insert into retests (tenant_id, expert_id, skill_id, begun_at)
        select tenant_id, expert_id, skill_id, app.clock_now() from due
      ), noted as (
        insert into grading_dues (tenant_id, expert_id, skill_id) select tenant_id, expert_id, skill_id from due
      )
      select expert_id as "expertId" from due`,
  );

/**
 * Whoever is paused by results, and whose re-test was begun outside of a pause (a fold anew had moved it), is tested again: the date of
 * the pause that is in effect is that of the pause that holds.
 */
export const dateRetest = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(
    db,
    Prisma.sql`
      with dated as (
        update shown_standings w set retest_from = s.retest_from
        from standings s
        where w.tenant_id = ${tenantId} and w.expert_id = ${expertId} and w.skill_id = ${skillId} and w.phase = 'PAUSED' and w.retest_from is null
          and s.tenant_id = w.tenant_id and s.expert_id = w.expert_id and s.skill_id = w.skill_id and s.phase = 'PAUSED'
          and s.reason is not distinct from w.reason and s.retest_from is not null
        returning 1
      )
      select count(*)::int from dated`,
  );
