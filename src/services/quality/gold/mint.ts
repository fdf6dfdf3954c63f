import { type Database, type Tx, withSystem } from '../../platform/database.js';
import type { Dimension } from '../../tasks/task-types.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { addGolds, type NewGold } from './golds.js';
import type { GoldPlace } from './golds.sql.js';
import { goldToMint, isMintable } from './lifecycle.js';
import { holdLooks, knownPayloads } from './looks.sql.js';
import * as sql from './mint.sql.js';
import * as looks from './mint-looks.sql.js';

/** Tasks of a project without any gold that are drawn for it, and a stronger expert is asked about: at a time, and in all. */
const FIRST_GOLD = { atOnce: 5, most: 20 } as const;

/** Finished tasks that are judged a turn, and after how many in vain stronger experts are asked about some. */
const TASKS_A_TURN = 60;
const IN_VAIN = 300;

/** How often a project's gold is looked at, at most: a pool that runs dry refuses nobody. */
const EVERY_SECONDS = 30;

/**
 * Fills up the gold of projects that are worked on, from their finished tasks whose answer is beyond doubt. Where there are
 * not enough of those nothing is made up: claims are then ordinary ones. A project under a redundancy policy that never had
 * any gold, and has nothing to make it from, draws a few of its first tasks, done or not, and asks stronger experts about each of them when it is
 * done: those become the first.
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
  for (const { isWorkedOn, hasDraws, ...place } of turns) {
    try {
      minted += isWorkedOn ? await withSystem(db, (tx) => mintFor(tx, place)) : 0;
      // Apart, for whoever asks waits for a budget; whether there is gold by now or not, and whether anybody works: a draw that is not seen through is none.
      await (isWorkedOn || hasDraws
        ? withSystem(db, (tx) => sql.askDraws(tx, place, FIRST_GOLD.atOnce))
        : null);
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
  const { taskIds, isInVain } = await nextTasks(tx, demand);
  const bar = PAUSE_POLICY.bar;
  const judged =
    taskIds.length === 0 ? [] : await sql.mintCandidates(tx, { tenantId, projectId }, { bar, taskIds });
  const found = judged.filter(isMintable);
  const makeable = await unknown(tx, { tenantId, projectId }, found);
  const may = new Set(found.map(({ taskId }) => taskId));
  const now = new Set(makeable.map(({ sourceTaskId }) => sourceTaskId));
  await looks.noteVain(
    tx,
    { tenantId, projectId },
    {
      vain: taskIds.filter((id) => !may.has(id)),
      open: [...may].filter((id) => !now.has(id)),
    },
  );
  const golds = makeable.slice(0, wanted);
  if (golds.length === 0) {
    await (demand.isFirst && isInVain ? sql.drawFirstGold(tx, { tenantId, projectId }, FIRST_GOLD) : null);
    return 0;
  }
  const place = { tenantId, projectId, source: 'MINTED', actorId: null } as const;
  const dimensions = JSON.parse(demand.dimensions) as Dimension[];
  return (await addGolds(tx, place, { golds, dimensions })).length;
}

/**
 * The next finished tasks to judge: those that were finished lately, and then, walking back through all of them from turn to turn, older
 * ones. Of which nothing could be made with the same answers is left out, so that a turn is of others each time.
 */
async function nextTasks(tx: Tx, { lookedBefore, looked, ...place }: sql.ProjectDemand) {
  const latest = await looks.tasksToMint(tx, place, { before: null, limit: TASKS_A_TURN });
  const limit = TASKS_A_TURN - latest.taskIds.length;
  const before = lookedBefore ?? latest.last;
  const isNone = latest.isEnd || before === null;
  const back =
    limit === 0 || isNone
      ? { taskIds: [], last: before, isEnd: isNone }
      : await looks.tasksToMint(tx, place, { before, limit });
  const isFull = back.taskIds.length === limit;
  const isThrough = limit > 0 && back.isEnd && !(isFull && !isNone);
  const taskIds = [...latest.taskIds, ...back.taskIds];
  const next = isThrough ? null : isFull ? (back.taskIds.at(-1) ?? lookedBefore) : back.last;
  const count = looked + taskIds.length;
  await looks.noteLooked(tx, place, { before: next, looked: isThrough ? 0 : count });
  return { taskIds, isInVain: isThrough || count >= IN_VAIN };
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
