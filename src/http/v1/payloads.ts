import { pipeline } from 'node:stream/promises';
import { findPayloadGrant } from '../../services/routing/payload-access.js';
import { authenticated } from '../authenticated.js';
import type { Exchange } from '../exchange.js';
import { HttpProblem, notFound } from '../problem.js';
import { fileHeaders, refuseToRun } from './files.js';

/**
 * The payload of one claim, while its lease lives: 200 with the bytes, 410 once the claim has ended, 404 for a token
 * that was never minted. The URL is what proves the right to it; a token that is sent along must be the same expert's.
 *
 * The bytes are a customer's and may be anything, so a browser must neither guess a type, nor run, nor show them as
 * ours.
 */
export async function getPayload(exchange: Exchange, token: string): Promise<void> {
  const { app, req, res } = exchange;
  refuseToRun(exchange);
  const grant = await findPayloadGrant(app.db, token);
  if (grant === null || !(await isTheirs(exchange, grant))) {
    throw notFound('There is no such payload.');
  }
  if (!grant.live) {
    throw new HttpProblem(410, 'LEASE_ENDED', 'The claim that this address was for has ended.');
  }
  const { stream, bytes } = await app.payloads.open(grant.tenantId, grant.payloadKey);
  res.writeHead(200, fileHeaders('payload', { contentType: grant.contentType, bytes }));
  if (req.method === 'HEAD') {
    stream.destroy();
    res.end();
    return;
  }
  await pipeline(stream, res);
}

async function isTheirs(exchange: Exchange, grant: { tenantId: bigint; expertId: bigint }): Promise<boolean> {
  if (exchange.req.headers.authorization === undefined) {
    return true;
  }
  const viewer = await authenticated(exchange);
  return viewer.tenantId === grant.tenantId && viewer.expertId === grant.expertId;
}
