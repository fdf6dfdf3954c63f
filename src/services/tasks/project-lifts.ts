import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { maybeOne, type Queryable, run } from '../platform/rows.js';

/** A project of a tenant. */
interface ProjectRef {
  readonly tenantId: bigint;
  readonly projectId: bigint;
}

/** Why a project is lifted: a batch of it is at risk, by what chance. */
export interface LiftCause extends ProjectRef {
  readonly customerId: bigint;
  readonly batchId: bigint;
  readonly probability: number | null;
  /** How many times its weight it counts: more than 1, at most 8. */
  readonly lift: number;
}

const Id = z.object({ id: z.coerce.bigint() });

/**
 * From now on a project counts for `lift` times its weight in the turns of its skill: kept, and seen to in the next round of
 * `rebalance`, with the bounds of every lift. Nothing where it is lifted so already.
 */
export async function beginLift(tx: Queryable, cause: LiftCause): Promise<void> {
  const begun = await maybeOne(
    tx,
    Id,
    Prisma.sql`
      insert into project_lifts (tenant_id, project_id, customer_id, lift, batch_id, probability)
      values (${cause.tenantId}, ${cause.projectId}, ${cause.customerId}, ${cause.lift}, ${cause.batchId}, ${cause.probability})
      on conflict (tenant_id, project_id) where ended_at is null do nothing returning id`,
  );
  if (begun !== null) {
    await dueNow(tx, cause);
  }
}

/** A project counts for its weight again, as far as its deadline by itself asks for no lift; where `except` is its lift, it stays. */
export async function endLift(
  tx: Queryable,
  project: ProjectRef,
  { reason, except }: { reason: 'ON_TRACK' | 'POLICY'; except: number | null },
): Promise<void> {
  const ended = await maybeOne(
    tx,
    Id,
    Prisma.sql`
      update project_lifts set ended_at = app.clock_now(), end_reason = ${reason}
      where tenant_id = ${project.tenantId} and project_id = ${project.projectId} and ended_at is null
        and lift is distinct from ${except}::float8 returning id`,
  );
  if (ended !== null) {
    await dueNow(tx, project);
  }
}

const dueNow = (tx: Queryable, { tenantId, projectId }: ProjectRef): Promise<void> =>
  run(
    tx,
    Prisma.sql`
      update skill_pools s set balanced_at = null from projects p
      where p.tenant_id = ${tenantId} and p.id = ${projectId} and s.tenant_id = p.tenant_id and s.skill_id = p.skill_id`,
  );
