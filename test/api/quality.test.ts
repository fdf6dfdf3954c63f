import { expect, test } from 'vitest';
import { settle } from '../quality/support/graded.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { plantGold } from '../support/planted-gold.js';
import { until } from './support/until.js';
import { type ApiWorld, idOf, makeApiWorld, makeCustomer } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const CLAIM = `mutation($i: ClaimTaskInput!) { claimTask(input: $i) { ... on ClaimTaskPayload {
  assignment { id task { id } lease { epoch } } } } }`;
const SUBMIT = `mutation($i: SubmitInput!) { submit(input: $i) { __typename ... on SubmitPayload { receipt { digest } }
  ... on AnswerInvalidError { issues { path } } } }`;
const SET = `mutation($i: SetRedundancyInput!) { setRedundancy(input: $i) { __typename
  ... on SetRedundancyPayload { project { redundancy redundancyPolicy } } ... on InputInvalidError { issues { path } } } }`;
const ESCALATE = `mutation($i: EscalateTaskInput!) { escalateTask(input: $i) { __typename } }`;
const PROJECT = `query($id: ID!) { projectQuality(projectId: $id) { adjudicationsOpened
  dimensions { dimension scale tasks alpha stated isCalibrated }
  forms { clientVersion formVariant answers agreed compared } } }`;
const AGREEMENT = `query($project: ID!, $skill: ID!) {
  pairAgreement(projectId: $project) { dimension tasks alpha agreed kappa scottPi gwetAc1 experts { id } }
  skillAgreement(skillId: $skill) { dimension scale tasks alpha taskType { id } experts { tasks alpha agreed expert { id } } } }`;
const TASK = `query($id: ID!) { taskConsensus(taskId: $id) { dimension label votes probability } }`;
const EXPERT = `query($id: ID) { expertQuality(expertId: $id) { scores { mean results skill { name } } calibration { pairs isUsed }
  standings { phase isInEffect } notices { phase reason right results } } }`;

interface Held {
  readonly id: string;
  readonly taskId: string;
}

async function answer(world: ApiWorld, index: number, answered: object): Promise<Held> {
  const token = world.experts[index]?.token ?? '';
  const claimed = await api.graphql(token, CLAIM, { i: {} });
  const { id, task, lease } = claimed.data.claimTask.assignment;
  const input = { assignmentId: id, leaseEpoch: lease.epoch, ...answered };
  const { data } = await api.graphql(token, SUBMIT, { i: input });
  expect(data.submit).toMatchObject({ __typename: 'SubmitPayload' });
  return { id, taskId: task.id };
}

test('a customer says how many answers a task gets, sees how they agree, and sends one to a stronger expert', async () => {
  const world = await makeApiWorld(api, { experts: 3, tasks: 0 });
  const { customer, projectId } = world;
  // Else the job may send the task to a stronger expert before this customer does, for the first gold.
  await plantGold(db.admin, world.tenantId);
  const rule = { projectId, agree: { agree: 2, max: 3 } };
  const set = await api.graphql(customer, SET, { i: rule });
  expect(set.data.setRedundancy.project).toEqual({
    redundancy: 2,
    redundancyPolicy: { kind: 'AGREE', agree: 2, max: 3 },
  });
  const bad = await api.graphql(customer, SET, { i: { projectId, agree: { agree: 1, max: 0 } } });
  expect(bad.data.setRedundancy.issues.map(({ path }: { path: string }) => path)).toEqual([
    '/agree/agree',
    '/agree/max',
  ]);
  const none = await api.graphql(customer, SET, { i: { projectId } });
  expect(none.data.setRedundancy.__typename).toBe('InputInvalidError');

  await idOf(
    api,
    customer,
    'createBatch.batch',
  )({
    projectId,
    name: 'b',
    idempotencyKey: 'b',
    tasks: [{ payload: 'p' }],
  });
  await until(async () => {
    const { data } = await api.graphql(world.experts[0]?.token ?? '', CLAIM, { i: {} });
    return data.claimTask.assignment !== null;
  }, 'the batch');
  const { taskId } = await answer(world, 0, { answer: { choice: 'yes' }, formVariant: 'A' });
  await answer(world, 1, { answer: { choice: 'no' }, formVariant: 'B', clientVersion: '2.0' });
  await answer(world, 2, { answer: { choice: 'yes' }, formVariant: 'A' });

  const quality = () => api.graphql(customer, PROJECT, { id: projectId });
  await until(async () => (await quality()).data.projectQuality.dimensions.length > 0, 'agreement');
  const { data } = await quality();
  const { dimensions, forms, adjudicationsOpened } = data.projectQuality;
  // One unit of yes, no, yes: observed disagreement 2/3, expected the same: alpha is 0.
  expect(dimensions).toEqual([
    {
      dimension: 'choice',
      scale: 'NOMINAL',
      tasks: 1,
      alpha: 0,
      stated: expect.any(Number),
      isCalibrated: false,
    },
  ]);
  expect(forms).toEqual([
    { clientVersion: null, formVariant: 'A', answers: 2, agreed: 0.5, compared: 2 },
    { clientVersion: '2.0', formVariant: 'B', answers: 1, agreed: 0, compared: 1 },
  ]);
  expect(adjudicationsOpened).toBe(0);
  await expectAgreementOfExperts(world);
  const consensus = (await api.graphql(customer, TASK, { id: taskId })).data.taskConsensus;
  // Analysts see the same, by their own role.
  const { analyst } = world;
  expect((await api.graphql(analyst, TASK, { id: taskId })).data.taskConsensus).toEqual(consensus);
  const seen = (await api.graphql(analyst, PROJECT, { id: projectId })).data.projectQuality;
  expect(seen.dimensions).toEqual(dimensions);
  expect(consensus).toMatchObject([
    { dimension: 'choice', label: 'yes', votes: 2 },
    { label: 'no', votes: 1 },
  ]);
  const escalated = await api.graphql(customer, ESCALATE, { i: { taskId, reason: 'We doubt it.' } });
  expect(escalated.data.escalateTask.__typename).toBe('EscalateTaskPayload');
  const again = await api.graphql(customer, ESCALATE, { i: { taskId, reason: 'We doubt it.' } });
  expect(again.data.escalateTask.__typename).toBe('NotEscalatableError');

  const other = await makeCustomer(api, { ...world, marker: 'other' });
  const foreign = await api.attempt(other.token, SET, { i: rule });
  expect(JSON.stringify(foreign)).toContain('NotFoundError');
  expect((await api.graphql(other.token, PROJECT, { id: projectId })).data.projectQuality).toBeNull();
  const expert = await api.attempt(world.experts[0]?.token ?? '', TASK, { id: taskId });
  expect(expert.errors[0]?.extensions?.code).toBe('FORBIDDEN');
  expect((await api.graphql(other.token, TASK, { id: taskId })).data.taskConsensus).toBeNull();
});

