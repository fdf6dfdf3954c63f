import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeApiWorld } from './support/world.js';

// Whatever way answers are shown to somebody, it is kept first; to experts their own are shown without.
const db = useTestDb();
const api = useTestApi(db);

const CLAIM = `mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id task { id } lease { epoch } } } } }`;
const SUBMIT = `mutation($i: SubmitInput!) { submit(input: $i) { __typename } }`;
const WAYS = {
  taskConsensus: `query($task: ID!) { taskConsensus(taskId: $task) { label } }`,
  'a project’s answers': `query($project: ID!) { node(id: $project) { ... on Project { answers { edges { node { body } } } } } }`,
  'an assignment’s answer': `query { assignments(first: 1) { edges { node { answer { body } } } } }`,
};

const readers = async () =>
  (await db.admin.query('select identity_id, task_id from answer_readers order by 1, 2')).rows;

test('each way that shows answers is kept, once, and an expert’s own is not', async () => {
  const world = await makeApiWorld(api, { experts: 1, tasks: 2 });
  const expert = world.experts[0]?.token ?? '';
  const claimed = (await api.graphql(expert, CLAIM)).data.claimTask.assignment;
  const answer = { assignmentId: claimed.id, leaseEpoch: claimed.lease.epoch, answer: { choice: 'yes' } };
  await api.graphql(expert, SUBMIT, { i: answer });
  const ids = { task: claimed.task.id, project: world.projectId };
  await api.graphql(expert, WAYS['an assignment’s answer']);
  expect(await readers()).toEqual([]);
  const shown = [
    await api.graphql(world.customer, WAYS.taskConsensus, { task: ids.task }),
    await api.graphql(world.operator, WAYS['a project’s answers'], { project: ids.project }),
    await api.graphql(world.analyst, WAYS['an assignment’s answer']),
    await api.graphql(world.analyst, WAYS['an assignment’s answer']),
  ];
  for (const { data, errors } of shown) {
    expect(errors).toEqual([]);
    expect(JSON.stringify(data)).toContain('yes');
  }
  const kept = await readers();
  expect(new Set(kept.map(({ identity_id }) => identity_id)).size).toBe(3);
  expect(new Set(kept.map(({ task_id }) => task_id)).size).toBe(1);
  expect(kept).toHaveLength(3);
});
