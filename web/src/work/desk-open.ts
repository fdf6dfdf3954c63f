import { type HeldAssignment, heldFrom, type Lost } from '../../../src/client/held.js';
import { reclaim } from '../../../src/client/hold.js';
import type { DeskClient } from './desk-client.js';
import { isEmpty, type KeptWork } from './draft.js';
import type { LocalStore } from './local-store.js';

/** What the desk begins with. */
export type Found =
  | { readonly held: HeldAssignment }
  /** Held when the page was closed, and no more; with what was typed for it. */
  | { readonly lost: Lost; readonly work: KeptWork }
  | null;

/** What is held; else what was held when the page was closed, taken back where that can be. @throws ClientError */
export async function findHeld(client: DeskClient, store: LocalStore, signal: AbortSignal): Promise<Found> {
  const current = await client.currentAssignment(signal);
  if (current !== null) {
    return { held: heldFrom(current) };
  }
  const last = store.lastHeld();
  const work = last === null ? null : store.work(last);
  if (last === null || work === null || isEmpty(work)) {
    return null;
  }
  const again = await reclaim(client, last, signal);
  return 'held' in again ? again : { lost: again.lost, work };
}
