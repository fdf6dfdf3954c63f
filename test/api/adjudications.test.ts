import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { plantGold } from '../support/planted-gold.js';
import { makeApiWorld, makeBatch } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const CLAIM = `mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id task { id } lease { epoch } } } } }`;
const SUBMIT = `mutation($i: SubmitInput!) { submit(input: $i) { __typename } }`;
const SET = `mutation($i: SetRedundancyInput!) { setRedundancy(input: $i) {
  ... on SetRedundancyPayload { project { firstGoldMax } } ... on InputInvalidError { issues { path } } } }`;
const ESCALATE = `mutation($i: EscalateTaskInput!) { escalateTask(input: $i) { __typename } }`;
const PROJECT = `query($id: ID!) { node(id: $id) { ... on Project {
  progress { tasksTotal tasksOpen tasksDone adjudications adjudicationsOpen }
  adjudicationWait { reason tasks minQuality }
  work: tasks(first: 9) { edges { node { id kind adjudication { id kind adjudicates { id } adjudicationWait { reason } } adjudicates { id } } } }
  others: tasks(first: 9, kind: ADJUDICATION) { edges { node { id kind } } } } }
  projectQuality(projectId: $id) { methods { dimension method version reason isCalibrated goldTasks trials { method } }
    dimensions { stated statedTasks } } }`;

test('a customer sees which of the tasks are adjudications, of what, and why they wait', async () => {
  const world = await makeApiWorld(api, { experts: 2, tasks: 0 });
  const { customer, projectId } = world;
  await plantGold(db.admin, world.tenantId); // else the job may ask for the first gold before this customer does
  const rule = { projectId, fixed: { answers: 1 } };
  const refused = await api.graphql(customer, SET, { i: { ...rule, firstGoldMax: 21 } });
  expect(refused.data.setRedundancy).toEqual({ issues: [{ path: '/firstGoldMax' }] });
  const set = await api.graphql(customer, SET, { i: { ...rule, firstGoldMax: 3 } });
  expect(set.data.setRedundancy.project).toEqual({ firstGoldMax: 3 });
  await makeBatch(api, customer, { projectId, tasks: 2, marker: 'of the customer' });
  const token = world.experts[0]?.token ?? '';
  const { id, task, lease } = (await api.graphql(token, CLAIM)).data.claimTask.assignment;
  await api.graphql(token, SUBMIT, {
    i: { assignmentId: id, leaseEpoch: lease.epoch, answer: { choice: 'yes' } },
  });
  const sent = await api.graphql(customer, ESCALATE, { i: { taskId: task.id, reason: 'looks odd' } });
  expect(sent.data.escalateTask.__typename).toBe('EscalateTaskPayload');
  await db.admin.query('update expert_skills set quality_lower = 0.5, door = null where tenant_id = $1', [
    world.tenantId,
  ]);
  await db.admin.query('select app.watch_adjudications(100)');

  const { data } = await api.graphql(customer, PROJECT, { id: projectId });
  const { progress, adjudicationWait, work, others } = data.node;
  expect(progress).toEqual({
    tasksTotal: 2,
    tasksOpen: 1,
    tasksDone: 1,
    adjudications: 1,
    adjudicationsOpen: 1,
  });
  expect(adjudicationWait).toEqual({ reason: 'NOBODY_REACHES_THE_BAR', tasks: 1, minQuality: 0.8 });
  const [other] = others.edges.map(({ node }: { node: object }) => node);
  expect(other.kind).toBe('ADJUDICATION');
  const tasks = work.edges.map(({ node }: { node: object }) => node);
  expect(tasks).toHaveLength(2);
  expect(tasks).toContainEqual({
    id: task.id,
    kind: 'WORK',
    adjudicates: null,
    adjudication: {
      id: other.id,
      kind: 'ADJUDICATION',
      adjudicates: { id: task.id },
      adjudicationWait: { reason: 'NOBODY_REACHES_THE_BAR' },
    },
  });
  expect(data.projectQuality.methods).toEqual([
    {
      dimension: 'choice',
      method: 'GOLD_BAYES',
      version: null,
      reason: 'NOT_LOOKED_YET',
      isCalibrated: false,
      goldTasks: null,
      trials: [],
    },
  ]);
  // Nothing of it is for who might be the one who is asked.
  const codesOf = async (query: string, variables: object) =>
    (await api.attempt(token, query, variables)).errors.map(({ extensions }) => extensions?.code);
  const seen = `query($id: ID!) { node(id: $id) { ... on Task { kind adjudication { id } adjudicates { id } adjudicationWait { tasks } } } }`;
  expect(await codesOf(seen, { id: task.id })).toEqual(Array(4).fill('FORBIDDEN'));
  const method = `query($id: ID!) { judgingMethods(projectId: $id) { method } }`;
  expect(await codesOf(method, { id: projectId })).toEqual(['FORBIDDEN']);
});
