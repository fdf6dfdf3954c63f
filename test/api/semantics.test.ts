// @long
import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { claimOne, submitOne } from './support/answering.js';
import { until } from './support/until.js';
import { type ApiWorld, makeApiWorld } from './support/world.js';

// What a caller asked for and did not get must be said: a refusal with a code, or the effect.

const db = useTestDb();
const api = useTestApi(db);

/** The payload of a mutation, with the code and faults of a refusal. */
async function call(token: string, mutation: string, input: object) {
  const [name = '', fields = ''] = mutation.split(/ (.*)/);
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const text = `mutation($input: ${type}Input!) { ${name}(input: $input) { __typename
    ... on DomainError { code ... on InputInvalidError { issues { path message } } } ${fields && `... on ${type}Payload { ${fields} }`} } }`;
  return (await api.graphql(token, text, { input })).data[name];
}

const give = (world: ApiWorld, payload: string, choice: 'yes' | 'no') =>
  call(world.operator, 'createGold golds { task { id } }', {
    projectId: world.projectId,
    gold: {
      payload: { question: `Is it ${payload}? plain` },
      contentType: 'application/json',
      externalId: `item-${payload}`,
      answer: { choice },
    },
  });
const end = (world: ApiWorld, name: 'retireGold' | 'suspendGold', taskId: string) =>
  call(world.operator, name, { taskId, reason: 'Looked at.' });

test('a gold with a wrong key is suspended and given again; who was shown it is not shown the corrected one', async () => {
  const world = await makeApiWorld(api, { experts: 2, tasks: 4, redundancy: 1 });
  const [shown, other] = world.experts;
  const wrong = await give(world, 'gold', 'no');
  expect(wrong.golds).toHaveLength(1);
  const held = await claimOne(api, shown?.token ?? '');
  await submitOne(api, shown?.token ?? '', held);
  const refused = await give(world, 'gold', 'yes');
  expect(refused).toMatchObject({ code: 'INPUT_INVALID', issues: [{ path: '/golds/0' }] });
  expect(refused.issues[0].message).toContain('suspendGold');
  const blank = { taskId: wrong.golds[0].task.id, reason: ' \n' };
  expect(await call(world.operator, 'retireGold', blank)).toMatchObject({ code: 'INPUT_INVALID' });
  await end(world, 'suspendGold', wrong.golds[0].task.id);
  const right = await give(world, 'gold', 'yes');
  expect(right.golds[0].task.id).not.toBe(wrong.golds[0].task.id);
  expect(await give(world, 'gold', 'yes')).toEqual(right);
  const kindOf = async (assignmentId: string) =>
    (
      await db.admin.query(
        'select t.kind from assignments a join tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id where a.id = $1',
        [api.server.app.ids.decode(assignmentId)?.id],
      )
    ).rows[0]?.kind;
  expect(await kindOf(held)).toBe('GOLD');
  expect(await kindOf(await claimOne(api, shown?.token ?? ''))).toBe('WORK');
  expect(await kindOf(await claimOne(api, other?.token ?? ''))).toBe('GOLD');
});

test('what has ended is not given again with its own answer, and what was suspended is not retired', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const { golds } = await give(world, 'gold', 'yes');
  const { id } = golds[0].task;
  expect(await end(world, 'retireGold', id)).toMatchObject({ __typename: 'RetireGoldPayload' });
  expect(await end(world, 'retireGold', id)).toMatchObject({ __typename: 'RetireGoldPayload' });
  expect(await give(world, 'gold', 'yes')).toMatchObject({ code: 'INPUT_INVALID' });
  expect(await end(world, 'suspendGold', id)).toMatchObject({ __typename: 'SuspendGoldPayload' });
  expect(await end(world, 'retireGold', id)).toMatchObject({ code: 'GOLD_ENDED' });
  // It keeps the reason that it ended for: another one is refused, not dropped.
  const other = 'suspendGold golds { state }';
  expect(await call(world.operator, other, { taskId: id, reason: 'On second thoughts.' })).toMatchObject({
    code: 'GOLD_ENDED',
  });
  expect(await give(world, 'gold', 'yes')).toMatchObject({ code: 'INPUT_INVALID' });
  const twice = ['yes', 'no'].map((choice) => ({
    payload: 'more',
    externalId: 'item-more',
    answer: { choice },
  }));
  expect(
    await call(world.operator, 'importGold', { projectId: world.projectId, golds: twice }),
  ).toMatchObject({
    code: 'INPUT_INVALID',
  });
});

