import { Prisma } from '../../generated/prisma/client.js';
import type { AnswerValue } from '../tasks/answers.js';

/** Who calls: the expert, and the identity and request that stand in the access log. */
export interface Caller {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly actorId: bigint;
  readonly requestId: string;
}

/** An assignment under the epoch that the caller believes in. */
export interface LeaseRef {
  readonly assignmentId: bigint;
  readonly leaseEpoch: number;
}

// The functions stand in prisma/migrations/*_routing. Each is one transaction and enters the caller's tenant itself, so
// each is one round trip, and one prepared statement.

export const claim = (c: Caller, skillId: bigint | null, tokenHash: Buffer) => Prisma.sql`
  select app.claim(${c.tenantId}::bigint, ${c.expertId}::bigint, ${skillId}::bigint, ${c.actorId}::bigint,
    ${tokenHash}::bytea, ${c.requestId}::text)`;

/** The same after an exact look at everything that is open: for whom {@link serve} found nothing. Costs much more. */
export const claimExact = (c: Caller, skillId: bigint | null, tokenHash: Buffer) => Prisma.sql`
  select app.claim_exact(${c.tenantId}::bigint, ${c.expertId}::bigint, ${skillId}::bigint, ${c.actorId}::bigint,
    ${tokenHash}::bytea, ${c.requestId}::text)`;

/** Submits, then claims, of one tenant in one transaction, as JSON text; answers `{"submits": […], "claims": […]}`. */
export const serve = (tenantId: bigint, batch: { submits: string; claims: string }) => Prisma.sql`
  select app.serve(${tenantId}::bigint, ${batch.submits}::jsonb, ${batch.claims}::jsonb)`;

/** One of the statements above, which waits for a lock no longer than that. */
export const waitingAtMost = (seconds: number, statement: Prisma.Sql) => Prisma.sql`
  ${statement} from set_config('lock_timeout', ${`${seconds}s`}::text, true)`;

export const currentAssignment = (c: Caller, tokenHash: Buffer) => Prisma.sql`
  select app.current_assignment(${c.tenantId}::bigint, ${c.expertId}::bigint, ${c.actorId}::bigint,
    ${tokenHash}::bytea, ${c.requestId}::text)`;

export const reclaim = (c: Caller, assignmentId: bigint, tokenHash: Buffer) => Prisma.sql`
  select app.reclaim(${c.tenantId}::bigint, ${c.expertId}::bigint, ${c.actorId}::bigint, ${assignmentId}::bigint,
    ${tokenHash}::bytea, ${c.requestId}::text)`;

export const heartbeat = (
  c: Caller,
  lease: LeaseRef,
  beat: { idleSeconds: number; draft: string | null },
) => Prisma.sql`
  select app.heartbeat(${c.tenantId}::bigint, ${c.expertId}::bigint, ${c.actorId}::bigint, ${lease.assignmentId}::bigint,
    ${lease.leaseEpoch}::int, ${beat.idleSeconds}::int, ${beat.draft}::text)`;

/** What a submit stores: the canonical body, its digest, and one typed value a dimension. */
export interface StoredAnswer {
  readonly body: string;
  readonly digest: string;
  readonly confidence: number | null;
  readonly values: readonly AnswerValue[];
  /** What the expert's client and form say that they are; null: nothing. */
  readonly clientVersion: string | null;
  readonly formVariant: string | null;
}

export const submit = (c: Caller, lease: LeaseRef, answer: StoredAnswer) => Prisma.sql`
  select app.submit_with_form(${c.tenantId}::bigint, ${c.expertId}::bigint, ${c.actorId}::bigint, ${lease.assignmentId}::bigint,
    ${lease.leaseEpoch}::int, ${answer.body}::text, ${answer.digest}::text, ${answer.confidence}::real, ${JSON.stringify(answer.values)}::jsonb,
    ${answer.clientVersion}::text, ${answer.formVariant}::text)`;

export const release = (c: Caller, lease: LeaseRef) => Prisma.sql`
  select app.release(${c.tenantId}::bigint, ${c.expertId}::bigint, ${c.actorId}::bigint, ${lease.assignmentId}::bigint,
    ${lease.leaseEpoch}::int)`;

export const flag = (c: Caller, lease: LeaseRef, why: { reason: string; note: string | null }) => Prisma.sql`
  select app.flag(${c.tenantId}::bigint, ${c.expertId}::bigint, ${c.actorId}::bigint, ${lease.assignmentId}::bigint,
    ${lease.leaseEpoch}::int, ${why.reason}::text, ${why.note}::text)`;

/** The id of the task type that an answer under this assignment is judged by; null unless it is the caller's own. */
export const answerType = (c: Caller, assignmentId: bigint) => Prisma.sql`
  select app.answer_type(${c.tenantId}::bigint, ${c.expertId}::bigint, ${assignmentId}::bigint)`;
