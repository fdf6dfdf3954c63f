import { ForbiddenError } from '../../access/errors.js';
import type { Viewer } from '../../access/viewer.js';
import type { Queryable } from '../../platform/rows.js';
import * as sql from './golds.sql.js';

/** Whether somebody may also act as an expert, in whatever role they ask. */
export const isAlsoExpert = (tx: Queryable, { tenantId, identityId }: Viewer): Promise<boolean> =>
  sql.isExpert(tx, { tenantId, identityId });

/** Refuses somebody who may also act as an expert: who knows gold must not meet it (semantics 14). */
export async function refuseExperts(tx: Queryable, viewer: Viewer): Promise<void> {
  if (await isAlsoExpert(tx, viewer)) {
    throw new ForbiddenError('Whoever may act as an expert may not see gold.');
  }
}
