import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';

const DoorRow = z.object({
  id: z.bigint(),
  expertId: z.bigint(),
  skillId: z.bigint(),
  /** 0: of the skill as a whole. */
  taskTypeId: z.bigint(),
  kind: z.enum(['LOWER_BOUND', 'EXPLORATION', 'SCARCE_SKILL', 'RETEST', 'HIGH_BARS', 'KEPT', 'TRIAL']),
  quality: z.number(),
  mean: z.number(),
  lower: z.number(),
  results: z.int(),
  provenExperts: z.int(),
  explore: z.number().nullable(),
  share: z.number().nullable(),
  accuracy: z.number().nullable(),
  openedAt: z.date(),
});

export type DoorRow = z.infer<typeof DoorRow>;

/** Which doors are asked for; null: any. */
export interface DoorFilter {
  readonly expertId: bigint | null;
  readonly skillId: bigint | null;
  /** Only those that are not by the lower bound. */
  readonly exceptionsOnly: boolean;
}

/** Doors that the scope shows, newest first. */
export const doorPage = (
  db: Queryable,
  { expertId, skillId, exceptionsOnly }: DoorFilter,
  { take, afterId }: { take: number; afterId: bigint | null },
): Promise<DoorRow[]> =>
  many(
    db,
    DoorRow,
    Prisma.sql`
      select d.id, d.expert_id as "expertId", d.skill_id as "skillId", d.task_type_id as "taskTypeId", d.kind, d.quality, d.mean, d.lower, d.results,
             d.proven_experts as "provenExperts", d.explore, d.explore_share as share, d.accuracy, d.opened_at as "openedAt"
      from doors d
      where d.tenant_id = app.tenant_id()
        and (${afterId}::bigint is null or d.id < ${afterId}::bigint)
        and (${expertId}::bigint is null or d.expert_id = ${expertId}::bigint)
        and (${skillId}::bigint is null or d.skill_id = ${skillId}::bigint)
        and (not ${exceptionsOnly}::boolean or d.kind <> 'LOWER_BOUND')
      order by d.id desc limit ${take}`,
  );
