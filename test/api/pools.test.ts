import { type Client, createClient } from 'graphql-ws';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { overSocket } from './support/sockets.js';
import { idOf, makeApiWorld, makeBatch } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
});

/** The server's own job measures; a test only waits for it. */
const WITHIN = { interval: 100 };

const POOLS = `query($skillId: ID, $taskTypeId: ID) { pools(skillId: $skillId, taskTypeId: $taskTypeId) { edges { node {
  skill { name } taskType { name } queueDepth openAnswers oldestOpenSeconds capacityPerHour pressure
  skillPool { queueDepth expertsAvailable expertsQualified secondsPerAnswer } } } } }`;

test('operators and analysts read pools by skill and task type; nobody else does', async () => {
  const world = await makeApiWorld(api, { tasks: 4, redundancy: 2, experts: 2 });
  const { skillId, taskTypeId } = world;
  const ask = async (token: string, variables: object) =>
    (await api.graphql(token, POOLS, variables)).data.pools.edges.map(({ node }: { node: object }) => node);
  await expect.poll(() => ask(world.analyst, {}), WITHIN).toMatchObject([{ queueDepth: 4 }]);
  expect(await ask(world.operator, { skillId, taskTypeId })).toEqual([
    {
      skill: { name: 'Skill plain' },
      taskType: { name: 'Type plain' },
      queueDepth: 4,
      openAnswers: '8',
      oldestOpenSeconds: expect.any(Number),
      capacityPerHour: 24,
      pressure: expect.closeTo(1 / 3, 5),
      skillPool: { queueDepth: 4, expertsAvailable: 0, expertsQualified: 2, secondsPerAnswer: 300 },
    },
  ]);
  const other = await idOf(api, world.operator, 'createSkill.skill')({ name: 'another' });
  expect(await ask(world.operator, { skillId: other })).toEqual([]);
  for (const token of [world.customer, world.dispatcher, world.experts[0]?.token ?? '']) {
    const { errors } = await api.attempt(token, POOLS);
    expect(errors[0]?.extensions?.code).toBe('FORBIDDEN');
  }
});

test('a subscriber is told how a skill stands, then of each change, and goes on from a cursor', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const query = `subscription($id: ID!, $after: String) { poolEvents(skillId: $id, after: $after) {
    queueDepth openAnswers expertsQualified pressure computedAt cursor reset } }`;
  const subscribe = (after: string | null) => {
    const client = createClient({
      url: `${api.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${world.operator}` },
      retryAttempts: 0,
    });
    clients.push(client);
    const variables = { id: world.skillId, after };
    return client.iterate<Record<string, Record<string, unknown>>>({ query, variables });
  };
  const events = subscribe(null);
  const first = (await events.next()).value?.data?.poolEvents;
  expect(first).toMatchObject({ queueDepth: 0, reset: false });
  await makeBatch(api, world.customer, { projectId: world.projectId, tasks: 6, marker: 'more' });
  const change = { queueDepth: 6, openAnswers: '6', expertsQualified: 1, pressure: 0.5 };
  expect((await events.next()).value?.data?.poolEvents).toMatchObject(change);
  const again = subscribe(String(first?.cursor));
  expect((await again.next()).value?.data?.poolEvents).toMatchObject(change);
}, 30_000);

test('queueDepth begins with what waits, tells when it changes, and goes on from a cursor; to staff alone', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const query = `subscription($id: ID!, $after: String) { queueDepth(skillId: $id, after: $after) {
    queueDepth openAnswers oldestOpenAt computedAt cursor reset skipped } }`;
  const subscribe = (token: string, after: string | null = null) =>
    overSocket(api, token, { query, variables: { id: world.skillId, after } });
  const depths = subscribe(world.analyst);
  const first = (await depths.next()).value?.data?.queueDepth;
  expect(first).toMatchObject({ queueDepth: 0, openAnswers: '0', reset: false, skipped: null });
  const more = { projectId: world.projectId, tasks: 6, marker: 'more' };
  await makeBatch(api, world.customer, more);
  const change = { queueDepth: 6, openAnswers: '6', oldestOpenAt: expect.any(String), reset: false };
  expect((await depths.next()).value?.data?.queueDepth).toMatchObject(change);
  expect((await subscribe(world.operator, first?.cursor).next()).value?.data?.queueDepth).toMatchObject(
    change,
  );
  const other = await makeApiWorld(api, { tasks: 0 });
  for (const [token, code] of [
    [world.customer, 'FORBIDDEN'],
    [world.experts[0]?.token ?? '', 'FORBIDDEN'],
    [other.operator, 'NOT_FOUND'],
  ] as const) {
    const refused = await subscribe(token).next();
    expect(refused.value?.errors).toMatchObject([{ extensions: { code } }]);
  }
}, 30_000);

test('an operator rebalances a skill and is suggested experts for it, in words', async () => {
  const world = await makeApiWorld(api, { tasks: 100 });
  const { operator, customer, projectId, skillId, experts } = world;
  const rebalance = `mutation($input: RebalanceSkillInput!) { rebalanceSkill(input: $input) { __typename
    ... on RebalanceSkillPayload { lifts { lift movedTasks project { id } } skillPool { capacityPerHour } } } }`;
  const ask = async () =>
    (await api.graphql(operator, rebalance, { input: { skillId } })).data.rebalanceSkill;
  await expect.poll(ask, WITHIN).toMatchObject({ lifts: [], skillPool: { capacityPerHour: 12 } });
  await idOf(api, customer, 'updateProject.project')({ projectId, deadline: '2030-01-01T00:00:00Z' });
  expect((await ask()).__typename).toBe('RebalanceSkillPayload');
  const pause = { expertId: experts[0]?.id, skillId, reason: 'r' };
  await idOf(api, operator, 'pauseExpert.expert')(pause);
  const suggested =
    'query($skillId: ID!) { suggestedExperts(skillId: $skillId) { reason expert { handle } } }';
  const { data } = await api.graphql(operator, suggested, { skillId });
  expect(data.suggestedExperts).toEqual([
    { reason: expect.stringMatching(/paused in this skill only/), expert: { handle: experts[0]?.handle } },
  ]);
}, 30_000);

test('metrics tell of pools by skill and task type', async () => {
  const world = await makeApiWorld(api, { tasks: 3, marker: 'metered' });
  const labels = `tenant="${world.slug}",skill="Skill metered"`;
  const metrics = async () => (await api.call(null, 'GET /metrics')).text();
  await expect
    .poll(metrics, WITHIN)
    .toContain(`touchstone_queue_depth{${labels},task_type="Type metered"} 3`);
  const text = await metrics();
  expect(text).toContain(`touchstone_oldest_open_seconds{${labels},task_type="Type metered"}`);
  expect(text).toContain(`touchstone_pool_pressure{${labels}} 0.25`);
  expect(text).toContain(`touchstone_pool_capacity{${labels}} 12`);
}, 30_000);
