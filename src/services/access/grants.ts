import { type Database, type Tx, withService } from '../platform/database.js';
import { NameTakenError } from './errors.js';
import * as sql from './people.sql.js';
import type { Role } from './viewer.js';

/** A role that an identity may act in. */
export interface RoleGrant {
  readonly issuer: string;
  readonly subject: string;
  readonly displayName: string;
  readonly role: Role;
  /** For CUSTOMER: whose. */
  readonly customerId?: bigint | null;
  /** For EXPERT: as whom. */
  readonly expertId?: bigint | null;
}

/**
 * Lets an identity, made if it is new, act in a role. The same grant again changes nothing.
 * @throws NameTakenError where the identity has the role for somebody else, or the expert has another identity
 */
export function grantRole(
  db: Database,
  who: { tenantId: bigint; actorId: bigint | null },
  grant: RoleGrant,
): Promise<{ identityId: bigint }> {
  return withService(db, who, async (tx) => {
    const identity = await sql.ensureIdentity(tx, who.tenantId, grant);
    const wanted = {
      identityId: identity.id,
      role: grant.role,
      customerId: grant.customerId ?? null,
      expertId: grant.expertId ?? null,
    };
    if (!(await sql.insertRole(tx, who.tenantId, wanted)) && !(await hasRole(tx, wanted))) {
      throw new NameTakenError(`${grant.role} with the identity`, grant.subject);
    }
    return { identityId: identity.id };
  });
}

async function hasRole(
  tx: Tx,
  {
    identityId,
    role,
    customerId,
    expertId,
  }: { identityId: bigint; role: Role; customerId: bigint | null; expertId: bigint | null },
): Promise<boolean> {
  return (await tx.identityRole.findFirst({ where: { identityId, role, customerId, expertId } })) !== null;
}
