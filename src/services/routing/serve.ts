import { z } from 'zod';
import { callHot, callLine, type Database } from '../platform/database.js';
import { isRetryable, LOCK_TIMEOUT, retrying } from '../platform/retry.js';
import { isConnectionLost, sqlState } from '../platform/sqlstate.js';
import { mintPayloadToken } from './held.js';
import { Outcome } from './outcome.js';
import * as sql from './routing.sql.js';

export interface ClaimRequest {
  readonly kind: 'CLAIM';
  readonly caller: sql.Caller;
  readonly skillId: bigint | null;
}

export interface SubmitRequest {
  readonly kind: 'SUBMIT';
  readonly caller: sql.Caller;
  readonly lease: sql.LeaseRef;
  readonly answer: sql.StoredAnswer;
}

/** One request of the line. */
export type ServeRequest = ClaimRequest | SubmitRequest;

/** What came of one request; of a claim with the secret of the payload's URL, minted anew for each try. */
export interface Reply {
  readonly outcome: Outcome;
  readonly token: string;
}

const Answers = z.object({ submits: z.array(Outcome), claims: z.array(Outcome) });

/** Runs requests of one tenant in one transaction (app.serve) on the line's connection; replies in their order. */
export async function serveTogether(db: Database, requests: readonly ServeRequest[]): Promise<Reply[]> {
  const tenantId = requests[0]?.caller.tenantId ?? 0n; // there is always one, and all are of its tenant
  const submits = requests.filter((request) => request.kind === 'SUBMIT');
  const claims = requests.filter((request) => request.kind === 'CLAIM');
  const minted = claims.map(mintPayloadToken);
  const query = sql.serve(tenantId, {
    submits: JSON.stringify(submits.map(submitJson)),
    claims: JSON.stringify(claims.map((claim, index) => claimJson(claim, minted[index]?.hash))),
  });
  const answers = Answers.parse(await callLine(db, 'serve', query));
  if (answers.submits.length !== submits.length || answers.claims.length !== claims.length) {
    throw new Error('app.serve did not answer each request.');
  }
  const replies = {
    SUBMIT: answers.submits.map((outcome) => ({ outcome, token: '' })).values(),
    CLAIM: answers.claims.map((outcome, index) => ({ outcome, token: minted[index]?.token ?? '' })).values(),
  };
  return requests.map(({ kind }) => replies[kind].next().value as Reply);
}

/** A request by itself waits for a lock so long: longer than batches do, and not for ever on a connection of the pool. */
const LOCK_SECONDS = 2;

/**
 * Runs one request by itself, on the pool. Sent twice it does no harm: a submit answers its receipt again and a claim
 * the lease that is held, so it is also run again where the connection was lost and nobody knows.
 */
export async function serveAlone(db: Database, request: ServeRequest): Promise<Reply> {
  try {
    return await retrying(() => callAlone(db, request), isPassing);
  } catch (error) {
    if (request.kind === 'CLAIM' && sqlState(error) === LOCK_TIMEOUT) {
      return { outcome: { outcome: 'BUSY' }, token: '' };
    }
    throw error;
  }
}

/** Whether a request that failed so in a batch of its own is worth running by itself. */
export function isWorthAnother(error: unknown): boolean {
  return isPassing(error) || sqlState(error) === LOCK_TIMEOUT;
}

function isPassing(error: unknown): boolean {
  return isRetryable(error) || isConnectionLost(error);
}

/** Looks at everything that is open before it says that there is nothing. Costs much more than a claim in a batch. */
export function claimExact(db: Database, { caller, skillId }: ClaimRequest): Promise<Reply> {
  return retrying(async () => {
    const { token, hash } = mintPayloadToken();
    const outcome = await callHot(db, 'claim_exact', sql.claimExact(caller, skillId, hash));
    return { outcome: Outcome.parse(outcome), token };
  }, isPassing);
}

async function callAlone(db: Database, request: ServeRequest): Promise<Reply> {
  if (request.kind === 'SUBMIT') {
    const { caller, lease, answer } = request;
    const query = sql.waitingAtMost(LOCK_SECONDS, sql.submit(caller, lease, answer));
    const outcome = await callHot(db, 'submit_alone', query);
    return { outcome: Outcome.parse(outcome), token: '' };
  }
  const { token, hash } = mintPayloadToken();
  const query = sql.waitingAtMost(LOCK_SECONDS, sql.claim(request.caller, request.skillId, hash));
  const outcome = await callHot(db, 'claim_alone', query);
  return { outcome: Outcome.parse(outcome), token };
}

function submitJson({ caller, lease, answer }: SubmitRequest) {
  return {
    expert: String(caller.expertId),
    actor: String(caller.actorId),
    assignment: String(lease.assignmentId),
    epoch: lease.leaseEpoch,
    ...answer,
  };
}

function claimJson({ caller, skillId }: ClaimRequest, hash: Buffer | undefined) {
  return {
    expert: String(caller.expertId),
    actor: String(caller.actorId),
    skill: skillId === null ? null : String(skillId),
    tokenHash: hash?.toString('hex'),
    requestId: caller.requestId,
  };
}
