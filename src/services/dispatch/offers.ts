import { z } from 'zod';
import { NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { callHot, type Database } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import { OfferExpiredError, OfferGoneError } from './errors.js';
import { answerOffer } from './jobs.sql.js';

const Answered = z.object({
  outcome: z.enum(['ACCEPTED', 'DECLINED', 'EXPIRED', 'GONE', 'NOT_FOUND']),
  jobId: z.coerce.bigint().optional(),
});

/**
 * Accepts an offer that stands, by the database's clock: of an acceptance and the offer's end exactly one wins. Again changes nothing.
 * @throws NotFoundError, OfferExpiredError, OfferGoneError
 */
export const acceptOffer = (db: Database, viewer: Viewer, offerId: bigint): Promise<{ jobId: bigint }> =>
  answer(db, viewer, { offerId, accept: true });

/**
 * Declines an offer: the next is asked, and the caller not for some time. Again changes nothing.
 * @throws NotFoundError, OfferExpiredError, OfferGoneError
 */
export const declineOffer = (db: Database, viewer: Viewer, offerId: bigint): Promise<{ jobId: bigint }> =>
  answer(db, viewer, { offerId, accept: false });

async function answer(
  db: Database,
  { tenantId, identityId: actorId, expertId }: Viewer,
  { offerId, accept }: { readonly offerId: bigint; readonly accept: boolean },
): Promise<{ jobId: bigint }> {
  if (expertId === null) {
    throw new NotFoundError('offer');
  }
  const query = answerOffer({ tenantId, actorId, expertId, offerId }, accept);
  const { outcome, jobId } = Answered.parse(await retrying(() => callHot(db, 'answer_offer', query)));
  switch (outcome) {
    case 'EXPIRED':
      throw new OfferExpiredError();
    case 'GONE':
      throw new OfferGoneError();
    default:
      if (jobId === undefined) {
        throw new NotFoundError('offer');
      }
      return { jobId };
  }
}
