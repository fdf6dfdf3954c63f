import { InputInvalidError, NotFoundError } from '../../access/errors.js';
import type { Viewer } from '../../access/viewer.js';
import { type Database, withService } from '../../platform/database.js';
import { setShare } from './exploration.sql.js';

/** More than half of a skill's newcomers let in by chance would be no exception. */
const SHARE_MAX = 0.5;

/**
 * Sets the share of doors of a skill's newcomers that chance opens from now on; null: the default. Doors that are open stay so until the
 * next result.
 * @throws InputInvalidError, NotFoundError
 */
export async function setExplorationShare(
  db: Database,
  viewer: Viewer,
  { skillId, share }: { skillId: bigint; share: number | null },
): Promise<void> {
  if (share !== null && !(share >= 0 && share <= SHARE_MAX)) {
    throw new InputInvalidError([
      { path: '/share', message: `Give a number from 0 to ${SHARE_MAX}, or null.` },
    ]);
  }
  const { tenantId, identityId: actorId } = viewer;
  const set = await withService(db, { tenantId, actorId }, (tx) =>
    setShare(tx, { tenantId, skillId, share }),
  );
  if (set === null) {
    throw new NotFoundError('skill');
  }
}
