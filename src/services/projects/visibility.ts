import { scopeOf, type Viewer } from '../access/viewer.js';
import { type Database, withScope } from '../platform/database.js';

/** Whether row-level security shows this project to the viewer. */
export async function seesProject(db: Database, viewer: Viewer, projectId: bigint): Promise<boolean> {
  const found = await withScope(db, scopeOf(viewer), (tx) =>
    tx.project.findFirst({ where: { tenantId: viewer.tenantId, id: projectId }, select: { id: true } }),
  );
  return found !== null;
}
