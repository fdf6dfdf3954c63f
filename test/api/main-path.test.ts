import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeApiWorld } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const CLAIM = `mutation { claimTask(input: {}) { ... on ClaimTaskPayload {
  assignment { id state task { externalId contentType payloadBytes } project { name } taskType { kind }
    lease { epoch secondsLeft leaseSeconds } price { minorUnits currency } payloadUrl draft { body } }
  empty { reason message retryAfterSeconds } } } }`;

const SUBMIT = `mutation($input: SubmitInput!) { submit(input: $input) { __typename
  ... on SubmitPayload { receipt { assignmentId digest price { minorUnits currency } }
    next { assignment { id } empty { reason } } }
  ... on AnswerInvalidError { issues { path message } }
  ... on DomainError { code message } } }`;

test('an expert claims, reads the payload, answers, and is paid', async () => {
  const world = await makeApiWorld(api, { tasks: 2 });
  const expert = world.experts[0]?.token ?? '';
  const claimed = (await api.graphql(expert, CLAIM)).data.claimTask.assignment;
  expect(claimed).toMatchObject({
    state: 'LEASED',
    task: { externalId: 'item-1-plain' },
    price: { minorUnits: '125', currency: 'EUR' },
    lease: { epoch: 1, leaseSeconds: 1800 },
    taskType: { kind: 'SINGLE_CHOICE' },
    draft: null,
  });
  const payload = await fetch(claimed.payloadUrl);
  expect(payload.status).toBe(200);
  expect(await payload.json()).toEqual({ question: 'Is 0 even? plain' });

  const input = { assignmentId: claimed.id, leaseEpoch: 1, answer: { choice: 'yes' }, claimNext: true };
  const first = (await api.graphql(expert, SUBMIT, { input })).data.submit;
  expect(first).toMatchObject({ __typename: 'SubmitPayload', receipt: { assignmentId: claimed.id } });
  expect(first.next.assignment.id).not.toBe(claimed.id);
  const again = (await api.graphql(expert, SUBMIT, { input })).data.submit;
  expect(again.receipt).toEqual(first.receipt);

  const { data } = await api.graphql(
    expert,
    '{ statement { balances { minorUnits currency } lines { edges { node { amount { minorUnits } assignment { id } } } } } }',
  );
  expect(data.statement).toEqual({
    balances: [{ minorUnits: '125', currency: 'EUR' }],
    lines: { edges: [{ node: { amount: { minorUnits: '125' }, assignment: { id: claimed.id } } }] },
  });
});

test('an answer that does not fit says which field, and costs nothing', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const expert = world.experts[0]?.token ?? '';
  const { id } = (await api.graphql(expert, CLAIM)).data.claimTask.assignment;
  const input = { assignmentId: id, leaseEpoch: 1, answer: { choice: 'perhaps' } };
  const refused = (await api.graphql(expert, SUBMIT, { input })).data.submit;
  expect(refused).toMatchObject({ __typename: 'AnswerInvalidError', issues: [{ path: '/choice' }] });
});

test('the customer sees progress, answers and spend, and not who answered', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const expert = world.experts[0]?.token ?? '';
  const { id } = (await api.graphql(expert, CLAIM)).data.claimTask.assignment;
  await api.graphql(expert, SUBMIT, { input: { assignmentId: id, leaseEpoch: 1, answer: { choice: 'no' } } });
  const query = `query($id: ID!) { node(id: $id) { ... on Project {
    progress { tasksTotal tasksDone answersCounted leased } spend { minorUnits }
    batches { edges { node { state } } }
    answers { edges { node { body task { externalId } } } } } } }`;
  const { data } = await api.graphql(world.customer, query, { id: world.projectId });
  expect(data.node).toEqual({
    progress: { tasksTotal: 1, tasksDone: 1, answersCounted: 1, leased: 0 },
    spend: { minorUnits: '125' },
    batches: { edges: [{ node: { state: 'COMPLETED' } }] },
    answers: { edges: [{ node: { body: { choice: 'no' }, task: { externalId: 'item-1-plain' } } }] },
  });
  const asked = await api.attempt(
    world.customer,
    'query($id: ID!) { node(id: $id) { ... on Project { answers { edges { node { expert { handle } } } } } } }',
    { id: world.projectId },
  );
  expect(asked.errors[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' });
});

test('an empty queue is no error and says why', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const { data } = await api.graphql(world.experts[0]?.token ?? '', CLAIM);
  expect(data.claimTask).toMatchObject({ assignment: null, empty: { reason: 'NO_OPEN_TASK' } });
  expect(data.claimTask.empty.retryAfterSeconds).toBeGreaterThan(0);
});
