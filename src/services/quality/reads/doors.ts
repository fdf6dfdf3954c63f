import { scopeOf, type Viewer } from '../../access/viewer.js';
import { type Database, withScope } from '../../platform/database.js';
import { refuseExperts } from '../gold/access.js';
import * as sql from './doors.sql.js';

/** What a newcomer was taken for with so many results, and by what right. */
export type NewcomerDoor = sql.DoorRow;
export type { DoorFilter } from './doors.sql.js';

/**
 * How newcomers were taken, newest first; nothing where the viewer's scope shows none.
 * @throws ForbiddenError for who may act as an expert too: it says how many answers were graded
 */
export const doorsOf = (
  db: Database,
  viewer: Viewer,
  { filter, page }: { filter: sql.DoorFilter; page: { take: number; afterId: bigint | null } },
): Promise<NewcomerDoor[]> =>
  withScope(db, scopeOf(viewer), async (tx) => {
    await refuseExperts(tx, viewer);
    return sql.doorPage(tx, filter, page);
  });
