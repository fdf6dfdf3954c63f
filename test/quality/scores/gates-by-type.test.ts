import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { createSleepersLook } from '../../../src/services/quality/scores/sleepers.js';
import { pauseExpert, resumeExpert } from '../../../src/services/routing/pauses.js';
import { useTestDb } from '../../support/db.js';
import {
  type Expert,
  makeBatch,
  makeExpert,
  makeProject,
  makeTaskType,
  makeWorld,
  type World,
} from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext } from '../../support/work.js';
import { foldScores, mixed, plantGradings, settle } from '../support/graded.js';

// A bar is a bar of the task type (decision 0122). Chance draws 0 here.
const t = useTestDb();
const DAY_SECONDS = 86_400;

/** A skill of two task types, each with a project that asks for so much, and somebody past probation in it. */
async function twoTypes(minQuality: number) {
  const first = await makeWorld(t.database, { experts: 3, tasks: 40, project: { minQuality } });
  const taskTypeId = await makeTaskType(t.database, first);
  const projectId = await makeProject(t.database, { ...first, taskTypeId }, { minQuality });
  await makeBatch(t.database, first, { projectId, tasks: 40 });
  const expert = await makeExpert(t.database, first, []);
  const change = { expertId: expert.expertId, skillId: first.skillId, status: 'PROBATION' } as const;
  await setExpertSkill(t.database, first.operator, { ...change, qualityMean: null, qualityLower: null });
  const second: World = Object.create(first, {
    taskTypeId: { value: taskTypeId },
    projectId: { value: projectId },
  });
  return { first, second, expert };
}

async function grade(world: World, expert: Expert, [of, right]: [number, number]): Promise<void> {
  await plantGradings(t.admin, { world, expert }, mixed(of, right));
  await fold();
  await t.advance(60);
}

async function fold(): Promise<void> {
  await foldScores(t);
  await settle(t);
}

/** Of which projects the next answers of an expert are. */
async function projectsOf(expert: Expert, answers: number): Promise<Set<bigint>> {
  const found = new Set<bigint>();
  for (let n = 0; n < answers; n++) {
    const { id } = await answerNext(t.database, expert);
    found.add(BigInt(await numberOf(t.admin, 'select project_id from assignments where id = $1', [id])));
  }
  return found;
}

test('who is good at one type and guesses at another is given work of the one, whichever came last', async () => {
  const { first, second, expert } = await twoTypes(0.75);
  await grade(first, expert, [40, 40]);
  await grade(second, expert, [9, 5]);
  // Nine results say nothing by themselves yet.
  expect(await projectsOf(expert, 6)).toEqual(new Set([first.projectId, second.projectId]));
  await grade(second, expert, [12, 5]);
  expect(await projectsOf(expert, 6)).toEqual(new Set([first.projectId]));
  await expectRulesHold(t.database);
});

test('whoever is below the bar of a type is tried at it after a day, and only what they do from there counts', async () => {
  const { first, second, expert } = await twoTypes(0.75);
  await grade(first, expert, [40, 40]);
  await grade(second, expert, [20, 9]);
  expect(await projectsOf(expert, 4)).toEqual(new Set([first.projectId]));
  await t.advance(DAY_SECONDS);
  await fold();
  expect(await projectsOf(expert, 12)).toEqual(new Set([first.projectId, second.projectId]));
  const doors = await t.admin.query(
    `select kind, quality from doors where expert_id = $1 and task_type_id = $2 and kind = 'TRIAL'`,
    [expert.expertId, second.taskTypeId],
  );
  expect(doors.rows).toEqual([{ kind: 'TRIAL', quality: 0.75 }]);
  await grade(second, expert, [6, 6]);
  expect(await projectsOf(expert, 4)).toEqual(new Set([first.projectId, second.projectId]));
  await grade(first, expert, [20, 20]);
  await grade(second, expert, [10, 1]);
  expect(await projectsOf(expert, 4)).toEqual(new Set([first.projectId]));
  await expectRulesHold(t.database);
});

test('a trial at the bar of eight in ten is lost by results, and the next comes after three days', async () => {
  const { first, second, expert } = await twoTypes(0.8);
  const [one, both] = [new Set([first.projectId]), new Set([first.projectId, second.projectId])];
  await grade(first, expert, [40, 40]);
  await grade(second, expert, [20, 9]);
  await t.advance(DAY_SECONDS);
  await fold();
  expect(await projectsOf(expert, 8)).toEqual(both);
  await grade(first, expert, [30, 30]);
  await grade(second, expert, [12, 5]);
  await grade(first, expert, [10, 10]);
  expect(await projectsOf(expert, 4)).toEqual(one);
  await t.advance(DAY_SECONDS);
  await fold();
  expect(await projectsOf(expert, 4)).toEqual(one);
  await t.advance(2 * DAY_SECONDS);
  await fold();
  expect(await projectsOf(expert, 8)).toContain(second.projectId);
  await expectRulesHold(t.database);
});

