import { z } from 'zod';
import { type Job, Prisma } from '../../generated/prisma/client.js';
import { callHot, type Database, type Scope } from '../platform/database.js';

const Id = z.coerce.bigint();
const At = z.coerce.date();

const JobRow = z.object({
  tenantId: Id,
  id: Id,
  customerId: Id,
  kind: z.string(),
  type: z.string(),
  skillIds: Id.array(),
  minQuality: z.number(),
  latitude: z.number(),
  longitude: z.number(),
  notBefore: At,
  dueBy: At,
  durationSeconds: z.int(),
  priority: z.int(),
  state: z.string(),
  offerId: Id.nullable(),
  reason: z.string().nullable(),
  checkInCode: z.string(),
  createdAt: At,
  acceptedAt: At.nullable(),
  noShowAt: At.nullable(),
  checkedInAt: At.nullable(),
  doneAt: At.nullable(),
  cancelledAt: At.nullable(),
});

/**
 * Those of some jobs that a scope shows, in one round trip: a decision is answered with its job, and is measured with that. Not for
 * analysts, who read on connections of their own.
 */
export async function seenJobs(
  db: Database,
  { tenantId, role, actorId, customerId = null, expertId = null }: Scope,
  ids: readonly bigint[],
): Promise<readonly Job[]> {
  const query = Prisma.sql`
    select app.seen_jobs(${tenantId}::bigint, ${role}::text, ${actorId}::bigint, ${customerId}::bigint, ${expertId}::bigint, ${ids.map(String)}::bigint[])`;
  return JobRow.array().parse(await callHot(db, 'seen_jobs', query));
}
