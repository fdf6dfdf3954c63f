import type { Context } from '../context.js';
import type { Pool } from '../generated/prisma/client.js';
import type { RebalanceSkillInput } from '../schema/routing/pools.js';
import { type Lift, rebalanceSkill as rebalance } from '../services/routing/rebalance.js';
import { type Suggestion, suggestedExperts as suggested } from '../services/routing/suggestions.js';
import { forward, type Page } from './paging.js';

interface Only {
  readonly skillId: bigint | null;
  readonly taskTypeId: bigint | null;
}

export function pools({ skillId, taskTypeId, ...page }: Page & Only, ctx: Context): Promise<Pool[]> {
  const { where, ...order } = forward(page);
  const only = { ...(skillId === null ? {} : { skillId }), ...(taskTypeId === null ? {} : { taskTypeId }) };
  return ctx.read((tx) => tx.pool.findMany({ ...order, where: { ...where, ...only } }));
}

/** Seconds since an instant by the database's clock; null for none. */
export async function secondsSince(at: Date | null, { load }: Context): Promise<number | null> {
  return at === null ? null : Math.max(0, Math.floor(((await load.now()).getTime() - at.getTime()) / 1000));
}

export async function rebalanceSkill(
  { skillId }: typeof RebalanceSkillInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ skillId: bigint; lifts: Lift[] }> {
  return { skillId: skillId.id, lifts: await rebalance(app.db, viewer, { skillId: skillId.id }) };
}

export const suggestedExperts = (skillId: bigint, { read, viewer }: Context): Promise<Suggestion[]> =>
  read((tx) => suggested(tx, { tenantId: viewer.tenantId, skillId }));

const percent = (part: number | null) => `${Math.round((part ?? 0) * 100)} %`;

/** What keeps the expert from the work, and what would mend it. */
export function reasonOf({ kind, quality, minQuality, missing, neighbour }: Suggestion): string {
  switch (kind) {
    case 'PAUSED_SKILL':
      return 'Has the skill and the quality, and is paused in this skill only: resume it if the reason is gone.';
    case 'BELOW_MINIMUM':
      return `Their proven quality is ${percent(quality)}, and work that waits asks for ${percent(minQuality)}: some more checked answers could prove it.`;
    case 'NEARLY_FITS':
      return `Fits work that waits but for one thing that they do not have, or have not proven: "${missing}".`;
    case 'NEIGHBOUR':
      return `Works in "${neighbour}"; most who do also have this skill. Ask them, and put them on probation.`;
  }
}
