import { InputInvalidError, NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { type Database, withService } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import type { Queryable } from '../platform/rows.js';
import { liftsOf } from './lifts.js';
import { hasMoved, type MeasuredSkill } from './pools.js';
import { skillPools } from './pools.sql.js';
import * as sql from './rebalance.sql.js';

/** Deadlines are weighed anew this often though nothing changed: time passes, and what was lifted gets used up. */
const ROUND_SECONDS = 60;
/** A lift outlives a round or two that do not come. */
const LIFTED_SECONDS = 3 * ROUND_SECONDS;
/** At most so many rows of a project move in a round: what can be claimed until the next one, twice over. */
const ROWS = { min: 50, max: 2_000 } as const;
/** Less than this is no lift. */
const LIFT_MIN = 1.02;

/** What a rebalance did for one project. */
export interface Lift {
  readonly projectId: bigint;
  readonly lift: number;
  /** Tasks that came forward. */
  readonly moved: number;
}

/** Runs each step in a transaction of its own: what holds rows of the queue holds them briefly. */
export type InTransaction = <T>(work: (tx: Queryable) => Promise<T>) => Promise<T>;

/**
 * Weighs the deadlines of a skill's projects against its capacity as last measured, and moves the next tasks of those
 * that need more than their share. For operators; it also comes by itself.
 * @throws NotFoundError where nothing is known of the skill: no project asks for it; InputInvalidError where projects ask
 *   for it only as a further one
 */
export async function rebalanceSkill(
  db: Database,
  viewer: Viewer,
  { skillId }: { skillId: bigint },
): Promise<Lift[]> {
  const { tenantId, identityId: actorId } = viewer;
  const inTransaction: InTransaction = (work) => retrying(() => withService(db, { tenantId, actorId }, work));
  const [pool] = await inTransaction((tx) => skillPools(tx, tenantId, skillId));
  if (pool === undefined) {
    throw (await inTransaction((tx) => sql.isFurtherSkill(tx, { tenantId, skillId })))
      ? new InputInvalidError([
          {
            path: '/skillId',
            message:
              'Projects ask for this skill only beside another, so nothing waits in it. Rebalance the skill that comes first in them.',
          },
        ])
      : new NotFoundError('skill that a project asks for');
  }
  return rebalance(inTransaction, { tenantId, skillId }, pool.capacityPerHour);
}

/** Rebalances those skills whose capacity has changed by more than a tenth, or whose last round is over. */
export async function rebalanceDue(
  inTransaction: InTransaction,
  skills: readonly MeasuredSkill[],
): Promise<number> {
  const due = skills.filter(
    ({ pool }) =>
      pool.queueDepth > 0 &&
      (hasMoved(pool.capacityPerHour, pool.balancedCapacity, 0.1) ||
        (pool.balancedSecondsAgo ?? ROUND_SECONDS) >= ROUND_SECONDS),
  );
  for (const { tenantId, pool } of due) {
    await rebalance(inTransaction, { tenantId, skillId: pool.skillId }, pool.capacityPerHour);
  }
  return due.length;
}

async function rebalance(
  inTransaction: InTransaction,
  skill: sql.SkillRef,
  capacityPerHour: number,
): Promise<Lift[]> {
  // Marked as it begins: what is said to be due meanwhile is due again.
  const flows = await inTransaction(async (tx) => {
    await sql.markBalanced(tx, skill, capacityPerHour);
    return sql.flowsOfSkill(tx, skill);
  });
  const lifts = liftsOf(flows, capacityPerHour);
  const limit = rowsOf(capacityPerHour);
  const done: Lift[] = [];
  for (const [n, flow] of flows.entries()) {
    const wanted = lifts[n] ?? 1;
    const lift = wanted < LIFT_MIN ? 1 : wanted;
    const one = { ...flow, tenantId: skill.tenantId };
    if (lift > 1) {
      const to = { lift, seconds: LIFTED_SECONDS, limit };
      const { moved } = await inTransaction((tx) => sql.liftFlow(tx, one, to));
      done.push({ projectId: flow.projectId, lift, moved });
    } else if (flow.isOpenRanked) {
      await inTransaction(async (tx) => {
        if (flow.lift !== 1) {
          await sql.liftFlow(tx, one, { lift: 1, seconds: 0, limit });
        }
        await sql.closeRanks(tx, one, limit);
      });
    }
  }
  return done;
}

function rowsOf(capacityPerHour: number): number {
  const claimable = Math.ceil((2 * capacityPerHour * ROUND_SECONDS) / 3600);
  return Math.min(ROWS.max, Math.max(ROWS.min, claimable));
}
