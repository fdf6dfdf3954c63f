import { NotFoundError } from '../../access/errors.js';
import { checkedWords } from '../../access/profile.js';
import type { Viewer } from '../../access/viewer.js';
import { scopeOf } from '../../access/viewer.js';
import { type Database, type Tx, withScope, withService } from '../../platform/database.js';
import type { Dimension } from '../../tasks/task-types.js';
import { noteReader } from '../adjudication/readers.js';
import { GoldEndedError } from '../errors.js';
import { refuseExperts } from './access.js';
import { classDimension, refreshPool } from './golds.js';
import * as sql from './golds.sql.js';
import * as listing from './listing.sql.js';

/** A gold, by its task's id, with what is right. */
export type Gold = listing.GoldRow;

/**
 * Ends a gold by hand. Retired, it is shown to nobody more, and what it graded counts. Suspended, it was never right:
 * what it graded counts no longer, and scores are folded without it. Ended in the same way for the same reason already, it stays as
 * it is; for another reason it is refused, since it keeps its first. What was retired may still be suspended, and not the other way round.
 * @throws InputInvalidError, NotFoundError, GoldEndedError, ForbiddenError
 */
export async function endGold(
  db: Database,
  viewer: Viewer,
  { taskId, state, reason }: { taskId: bigint; state: 'RETIRED' | 'SUSPENDED'; reason: string },
): Promise<void> {
  const { tenantId, identityId: actorId } = viewer;
  const text = checkedWords(reason);
  await withService(db, { tenantId, actorId }, async (tx) => {
    await refuseExperts(tx, viewer);
    const place = await sql.placeOfGold(tx, { tenantId, taskId });
    if (place === null) {
      throw new NotFoundError('gold');
    }
    const ended = await sql.endGold(tx, { tenantId, taskId, state, reason: text });
    if (ended.state !== state || ended.reason !== text) {
      throw new GoldEndedError(ended.state, ended.reason);
    }
    await refreshOne(tx, tenantId, place);
  });
}

function refreshOne(
  tx: Tx,
  tenantId: bigint,
  place: { projectId: bigint; dimensions: string },
): Promise<void> {
  const dimensions = JSON.parse(place.dimensions) as Dimension[];
  return refreshPool(tx, { tenantId, projectId: place.projectId }, classDimension(dimensions));
}

/**
 * Gold of a project, oldest first; nothing where the viewer's scope shows none. Who is shown gold can never work in its
 * project, should they become an expert.
 * @throws ForbiddenError for who may act as an expert too
 */
export async function goldOf(db: Database, viewer: Viewer, page: listing.GoldPage): Promise<Gold[]> {
  const found = await withScope(db, scopeOf(viewer), async (tx) => {
    await refuseExperts(tx, viewer);
    return listing.goldPage(tx, page);
  });
  if (found.length > 0) {
    await noteReader(db, viewer, { projectIds: [page.projectId] });
  }
  return found;
}

/** Some golds, in the order of `taskIds`, of those that the viewer's scope shows. */
export async function goldsOf(db: Database, viewer: Viewer, taskIds: readonly bigint[]): Promise<Gold[]> {
  const rows = await withScope(db, scopeOf(viewer), async (tx) => {
    await refuseExperts(tx, viewer);
    return listing.goldsByTask(tx, taskIds);
  });
  const found = new Map(rows.map((row) => [row.id, row]));
  if (found.size > 0) {
    await noteReader(db, viewer, { taskIds: [...found.keys()] });
  }
  return taskIds.flatMap((id) => found.get(id) ?? []);
}
