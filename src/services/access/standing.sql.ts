import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';
import type { Viewer } from './viewer.js';

/** Somebody in a role, as it was when they were let in. */
export interface Standing
  extends Pick<Viewer, 'tenantId' | 'identityId' | 'role' | 'customerId' | 'expertId'> {
  /** They were let in because they could not act as an expert beside: it ends where they can. */
  readonly noExpert: boolean;
}

const text = (id: bigint | null): string | null => (id === null ? null : String(id));

/** Which of these do not hold any more, as indices from 0. */
export const revokedOf = async (db: Queryable, all: readonly Standing[]): Promise<number[]> => {
  const rows = await many(
    db,
    z.object({ n: z.coerce.number() }),
    Prisma.sql`
      select s.n from unnest(
          ${all.map(({ tenantId }) => text(tenantId))}::bigint[], ${all.map(({ identityId }) => text(identityId))}::bigint[],
          ${all.map(({ role }) => role)}::text[], ${all.map(({ customerId }) => text(customerId))}::bigint[],
          ${all.map(({ expertId }) => text(expertId))}::bigint[], ${all.map(({ noExpert }) => noExpert)}::boolean[])
        with ordinality as s(tenant_id, identity_id, role, customer_id, expert_id, no_expert, n)
      where not exists (
        select from identity_roles r
        where r.tenant_id = s.tenant_id and r.identity_id = s.identity_id and r.role = s.role
          and r.customer_id is not distinct from s.customer_id and r.expert_id is not distinct from s.expert_id)
        or s.no_expert and exists (
        select from identity_roles r
        where r.tenant_id = s.tenant_id and r.identity_id = s.identity_id and r.role = 'EXPERT')`,
  );
  return rows.map(({ n }) => n - 1);
};
