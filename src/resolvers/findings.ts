import type { Context } from '../context.js';
import type { DismissFindingInput, PauseFromFindingInput } from '../schema/quality/findings.js';
import { type DoorFilter, doorsOf } from '../services/quality/reads/doors.js';
import * as watching from '../services/quality/watching/findings.js';
import { badInput } from './api-errors.js';
import type { Page } from './paging.js';

export const findings = (filter: watching.FindingFilter, page: Page, { app, asker }: Context) =>
  watching.findingsOf(app.db, asker, { filter, page });

export const doors = (filter: DoorFilter, page: Page, { app, asker }: Context) =>
  doorsOf(app.db, asker, { filter, page });

export const finding = (findingId: bigint, { app, asker }: Context) =>
  watching.findingOf(app.db, asker, findingId);

export async function dismissFinding(
  input: typeof DismissFindingInput.$inferInput,
  ctx: Context,
): Promise<{ findingId: bigint } & watching.Undone> {
  const findingId = idOf(input.findingId, ctx);
  const made = { decision: 'DISMISSED' } as const;
  const undone = await watching.decideFinding(ctx.app.db, ctx.viewer, {
    findingId,
    reason: input.reason,
    made,
  });
  return { findingId, ...undone };
}

export async function pauseFromFinding(
  input: typeof PauseFromFindingInput.$inferInput,
  ctx: Context,
): Promise<{ findingId: bigint }> {
  const findingId = idOf(input.findingId, ctx);
  const withdraw = input.withdrawHeld ?? false;
  const made = { decision: 'PAUSED', expertId: input.expertId.id, withdraw } as const;
  await watching.decideFinding(ctx.app.db, ctx.viewer, { findingId, reason: input.reason, made });
  return { findingId };
}

/** Findings are no nodes: `node(id)` would show them to whoever may act as an expert too. */
function idOf(opaque: string, { app }: Context): bigint {
  const decoded = app.ids.decode(opaque);
  if (decoded === null || decoded.type !== 'QualityFinding') {
    throw badInput('`findingId` is not the id of a finding.');
  }
  return decoded.id;
}
