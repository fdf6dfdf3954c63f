import { z } from 'zod';
import type { Viewer } from '../access/viewer.js';
import { callHot, type Database, withService } from '../platform/database.js';
import type { AnswerRules } from '../tasks/answer-validators.js';
import { validateAnswer, validateConfidence, validateLabel } from '../tasks/answers.js';
import { admissionOf } from './admission.js';
import { AssignmentNotFoundError } from './errors.js';
import { evenOut } from './evenness.js';
import { recallType } from './given-types.js';
import { callerOf, refusal } from './outcome.js';
import * as sql from './routing.sql.js';

const ReceiptRow = z.object({
  assignmentId: z.int(),
  digest: z.string(),
  submittedAt: z.iso.datetime({ offset: true }),
  priceMinor: z.string(),
  currency: z.string(),
  isGold: z.boolean(),
});

/** Proof that an answer was stored: the same one every time it is asked for, and no later state in it. */
export interface Receipt {
  readonly assignmentId: bigint;
  /** SHA-256 of the answer's canonical form (RFC 8785), in hex. */
  readonly digest: string;
  readonly submittedAt: Date;
  readonly priceMinor: bigint;
  readonly currency: string;
}

export interface Submission {
  readonly assignmentId: bigint;
  readonly leaseEpoch: number;
  /** Any JSON; checked against the task type. */
  readonly answer: unknown;
  /** How sure the expert is, 0..1. */
  readonly confidence?: number | null;
  /** What the client says it is, and which form it showed; kept with the answer. */
  readonly clientVersion?: string | null;
  readonly formVariant?: string | null;
}

/**
 * Stores the answer of a live lease and pays for it, in one transaction. Sent again, it answers the same receipt; a
 * late one is kept as a draft.
 * @throws AnswerInvalidError, LeaseExpiredError, StaleLeaseError, AlreadySubmittedError, AlreadyFlaggedError,
 *   ProjectCancelledError, AssignmentNotFoundError; OverloadedError, CancelledError while it waits for its turn
 */
export async function submitAnswer(
  db: Database,
  viewer: Viewer,
  { signal, ...submission }: Submission & { readonly signal?: AbortSignal | undefined },
): Promise<Receipt> {
  const caller = callerOf(viewer);
  const rules = await rulesOf(db, caller, submission.assignmentId);
  const confidence = validateConfidence(submission.confidence);
  const clientVersion = validateLabel('clientVersion', submission.clientVersion);
  const formVariant = validateLabel('formVariant', submission.formVariant);
  const { canonical, digest, values } = validateAnswer(rules, submission.answer);
  const request = {
    kind: 'SUBMIT',
    caller,
    lease: submission,
    answer: { body: canonical, digest, confidence, values, clientVersion, formVariant },
  } as const;
  const began = performance.now();
  const { outcome: result } = await admissionOf(db).submit(request, signal);
  const ms = performance.now() - began;
  if (result.outcome !== 'SUBMITTED') {
    throw refusal(result);
  }
  const { assignmentId, priceMinor, submittedAt, isGold, ...receipt } = ReceiptRow.parse(result);
  await evenOut(db, { tenantId: caller.tenantId, call: 'SUBMIT', isGold, ms });
  return {
    ...receipt,
    assignmentId: BigInt(assignmentId),
    priceMinor: BigInt(priceMinor),
    submittedAt: new Date(submittedAt),
  };
}

/**
 * A task type never changes once it is made, so what was read once holds, and a crowd that answers the first task of a
 * type at the same moment shares one reading. Bounded: the oldest goes first.
 */
const KEPT_RULES = 1_000;
const keptRules = new WeakMap<Database, Map<string, Promise<AnswerRules>>>();

async function rulesOf(db: Database, caller: sql.Caller, assignmentId: bigint): Promise<AnswerRules> {
  const id = recallType(db, caller, assignmentId) ?? (await readType(db, caller, assignmentId));
  const kept = keptRules.get(db) ?? new Map<string, Promise<AnswerRules>>();
  keptRules.set(db, kept);
  const key = `${caller.tenantId}/${id}`;
  const found = kept.get(key);
  if (found !== undefined) {
    return found;
  }
  const loading = loadRules(db, caller, id);
  kept.set(key, loading);
  loading.catch(() => kept.delete(key)); // the next one asks again
  const [oldest] = kept.keys();
  if (kept.size > KEPT_RULES && oldest !== undefined) {
    kept.delete(oldest);
  }
  return loading;
}

/** @throws AssignmentNotFoundError unless it is the caller's own */
async function readType(db: Database, caller: sql.Caller, assignmentId: bigint): Promise<bigint> {
  const id = z
    .string()
    .nullable()
    .parse(await callHot(db, 'answer_type', sql.answerType(caller, assignmentId)));
  if (id === null) {
    throw new AssignmentNotFoundError();
  }
  return BigInt(id);
}

function loadRules(db: Database, caller: sql.Caller, taskTypeId: bigint): Promise<AnswerRules> {
  return withService(db, caller, (tx) =>
    tx.taskType.findUniqueOrThrow({
      where: { tenantId_id: { tenantId: caller.tenantId, id: taskTypeId } },
      select: { id: true, version: true, answerSchema: true, dimensions: true },
    }),
  );
}
