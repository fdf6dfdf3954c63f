import type { Answer, Receipt } from './answer.js';
import type { Client, SubmitResult } from './client.js';
import { ClientError } from './errors.js';
import { type Claimed, claimedFrom, type HeldAssignment, type Lost } from './held.js';
import { reclaim, takeBack } from './hold.js';

/** What came of an assignment: a receipt, a loss, or neither (released, flagged). */
export interface Finished {
  readonly receipt: Receipt | null;
  readonly lost: Lost | null;
  /** What the same call claimed. */
  readonly next: Claimed | null;
}

/** The API will not take this answer for this task. The assignment is still held. */
export class AnswerRefusedError extends Error {
  override readonly name = 'AnswerRefusedError';
  constructor(
    readonly held: HeldAssignment,
    readonly issues: readonly { readonly path: string; readonly message: string }[],
  ) {
    super(issues.map(({ path, message }) => `${path || '/'} ${message}`).join('; '));
  }
}

export interface Finish {
  readonly held: HeldAssignment;
  readonly answer: Answer;
  readonly claimNext: boolean;
  readonly signal: AbortSignal | undefined;
}

/** How often one answer takes its lease back: a lease shorter than the way to the server would never end otherwise. */
const MOST_TAKE_BACKS = 50;

/** Hands in an answer, a flag, or the task itself. An answer or a flag whose lease has ended takes the lease back first. */
export async function finish(client: Client, { held, answer, claimNext, signal }: Finish): Promise<Finished> {
  if ('answer' in answer) {
    return submitHeld(client, { held, answer, claimNext, signal });
  }
  if ('flag' in answer) {
    return flagHeld(client, { held, answer, signal });
  }
  const { assignmentId, leaseEpoch } = held;
  const result = await client.releaseAssignment({ assignmentId, leaseEpoch }, signal);
  return { receipt: null, lost: lostBy(held, result), next: null };
}

const lostBy = (
  { assignmentId }: HeldAssignment,
  result: object | Pick<Lost, 'code' | 'message'>,
): Lost | null =>
  'code' in result ? { assignmentId, code: result.code, message: result.message, instead: null } : null;

type Flagging = Pick<Finish, 'held' | 'signal'> & {
  readonly answer: Extract<Answer, { flag: unknown }>;
};

async function flagHeld(client: Client, { held, answer, signal }: Flagging): Promise<Finished> {
  const { flag: reason, note = null } = answer;
  let { assignmentId, leaseEpoch } = held;
  for (let takenBack = 0; ; takenBack++) {
    const result = await client.flagTask({ assignmentId, leaseEpoch, reason, note }, signal);
    const lost = lostBy(held, result);
    if (lost?.code !== 'LEASE_EXPIRED' || takenBack >= MOST_TAKE_BACKS) {
      return { receipt: null, lost, next: null };
    }
    const again = await reclaim(client, assignmentId, signal);
    if ('lost' in again) {
      return { receipt: null, lost: again.lost, next: null };
    }
    ({ assignmentId, leaseEpoch } = again.held);
  }
}

type Submission = Finish & { readonly answer: Extract<Answer, { answer: unknown }> };

async function submitHeld(client: Client, submission: Submission): Promise<Finished> {
  let { held } = submission;
  for (let takenBack = 0; ; takenBack++) {
    const result = await send(client, { ...submission, held });
    if (result.__typename === 'SubmitPayload') {
      return { receipt: result.receipt, lost: null, next: result.next ? claimedFrom(result.next) : null };
    }
    if (result.__typename === 'AnswerInvalidError') {
      throw new AnswerRefusedError(held, result.issues);
    }
    if (takenBack >= MOST_TAKE_BACKS) {
      throw new ClientError('UNAVAILABLE', 'The lease ends before an answer can reach the server.');
    }
    const again = await takeBack(client, { held, refusal: result, signal: submission.signal });
    if ('lost' in again) {
      return { receipt: null, lost: again.lost, next: null };
    }
    held = again.held;
  }
}

function send(client: Client, { held, answer, claimNext, signal }: Submission): Promise<SubmitResult> {
  const { assignmentId, leaseEpoch } = held;
  return client.submit(
    {
      assignmentId,
      leaseEpoch,
      answer: answer.answer,
      confidence: answer.confidence ?? null,
      claimNext,
    },
    signal,
  );
}
