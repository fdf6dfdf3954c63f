import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable, run } from '../../platform/rows.js';
import { isReady } from '../failures.sql.js';
import type { Pair } from '../scores/keep.sql.js';

/** See app.await_effect. */
export const awaitEffect = (db: Queryable, { tenantId, expertId, skillId }: Pair, atOnce: boolean) =>
  run(db, Prisma.sql`select app.await_effect(${tenantId}, ${expertId}, ${skillId}, ${atOnce})::text as done`);

/** See app.apply_effect. */
export const applyEffect = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(db, Prisma.sql`select app.apply_effect(${tenantId}, ${expertId}, ${skillId})::text as done`);

/** See app.apply_gate. */
export const applyGate = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(db, Prisma.sql`select app.apply_gate(${tenantId}, ${expertId}, ${skillId})::text as done`);

/** Whether the expert would see what is decided come into effect. */
export const isVisible = async (db: Queryable, { tenantId, expertId, skillId }: Pair): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ visible: z.boolean() }),
      Prisma.sql`select visible from app.lacks_effect(${tenantId}, ${expertId}, ${skillId})`,
    )
  ).visible;

const WaitRow = z.object({
  tenantId: z.bigint(),
  expertId: z.bigint(),
  skillId: z.bigint(),
  /** What is due of it: everything, or only what claims are filtered by. */
  due: z.enum(['ALL', 'GATE']).nullable(),
});

/** Answers of an expert that are read at most, the latest, to find those of one skill: who gives so many in others waits until `latest_at`. */
const ANSWERS_READ = 5_000;

/**
 * Looks at waits whose look is due, the longest due first. An expert's answers in the skill are counted since the decision, and since
 * the last state that they were shown, as far as they can matter; whoever has given none for a month waits for none. One that is not
 * over is looked at again after a twentieth of its age.
 */
export const lookAtEffects = (db: Queryable, limit: number) =>
  many(
    db,
    WaitRow,
    Prisma.sql`
      with looked as materialized (
        select e.* from skill_effects e where e.applied_at is null and e.look_at <= app.clock_now()
          and ${isReady('effects', { tenant: Prisma.sql`e.tenant_id`, subject: Prisma.sql`e.expert_id`, skill: Prisma.sql`e.skill_id` })}
        order by e.look_at limit ${limit} for update skip locked
      ), judged as materialized (
        select e.tenant_id, e.id, e.expert_id, e.skill_id,
               case when e.due_at <= app.clock_now() and g.answers >= e.answers_min and g.shown >= e.shown_min then 'ALL'
                    when g.answers >= e.answers_max and g.shown >= e.shown_max then 'ALL'
                    when e.latest_at <= app.clock_now() and g.last_at <= app.clock_now() - interval '30 d' then 'ALL'
                    when e.gate_at <= app.clock_now() then 'GATE' end as due
        from looked e
        left join shown_marks m on m.tenant_id = e.tenant_id and m.expert_id = e.expert_id and m.skill_id = e.skill_id
        cross join lateral (
          select count(*) filter (where x.id > e.after_assignment) as answers,
                 count(*) filter (where x.id > coalesce(m.after_assignment, 0) and x.submitted_at > coalesce(m.as_of, '-infinity')) as shown,
                 coalesce(max(x.submitted_at), '-infinity') as last_at
          from (
            select a.id, a.submitted_at from (
              select a.id, a.submitted_at, a.project_id from assignments a
              where a.tenant_id = e.tenant_id and a.expert_id = e.expert_id and a.submitted_at is not null
                and a.id > least(e.after_assignment, coalesce(m.after_assignment, 0))
              order by a.id desc limit ${ANSWERS_READ}) a
            join projects p on p.tenant_id = e.tenant_id and p.id = a.project_id and p.skill_id = e.skill_id
            order by a.id desc limit greatest(e.answers_max, e.shown_max)
          ) x
        ) g
      ), again as (
        update skill_effects e set look_at = app.clock_now() + (app.clock_now() - e.decided_at) / 20
        from judged j where e.tenant_id = j.tenant_id and e.id = j.id and j.due is null
      )
      select tenant_id as "tenantId", expert_id as "expertId", skill_id as "skillId", due from judged`,
  );
