import type { Context } from '../../context.js';
import type { Job, Offer } from '../../generated/prisma/client.js';
import { arrivalOf } from '../../resolvers/dispatch.js';
import { HotIndexUnavailableError } from '../../services/dispatch/fixes/errors.js';

// What the plain calls answer of jobs: the same words as in GraphQL.

/** A job as its customer sees it: never who comes, and where they are. */
export async function jobView(ctx: Context, job: Job) {
  const { ids } = ctx.app;
  return {
    id: ids.encode('Job', job.id),
    customerId: ids.encode('Customer', job.customerId),
    kind: job.kind,
    type: job.type,
    skillIds: job.skillIds.map((id) => ids.encode('Skill', id)),
    minQuality: job.minQuality,
    place: { latitude: job.latitude, longitude: job.longitude },
    notBefore: job.notBefore.toISOString(),
    dueBy: job.dueBy.toISOString(),
    durationSeconds: job.durationSeconds,
    priority: job.priority,
    state: job.state,
    checkInCode: job.checkInCode,
    createdAt: job.createdAt.toISOString(),
    acceptedAt: job.acceptedAt?.toISOString() ?? null,
    checkedInAt: job.checkedInAt?.toISOString() ?? null,
    doneAt: job.doneAt?.toISOString() ?? null,
    arrival: job.state === 'ACCEPTED' ? await arrivalView(ctx, job.id) : null,
  };
}

/** Null where nobody knows just now, too. */
async function arrivalView(ctx: Context, jobId: bigint) {
  const arrival = await arrivalOf(jobId, ctx).catch((error: unknown) => {
    if (error instanceof HotIndexUnavailableError) {
      return null;
    }
    throw error;
  });
  return arrival && { from: arrival.from.toISOString(), until: arrival.until.toISOString() };
}

/** A job as who dispatches sees it: why it is in its state, and who was asked. */
export async function dispatchedView(ctx: Context, job: Job) {
  const [seen, offers] = await Promise.all([jobView(ctx, job), ctx.load.offersOfJob.load(job.id)]);
  return {
    ...seen,
    reason: job.reason,
    noShowAt: job.noShowAt?.toISOString() ?? null,
    offers: offers.map((offer) => offerView(ctx, offer)),
  };
}

const offerView = ({ app: { ids } }: Context, offer: Offer) => ({
  id: ids.encode('Offer', offer.id),
  workerId: ids.encode('Expert', offer.expertId),
  state: offer.state,
  isManual: offer.kind === 'MANUAL',
  offeredAt: offer.offeredAt.toISOString(),
  expiresAt: offer.expiresAt.toISOString(),
  acceptedAt: offer.acceptedAt?.toISOString() ?? null,
  endedAt: offer.endedAt?.toISOString() ?? null,
  etaSeconds: offer.etaSeconds,
  etaLowSeconds: offer.etaLowSeconds,
  etaHighSeconds: offer.etaHighSeconds,
  etaConfidence: offer.etaConfidence,
  score: offer.score,
  jobsToday: offer.jobsToday,
  slackSeconds: offer.slackSeconds,
  reason: offer.reason,
});
