import type { Prisma } from '../../src/generated/prisma/client.js';
import type { Database } from '../../src/services/platform/database.js';
import { DomainError } from '../../src/services/platform/errors.js';
import { type ClaimResult, claimResult, claimTask } from '../../src/services/routing/claim.js';
import { type HeldAssignment, mintPayloadToken } from '../../src/services/routing/held.js';
import { callerOf, callRouting } from '../../src/services/routing/outcome.js';
import * as routing from '../../src/services/routing/routing.sql.js';
import { type Receipt, submitAnswer } from '../../src/services/routing/submit.js';
import { answerOf, type CHOICES, type Expert } from './factories.js';

/** Far more than any crowd of a test needs. */
const BUSY_TRIES = 60;

/** A claim that others' transactions do not put off: BUSY says nothing about the queue, so it asks again. */
export async function claim(db: Database, expert: Expert, skillId?: bigint): Promise<ClaimResult> {
  for (let tries = 0; tries < BUSY_TRIES; tries++) {
    const result = await claimTask(db, expert.viewer, skillId === undefined ? {} : { skillId });
    if (!('empty' in result) || result.empty.reason !== 'BUSY') {
      return result;
    }
  }
  throw new Error('The queue stayed busy.');
}

/** A claim that must be given something. */
export async function take(db: Database, expert: Expert): Promise<HeldAssignment> {
  return heldOf(await claim(db, expert));
}

function heldOf(result: ClaimResult): HeldAssignment {
  if ('empty' in result) {
    throw new Error(`The claim came back empty: ${result.empty.reason}`);
  }
  return result.held;
}

// Races: a claim in a batch leaves alone what is in other hands; the function for one claim waits for its expert's row.

/** A claim by its own function, on the pool. */
export async function claimAlone(db: Database, { viewer }: Expert): Promise<ClaimResult> {
  const { token, hash } = mintPayloadToken();
  return claimResult(await callRouting(db, 'claim', routing.claim(callerOf(viewer), null, hash)), token);
}

/** {@link claimAlone} that must be given something. */
export async function takeAlone(db: Database, expert: Expert): Promise<HeldAssignment> {
  return heldOf(await claimAlone(db, expert));
}

/** Why a claim comes back empty, or 'GIVEN'. */
export async function emptyReason(db: Database, expert: Expert, skillId?: bigint): Promise<string> {
  return reasonOf(await claim(db, expert, skillId));
}

export const reasonOf = (result: ClaimResult): string => ('empty' in result ? result.empty.reason : 'GIVEN');

export function submit(
  db: Database,
  expert: Expert,
  { id, epoch, choice }: { id: bigint; epoch: number; choice?: (typeof CHOICES)[number] },
): Promise<Receipt> {
  return submitAnswer(db, expert.viewer, {
    assignmentId: id,
    leaseEpoch: epoch,
    answer: answerOf(choice),
  });
}

/** Claims and answers once. */
export async function answerNext(db: Database, expert: Expert): Promise<HeldAssignment> {
  const held = await take(db, expert);
  await submit(db, expert, held);
  return held;
}

/** 'OK', or the code of the refusal. Anything that is not a refusal is a bug and is thrown. */
export async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    if (error instanceof DomainError) {
      return error.code;
    }
    throw error;
  }
}

/** How often each value comes up. */
export function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) {
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

/** `count` calls at once. */
export const atOnce = <T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)));

/** The bare statement of a claim, for a connection of the test's own. */
export const claimStatement = (tenantId: bigint, { expertId, viewer }: Expert): Prisma.Sql =>
  routing.claim(
    { tenantId, expertId, actorId: viewer.identityId, requestId: 'test' },
    null,
    mintPayloadToken().hash,
  );