test('a rule is taken back, and a project stays critical until it is said that it is not', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const { projectId } = world;
  const set = (rule: object) =>
    call(world.customer, 'setRedundancy project { redundancy redundancyPolicy isCritical }', {
      projectId,
      ...rule,
    });
  const agree = { agree: { agree: 2, max: 3 } };
  expect((await set({ ...agree, isCritical: true })).project).toMatchObject({
    redundancy: 3,
    isCritical: true,
  });
  expect((await set({ isCritical: false })).project).toEqual({
    redundancy: 2,
    redundancyPolicy: { kind: 'AGREE', agree: 2, max: 3 },
    isCritical: false,
  });
  expect((await set({ isCritical: true })).project).toMatchObject({ redundancy: 3, isCritical: true });
  expect((await set({ fixed: { answers: 1 } })).project).toEqual({
    redundancy: 3,
    redundancyPolicy: { kind: 'FIXED', answers: 3 },
    isCritical: true,
  });
  expect(await set({ plain: { answers: 2 } })).toMatchObject({ issues: [{ path: '/plain' }] });
  expect(await set({ plain: { answers: 0 }, isCritical: false })).toMatchObject({
    issues: [{ path: '/plain/answers' }],
  });
  expect((await set({ plain: { answers: 2 }, isCritical: false })).project).toEqual({
    redundancy: 2,
    redundancyPolicy: null,
    isCritical: false,
  });
});

test('nothing of a cancelled project is changed', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const { projectId, customer } = world;
  await call(customer, 'cancelProject', { projectId, policy: 'STOP' });
  expect(await call(customer, 'updateProject', { projectId, name: 'Other' })).toMatchObject({
    code: 'PROJECT_NOT_RUNNING',
  });
  expect(await call(customer, 'setRedundancy', { projectId, fixed: { answers: 2 } })).toMatchObject({
    code: 'PROJECT_NOT_RUNNING',
  });
});

test('an expert reads why a human paused them and took it back, and nothing that was written about a finding', async () => {
  const world = await makeApiWorld(api, { tasks: 1, experts: 1 });
  const [expert] = world.experts;
  const { skillId, operator } = world;
  const own = async () => {
    const { data } = await api.graphql(
      expert?.token ?? '',
      `{ expertQuality { standings { phase reason since } notices { phase reason at right results }
         pauses { reason withdrewHeld skill { id } pausedAt resumedAt resumeReason } } }`,
    );
    return data.expertQuality;
  };
  const of = { expertId: expert?.id, skillId };
  await call(operator, 'pauseExpert', { ...of, reason: 'You asked for a break.' });
  expect((await own()).pauses).toMatchObject([
    {
      reason: 'You asked for a break.',
      withdrewHeld: false,
      skill: { id: skillId },
      resumedAt: null,
      resumeReason: null,
    },
  ]);
  // (The server's own job folds it.)
  await until(async () => (await own()).standings.length > 0, 'the standing');
  const { standings, notices } = await own();
  expect(standings).toMatchObject([{ phase: 'PAUSED', reason: 'HUMAN', since: expect.any(String) }]);
  expect(notices).toMatchObject([{ phase: 'PAUSED', reason: 'HUMAN', results: 0 }]);
  expect(await call(operator, 'resumeExpert', { ...of, reason: '' })).toMatchObject({
    issues: [{ path: '/reason' }],
  });
  await call(operator, 'resumeExpert', { ...of, reason: 'Welcome back.' });
  expect((await own()).pauses).toMatchObject([
    { resumedAt: expect.any(String), resumeReason: 'Welcome back.' },
  ]);
  // What was written for staff (with a finding, or before experts read it) stays with them.
  await db.admin.query(
    `insert into pauses (tenant_id, expert_id, reason, status_before, paused_by) select tenant_id, id, 'Quick on gold.', 'ACTIVE', 1
     from experts where tenant_id = $1`,
    [world.tenantId],
  );
  expect(await own()).toMatchObject({ pauses: [{ reason: 'You asked for a break.' }] });
  const staff = `query($id: ID) { expertQuality(expertId: $id) { pauses { reason } } }`;
  expect(
    (await api.graphql(world.analyst, staff, { id: expert?.id })).data.expertQuality.pauses,
  ).toHaveLength(2);
});

test('quality that is measured is not set by hand, and the caller is told', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const [expert] = world.experts;
  await db.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
       truth, answered, is_right, graded_at)
     select p.tenant_id, 1, 1, p.id, $2, p.skill_id, p.task_type_id, 'choice', 'GOLD', 'yes', 'yes', true, app.clock_now()
     from projects p where p.tenant_id = $1`,
    [world.tenantId, api.server.app.ids.decode(expert?.id ?? '')?.id],
  );
  const folded = 'select from quality_scores where tenant_id = $1';
  await until(async () => (await db.admin.query(folded, [world.tenantId])).rowCount === 1, 'the score');
  const base = { expertId: expert?.id, skillId: world.skillId, status: 'ACTIVE' };
  const set = (quality: object) => call(world.operator, 'setExpertSkill', { ...base, ...quality });
  expect(await set({ qualityMean: 1, qualityLower: 0.99 })).toMatchObject({
    issues: [{ path: '/qualityMean' }],
  });
  expect(await set({})).toMatchObject({ __typename: 'SetExpertSkillPayload' });
});
