import { z } from 'zod';
import { InputInvalidError, NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { callHot, type Database } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import { CheckInLockedError, JobStateError, WrongCodeError } from './errors.js';
import * as sql from './jobs.sql.js';

/** What one proof may weigh, and how many there may be. */
const PROOF_BYTES_MAX = 262_144;
const PROOFS_MAX = 5;
const CODE = /^\d{6}$/;

const Outcome = z.object({
  outcome: z.enum(['OK', 'STATE', 'NOT_FOUND', 'WRONG_CODE', 'LOCKED']),
  state: z.string().optional(),
  left: z.int().optional(),
});

/**
 * Says that the worker who accepted a job is there, proven by the code that the customer has. Again changes nothing.
 * @throws InputInvalidError where it is no code, NotFoundError, JobStateError, WrongCodeError, CheckInLockedError after five
 * wrong codes
 */
export async function checkIn(
  db: Database,
  viewer: Viewer,
  { jobId, code }: { readonly jobId: bigint; readonly code: string },
): Promise<void> {
  if (!CODE.test(code.trim())) {
    throw new InputInvalidError([
      { path: '/code', message: 'A code has six digits: ask the customer for it.' },
    ]);
  }
  await atThePlace(db, 'check_in', sql.checkIn(callOf(viewer, jobId), code.trim()));
}

/**
 * Ends a job that is in progress, with what proves it: 1 to 5 proofs of at most 256 KiB. Again changes nothing.
 * @throws NotFoundError, JobStateError, InputInvalidError
 */
export async function completeJob(
  db: Database,
  viewer: Viewer,
  { jobId, proofs }: { readonly jobId: bigint; readonly proofs: readonly sql.Proof[] },
): Promise<void> {
  checkProofs(proofs);
  await atThePlace(db, 'complete_job', sql.completeJob(callOf(viewer, jobId), proofs));
}

function checkProofs(proofs: readonly sql.Proof[]): void {
  const issues = proofs.flatMap(({ content, contentType }, index) => [
    ...(content.length >= 1 && content.length <= PROOF_BYTES_MAX
      ? []
      : [{ path: `/proofs/${index}/content`, message: 'Give 1 to 262,144 bytes, in base64.' }]),
    ...(/^[\w.+-]{1,99}\/[\w.+-]{1,99}$/.test(contentType)
      ? []
      : [{ path: `/proofs/${index}/contentType`, message: 'Give a media type, such as image/jpeg.' }]),
  ]);
  if (proofs.length < 1 || proofs.length > PROOFS_MAX) {
    issues.push({ path: '/proofs', message: `Give 1 to ${PROOFS_MAX} proofs.` });
  }
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
}

function callOf({ tenantId, identityId: actorId, expertId }: Viewer, jobId: bigint) {
  if (expertId === null) {
    throw new NotFoundError('job');
  }
  return { tenantId, actorId, expertId, jobId };
}

async function atThePlace(db: Database, name: string, query: ReturnType<typeof sql.checkIn>): Promise<void> {
  const result = Outcome.parse(await retrying(() => callHot(db, name, query)));
  switch (result.outcome) {
    case 'OK':
      return;
    case 'STATE':
      throw new JobStateError(result.state ?? '');
    case 'WRONG_CODE':
      throw new WrongCodeError(result.left ?? 0);
    case 'LOCKED':
      throw new CheckInLockedError();
    default:
      throw new NotFoundError('job');
  }
}
