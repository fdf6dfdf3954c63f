import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { maybeOne, one, type Queryable, run } from '../../platform/rows.js';
import { isReady } from '../failures.sql.js';
import type { Pair } from './keep.sql.js';

/** One fold at a time, over all nodes: two that take what is due of one pair would wait for each other. */
const TURN = Prisma.sql`select pg_try_advisory_xact_lock(7250, 0) as mine`;

const DueRow = z.object({
  tenantId: z.bigint(),
  expertId: z.bigint(),
  skillId: z.bigint(),
  /** Something that was folded counts no longer, or again. */
  anew: z.boolean(),
});

/** A pair whose fold is due. */
export type DuePair = z.infer<typeof DueRow>;

/**
 * Takes the oldest due pair and all that is due of it; null where nothing is, or another node is at it. Begins the transaction
 * in which the pair is folded: what is recorded from now on is due again. Pairs whose fold failed wait.
 */
export async function takeDue(db: Queryable): Promise<DuePair | null> {
  const { mine } = await one(db, z.object({ mine: z.boolean() }), TURN);
  if (!mine) {
    return null;
  }
  const subject = {
    tenant: Prisma.sql`d.tenant_id`,
    subject: Prisma.sql`d.expert_id`,
    skill: Prisma.sql`d.skill_id`,
  };
  return maybeOne(
    db,
    DueRow,
    Prisma.sql`
      with first as materialized (
        select d.tenant_id, d.expert_id, d.skill_id from grading_dues d where ${isReady('scores', subject)} order by d.id limit 1
      ), taken as (
        delete from grading_dues d using first f
        where d.tenant_id = f.tenant_id and d.expert_id = f.expert_id and d.skill_id = f.skill_id returning d.anew
      ), cleared as (
        delete from work_failures w using first f
        where w.tenant_id = f.tenant_id and w.job = 'scores' and w.subject_id = f.expert_id and w.skill_id = f.skill_id
      )
      select f.tenant_id as "tenantId", f.expert_id as "expertId", f.skill_id as "skillId",
             coalesce((select bool_or(t.anew) from taken t), false) as anew
      from first f`,
  );
}

/** Makes the fold of a pair due again. */
export const noteDue = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(
    db,
    Prisma.sql`
      with noted as (
        insert into grading_dues (tenant_id, expert_id, skill_id) values (${tenantId}, ${expertId}, ${skillId}) returning 1
      )
      select count(*)::int from noted`,
  );

/** Makes one row, the last in turn, of all that is due of a pair. */
export const gatherDues = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(
    db,
    Prisma.sql`
      with gathered as (
        delete from grading_dues where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} returning anew
      ), noted as (
        insert into grading_dues (tenant_id, expert_id, skill_id, anew)
        select ${tenantId}, ${expertId}, ${skillId}, bool_or(anew) from gathered having count(*) > 0 returning 1
      )
      select count(*)::int from noted`,
  );
