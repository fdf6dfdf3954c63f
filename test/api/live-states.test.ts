import { expect, test } from 'vitest';
import { projectRisk } from '../../src/services/events/streams.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { claimOne, submitOne } from './support/answering.js';
import { overSocket } from './support/sockets.js';
import { type ApiWorld, makeApiWorld, makeBatch } from './support/world.js';

// States over a socket: what they begin with, that they follow, that they shorten what comes at once, and their cursors.

const db = useTestDb();
const api = useTestApi(db);

/** The items of one subscription field, errors thrown. */
async function* subscribe(token: string, query: string, variables: Record<string, unknown> = {}) {
  for await (const { data, errors } of overSocket(api, token, { query, variables })) {
    if (errors !== undefined) {
      throw errors[0];
    }
    yield Object.values(data ?? {})[0];
  }
}

const PROGRESS = `subscription($id: ID!, $after: String) { projectProgress(projectId: $id, after: $after) {
  cursor reset state progress { tasksTotal tasksOpen tasksDone answersCounted leased } spent { minorUnits currency } } }`;
const FORECAST = `subscription($id: ID!) { forecast(projectId: $id) { cursor reset project { remainingAnswers }
  batches { batchId deadline forecast { remainingAnswers probabilityOnTime } } } }`;
const PAYOUTS = `subscription($id: ID, $after: String) { payoutEvents(expertId: $id, after: $after) {
  cursor reset kind amount { minorUnits currency } balance { minorUnits } postings at } }`;

const answer = async (token: string) => submitOne(api, token, await claimOne(api, token));

/** The first item that is as wanted. */
async function until<T>(items: AsyncGenerator<T>, isWanted: (item: T) => boolean): Promise<T> {
  for (;;) {
    const { value, done } = await items.next();
    if (done) {
      throw new Error('The subscription ended.');
    }
    if (isWanted(value)) {
      return value;
    }
  }
}

test('progress begins with what is there and ends with what came of it, in few items', async () => {
  const world = await makeApiWorld(api, { tasks: 20 });
  const items = subscribe(world.customer, PROGRESS, { id: world.projectId });
  expect((await items.next()).value).toMatchObject({
    reset: false,
    state: 'RUNNING',
    progress: { tasksTotal: 20, tasksOpen: 20, tasksDone: 0, answersCounted: 0, leased: 0 },
    spent: { minorUnits: '0' },
  });
  const token = world.experts[0]?.token ?? '';
  for (let n = 0; n < 20; n += 1) {
    await answer(token);
  }
  let told = 0;
  const last = await until(items, ({ progress }) => {
    told += 1;
    return progress.answersCounted === 20;
  });
  expect(last.progress).toMatchObject({ tasksDone: 20, tasksOpen: 0, leased: 0 });
  expect(BigInt(last.spent.minorUnits)).toBeGreaterThan(0n);
  // Forty things happened; they are told a few times a second.
  expect(told).toBeLessThan(40);
});

test('from a cursor progress is silent until something happens; a foreign cursor starts afresh', async () => {
  const world = await makeApiWorld(api, { tasks: 2 });
  const first = subscribe(world.customer, PROGRESS, { id: world.projectId });
  const { cursor } = (await first.next()).value;
  await first.return(undefined);
  const resumed = subscribe(world.customer, PROGRESS, { id: world.projectId, after: cursor });
  const next = resumed.next();
  const foreign = subscribe(world.operator, PROGRESS, { id: world.projectId, after: 'x'.repeat(27) });
  expect((await foreign.next()).value).toMatchObject({ reset: true });
  await makeBatch(api, world.customer, { projectId: world.projectId, tasks: 3, marker: 'more' });
  expect((await next).value).toMatchObject({ reset: false, progress: { tasksTotal: 5 } });
});

test('a project that is cancelled is told as such, and its other customer hears nothing of it', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const other = await makeApiWorld(api, { tasks: 0 });
  const items = subscribe(world.customer, PROGRESS, { id: world.projectId });
  expect((await items.next()).value.state).toBe('RUNNING');
  await expect(subscribe(other.customer, PROGRESS, { id: world.projectId }).next()).rejects.toMatchObject({
    extensions: { code: 'NOT_FOUND' },
  });
  const cancel = `mutation($input: CancelProjectInput!) { cancelProject(input: $input) { __typename } }`;
  await api.graphql(world.customer, cancel, { input: { projectId: world.projectId, policy: 'STOP' } });
  expect((await until(items, ({ state }) => state === 'CANCELLED')).progress.leased).toBe(0);
});

