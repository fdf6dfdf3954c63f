import { z } from 'zod';
import * as resolvers from '../../resolvers/dispatch.js';
import type { Exchange } from '../exchange.js';
import { notFound } from '../problem.js';
import { bodyOf, callerIn, idIn, idInPath, int32, sendJson } from './caller.js';
import { instant } from './forms.js';
import { dispatchedView, jobView } from './job-views.js';

const STAFF = ['DISPATCHER', 'OPERATOR'] as const;

/** 201 with the job; the same idempotencyKey with the same content answers the first one again. One for now is offered at once. */
export async function createJob(exchange: Exchange): Promise<void> {
  const ctx = await callerIn(exchange, ['CUSTOMER', ...STAFF]);
  const form = z.strictObject({
    customerId: idIn(exchange, 'Customer').nullish(),
    kind: z.enum(['ON_DEMAND', 'SCHEDULED']),
    type: z.string(),
    skillIds: z.array(idIn(exchange, 'Skill')),
    minQuality: z.number().nullish(),
    place: z.strictObject({ latitude: z.number(), longitude: z.number() }),
    notBefore: instant.nullish(),
    dueBy: instant,
    durationSeconds: int32,
    priority: int32.nullish(),
    idempotencyKey: z.string(),
  });
  const { jobId } = await resolvers.createJob(await bodyOf(exchange, form), ctx);
  const job = await ctx.load.job.load(jobId);
  if (job === null) {
    throw new Error('A job that was just created is not there.');
  }
  const view = await (ctx.viewer.role === 'CUSTOMER' ? jobView : dispatchedView)(ctx, job);
  exchange.res.setHeader('Location', `/v1/jobs/${view.id}`);
  sendJson(exchange, 201, view);
}

/** 200 with a job of the caller's: where it stands, and when somebody comes. */
export const getJob = shown(['CUSTOMER', ...STAFF], jobView);

/** 200 with a job of the tenant's, and who was asked. */
export const getDispatchedJob = shown(STAFF, dispatchedView);

/** 200 with the job once it was looked for somebody: it has an offer, or `reason` says what keeps whom from it. */
export async function assignJob(exchange: Exchange, opaque: string): Promise<void> {
  const ctx = await callerIn(exchange, STAFF);
  await resolvers.assignJob({ jobId: idInPath(exchange, 'Job', opaque) }, ctx);
  await getDispatchedJob(exchange, opaque);
}

function shown(roles: Parameters<typeof callerIn>[1], view: typeof jobView | typeof dispatchedView) {
  return async (exchange: Exchange, opaque: string): Promise<void> => {
    const ctx = await callerIn(exchange, roles);
    const job = await ctx.load.job.load(idInPath(exchange, 'Job', opaque).id);
    if (job === null) {
      throw notFound('There is no such job.');
    }
    sendJson(exchange, 200, await view(ctx, job));
  };
}
