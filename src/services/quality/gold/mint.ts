import { type Database, type Tx, withSystem } from '../../platform/database.js';
import type { Dimension } from '../../tasks/task-types.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { addGolds } from './golds.js';
import { goldToMint, isMintable } from './lifecycle.js';
import * as sql from './mint.sql.js';
import { tryGoldTurn } from './rates.sql.js';

/** Tasks of a project without any gold that a stronger expert is asked about: at a time, and in all. */
const FIRST_GOLD = { atOnce: 5, most: 20 } as const;

/**
 * Fills up the gold of projects that are worked on, from their finished tasks whose answer is beyond doubt. Where there are
 * not enough of those nothing is made up: claims are then ordinary ones. A project under a redundancy policy that never had
 * any gold, and has nothing to make it from, asks stronger experts about a few of its finished tasks: those become the first.
 * @param afterId go on after this project; 0n from the first
 * @returns the project to go on after, 0n when all were looked at, and how many golds were minted
 */
export function mintGolds(
  db: Database,
  { afterId, limit }: { afterId: bigint; limit: number },
): Promise<{ afterId: bigint; minted: number }> {
  return withSystem(db, async (tx) => {
    if (!(await tryGoldTurn(tx))) {
      return { afterId, minted: 0 };
    }
    const demands = await sql.demands(tx, { afterId, limit });
    let minted = 0;
    for (const demand of demands) {
      minted += await refill(tx, demand);
    }
    const last = demands.at(-1)?.projectId ?? 0n;
    return { afterId: demands.length < limit ? 0n : last, minted };
  });
}

async function refill(tx: Tx, demand: sql.ProjectDemand): Promise<number> {
  const { tenantId, projectId } = demand;
  const wanted = goldToMint(demand);
  if (wanted === 0) {
    return 0;
  }
  const found = (await sql.mintCandidates(tx, { tenantId, projectId }, PAUSE_POLICY.bar)).filter(isMintable);
  const golds = found.slice(0, wanted).map(({ taskId, ...task }) => ({ ...task, sourceTaskId: taskId }));
  if (golds.length === 0) {
    await (demand.isFirst ? sql.adjudicateForGold(tx, { tenantId, projectId }, FIRST_GOLD) : null);
    return 0;
  }
  const place = { tenantId, projectId, source: 'MINTED', actorId: null } as const;
  const dimensions = JSON.parse(demand.dimensions) as Dimension[];
  return (await addGolds(tx, place, { golds, dimensions })).length;
}
