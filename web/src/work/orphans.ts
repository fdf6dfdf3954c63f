import type { DeskClient, KeptAssignment } from './desk-client.js';
import { fromDraft, isSame, type KeptWork } from './draft.js';
import type { LocalStore } from './local-store.js';

/** So long after somebody was told of it, what is left of a task may go. */
export const KEPT_DAYS = 30;
/** And sooner where there are more than these, the latest first. */
export const KEPT_MOST = 50;
/** So many are asked about at a time. */
const ASKED_MOST = 50;

const DAY_MS = 86_400_000;

/** What nobody can hand in any more. Given back or expired it may come to the same person again. */
const OVER: ReadonlySet<KeptAssignment['state']> = new Set([
  'SUBMITTED',
  'ACCEPTED',
  'REJECTED',
  'FLAGGED',
  'CANCELLED',
]);

/**
 * Lets go of texts that were left behind in this browser: of tasks that are over, or that the server has as they stand here;
 * none that is on the desk, waits to be sent, or its writer was not told of. Where the server cannot be asked nothing goes.
 */
export async function letOrphansGo(client: DeskClient, store: LocalStore): Promise<void> {
  const left = mayGo(store, Date.now()).slice(0, ASKED_MOST);
  if (left.length === 0) {
    return;
  }
  const known = await client.keptOf(left.map(({ assignmentId }) => assignmentId)).catch(() => []);
  const byId = new Map(known.map((one) => [one.id, one]));
  for (const { assignmentId, work } of left) {
    const onServer = byId.get(assignmentId);
    if (onServer && isElsewhere(onServer, work)) {
      store.dropWork(assignmentId);
    }
  }
}

/** The oldest first. */
function mayGo(store: LocalStore, now: number): ReturnType<LocalStore['unfinished']> {
  const atHand = new Set([store.lastHeld(), store.unsent()?.assignmentId]);
  return store
    .unfinished()
    .filter(({ assignmentId, work }) => work.toldAt !== null && !atHand.has(assignmentId))
    .toSorted((a, b) => b.work.changedAt - a.work.changedAt)
    .filter(({ work }, n) => n >= KEPT_MOST || now - (work.toldAt ?? now) > KEPT_DAYS * DAY_MS)
    .toReversed();
}

function isElsewhere({ state, draft }: KeptAssignment, work: KeptWork): boolean {
  if (OVER.has(state)) {
    return true;
  }
  const onServer = fromDraft(draft?.body);
  return state !== 'LEASED' && onServer !== null && isSame(onServer, work);
}
