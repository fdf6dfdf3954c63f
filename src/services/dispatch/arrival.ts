import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import type { Viewer } from '../access/viewer.js';
import { withService } from '../platform/database.js';
import { maybeOne, type Queryable } from '../platform/rows.js';
import type { Assigning } from './assign.js';

const ComingRow = z.object({
  expertId: z.bigint(),
  latitude: z.number(),
  longitude: z.number(),
  now: z.date(),
  notBefore: z.date(),
});

/** Who has accepted a job, of the customer where there is one. */
const coming = (db: Queryable, { jobId, customerId }: { jobId: bigint; customerId: bigint | null }) =>
  maybeOne(
    db,
    ComingRow,
    Prisma.sql`
      select o.expert_id as "expertId", j.latitude, j.longitude, app.clock_now() as now, j.not_before as "notBefore"
      from jobs j join offers o on o.tenant_id = j.tenant_id and o.id = j.offer_id
      where j.tenant_id = (select app.tenant_id()) and j.id = ${jobId} and j.state = 'ACCEPTED'
        and (${customerId}::bigint is null or j.customer_id = ${customerId}::bigint)`,
  );

/**
 * When whoever accepted a job will be there, as a band that four of five arrivals lie in; null where nobody has, or nobody has seen
 * them for some minutes. It tells a customer nothing of who they are and where.
 */
export async function arrival(
  { db, dispatch }: Assigning,
  { tenantId, identityId, customerId }: Viewer,
  jobId: bigint,
): Promise<{ readonly from: Date; readonly until: Date } | null> {
  const who = { tenantId, actorId: identityId };
  const found = await withService(db, who, (tx) => coming(tx, { jobId, customerId }));
  if (found === null) {
    return null;
  }
  const [seen] = await dispatch.nearby.lastSeen(tenantId, [found.expertId]);
  const [eta] = seen === undefined ? [] : await dispatch.etas.etas(tenantId, { from: [seen], to: found });
  if (eta === undefined || eta === null) {
    return null;
  }
  const at = (seconds: number) =>
    new Date(Math.max(found.notBefore.getTime(), found.now.getTime() + seconds * 1_000));
  return { from: at(eta.lowSeconds), until: at(eta.highSeconds) };
}
