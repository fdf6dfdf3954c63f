import type { Answer, Receipt } from '../../../src/client/answer.js';
import { ClientError } from '../../../src/client/errors.js';
import type { HeldAssignment } from '../../../src/client/held.js';
import { AnswerRefusedError } from '../../../src/client/submit.js';
import type { DeskClient } from './desk-client.js';
import { type Done, type Issues, type OnDesk, titleOf } from './desk-state.js';
import {
  type Ending,
  fromDraft,
  isOfThisDevice,
  isSame,
  type KeptWork,
  NO_WORK,
  type Work,
  workOf,
} from './draft.js';
import type { Beat } from './lease-keeper.js';
import type { Unsent } from './local-store.js';

/**
 * What was typed so far, of what this device and what the server has. This device's stands where the server may not have
 * it; where the server has something of another device that this one has not seen, both are kept for the person to
 * choose. No clock decides that.
 */
export function resumed(
  held: HeldAssignment,
  client: DeskClient,
  kept: KeptWork | null,
): { desk: OnDesk; isUnsaved: boolean } {
  const onServer = fromDraft(held.draft?.body);
  const isUnsaved = kept !== null && !kept.isSaved;
  const work = isUnsaved ? kept : (onServer ?? kept ?? NO_WORK);
  const savedAt = held.draft?.savedAt ?? null;
  const isOther =
    isUnsaved &&
    onServer !== null &&
    !isOfThisDevice(held.draft?.body) &&
    savedAt !== kept.builtOn &&
    !isSame(onServer, kept);
  const builtOn = isOther ? kept.builtOn : savedAt;
  return {
    desk: { ...onDesk(held, client, work), builtOn, elsewhere: isOther ? onServer : null },
    isUnsaved: isUnsaved && !isOther,
  };
}

/** What a heartbeat changes: the lease, and how much of the work the server has. */
export const afterBeat = (desk: OnDesk, { held, extended, savedVersion }: Beat): OnDesk => ({
  ...desk,
  held: { ...held, payloadUrl: held.payloadUrl ?? desk.held.payloadUrl },
  savedVersion: Math.max(desk.savedVersion, savedVersion ?? 0),
  isExtended: extended,
});

/** After the machine slept, while this page's clock stood still. */
export const afterSleep = (desk: OnDesk, ms: number): OnDesk => ({
  ...desk,
  held: { ...desk.held, leaseEndsAt: desk.held.leaseEndsAt - ms },
});

/** The last tasks that are listed beside the present one. */
const DONE_MAX = 20;

const OUTCOMES = { ANSWER: 'ANSWERED', FLAG: 'FLAGGED', RELEASE: 'RELEASED' } as const;

/** The list of what was finished, with one more. */
export const withDone = (before: readonly Done[], unsent: Unsent, receipt: Receipt | null): Done[] =>
  [doneOf(unsent, receipt), ...before].slice(0, DONE_MAX);

const doneOf = ({ assignmentId, title, ending }: Unsent, receipt: Receipt | null): Done => ({
  assignmentId,
  title,
  outcome: OUTCOMES[ending.kind],
  price: receipt?.price ?? null,
});

/** A task as it comes to the desk. */
export const onDesk = (held: HeldAssignment, client: DeskClient, work: Work): OnDesk => ({
  held,
  details: client.detailsOf(held.assignmentId),
  work: workOf(work),
  builtOn: null,
  version: 0,
  savedVersion: 0,
  isTooLong: false,
  isExtended: true,
  issues: [],
  elsewhere: null,
});

/** In the words of the client. */
export function answerOf({ answer, confidence }: Work, ending: Ending): Answer {
  switch (ending.kind) {
    case 'ANSWER':
      return { answer, confidence: confidence ?? undefined };
    case 'FLAG':
      return { flag: ending.reason, note: ending.note === '' ? undefined : ending.note };
    case 'RELEASE':
      return { release: true };
    default:
      return ending satisfies never;
  }
}

/** What the server will not take, however often it is sent; null where it may come right. */
export function refusalOf(error: unknown): Issues | null {
  if (error instanceof AnswerRefusedError) {
    return error.issues;
  }
  return error instanceof ClientError && error.kind === 'REJECTED'
    ? [{ path: '', message: error.message }]
    : null;
}

/** What is needed to send again after the page was closed, and nothing to work on. */
export const heldOf = ({ assignmentId, leaseEpoch }: Unsent): HeldAssignment => ({
  assignmentId,
  leaseEpoch,
  leaseSeconds: 0,
  leaseEndsAt: 0,
  task: { id: '', externalId: null, contentType: '', payloadBytes: 0 },
  price: { minorUnits: '0', currency: 'EUR' },
  payloadUrl: null,
  draft: null,
});

/** Work with where it came from, and what it is called. */
export type Unsaved = Work & Pick<KeptWork, 'builtOn' | 'title'>;

/** What this device keeps of it, with where it came from. */
export const keptOf = ({ work, builtOn, held, details }: OnDesk): Unsaved => ({
  ...work,
  builtOn,
  title: titleOf(held, details),
});

/** What this device keeps of it before the server has it; `toldAt`: of what is lost, when that was said. */
export const unsavedOf = (work: Unsaved, toldAt: number | null): KeptWork => ({
  ...work,
  changedAt: Date.now(),
  isSaved: false,
  toldAt,
});

/** What this device keeps of it once the server has it, too. */
export const savedOf = (desk: OnDesk) => ({
  ...keptOf(desk),
  changedAt: Date.now(),
  isSaved: true,
  toldAt: null,
});
