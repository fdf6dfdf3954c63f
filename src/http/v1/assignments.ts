import { z } from 'zod';
import * as routing from '../../resolvers/routing.js';
import { FLAG_REASONS } from '../../services/routing/lease.js';
import type { Exchange } from '../exchange.js';
import { bodyOf, callerIn, idIn, idInPath, int32, sendJson } from './caller.js';
import { heldView, leaseView, receiptView } from './views.js';

const leaseEpoch = int32;

/** The next task: 200 with it, or 204 with Retry-After and the reason. */
export async function nextTask(exchange: Exchange): Promise<void> {
  const ctx = await callerIn(exchange, ['EXPERT']);
  const form = z.strictObject({ skillId: idIn(exchange, 'Skill').nullish() });
  const hasBody = hasContent(exchange);
  const { skillId } = hasBody ? await bodyOf(exchange, form) : { skillId: null };
  const result = await routing.claimTask({ skillId }, ctx);
  if ('held' in result) {
    sendJson(exchange, 200, heldView(ctx, result.held));
    return;
  }
  const { reason, retryAfterSeconds } = result.empty;
  exchange.res.writeHead(204, {
    'Retry-After': String(retryAfterSeconds),
    'X-Empty-Reason': reason,
    'Cache-Control': 'no-store',
  });
  exchange.res.end();
}

/** 200 with the lease, or 409 with the reason. */
export async function heartbeat(exchange: Exchange, id: string): Promise<void> {
  const ctx = await callerIn(exchange, ['EXPERT']);
  const form = z.strictObject({ leaseEpoch, lastActivitySeconds: int32, draft: z.unknown().optional() });
  const body = await bodyOf(exchange, form);
  const lease = await routing.heartbeat({ assignmentId: idInPath(exchange, 'Assignment', id), ...body }, ctx);
  sendJson(exchange, 200, { lease: leaseView(lease), extended: lease.extended });
}

/** 200 with the receipt, 409 where the lease or project stands against it, 422 for an answer that does not fit. */
export async function submit(exchange: Exchange, id: string): Promise<void> {
  const ctx = await callerIn(exchange, ['EXPERT']);
  const form = z.strictObject({
    leaseEpoch,
    answer: z.unknown().refine((answer) => answer !== undefined, 'is missing'),
    confidence: z.number().nullish(),
    clientVersion: z.string().nullish(),
    formVariant: z.string().nullish(),
    claimNext: z.boolean().nullish(),
    nextSkillId: idIn(exchange, 'Skill').nullish(),
  });
  const body = await bodyOf(exchange, form);
  const done = await routing.submit({ assignmentId: idInPath(exchange, 'Assignment', id), ...body }, ctx);
  const { receipt, next } = done;
  sendJson(exchange, 200, {
    receipt: receiptView(ctx, receipt),
    next: next && ('held' in next ? { assignment: heldView(ctx, next.held) } : { empty: next.empty }),
  });
}

/** 200 with what is held again, or 409 with the truth. */
export async function reclaim(exchange: Exchange, id: string): Promise<void> {
  const ctx = await callerIn(exchange, ['EXPERT']);
  const held = await routing.reclaimAssignment({ assignmentId: idInPath(exchange, 'Assignment', id) }, ctx);
  sendJson(exchange, 200, heldView(ctx, held));
}

/** 204 once it is given back. */
export async function release(exchange: Exchange, id: string): Promise<void> {
  const ctx = await callerIn(exchange, ['EXPERT']);
  const body = await bodyOf(exchange, z.strictObject({ leaseEpoch }));
  await routing.releaseAssignment({ assignmentId: idInPath(exchange, 'Assignment', id), ...body }, ctx);
  exchange.res.writeHead(204, { 'Cache-Control': 'no-store' });
  exchange.res.end();
}

/** 200 with whether the flag closed the task. */
export async function flag(exchange: Exchange, id: string): Promise<void> {
  const ctx = await callerIn(exchange, ['EXPERT']);
  const form = z.strictObject({ leaseEpoch, reason: z.enum(FLAG_REASONS), note: z.string().nullish() });
  const body = await bodyOf(exchange, form);
  const done = await routing.flagTask({ assignmentId: idInPath(exchange, 'Assignment', id), ...body }, ctx);
  sendJson(exchange, 200, done);
}

function hasContent({ req }: Exchange): boolean {
  return Number(req.headers['content-length'] ?? 0) > 0 || req.headers['transfer-encoding'] !== undefined;
}
