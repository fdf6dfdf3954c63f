import { ForbiddenError, InputInvalidError, NotFoundError } from '../../access/errors.js';
import type { Viewer } from '../../access/viewer.js';
import { type Database, withService } from '../../platform/database.js';
import { JobStateError } from '../errors.js';
import { openPosition, type Position } from './archive-seal.js';
import type { FixKeys } from './fix-keys.js';
import * as sql from './traces.sql.js';

export { type TraceExport, traceExports } from './traces.sql.js';

/** Where a worker was, one fix in thirty seconds. */
export interface Trace {
  readonly exportId: bigint;
  readonly expertId: bigint;
  readonly fromAt: Date;
  readonly toAt: Date;
  readonly fixes: readonly (Position & { readonly deviceAt: Date })[];
}

/** A reason says something. */
const REASON_MIN = 10;
const REASON_MAX = 500;

/**
 * The raw trace of whoever accepted a job, from then until it had ended (see {@link sql.TraceWindow}), and of nothing else of their day. It is written down, in
 * the same transaction, who was given it and why, and the worker is told. While they are about the job, or have it before them, that would be
 * to follow somebody step by step: nobody but an operator may, whoever dispatches sees their cell.
 * @throws ForbiddenError for other roles than dispatchers and operators, InputInvalidError without a reason, NotFoundError where
 * nobody has accepted such a job, JobStateError for dispatchers where it is not over for who accepted it
 */
export async function exportTrace(
  { db, keys }: { db: Database; keys: FixKeys },
  viewer: Viewer,
  input: { jobId: bigint; reason: string },
): Promise<Trace> {
  const { tenantId, identityId: actorId, role, requestId } = viewer;
  if (role !== 'DISPATCHER' && role !== 'OPERATOR') {
    throw new ForbiddenError(`Traces are not open to the role ${role}.`);
  }
  const reason = checked(input.reason);
  const key = await keys.of(tenantId);
  return withService(db, { tenantId, actorId }, async (tx) => {
    const window = await sql.traceWindow(tx, tenantId, input.jobId);
    if (window === null) {
      throw new NotFoundError('accepted job');
    }
    if (window.isRunning && role !== 'OPERATOR') {
      throw new JobStateError(window.state);
    }
    const { expertId, fromAt, toAt } = window;
    const sealed = await sql.sealedFixes(tx, tenantId, window);
    const fixes = sealed.map(({ deviceAt, sealed: bytes }) => ({
      deviceAt,
      ...openPosition(key, Buffer.from(bytes), { tenantId, expertId, deviceMs: deviceAt.getTime() }),
    }));
    const entry = { expertId, fromAt, toAt, tenantId, actorId, role, requestId, jobId: input.jobId, reason };
    const exportId = await sql.logTrace(tx, { ...entry, fixes: fixes.length });
    return { exportId, expertId, fromAt, toAt, fixes };
  });
}

function checked(given: string): string {
  const reason = given.trim();
  if (reason.length < REASON_MIN || reason.length > REASON_MAX) {
    throw new InputInvalidError([
      {
        path: '/reason',
        message: `Say in ${REASON_MIN} to ${REASON_MAX} characters what the trace is needed for.`,
      },
    ]);
  }
  return reason;
}
