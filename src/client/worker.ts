import { sleep } from './abort.js';
import type { Answer, Desk, Receipt } from './answer.js';
import type { Client } from './client.js';
import { ClientError } from './errors.js';
import { type Claimed, claimedFrom, type EmptyQueue, type HeldAssignment, type Lost } from './held.js';
import { reclaim } from './hold.js';
import { type Finished, finish } from './submit.js';
import { answerUnderLease } from './think.js';

export type WorkerEvent =
  | { readonly kind: 'HELD'; readonly held: HeldAssignment }
  | { readonly kind: 'RECEIPT'; readonly held: HeldAssignment; readonly receipt: Receipt }
  | { readonly kind: 'LOST'; readonly lost: Lost }
  | { readonly kind: 'EMPTY'; readonly empty: EmptyQueue };

export interface WorkerOptions {
  readonly client: Client;
  /** Finds the answer. Heartbeats keep the lease for as long as it takes. What it throws ends the worker. */
  readonly answer: (held: HeldAssignment, desk: Desk) => Answer | Promise<Answer>;
  /** Only work of this skill. Default: of any. */
  readonly skillId?: string | undefined;
  /** Ends after that many receipts. Default: never. */
  readonly limit?: number | undefined;
  /** Ends at the first empty answer. Default: waits as long as the server says, and asks again. */
  readonly untilEmpty?: boolean | undefined;
  /** What this expert held when it was last seen, for going on with it. */
  readonly resumeWith?: string | undefined;
  /** Seconds since a person last did anything. Default: since the claim, or the last `desk.touched()`. */
  readonly idleSeconds?: (() => number) | undefined;
  /** Stops the worker. What it holds stays held: release it, or come back with `resumeWith`. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

export interface WorkerEnd {
  readonly ended: 'LIMIT' | 'EMPTY' | 'ABORTED';
  readonly receipts: number;
  /** What was held when it was stopped. */
  readonly held: HeldAssignment | null;
}

/**
 * Works as one expert: goes on with what is held, claims, answers under a kept lease, submits and takes the next
 * task in the same call. Resolves at the limit, on an empty queue if asked to, or when stopped; throws when the API
 * gives no answer ({@link ClientError}) or refuses an answer as invalid ({@link AnswerRefusedError}).
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerEnd> {
  const state = { held: null as HeldAssignment | null, receipts: 0 };
  const ended = (why: WorkerEnd['ended']): WorkerEnd => ({ ended: why, ...state });
  try {
    let next = await start(options);
    while (state.receipts < (options.limit ?? Number.POSITIVE_INFINITY)) {
      options.signal?.throwIfAborted();
      if (next.held === null) {
        options.onEvent?.({ kind: 'EMPTY', empty: next.empty });
        if (options.untilEmpty) {
          return ended('EMPTY');
        }
        await sleep(next.empty.retryAfterSeconds * 1000, options.signal);
        next = await claim(options);
        continue;
      }
      state.held = next.held;
      const done = await work(options, next.held, state.receipts);
      state.held = null;
      state.receipts += done.receipt ? 1 : 0;
      next = done.next ?? (isLast(options, state.receipts) ? next : await claim(options));
    }
    return ended('LIMIT');
  } catch (error) {
    if (options.signal?.aborted) {
      return ended('ABORTED');
    }
    throw error;
  }
}

function isLast({ limit = Number.POSITIVE_INFINITY }: WorkerOptions, receipts: number): boolean {
  return receipts >= limit;
}

async function start(options: WorkerOptions): Promise<Claimed> {
  if (options.resumeWith === undefined) {
    return claim(options); // which gives what is held, if anything is
  }
  const found = await reclaim(options.client, options.resumeWith, options.signal);
  if ('held' in found) {
    return { held: found.held, empty: null };
  }
  options.onEvent?.({ kind: 'LOST', lost: found.lost });
  return found.lost.instead === null ? claim(options) : { held: found.lost.instead, empty: null };
}

async function claim({ client, skillId, signal }: WorkerOptions): Promise<Claimed> {
  const result = await client.claimTask(skillId === undefined ? {} : { skillId }, signal);
  if (result.__typename !== 'ClaimTaskPayload') {
    throw new ClientError('REJECTED', result.message, { code: result.code });
  }
  return claimedFrom(result);
}

/** One assignment from claim to receipt. */
async function work(options: WorkerOptions, held: HeldAssignment, receipts: number): Promise<Finished> {
  options.onEvent?.({ kind: 'HELD', held });
  const thought = await answerUnderLease(options, held);
  const done =
    'lost' in thought
      ? { receipt: null, lost: thought.lost, next: null }
      : await finish(options.client, {
          held: thought.held,
          answer: thought.answer,
          claimNext: !isLast(options, receipts + 1),
          signal: options.signal,
        });
  if (done.receipt) {
    options.onEvent?.({ kind: 'RECEIPT', held, receipt: done.receipt });
  }
  if (done.lost) {
    options.onEvent?.({ kind: 'LOST', lost: done.lost });
    return { ...done, next: done.lost.instead ? { held: done.lost.instead, empty: null } : done.next };
  }
  return done;
}
