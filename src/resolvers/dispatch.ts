import type { Context } from '../context.js';
import type { Job, Offer } from '../generated/prisma/client.js';
import type {
  AssignJobInput,
  CancelJobInput,
  CreateJobInput,
  OverrideAssignmentInput,
  ReassignJobInput,
} from '../schema/dispatch/job-mutations.js';
import type { SetDispatchSettingsInput } from '../schema/dispatch/settings.js';
import type { ExportTraceInput } from '../schema/dispatch/trace.js';
import type { SetWorkerInput } from '../schema/dispatch/worker.js';
import type {
  AcceptOfferInput,
  CheckInInput,
  CompleteJobInput,
  DeclineOfferInput,
} from '../schema/dispatch/worker-mutations.js';
import { NotFoundError } from '../services/access/errors.js';
import { arrival } from '../services/dispatch/arrival.js';
import { assignJob as assign } from '../services/dispatch/assign.js';
import * as place from '../services/dispatch/at-the-place.js';
import { createFixKeys } from '../services/dispatch/fixes/fix-keys.js';
import * as traces from '../services/dispatch/fixes/traces.js';
import * as service from '../services/dispatch/jobs.js';
import { acceptOffer as accept, declineOffer as decline } from '../services/dispatch/offers.js';
import { overrideAssignment as override } from '../services/dispatch/override.js';
import * as workersService from '../services/dispatch/workers.js';
import { backward, forward, type Page } from './paging.js';

export function jobs(
  { states, ...page }: Page & { readonly states: readonly string[] | null },
  ctx: Context,
): Promise<Job[]> {
  const { where, ...order } = forward(page);
  const only = states === null ? {} : { state: { in: [...states] } };
  return ctx.read((tx) => tx.job.findMany({ ...order, where: { ...where, ...only } }));
}

export const offers = (page: Page, ctx: Context): Promise<Offer[]> =>
  ctx.read((tx) => tx.offer.findMany(backward(page)));

export const workers = (page: Page, ctx: Context) => ctx.read((tx) => workersService.workerPage(tx, page));

export const dispatchSettings = ({ app, viewer }: Context) => workersService.dispatchSettings(app.db, viewer);

/** For customers too, who may read neither offers nor fixes: what they are told of them is decided by the service. */
export const arrivalOf = (jobId: bigint, { app, viewer }: Context) => arrival(app, viewer, jobId);

export async function createJob(input: typeof CreateJobInput.$inferInput, { app, viewer }: Context) {
  const customerId = input.customerId?.id ?? viewer.customerId;
  if (customerId === null) {
    throw new NotFoundError('customer');
  }
  return service.requestJob(app, viewer, {
    ...input,
    customerId,
    skillIds: input.skillIds.map(({ id }) => id),
    minQuality: input.minQuality ?? 0,
    notBefore: input.notBefore ?? null,
    priority: input.priority ?? 5,
    idempotencyKey: String(input.idempotencyKey),
  });
}

export async function assignJob(
  { jobId: { id: jobId } }: typeof AssignJobInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ jobId: bigint }> {
  await assign(app, { tenantId: viewer.tenantId, actorId: viewer.identityId }, jobId);
  return { jobId };
}

export async function cancelJob(
  { jobId: { id: jobId }, reason }: typeof CancelJobInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ jobId: bigint }> {
  await service.cancelJob(app.db, viewer, { jobId, reason });
  return { jobId };
}

export async function reassignJob(
  { jobId: { id: jobId }, reason }: typeof ReassignJobInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ jobId: bigint }> {
  await service.reassignJob(app.db, viewer, { jobId, reason });
  return { jobId };
}

export async function overrideAssignment(
  input: typeof OverrideAssignmentInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ jobId: bigint }> {
  const { reason, preempt } = input;
  const jobId = input.jobId.id;
  await override(app, viewer, { jobId, expertId: input.workerId.id, reason, preempt: preempt ?? false });
  return { jobId };
}

export const acceptOffer = (
  { offerId }: typeof AcceptOfferInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ jobId: bigint }> => accept(app.db, viewer, offerId.id);

export const declineOffer = (
  { offerId }: typeof DeclineOfferInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ jobId: bigint }> => decline(app.db, viewer, offerId.id);

export async function checkIn(
  { jobId: { id: jobId }, code }: typeof CheckInInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ jobId: bigint }> {
  await place.checkIn(app.db, viewer, { jobId, code });
  return { jobId };
}

export async function completeJob(
  { jobId: { id: jobId }, proofs }: typeof CompleteJobInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ jobId: bigint }> {
  const decoded = proofs.map(({ contentType, contentBase64 }) => ({
    contentType,
    content: Buffer.from(contentBase64, 'base64'),
  }));
  await place.completeJob(app.db, viewer, { jobId, proofs: decoded });
  return { jobId };
}

/** (It is seldom asked for: the key of the tenant is looked up each time.) */
export const exportTrace = (
  { jobId: { id: jobId }, reason }: typeof ExportTraceInput.$inferInput,
  { app: { db, secrets }, viewer }: Context,
): Promise<traces.Trace> =>
  traces.exportTrace({ db, keys: createFixKeys(db, secrets) }, viewer, { jobId, reason });

export const traceExports = (page: Page, ctx: Context) => ctx.read((tx) => traces.traceExports(tx, page));

export async function setWorker(
  { expertId: { id: expertId }, ...input }: typeof SetWorkerInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ expertId: bigint }> {
  await workersService.setWorker(app.db, viewer, {
    ...input,
    expertId,
    active: input.active ?? true,
    capacity: input.capacity ?? 1,
    serviceArea: input.serviceArea ?? null,
  });
  return { expertId };
}

export async function setDispatchSettings(
  input: typeof SetDispatchSettingsInput.$inferInput,
  { app, viewer }: Context,
): Promise<object> {
  const given = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  await workersService.setDispatchSettings(app.db, viewer, Object.fromEntries(given));
  return {};
}
