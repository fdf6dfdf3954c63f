import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { maybeOne, type Queryable, run } from '../../platform/rows.js';
import { type Folded, NOTHING_FOLDED, readFolded } from './fold.js';
import type { Pair } from './keep.sql.js';

const CheckpointRow = z.object({ gradingId: z.bigint(), state: z.string(), anew: z.boolean() });

/** What a fold goes on from. */
export interface Checkpoint {
  /** The last grading in it. */
  readonly gradingId: bigint;
  readonly folded: Folded;
  /** The fold began with the first result again, and has not come to its end since. */
  readonly anew: boolean;
}

/**
 * What a fold goes on from: nothing, before there is a checkpoint, where something in it counts no longer, or where a node of another
 * version wrote it and left out what this one counts: then all is counted anew, as it would be without it.
 */
export async function checkpointOf(
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
): Promise<Checkpoint> {
  const kept = await maybeOne(
    db,
    CheckpointRow,
    Prisma.sql`
      select grading_id as "gradingId", state, anew from score_checkpoints
      where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId}
        and not exists (select from grading_dues d where d.tenant_id = ${tenantId} and d.expert_id = ${expertId}
                          and d.skill_id = ${skillId} and d.anew)`,
  );
  if (kept === null) {
    return NO_CHECKPOINT;
  }
  const folded = readFolded(kept.state);
  return folded === null ? { ...NO_CHECKPOINT, anew: kept.anew } : { ...kept, folded };
}

const NO_CHECKPOINT: Checkpoint = { gradingId: 0n, folded: NOTHING_FOLDED, anew: false };

/** Lets the fold begin with the first result. */
export async function dropCheckpoint(
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
): Promise<Checkpoint> {
  await run(
    db,
    Prisma.sql`
      with dropped as (
        delete from score_checkpoints where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} returning 1
      )
      select count(*)::int from dropped`,
  );
  return { ...NO_CHECKPOINT, anew: true };
}

export const saveCheckpoint = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  { folded, gradingId, anew }: Checkpoint,
) =>
  run(
    db,
    Prisma.sql`
      with kept as (
        insert into score_checkpoints (tenant_id, expert_id, skill_id, grading_id, state, anew, updated_at)
        values (${tenantId}, ${expertId}, ${skillId}, ${gradingId}, ${JSON.stringify(folded)}, ${anew}, app.clock_now())
        on conflict (tenant_id, expert_id, skill_id) do update set
          grading_id = excluded.grading_id, state = excluded.state, anew = excluded.anew, updated_at = excluded.updated_at returning 1
      )
      select count(*)::int from kept`,
  );

/** The fold that began anew has come to its end. */
export const noteFolded = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(
    db,
    Prisma.sql`
      with kept as (
        update score_checkpoints set anew = false
        where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} and anew returning 1
      )
      select count(*)::int from kept`,
  );
