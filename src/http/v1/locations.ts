import { takePost } from '../../ingest/desk.js';
import { authenticated } from '../authenticated.js';
import { readJson } from '../body.js';
import type { Exchange } from '../exchange.js';
import { idInPath, sendJson } from './caller.js';

/** 200 with how many of the fixes were taken, and why others were not; the worker in the path must be the caller. */
export async function postFixes(exchange: Exchange, opaque: string): Promise<void> {
  const viewer = await authenticated(exchange);
  const expertId = idInPath(exchange, 'Expert', opaque).id;
  const body = await readJson(exchange.req);
  sendJson(exchange, 200, await takePost(exchange.parts.fixes, viewer, { expertId, body }));
}
