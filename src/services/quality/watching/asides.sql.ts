import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { maybeOne, one, type Queryable, run } from '../../platform/rows.js';
import { isReady } from '../failures.sql.js';

/** What an expert adjudicated by now grades nobody, while the finding about them stands: see app.set_aside. */
export const setAside = (
  db: Queryable,
  { tenantId, findingId, expertId }: { tenantId: bigint; findingId: bigint; expertId: bigint },
) => run(db, Prisma.sql`select app.set_aside(${tenantId}, ${findingId}, ${expertId}) as voided`);

const WalkRow = z.object({
  tenantId: z.bigint(),
  findingId: z.bigint(),
  expertId: z.bigint(),
  skillId: z.bigint(),
  /** The last assignment that was gone through. */
  after: z.bigint(),
});

/** A walk through what somebody adjudicated. */
export type Walk = z.infer<typeof WalkRow>;

/** The walk that is due for longest, held until the transaction ends; null: none. None that waits because it threw. */
export const walkDue = (db: Queryable): Promise<Walk | null> =>
  maybeOne(
    db,
    WalkRow,
    Prisma.sql`
      select s.tenant_id as "tenantId", s.finding_id as "findingId", s.expert_id as "expertId", s.skill_id as "skillId", s.after_assignment as after
      from set_asides s
      where s.is_due and s.due_at <= app.clock_now()
        and ${isReady('asides', { tenant: Prisma.sql`s.tenant_id`, subject: Prisma.sql`s.finding_id` })}
      order by s.due_at, s.tenant_id, s.finding_id, s.expert_id limit 1 for update of s skip locked`,
  );

/** Goes on with a walk, at most so many assignments: see app.walk_asides. */
export const walkOn = async (
  db: Queryable,
  { tenantId, findingId, expertId, skillId, after }: Walk,
  limit: number,
): Promise<void> => {
  const { last } = await one(
    db,
    z.object({ last: z.bigint().nullable() }),
    Prisma.sql`select last from app.walk_asides(${tenantId}, ${expertId}, ${skillId}, ${after}, ${limit}::int)`,
  );
  await run(
    db,
    Prisma.sql`
      with walked as (
        update set_asides set after_assignment = ${last ?? 0n}, is_due = ${last !== null}
        where tenant_id = ${tenantId} and finding_id = ${findingId} and expert_id = ${expertId} returning 1
      )
      select count(*)::int from walked`,
  );
};
