import type { Context } from '../context.js';
import type { CreateGoldInput, ImportGoldInput, RetireGoldInput } from '../schema/quality/gold-mutations.js';
import { type AddedGolds, createGolds } from '../services/projects/gold-intake.js';
import * as curation from '../services/quality/gold/curation.js';
import { type GoldWarning, warningsOf } from '../services/quality/gold/warnings.js';
import type { Page } from './paging.js';

export const gold = (page: Page & Parameters<typeof curation.goldOf>[2], { app, asker }: Context) =>
  curation.goldOf(app.db, asker, page);

export const goldsOf = (taskIds: readonly bigint[], { app, asker }: Context) =>
  curation.goldsOf(app.db, asker, taskIds);

export const goldWarnings = async (
  { taskIds, isBeforeTasks }: AddedGolds,
  ctx: Context,
): Promise<GoldWarning[]> => warningsOf(await goldsOf(taskIds, ctx), isBeforeTasks);

export const createGold = (
  { projectId, gold }: typeof CreateGoldInput.$inferInput,
  { app, viewer }: Context,
) =>
  createGolds({ db: app.db, store: app.payloads }, viewer, {
    projectId: projectId.id,
    golds: [gold],
    source: 'HAND',
  });

export const importGold = (
  { projectId, golds }: typeof ImportGoldInput.$inferInput,
  { app, viewer }: Context,
) =>
  createGolds({ db: app.db, store: app.payloads }, viewer, {
    projectId: projectId.id,
    golds,
    source: 'IMPORT',
  });

export async function endGold(
  { taskId, reason }: typeof RetireGoldInput.$inferInput,
  { state, ctx }: { state: 'RETIRED' | 'SUSPENDED'; ctx: Context },
): Promise<{ taskIds: bigint[] }> {
  await curation.endGold(ctx.app.db, ctx.viewer, { taskId: taskId.id, state, reason });
  return { taskIds: [taskId.id] };
}
