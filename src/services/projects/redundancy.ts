import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { type Database, withService } from '../platform/database.js';
import { maybeOne, type Queryable, run } from '../platform/rows.js';
import { checkPolicy } from '../quality/redundancy/check-policy.js';
import { answersAtFirst, forCritical, type RedundancyPolicy } from '../quality/redundancy/policy.js';

export interface RedundancyChange {
  readonly projectId: bigint;
  readonly policy:
    | Exclude<RedundancyPolicy, { kind: 'POSTERIOR' }>
    | (Omit<Extract<RedundancyPolicy, { kind: 'POSTERIOR' }>, 'price'> & {
        /** What a wrong result costs, in minor units of the project's currency; null: buy up to the maximum. */
        readonly errorCostMinor: number | null;
      });
  /** Held to three to five answers. */
  readonly isCritical: boolean;
}

/**
 * Sets how many answers a project's tasks get. Tasks that are added from now on are opened with the policy's first
 * answers; each task, also an older one, is judged by it when it has all that it wanted.
 * @throws NotFoundError, InputInvalidError
 */
export async function setRedundancy(
  db: Database,
  viewer: Viewer,
  { projectId, policy: given, isCritical }: RedundancyChange,
): Promise<void> {
  const { tenantId, identityId: actorId } = viewer;
  const customerId = viewer.role === 'CUSTOMER' ? viewer.customerId : null;
  await withService(db, { tenantId, actorId }, async (tx) => {
    const project = await findProject(tx, { tenantId, projectId, customerId });
    if (project === null) {
      throw new NotFoundError('project');
    }
    const whole = withPrice(given, Number(project.priceMinor));
    checkPolicy(whole);
    const policy = isCritical ? forCritical(whole) : whole;
    await run(tx, Prisma.sql`select app.stronger_lane(${tenantId}, ${projectId}) as id`);
    await run(
      tx,
      Prisma.sql`
        update projects set redundancy = ${answersAtFirst(policy)}::smallint,
          redundancy_policy = ${JSON.stringify(policy)}::jsonb
        where tenant_id = ${tenantId} and id = ${projectId}`,
    );
  });
}

function withPrice(policy: RedundancyChange['policy'], answer: number): RedundancyPolicy {
  if (policy.kind !== 'POSTERIOR') {
    return policy;
  }
  const { errorCostMinor, ...rest } = policy;
  return { ...rest, price: errorCostMinor === null ? null : { answer, error: errorCostMinor } };
}

const findProject = (tx: Queryable, p: { tenantId: bigint; projectId: bigint; customerId: bigint | null }) =>
  maybeOne(
    tx,
    z.object({ priceMinor: z.bigint() }),
    Prisma.sql`
      select price_minor as "priceMinor" from projects
      where tenant_id = ${p.tenantId} and id = ${p.projectId}
        and (${p.customerId}::bigint is null or customer_id = ${p.customerId}::bigint)`,
  );
