import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { InputInvalidError, NotFoundError } from '../access/errors.js';
import { checkAll } from '../access/faults.js';
import { checkedName } from '../access/people.js';
import { checkedReason } from '../access/profile.js';
import type { Viewer } from '../access/viewer.js';
import { canonicalJson, sha256Hex } from '../platform/canonical.js';
import { callHot, type Database } from '../platform/database.js';
import { RetryLaterError } from '../platform/errors.js';
import { retrying } from '../platform/retry.js';
import { IdempotencyConflictError } from '../projects/errors.js';
import { type Assigning, assignNewJob, LAPSED } from './assign.js';
import { type Assignable, AssignableRow } from './assign.sql.js';
import type { Search } from './assigning.js';
import { JobStateError } from './errors.js';
import { checkPlace } from './form.js';
import * as sql from './jobs.sql.js';
import type { Place } from './ports.js';

/** Somebody is wanted at a place, to begin in a window. */
export interface NewJob {
  /** Whose job; a customer can only name itself. */
  readonly customerId: bigint;
  /** For now, or for a window that is to come: then it is given out a day before. */
  readonly kind: 'ON_DEMAND' | 'SCHEDULED';
  /** What sort of work, in the customer's words. */
  readonly type: string;
  readonly skillIds: readonly bigint[];
  /** Least lower bound of measured quality in each of the skills, 0..1. */
  readonly minQuality: number;
  readonly place: Place;
  /** Null: at once. */
  readonly notBefore: Date | null;
  /** Somebody is to be there by then. */
  readonly dueBy: Date;
  readonly durationSeconds: number;
  /** 1 to 10; 5 is common. */
  readonly priority: number;
  readonly idempotencyKey: string;
}

/** A job that was asked for: made now, or before with the same key. */
export interface Made {
  readonly jobId: bigint;
  readonly isNew: boolean;
  /** Of a new one for now: what assigning it stands on. */
  readonly begin: Assignable | null;
}

/**
 * Creates an open job. The same key with the same content answers the first job again.
 * @throws InputInvalidError, NotFoundError, IdempotencyConflictError
 */
export async function createJob(db: Database, viewer: Viewer, input: NewJob): Promise<Made> {
  const { tenantId, identityId: actorId } = viewer;
  if (viewer.role === 'CUSTOMER' && input.customerId !== viewer.customerId) {
    throw new NotFoundError('customer');
  }
  const type = checkJob(input);
  const job = { ...input, type, tenantId, actorId };
  const checkInCode = String(randomInt(1_000_000)).padStart(6, '0');
  const query = sql.createJob({ ...job, requestDigest: digestOf(job), checkInCode }, LAPSED);
  const result = Created.parse(await retrying(() => callHot(db, 'create_job', query)));
  switch (result.outcome) {
    case 'NO_CUSTOMER':
      throw new NotFoundError('customer');
    case 'NO_SKILL':
      throw new NotFoundError('skill');
    case 'CONFLICT':
      throw new IdempotencyConflictError();
    case 'LATE':
      throw new InputInvalidError([{ path: '/dueBy', message: 'Give an instant that is to come.' }]);
    case 'SAME':
      return { jobId: result.jobId, isNew: false, begin: null };
    case 'MADE':
      return { jobId: result.jobId, isNew: true, begin: result.begin };
  }
}

const JobId = z.coerce.bigint();
const Created = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.enum(['NO_CUSTOMER', 'NO_SKILL', 'CONFLICT', 'LATE']) }),
  z.object({ outcome: z.literal('SAME'), jobId: JobId }),
  z.object({ outcome: z.literal('MADE'), jobId: JobId, begin: AssignableRow.nullable() }),
]);

/**
 * {@link createJob}, and offers one for now to somebody at once. Whom it cannot be offered to just now it is by and by. The same key again costs a
 * read, however often: nobody is looked for anew.
 * @throws InputInvalidError, NotFoundError, IdempotencyConflictError
 */