/** Of yes, no and yes: whose answers agree, to analysts and to nobody else. */
async function expectAgreementOfExperts(world: ApiWorld): Promise<void> {
  const of = { project: world.projectId, skill: world.skillId };
  const { data } = await api.graphql(world.analyst, AGREEMENT, of);
  expect(data.pairAgreement).toHaveLength(3);
  expect(data.pairAgreement.map(({ agreed }: { agreed: number }) => agreed).sort()).toEqual([0, 0, 1]);
  const [seen] = data.skillAgreement;
  expect(seen).toMatchObject({ dimension: 'choice', scale: 'NOMINAL', tasks: 1, alpha: 0 });
  const agreed = seen.experts.map((one: { expert: { id: string }; agreed: number }) => [
    one.expert.id,
    one.agreed,
  ]);
  expect(new Map(agreed)).toEqual(new Map(world.experts.map(({ id }, index) => [id, index === 1 ? 0 : 0.5])));
  for (const token of [world.customer, world.experts[0]?.token ?? '']) {
    expect((await api.attempt(token, AGREEMENT, of)).errors[0]?.extensions?.code).toBe('FORBIDDEN');
  }
}

test('what a client says of its form is checked', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const token = world.experts[0]?.token ?? '';
  const claimed = await api.graphql(token, CLAIM, { i: {} });
  const { id, lease } = claimed.data.claimTask.assignment;
  const input = { assignmentId: id, leaseEpoch: lease.epoch, answer: { choice: 'yes' }, formVariant: 'a b' };
  const { data } = await api.graphql(token, SUBMIT, { i: input });
  expect(data.submit).toEqual({ __typename: 'AnswerInvalidError', issues: [{ path: 'formVariant' }] });
});

test('an expert sees their own scores, standing and calibration once the day is over; staff see everybody’s at once', async () => {
  const world = await makeApiWorld(api, { experts: 2, tasks: 1 });
  const [me, other] = world.experts;
  const expertId = api.server.app.ids.decode(me?.id ?? '')?.id ?? 0n;
  await db.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
       truth, answered, is_right, stated, graded_at)
     select p.tenant_id, n, n, p.id, $2, p.skill_id, p.task_type_id, 'choice', 'GOLD', 'yes', 'no', false, 0.9,
            app.clock_now() - make_interval(secs => 30 - n)
     from projects p cross join generate_series(1, 20) n where p.tenant_id = $1`,
    [world.tenantId, expertId],
  );
  const seenByStaff = async () =>
    (await api.graphql(world.analyst, EXPERT, { id: me?.id })).data.expertQuality;
  await until(async () => (await seenByStaff()).scores.length > 0, 'the fold');
  const staff = await seenByStaff();
  expect(staff.calibration).toEqual({ pairs: 20, isUsed: false });
  expect(staff.standings).toEqual([{ phase: 'PAUSED', isInEffect: false }]);
  const own = (await api.graphql(me?.token ?? '', EXPERT, {})).data.expertQuality;
  expect(own).toEqual({ scores: [], calibration: null, standings: [], notices: [] });
  await settle(db);
  const skills = `{ viewer { expert { skills { qualityMean } } } }`;
  const figure = (await api.graphql(me?.token ?? '', skills)).data.viewer.expert.skills[0].qualityMean;
  expect(figure).toBe(0.9);
  const told = (await api.graphql(me?.token ?? '', EXPERT, {})).data.expertQuality;
  expect(told.standings).toEqual([{ phase: 'PAUSED', isInEffect: true }]);
  expect(told.notices.map(({ phase }: { phase: string }) => phase)).toEqual(['PAUSED', 'WARNED']);
  expect((await api.graphql(other?.token ?? '', EXPERT, { id: me?.id })).data.expertQuality).toBeNull();
  const nobody = await api.attempt(world.analyst, EXPERT, {});
  expect(nobody.errors[0]?.extensions?.code).toBe('BAD_USER_INPUT');
  const customer = await api.attempt(world.customer, EXPERT, { id: me?.id });
  expect(customer.errors[0]?.extensions?.code).toBe('FORBIDDEN');
});
