import { setBudget } from '../../../../src/services/projects/budget.js';
import { type RedundancyChange, setRedundancy } from '../../../../src/services/projects/redundancy.js';
import type { TestDb } from '../../../support/db.js';
import { at, type CHOICES, makeBatch, makeWorld, type World } from '../../../support/factories.js';
import { submit, take } from '../../../support/work.js';

export type Choice = (typeof CHOICES)[number];
/** What an answer costs. */
export const PRICE = 25n;
export const TWO_OF_THREE = { kind: 'AGREE', agree: 2, max: 3 } as const;

interface Asked {
  readonly tasks: number;
  readonly policy?: RedundancyChange['policy'];
  readonly experts?: number;
}

/** Sets, in answers that it pays for, what a project may cost. */
export const setIn =
  (t: TestDb) =>
  (world: World, answers: bigint | null, viewer = world.operator) =>
    setBudget(t.database, viewer, {
      projectId: world.projectId,
      budgetMinor: answers === null ? null : answers * PRICE,
    });

/** Makes tasks of a project under a policy, and a budget that pays for so many answers. */
export const budgetedIn =
  (t: TestDb) =>
  async (answers: bigint, { tasks, policy = TWO_OF_THREE, experts = 6 }: Asked): Promise<World> => {
    const world = await makeWorld(t.database, { experts, tasks: 0, quality: 0.85 });
    const { projectId, operator } = world;
    await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
    await setIn(t)(world, answers);
    const { taskIds } = await makeBatch(t.database, world, { projectId, tasks });
    return { ...world, taskIds };
  };

/** Has each expert answer one task, the next in the queue. */
export const answersIn =
  (t: TestDb) =>
  async (world: World, choices: readonly Choice[], from = 0): Promise<void> => {
    for (const [index, choice] of choices.entries()) {
      const expert = at(world.experts, from + index);
      await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
    }
  };

const rows = async (t: TestDb, sql: string, values: readonly unknown[]) =>
  (await t.admin.query(sql, [...values])).rows;

/** How many answers are committed of a project's budget. */
export const committedIn =
  (t: TestDb) =>
  async ({ projectId }: World) =>
    BigInt(
      at(await rows(t, 'select committed_minor from project_budgets where project_id = $1', [projectId]), 0)
        .committed_minor,
    ) / PRICE;

export const decisionsIn = (t: TestDb) => (taskId: bigint) =>
  rows(t, 'select answers, next, reason from task_decisions where task_id = $1 order by id', [taskId]);

export const taskIn = (t: TestDb) => async (id: bigint) =>
  at(await rows(t, 'select state, wanted::int, counted::int from tasks where id = $1', [id]), 0);
