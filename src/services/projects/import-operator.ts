import { ensureIdentity, insertRole } from '../access/people.sql.js';
import type { Viewer } from '../access/viewer.js';
import { type Database, withService } from '../platform/database.js';

/** Who imports act as: an operator of the tenant, known under the issuer of development tokens. */
export const IMPORT_OPERATOR = 'touchstone-import';

/** The operator that imports act as in a tenant. */
export async function importViewer(
  db: Database,
  { tenantId, tenantSlug, issuer }: { tenantId: bigint; tenantSlug: string; issuer: string },
): Promise<Viewer> {
  const displayName = 'touchstone import';
  const identityId = await withService(db, { tenantId, actorId: null }, async (tx) => {
    const { id } = await ensureIdentity(tx, tenantId, { issuer, subject: IMPORT_OPERATOR, displayName });
    await insertRole(tx, tenantId, { identityId: id, role: 'OPERATOR', customerId: null, expertId: null });
    return id;
  });
  return {
    tenantId,
    tenantSlug,
    identityId,
    displayName,
    role: 'OPERATOR',
    customerId: null,
    expertId: null,
    expiresAtMs: Number.POSITIVE_INFINITY,
    requestId: 'import',
  };
}
