import { expect, test } from 'vitest';
import { grantRole } from '../../src/services/access/grants.js';
import { ISSUER, useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { overSocket } from './support/sockets.js';
import { type ApiWorld, idOf, makeApiWorld } from './support/world.js';

// Alerts as each role reads, hears and acknowledges them.

const db = useTestDb();
const api = useTestApi(db);

const LIST = `query($states: [AlertState!], $first: Int, $after: String) { alerts(states: $states, first: $first, after: $after) {
  edges { node { id kind severity state reason projectId batchId expertId note acknowledgedBy { displayName } } }
  pageInfo { hasNextPage endCursor } } }`;
const ACKNOWLEDGE = `mutation($input: AcknowledgeAlertInput!) { acknowledgeAlert(input: $input) { __typename
  ... on AcknowledgeAlertPayload { alert { state note acknowledgedBy { displayName } } } ... on DomainError { code } } }`;
const EVENTS = `subscription($after: String) { alertEvents(after: $after) {
  cursor reset kind alertId alertKind severity reason projectId expertId } }`;

const list = async (token: string, variables: object = {}) =>
  (await api.graphql(token, LIST, variables)).data.alerts.edges.map(({ node }: { node: object }) => node);

const pause = (world: ApiWorld, expertId = world.experts[0]?.id) =>
  idOf(api, world.operator, 'pauseExpert.expert')({ expertId, reason: 'Asked for it.' });

/** An upload of the world's customer that cannot be stored. */
async function fail(world: ApiWorld): Promise<void> {
  await db.admin.query(
    `update batches set state = 'FAILED', failure = 'Line 3 is no JSON.', stored_at = null where tenant_id = $1`,
    [world.tenantId],
  );
}

/** Gold of the world's project that seems to be known. */
async function leak(world: ApiWorld): Promise<void> {
  await db.admin.query(
    `insert into gold_findings (tenant_id, kind, task_id, project_id, evidence, found_at)
     select tenant_id, 'LEAKED', max(id), project_id, '{}', now() from tasks where tenant_id = $1 group by tenant_id, project_id`,
    [world.tenantId],
  );
}

test('customers read alerts of their own projects, staff all, who may act as an expert none of gold, experts none', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const other = await makeApiWorld(api, { tasks: 1 });
  await fail(world);
  await leak(world);
  await pause(world);
  expect(await list(world.customer)).toMatchObject([
    {
      kind: 'BATCH_FAILED',
      state: 'OPEN',
      reason: expect.stringMatching(/Line 3 is no JSON/),
      projectId: world.projectId,
    },
  ]);
  const kinds = async (token: string) => (await list(token)).map(({ kind }: { kind: string }) => kind);
  expect(await kinds(world.operator)).toEqual(['EXPERT_PAUSED', 'GOLD_LEAKED', 'BATCH_FAILED']);
  expect(await kinds(world.analyst)).toEqual(['EXPERT_PAUSED', 'GOLD_LEAKED', 'BATCH_FAILED']);
  expect(await list(other.operator)).toEqual([]);
  const { sub } = JSON.parse(Buffer.from(world.analyst.split('.')[1] ?? '', 'base64url').toString());
  const expertId = api.server.app.ids.decode(
    await idOf(
      api,
      world.operator,
      'createExpert.expert',
    )({ handle: 'h', displayName: 'd', subject: 'other' }),
  )?.id;
  await db.admin.query('delete from identity_roles where tenant_id = $1 and expert_id = $2', [
    world.tenantId,
    expertId,
  ]);
  const grant = {
    issuer: ISSUER,
    subject: sub,
    displayName: 'd',
    role: 'EXPERT',
    expertId: expertId ?? null,
  } as const;
  await grantRole(api.server.app.db, { tenantId: world.tenantId, actorId: null }, grant);
  expect(await kinds(world.analyst)).toEqual(['EXPERT_PAUSED', 'BATCH_FAILED']);
  expect(await kinds(world.dispatcher)).toEqual([]); // (Of jobs, of which there are none.)
  expect((await api.attempt(world.experts[0]?.token ?? '', LIST)).errors[0]?.extensions?.code).toBe(
    'FORBIDDEN',
  );
});

