import { z } from 'zod';
import { badRequest, HttpProblem } from '../http/problem.js';
import { ForbiddenError } from '../services/access/errors.js';
import type { Viewer } from '../services/access/viewer.js';
import { NotYourFixError, OffShiftError } from '../services/dispatch/fixes/errors.js';
import type { Fixes } from '../services/dispatch/fixes/open-fixes.js';
import { type WorkerKey, workerKey } from '../services/dispatch/fixes/shifts.js';
import { OverloadedError, RateLimitedError } from '../services/platform/errors.js';

/** Reports of one message: what a phone collects in some minutes without a network comes in several. */
export const REPORTS_MAX = 50;

const Body = z.strictObject({ fixes: z.array(z.unknown()).min(1).max(REPORTS_MAX) });

/** What a phone is answered to a post. */
export interface PostAnswer {
  readonly accepted: number;
  readonly refused: readonly { readonly index: number; readonly code: string }[];
  /** The time here, so that a phone sees how wrong its clock is. */
  readonly serverMs: number;
}

/** Who asks, as a worker. @throws ForbiddenError where they are none */
export function workerOf({ tenantId, role, expertId }: Viewer): WorkerKey {
  if (role !== 'EXPERT' || expertId === null) {
    throw new ForbiddenError(`Fixes are taken from workers, and not from the role ${role}.`);
  }
  return workerKey(tenantId, expertId);
}

/** Lets a worker in who is on shift. @throws ForbiddenError, OffShiftError */
export async function admit({ shifts, metrics }: Fixes, viewer: Viewer): Promise<WorkerKey> {
  const worker = workerOf(viewer);
  switch (await shifts.standing(worker)) {
    case 'ON_SHIFT':
      return worker;
    case 'OFF_SHIFT':
      metrics.fixes.inc({ outcome: 'OFF_SHIFT' });
      throw new OffShiftError();
    case 'NO_WORKER':
      throw new ForbiddenError('Fixes are taken from workers: ask an operator for a profile.');
  }
}

/**
 * Takes what a phone has posted about `expertId`, who must be the caller. Resolves once it is in the index.
 * @throws HttpProblem 400 for another form, 422 where nothing of it can be taken, NotYourFixError, ForbiddenError, OffShiftError,
 * RateLimitedError, OverloadedError
 */
export async function takePost(
  fixes: Fixes,
  viewer: Viewer,
  { expertId, body }: { expertId: bigint; body: unknown },
): Promise<PostAnswer> {
  if (workerOf(viewer).expertId !== expertId) {
    throw new NotYourFixError();
  }
  const worker = await admit(fixes, viewer);
  const parsed = Body.safeParse(body);
  if (!parsed.success) {
    throw badRequest(
      `Send {"fixes": [{"lat", "lng", "deviceMs", "accuracyMetres"?}]}, 1 to ${REPORTS_MAX} of them.`,
    );
  }
  const { intake, clock } = fixes;
  const taken = intake.take(worker, parsed.data.fixes);
  if (taken.isOverloaded) {
    throw new OverloadedError(2);
  }
  if (taken.retryAfterSeconds > 0) {
    throw new RateLimitedError(taken.retryAfterSeconds);
  }
  const { accepted, refused } = taken;
  const serverMs = clock.nowMs();
  if (accepted === 0) {
    throw new HttpProblem(422, 'FIXES_REFUSED', {
      message: 'None of these fixes can be taken: "refused" says why.',
      extra: { refused, serverMs },
    });
  }
  await intake.settled();
  return { accepted, refused, serverMs };
}
