import * as resolvers from '../../resolvers/dispatch.js';
import type { Exchange } from '../exchange.js';
import { callerIn, idInPath, sendJson } from './caller.js';

/** 200 once the offer is accepted, again too; 409 where it has ended. */
export const acceptOffer = answered(resolvers.acceptOffer, 'ACCEPTED');

/** 200 once the offer is declined, again too; 409 where it has ended. */
export const declineOffer = answered(resolvers.declineOffer, 'DECLINED');

function answered(answer: typeof resolvers.acceptOffer, state: string) {
  return async (exchange: Exchange, opaque: string): Promise<void> => {
    const ctx = await callerIn(exchange, ['EXPERT']);
    const { jobId } = await answer({ offerId: idInPath(exchange, 'Offer', opaque) }, ctx);
    sendJson(exchange, 200, { offerId: opaque, jobId: ctx.app.ids.encode('Job', jobId), state });
  };
}
