import { scopeOf, type Viewer } from '../access/viewer.js';
import { type Database, type Tx, withScope } from '../platform/database.js';
import { firstLeasePages, type LiveLease, liveLeasePage } from './live-leases.sql.js';

export type { LiveLease } from './live-leases.sql.js';

/** Leases that are read by one statement, of each project or expert. */
export const LEASES_A_PAGE = 500;

/** The first page of the live leases of each of some projects, as far as the scope may see them. */
export async function firstLiveLeases(
  tx: Tx,
  projectIds: readonly bigint[],
): Promise<Map<bigint, LiveLease[]>> {
  const pages = new Map<bigint, LiveLease[]>(projectIds.map((id) => [id, []]));
  for (const lease of await firstLeasePages(tx, projectIds, LEASES_A_PAGE)) {
    pages.get(lease.projectId)?.push(lease);
  }
  return pages;
}

/** The leases that are live now and that the viewer may see, of a project or an expert, page by page, after one of them. */
export async function* liveLeases(
  db: Database,
  viewer: Viewer,
  of: ({ readonly projectId: bigint } | { readonly expertId: bigint }) & { readonly afterId: bigint },
): AsyncGenerator<LiveLease> {
  let { afterId } = of;
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
