import { proofBytes } from '../../services/dispatch/reads.js';
import type { Exchange } from '../exchange.js';
import { notFound } from '../problem.js';
import { callerIn, idInPath } from './caller.js';
import { fileHeaders, refuseToRun } from './files.js';

/** 200 with the bytes of a proof: to the job's customer and who dispatches. */
export async function getProof(exchange: Exchange, opaque: string): Promise<void> {
  refuseToRun(exchange);
  const ctx = await callerIn(exchange, ['CUSTOMER', 'DISPATCHER', 'OPERATOR']);
  const proof = await ctx.read((tx) => proofBytes(tx, idInPath(exchange, 'Proof', opaque).id));
  if (proof === null) {
    throw notFound('There is no such proof.');
  }
  const { contentType, content } = proof;
  exchange.res.writeHead(200, fileHeaders('proof', { contentType, bytes: content.length }));
  exchange.res.end(exchange.req.method === 'HEAD' ? undefined : content);
}