export async function requestJob(on: Assigning, viewer: Viewer, input: NewJob): Promise<Made> {
  const made = await createJob(on.db, viewer, input);
  if (made.begin !== null) {
    await offerAtOnce(on, viewer, { jobId: made.jobId, job: made.begin });
  }
  return made;
}

/** Where the job has gone on meanwhile, what it is now is the answer. */
async function offerAtOnce(
  on: Assigning,
  { tenantId, identityId: actorId }: Viewer,
  begun: Pick<Search, 'jobId' | 'job'>,
): Promise<void> {
  try {
    await assignNewJob(on, { tenantId, actorId, ...begun });
  } catch (error) {
    if (!(error instanceof JobStateError || error instanceof RetryLaterError)) {
      throw error;
    }
  }
}

function checkJob(input: NewJob): string {
  const { type } = checkAll({
    type: () => checkedName('/type', input.type),
    place: () => checkPlace('/place', input.place),
    figures: () => checkFigures(input),
    key: () => checkedName('/idempotencyKey', input.idempotencyKey),
  });
  return type;
}

const LIMITS = [
  ['minQuality', 0, 1],
  ['durationSeconds', 60, 86_400],
  ['priority', 1, 10],
] as const;

function checkFigures(input: NewJob): void {
  const issues = LIMITS.filter(([name, min, max]) => !(input[name] >= min && input[name] <= max)).map(
    ([name, min, max]) => ({ path: `/${name}`, message: `Give ${min} to ${max}.` }),
  );
  if (input.skillIds.length > 20) {
    issues.push({ path: '/skillIds', message: 'Give at most 20.' });
  }
  if (input.notBefore !== null && input.notBefore > input.dueBy) {
    issues.push({ path: '/dueBy', message: 'Give an instant that is not before `notBefore`.' });
  }
  if (input.kind === 'SCHEDULED' && input.notBefore === null) {
    issues.push({ path: '/notBefore', message: 'Say when the window of a scheduled job begins.' });
  }
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
}

const digestOf = ({
  skillIds,
  customerId,
  idempotencyKey: _key,
  actorId: _actor,
  ...rest
}: NewJob & { tenantId: bigint; actorId: bigint }) =>
  sha256Hex(
    canonicalJson({
      ...rest,
      tenantId: String(rest.tenantId),
      customerId: String(customerId),
      skillIds: skillIds.map(String),
      notBefore: rest.notBefore?.toISOString() ?? null,
      dueBy: rest.dueBy.toISOString(),
    }),
  );

/**
 * Cancels a job for good, and takes its offer back. Again changes nothing.
 * @throws NotFoundError, JobStateError where it is done
 */
export async function cancelJob(
  db: Database,
  viewer: Viewer,
  { jobId, reason }: { readonly jobId: bigint; readonly reason: string },
): Promise<void> {
  const call = {
    ...callOf(viewer, jobId),
    customerId: viewer.role === 'CUSTOMER' ? viewer.customerId : null,
  };
  await changeJob(db, 'cancel_job', sql.cancelJob(call, checkedReason(reason)));
}

/**
 * Takes an accepted job from its worker; it is assigned anew at once, and not to them for some time.
 * @throws NotFoundError, InputInvalidError, JobStateError
 */
export async function reassignJob(
  db: Database,
  viewer: Viewer,
  { jobId, reason }: { readonly jobId: bigint; readonly reason: string },
): Promise<void> {
  await changeJob(db, 'reassign_job', sql.reassignJob(callOf(viewer, jobId), checkedReason(reason)));
}

const callOf = ({ tenantId, identityId: actorId }: Viewer, jobId: bigint): sql.JobCall => ({
  tenantId,
  actorId,
  jobId,
});

const Outcome = z.object({ outcome: z.enum(['OK', 'STATE', 'NOT_FOUND']), state: z.string().optional() });

async function changeJob(db: Database, name: string, query: ReturnType<typeof sql.cancelJob>): Promise<void> {
  const { outcome, state } = Outcome.parse(await retrying(() => callHot(db, name, query)));
  if (outcome === 'NOT_FOUND') {
    throw new NotFoundError('job');
  }
  if (outcome === 'STATE') {
    throw new JobStateError(state ?? '');
  }
}