test('a forecast follows the answers, batch by batch', async () => {
  const world = await makeApiWorld(api, { tasks: 3 });
  const items = subscribe(world.customer, FORECAST, { id: world.projectId });
  expect((await items.next()).value).toMatchObject({ reset: false, project: { remainingAnswers: 3 } });
  await answer(world.experts[0]?.token ?? '');
  const changed = await until(items, ({ project }) => project.remainingAnswers === 2);
  expect(changed.batches).toMatchObject([{ forecast: { remainingAnswers: 2 } }]);
  await expect(
    subscribe(world.experts[0]?.token ?? '', FORECAST, { id: world.projectId }).next(),
  ).rejects.toMatchObject({
    extensions: { code: 'FORBIDDEN' },
  });
});

test('who follows a forecast is told that its project was cancelled: nothing is open', async () => {
  const world = await makeApiWorld(api, { tasks: 3 });
  const items = subscribe(world.customer, FORECAST, { id: world.projectId });
  expect((await items.next()).value).toMatchObject({ project: { remainingAnswers: 3 } });
  const cancel = `mutation($input: CancelProjectInput!) { cancelProject(input: $input) { __typename } }`;
  await api.graphql(world.customer, cancel, { input: { projectId: world.projectId, policy: 'STOP' } });
  await until(items, ({ project }) => project === null || project.remainingAnswers === 0);
});

/** Tells that a batch lacks hours in the skill of its project. */
async function tellRisk({ tenantId, projectId, skillId }: ApiWorld): Promise<void> {
  const idOf = (id: string) => String(api.server.app.ids.decode(id)?.id);
  const expertHours = [{ skillId: idOf(skillId), hours: 5 }];
  const body = {
    batchId: '1',
    atRisk: true,
    probabilityOnTime: 0.1,
    expectedDoneAt: null,
    deadline: null,
    computedAt: new Date(0).toISOString(),
    fixes: { expertHours, dropTasks: null, safeDeadline: null },
  };
  const stream = projectRisk(BigInt(idOf(projectId)));
  const event = [tenantId, stream, JSON.stringify(body)];
  await db.admin.query(`select app.append_event($1, $2, 'TEST', $3, null, null)`, event);
}

test.each(['customer', 'analyst'] as const)(
  'one %s who stays is told of skills as they are, when the one who came first has left',
  async (role) => {
    const world = await makeApiWorld(api);
    const query = `subscription($id: ID!) { deadlineRisk(projectId: $id) { fixes { expertHours { skill { name } } } } }`;
    const first = subscribe(world[role], query, { id: world.projectId });
    const second = subscribe(world[role], query, { id: world.projectId });
    const told = async (items: typeof first) =>
      (await until(items, ({ fixes }) => fixes !== null)).fixes.expertHours[0].skill.name;
    await Promise.all([first.next(), second.next()]);
    await tellRisk(world);
    expect(await Promise.all([told(first), told(second)])).toEqual(['Skill plain', 'Skill plain']);
    await first.return(undefined);
    await db.admin.query(`update skills set name = 'Renamed' where tenant_id = $1`, [world.tenantId]);
    await tellRisk(world);
    expect(await told(second)).toBe('Renamed');
  },
);

test('an expert hears of what is booked for them to the cent, and nobody else’s expert does', async () => {
  const world = await makeApiWorld(api, { tasks: 3, experts: 2 });
  const [expert, colleague] = world.experts;
  const items = subscribe(expert?.token ?? '', PAYOUTS);
  expect((await items.next()).value).toMatchObject({ kind: 'CURRENT', amount: null, balance: null });
  await answer(expert?.token ?? '');
  const first = (await items.next()).value;
  expect(first).toMatchObject({ kind: 'POSTED', postings: 1, reset: false });
  expect(first.amount.minorUnits).toBe(first.balance.minorUnits);
  await answer(expert?.token ?? '');
  const second = (await items.next()).value;
  expect(BigInt(second.balance.minorUnits)).toBe(
    BigInt(first.balance.minorUnits) + BigInt(second.amount.minorUnits),
  );
  const resumed = subscribe(world.operator, PAYOUTS, { id: expert?.id, after: first.cursor });
  expect((await resumed.next()).value).toEqual(second);
  await expect(subscribe(colleague?.token ?? '', PAYOUTS, { id: expert?.id }).next()).rejects.toMatchObject({
    extensions: { code: 'NOT_FOUND' },
  });
  await expect(subscribe(world.operator, PAYOUTS).next()).rejects.toMatchObject({
    extensions: { code: 'NOT_FOUND' },
  });
});