test('work without a bar waits in one lane whatever its type, work with one in a lane of its own', async () => {
  const { first } = await twoTypes(0.6);
  const lanes = () => numberOf(t.admin, 'select count(*) from lanes where tenant_id = $1', [first.tenantId]);
  expect(await lanes()).toBe(2);
  for (const taskTypeId of [first.taskTypeId, await makeTaskType(t.database, first)]) {
    await makeProject(t.database, { ...first, taskTypeId });
  }
  expect(await lanes()).toBe(3);
});

/** What is in effect of an expert by task type, and what is decided. */
async function gatesOf(expert: Expert) {
  const { rows } = await t.admin.query(
    `select s.type_ids::text[] as ids, s.type_gates as gates, n.type_ids::text[] as "decidedIds", n.type_gates as "decidedGates"
     from expert_skills s join newcomer_decisions n on n.tenant_id = s.tenant_id and n.expert_id = s.expert_id and n.skill_id = s.skill_id
     where s.expert_id = $1`,
    [expert.expertId],
  );
  const { ids, gates, decidedIds, decidedGates } = rows[0];
  const by = (names: string[], values: number[]) => new Map(names.map((id, n) => [BigInt(id), values[n]]));
  return { inEffect: by(ids, gates), decided: by(decidedIds, decidedGates) };
}

test('a human’s pause ends what was decided by task type, whatever others do to the skill meanwhile', async () => {
  const { first, second, expert } = await twoTypes(0.75);
  const pause = { expertId: expert.expertId, skillId: first.skillId, reason: 'while it is looked into' };
  await grade(first, expert, [40, 40]);
  await grade(second, expert, [20, 19]);
  expect([...(await gatesOf(expert)).decided.keys()]).toEqual([first.taskTypeId, second.taskTypeId]);
  await pauseExpert(t.database, first.operator, { ...pause, withdraw: false });
  await fold();
  expect((await gatesOf(expert)).decided).toEqual(new Map());
  // What is believed of anybody in the skill has fallen when a last result of theirs comes in.
  for (const other of [first.ada, first.bob]) {
    await grade(first, other, [40, 4]);
  }
  await grade(first, expert, [1, 1]);
  await expectRulesHold(t.database);
  await resumeExpert(t.database, first.operator, pause);
  await fold();
  expect(await projectsOf(expert, 6)).toEqual(new Set([first.projectId, second.projectId]));
  await expectRulesHold(t.database);
});

test('a trial brings into effect what it is about, and nothing that results decided of other types', async () => {
  const { first, second, expert } = await twoTypes(0.75);
  const taskTypeId = await makeTaskType(t.database, first);
  const projectId = await makeProject(t.database, { ...first, taskTypeId }, { minQuality: 0.75 });
  const third: World = Object.create(first, {
    taskTypeId: { value: taskTypeId },
    projectId: { value: projectId },
  });
  await grade(first, expert, [40, 40]);
  await grade(third, expert, [10, 10]);
  await grade(second, expert, [20, 9]);
  await grade(first, expert, [30, 30]); // (or they would be paused)
  const before = (await gatesOf(expert)).inEffect;
  expect(before.get(second.taskTypeId)).toBeLessThan(0.75);
  await t.advance(DAY_SECONDS);
  await plantGradings(t.admin, { world: third, expert }, mixed(12, 2));
  await foldScores(t);
  const { inEffect, decided } = await gatesOf(expert);
  expect(inEffect.get(second.taskTypeId)).toBe(0.75);
  expect(decided.get(taskTypeId)).toBeLessThan(0.75);
  expect(inEffect.get(taskTypeId)).toBe(before.get(taskTypeId));
  await settle(t);
  expect((await gatesOf(expert)).inEffect).toEqual(decided);
});

test('whoever was away for long is tried within a day of their first work, though they were never refused any', async () => {
  const { first, second, expert } = await twoTypes(0.8);
  await grade(first, expert, [40, 40]);
  await grade(second, expert, [20, 9]);
  await t.advance(DAY_SECONDS);
  await fold();
  await grade(first, expert, [30, 30]);
  await grade(second, expert, [12, 5]);
  await grade(first, expert, [10, 10]);
  expect(await projectsOf(expert, 2)).toEqual(new Set([first.projectId]));
  const asleep = () =>
    numberOf(t.admin, 'select count(*) from expert_skills where expert_id = $1 and asleep', [
      expert.expertId,
    ]);
  await t.advance(12 * DAY_SECONDS);
  await fold();
  expect(await asleep()).toBe(1);
  const look = createSleepersLook(t.database);
  await look();
  expect(await asleep()).toBe(1);
  await answerNext(t.database, expert);
  await t.advance(DAY_SECONDS);
  await look();
  await fold();
  expect(await asleep()).toBe(0);
  expect(await projectsOf(expert, 8)).toContain(second.projectId);
});
