import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable, run } from '../../platform/rows.js';
import type { Pair } from '../scores/keep.sql.js';

/** See app.await_effect. */
export const awaitEffect = (db: Queryable, { tenantId, expertId, skillId }: Pair, atOnce: boolean) =>
  run(db, Prisma.sql`select app.await_effect(${tenantId}, ${expertId}, ${skillId}, ${atOnce})::text as done`);

/** See app.apply_effect. */
export const applyEffect = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(db, Prisma.sql`select app.apply_effect(${tenantId}, ${expertId}, ${skillId})::text as done`);

/** Waits that are over, the oldest first. An expert's answers since are looked at as far as they can matter. */
export const dueEffects = (db: Queryable, limit: number): Promise<Pair[]> =>
  many(
    db,
    z.object({ tenantId: z.bigint(), expertId: z.bigint(), skillId: z.bigint() }),
    Prisma.sql`
      select e.tenant_id as "tenantId", e.expert_id as "expertId", e.skill_id as "skillId"
      from skill_effects e
      cross join lateral (
        select count(*) as answers from (
          select from assignments a
          where a.tenant_id = e.tenant_id and a.expert_id = e.expert_id and a.id > e.after_assignment and a.submitted_at is not null
          limit e.answers_max
        ) x
      ) g
      where e.applied_at is null
        and (e.latest_at <= app.clock_now() or g.answers >= e.answers_max or g.answers >= e.answers_min and e.due_at <= app.clock_now())
      order by e.id limit ${limit}`,
  );