test('an operator acknowledges with a note that staff read; the list pages and filters by state', async () => {
  const world = await makeApiWorld(api, { tasks: 1, experts: 2 });
  await pause(world);
  await pause(world, world.experts[1]?.id);
  await fail(world);
  const page = (await api.graphql(world.operator, LIST, { first: 2 })).data.alerts;
  expect(page.pageInfo.hasNextPage).toBe(true);
  const [failed, second] = page.edges.map(({ node }: { node: { id: string } }) => node);
  expect(await list(world.operator, { first: 2, after: page.pageInfo.endCursor })).toHaveLength(1);
  const acknowledge = async (token: string, alertId: string, note: string | null = null) =>
    (await api.graphql(token, ACKNOWLEDGE, { input: { alertId, note } })).data.acknowledgeAlert;
  const input = {
    state: 'ACKNOWLEDGED',
    note: 'I look.',
    acknowledgedBy: { displayName: expect.any(String) },
  };
  expect(await acknowledge(world.operator, second.id, 'I look.')).toMatchObject({ alert: input });
  expect(await acknowledge(world.operator, second.id)).toMatchObject({ alert: input });
  // An upload that failed has failed: who has seen it has ended it.
  expect(await acknowledge(world.operator, failed.id, 'Told the customer.')).toMatchObject({
    alert: { state: 'RESOLVED' },
  });
  expect(await list(world.operator, { states: ['OPEN'] })).toHaveLength(1);
  expect(await list(world.customer)).toMatchObject([{ state: 'RESOLVED', note: null, acknowledgedBy: null }]);
  const other = await makeApiWorld(api, { tasks: 0 });
  expect(await acknowledge(other.operator, second.id)).toMatchObject({ code: 'NOT_FOUND' });
  for (const token of [world.customer, world.analyst]) {
    const refused = await api.attempt(token, ACKNOWLEDGE, { input: { alertId: second.id } });
    expect(refused.errors[0]?.extensions?.code).toBe('FORBIDDEN');
  }
  expect((await acknowledge(world.operator, second.id, ' ')).code).toBe('INPUT_INVALID');
  const wrong = await api.attempt(world.operator, ACKNOWLEDGE, { input: { alertId: world.projectId } });
  expect(wrong.errors[0]?.extensions?.code).toBe('BAD_USER_INPUT');
});

test('a subscriber hears what lasts, then what becomes of it, and goes on from a cursor; a customer only their own', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const subscribe = (token: string, after: string | null = null) =>
    overSocket(api, token, { query: EVENTS, variables: { after } });
  const next = async (items: ReturnType<typeof subscribe>) => (await items.next()).value?.data?.alertEvents;
  await pause(world);
  // (It is in the beginning of whoever comes once it has its number; before, it comes as a change.)
  const before = subscribe(world.analyst);
  while ((await next(before))?.kind !== 'RAISED') {}
  const staff = subscribe(world.analyst);
  expect(await next(staff)).toMatchObject({
    kind: 'RAISED',
    alertKind: 'EXPERT_PAUSED',
    expertId: world.experts[0]?.id,
  });
  const current = await next(staff);
  expect(current).toMatchObject({ kind: 'CURRENT', alertId: null });
  const customer = subscribe(world.customer);
  expect(await next(customer)).toMatchObject({ kind: 'CURRENT' });
  await leak(world);
  await fail(world);
  expect(await next(customer)).toMatchObject({
    kind: 'RAISED',
    alertKind: 'BATCH_FAILED',
    projectId: world.projectId,
  });
  expect(await next(staff)).toMatchObject({ kind: 'RAISED', alertKind: 'GOLD_LEAKED' });
  const resume = { expertId: world.experts[0]?.id, reason: 'r' };
  await idOf(api, world.operator, 'resumeExpert.expert')(resume);
  const again = subscribe(world.operator, current?.cursor);
  const rest = [await next(again), await next(again), await next(again)];
  expect(rest.map((item) => `${item?.kind} ${item?.alertKind}`)).toEqual([
    'RAISED GOLD_LEAKED',
    'RAISED BATCH_FAILED',
    'RESOLVED EXPERT_PAUSED',
  ]);
  const refused = await subscribe(world.experts[0]?.token ?? '').next();
  expect(refused.value?.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});
