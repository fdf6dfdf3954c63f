import type { Scope } from '../platform/database.js';

/** The acting roles that a token may carry: exactly one of them. */
export const ROLES = ['EXPERT', 'CUSTOMER', 'ANALYST', 'DISPATCHER', 'OPERATOR'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks: one identity of one tenant in one acting role. */
export interface Viewer {
  readonly tenantId: bigint;
  readonly tenantSlug: string;
  readonly identityId: bigint;
  readonly displayName: string;
  readonly role: Role;
  /** Set for CUSTOMER. */
  readonly customerId: bigint | null;
  /** Set for EXPERT. */
  readonly expertId: bigint | null;
  /** When the token ends, in milliseconds of the epoch. */
  readonly expiresAtMs: number;
  /** Stands in the access log and in error ids. */
  readonly requestId: string;
}

/** Who asks once, with what ends it when nobody waits for the answer any more. */
export type Asker = Viewer & Pick<Scope, 'signal'>;

/** The scope of what this viewer may read. */
export function scopeOf(viewer: Viewer | Asker): Scope {
  return {
    tenantId: viewer.tenantId,
    role: viewer.role,
    actorId: viewer.identityId,
    customerId: viewer.customerId,
    expertId: viewer.expertId,
    ...('signal' in viewer ? { signal: viewer.signal } : {}),
  };
}
