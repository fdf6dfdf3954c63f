import { Prisma } from '../../../generated/prisma/client.js';
import type { Viewer } from '../../access/viewer.js';
import { type Database, type Tx, withService } from '../../platform/database.js';
import { run } from '../../platform/rows.js';

/** What somebody is shown the answers or the key of. */
export interface Shown {
  readonly taskIds?: readonly bigint[];
  readonly projectIds?: readonly bigint[];
}

/**
 * Keeps that a viewer is about to be shown answers or gold, and bars the expert whom they may also act as: they can never
 * claim or adjudicate what they have read (DESIGN 8.14). An expert's own answers are no such thing. Call it before
 * the answers leave the process.
 */
export async function noteReader(
  db: Database,
  { tenantId, identityId, role }: Viewer,
  shown: Shown,
): Promise<void> {
  if (role !== 'EXPERT') {
    const who = { tenantId, actorId: identityId };
    await withService(db, who, (tx) => noteShown(tx, who, shown));
  }
}

/** The same in the caller's transaction, of an identity that does not act as an expert. */
export function noteShown(
  tx: Tx,
  { tenantId, actorId }: { tenantId: bigint; actorId: bigint },
  { taskIds = [], projectIds = [] }: Shown,
): Promise<void> {
  return run(
    tx,
    Prisma.sql`
      select 1 as ok from app.note_reader(${tenantId}, ${actorId}, ${[...taskIds]}::bigint[], ${[...projectIds]}::bigint[])`,
  );
}
