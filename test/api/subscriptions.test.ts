import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { overSocket } from './support/sockets.js';
import { makeApiWorld } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const subscribe = (token: string, query: string, variables: Record<string, unknown> = {}) =>
  overSocket(api, token, { query, variables });

const LEASES = `subscription($projectId: ID, $after: String) { leaseEvents(projectId: $projectId, after: $after) {
  kind assignmentId taskId expertId cursor reset } }`;

test('a customer hears of claims and answers, and not who it was', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const expert = world.experts[0]?.token ?? '';
  const events = subscribe(world.customer, LEASES, { projectId: world.projectId });
  expect((await events.next()).value?.data?.leaseEvents).toMatchObject({ kind: 'CURRENT', reset: false });
  const { data } = await api.graphql(
    expert,
    'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }',
  );
  expect((await events.next()).value?.data?.leaseEvents).toMatchObject({
    kind: 'LEASED',
    assignmentId: data.claimTask.assignment.id,
    expertId: null,
  });
  await api.graphql(expert, 'mutation($input: SubmitInput!) { submit(input: $input) { __typename } }', {
    input: { assignmentId: data.claimTask.assignment.id, leaseEpoch: 1, answer: { choice: 'no' } },
  });
  expect((await events.next()).value?.data?.leaseEvents).toMatchObject({ kind: 'SUBMITTED' });
});

test('an operator hears of the expert as well, and goes on from a cursor without gap or repeat', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const first = subscribe(world.operator, LEASES, { projectId: world.projectId });
  const cursor = (await first.next()).value?.data?.leaseEvents?.cursor;
  await first.return?.();
  await api.graphql(world.experts[0]?.token ?? '', 'mutation { claimTask(input: {}) { __typename } }');
  const second = subscribe(world.operator, LEASES, { projectId: world.projectId, after: cursor });
  expect((await second.next()).value?.data?.leaseEvents).toMatchObject({
    kind: 'LEASED',
    expertId: world.experts[0]?.id,
    reset: false,
  });
});

test('the risk of a project is told at once, and not to another customer', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const other = await makeApiWorld(api, { tasks: 0 });
  const query = 'subscription($id: ID!) { deadlineRisk(projectId: $id) { batchId atRisk cursor } }';
  const told = subscribe(world.customer, query, { id: world.projectId });
  expect((await told.next()).value?.data?.deadlineRisk).toMatchObject({ atRisk: false });
  const refused = subscribe(other.customer, query, { id: world.projectId });
  expect((await refused.next()).value?.errors?.[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
});

test('queries run over a socket under the same limits and masks as over HTTP', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const viewer = subscribe(world.operator, '{ viewer { role tenant } }');
  expect((await viewer.next()).value?.data).toEqual({ viewer: { role: 'OPERATOR', tenant: world.slug } });
  const aliases = Array.from({ length: 100 }, (_, n) => `a${n}: __typename`).join(' ');
  const flooded = subscribe(world.operator, `{ ${aliases} }`);
  await expect(flooded.next()).rejects.toMatchObject([{ message: expect.stringMatching(/alias/i) }]);
});

test('a subscription over HTTP is refused with where to go', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const { errors } = await api.attempt(world.operator, LEASES, { projectId: world.projectId });
  expect(errors[0]?.extensions).toMatchObject({ code: 'SUBSCRIPTIONS_OVER_WEBSOCKET' });
});
