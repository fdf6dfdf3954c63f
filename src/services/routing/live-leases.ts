import { scopeOf, type Viewer } from '../access/viewer.js';
import { type Database, withScope } from '../platform/database.js';
import { type LiveLease, liveLeasePage } from './live-leases.sql.js';

export type { LiveLease } from './live-leases.sql.js';

const LEASES_A_PAGE = 500;

/** The leases that are live now and that the viewer may see, of a project or an expert, page by page. */
export async function* liveLeases(
  db: Database,
  viewer: Viewer,
  of: { readonly projectId: bigint } | { readonly expertId: bigint },
): AsyncGenerator<LiveLease> {
  let afterId = 0n;
  for (;;) {
    const page = await withScope(db, scopeOf(viewer), (tx) =>
      liveLeasePage(tx, of, { afterId, limit: LEASES_A_PAGE }),
    );
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < LEASES_A_PAGE) {
      return;
    }
    afterId = last.assignmentId;
  }
}
