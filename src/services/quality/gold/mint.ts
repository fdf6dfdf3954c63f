import { type Database, type Tx, withSystem } from '../../platform/database.js';
import type { Dimension } from '../../tasks/task-types.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { addGolds, type NewGold } from './golds.js';
import type { GoldPlace } from './golds.sql.js';
import { goldToMint, isMintable } from './lifecycle.js';
import { holdLooks, knownPayloads } from './looks.sql.js';
import * as sql from './mint.sql.js';

/** Tasks of a project without any gold that a stronger expert is asked about: at a time, and in all. */
const FIRST_GOLD = { atOnce: 5, most: 20 } as const;

/** Finished tasks that are looked at, the latest, and how many of them a turn. */
const LOOKED_AT = 300;
const TASKS_A_TURN = 60;

/** How often a project's gold is looked at, at most: a pool that runs dry refuses nobody. */
const EVERY_SECONDS = 30;

/**
 * Fills up the gold of projects that are worked on, from their finished tasks whose answer is beyond doubt. Where there are
 * not enough of those nothing is made up: claims are then ordinary ones. A project under a redundancy policy that never had
 * any gold, and has nothing to make it from, asks stronger experts about a few of its finished tasks: those become the first.
 *
 * Running projects take turns, whoever was looked at longest ago first, over all nodes. A turn is taken before it is used, and each
 * project has a transaction of its own: one that fails costs no other its turn.
 * @param limit projects that are looked at
 * @returns how many were looked at, fewer than `limit` when it is nobody's turn; how many golds were minted; what went wrong
 */
export async function mintGolds(
  db: Database,
  limit: number,
): Promise<{ looked: number; minted: number; failures: unknown[] }> {
  const turns = await withSystem(db, async (tx) => {
    await sql.enterProjects(tx, limit);
    return sql.takeTurns(tx, { limit, everySeconds: EVERY_SECONDS });
  });
  const failures: unknown[] = [];
  let minted = 0;
  for (const place of turns.filter(({ isWorkedOn }) => isWorkedOn)) {
    try {
      minted += await withSystem(db, (tx) => mintFor(tx, place));
    } catch (error) {
      failures.push(error);
    }
  }
  return { looked: turns.length, minted, failures };
}

async function mintFor(tx: Tx, place: GoldPlace): Promise<number> {
  const demand = await sql.demandOf(tx, place);
  return demand === null ? 0 : refill(tx, demand);
}

async function refill(tx: Tx, demand: sql.ProjectDemand): Promise<number> {
  const { tenantId, projectId } = demand;
  const wanted = goldToMint(demand);
  if (wanted === 0) {
    return 0;
  }
  const { taskIds, isThrough } = await nextTasks(tx, demand);
  const bar = PAUSE_POLICY.bar;
  const found = (await sql.mintCandidates(tx, { tenantId, projectId }, { bar, taskIds })).filter(isMintable);
  const golds = (await unknown(tx, { tenantId, projectId }, found)).slice(0, wanted);
  if (golds.length === 0) {
    await (demand.isFirst && isThrough
      ? sql.adjudicateForGold(tx, { tenantId, projectId }, FIRST_GOLD)
      : null);
    return 0;
  }
  const place = { tenantId, projectId, source: 'MINTED', actorId: null } as const;
  const dimensions = JSON.parse(demand.dimensions) as Dimension[];
  return (await addGolds(tx, place, { golds, dimensions })).length;
}

/**
 * The next finished tasks to look at: a turn costs as much as so many of them, whatever method weighs their answers, and those
 * of which nothing became gold are not looked at again before the latest have all been.
 */
async function nextTasks(tx: Tx, { lookedBefore: before, looked, ...place }: sql.ProjectDemand) {
  const taskIds = await sql.tasksToMint(tx, place, { before, limit: TASKS_A_TURN });
  const isThrough = taskIds.length < TASKS_A_TURN || looked + taskIds.length >= LOOKED_AT;
  const next = isThrough
    ? { before: null, looked: 0 }
    : { before: taskIds.at(-1) ?? null, looked: looked + taskIds.length };
  await sql.noteLooked(tx, place, next);
  return { taskIds, isThrough };
}

/**
 * Tasks as gold for those who have not met their payload. Of a payload that somebody is still to be given as a task there is
 * none: they would know it.
 */
async function unknown(tx: Tx, place: GoldPlace, found: readonly sql.MintCandidateRow[]): Promise<NewGold[]> {
  if (found.length === 0) {
    return [];
  }
  await holdLooks(tx, place, 'GOLD');
  const keys = found.map(({ payloadKey }) => payloadKey);
  const known = new Map((await knownPayloads(tx, place, keys)).map((row) => [row.payloadKey, row]));
  return found.flatMap(({ taskId, ...task }) => {
    const payload = known.get(task.payloadKey);
    return payload === undefined || payload.isOpen
      ? []
      : [{ ...task, sourceTaskId: taskId, barred: payload.knownTo }];
  });
}
