import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { plantGold } from '../support/planted-gold.js';
import { idOf, makeApiWorld, makeProject } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const ASK = `query($s: Int) { activity(lastSeconds: $s) { seconds goldRight paid { minorUnits currency }
  figures { kind count parts } latest { kind project { name } expert { handle } amount { minorUnits } isRight } } }`;
const CLAIM = 'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }';
const SUBMIT = `mutation($id: ID!) { submit(input: { assignmentId: $id, leaseEpoch: 1, answer: { choice: "yes" } }) { __typename } }`;

interface Figure {
  readonly kind: string;
  readonly count: number;
  readonly parts: readonly number[];
}

async function countsOf(token: string): Promise<Record<string, number>> {
  const { activity } = (await api.graphql(token, ASK, {})).data;
  return Object.fromEntries(activity.figures.map(({ kind, count }: Figure) => [kind, count]));
}

test('operators see what has gone on in the last minute, by kind, in twelfths of it, and the latest of it', async () => {
  const world = await makeApiWorld(api, { tasks: 2 });
  const [ada] = world.experts;
  const { id } = (await api.graphql(ada?.token ?? '', CLAIM)).data.claimTask.assignment;
  await api.graphql(ada?.token ?? '', SUBMIT, { id });
  await expect
    .poll(() => countsOf(world.operator))
    .toEqual({ CLAIM: 1, SUBMIT: 1, GOLD_RESULT: 0, PAYOUT: 1, EXPIRY: 0 });
  await plantGold(db.admin, world.tenantId);
  const { activity } = (await api.graphql(world.operator, ASK, {})).data;
  expect(activity).toMatchObject({ seconds: 60, goldRight: 1 });
  expect(activity.paid).toHaveLength(1);
  for (const { count, parts } of activity.figures as Figure[]) {
    expect([parts.length, parts.reduce((sum, one) => sum + one, 0)]).toEqual([12, count]);
  }
  expect(activity.latest.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual([
    'CLAIM',
    'GOLD_RESULT',
    'PAYOUT',
    'SUBMIT',
  ]);
  for (const { expert, project } of activity.latest) {
    expect({ expert, project }).toEqual({
      expert: { handle: ada?.handle },
      project: { name: expect.any(String) },
    });
  }
  await db.advance(61);
  expect(Object.values(await countsOf(world.operator))).toEqual([0, 0, 0, 0, 0]);
});

test('a lease that ended unanswered is told; other tenants, customers, analysts and experts are told nothing', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const expert = world.experts[0]?.token ?? '';
  await api.graphql(expert, CLAIM);
  await db.advance(3600);
  const again = await api.graphql(expert, CLAIM); // takes what is due of its lane
  expect(again.errors ?? []).toEqual([]);
  await expect.poll(async () => (await countsOf(world.operator)).EXPIRY).toBe(1);
  const other = await makeApiWorld(api, { tasks: 0 });
  expect(Object.values(await countsOf(other.operator))).toEqual([0, 0, 0, 0, 0]);
  for (const token of [world.customer, world.analyst, expert, world.dispatcher]) {
    expect((await api.attempt(token, ASK, {})).errors[0]?.extensions?.code).toBe('FORBIDDEN');
  }
  for (const s of [9, 601]) {
    expect((await api.attempt(world.operator, ASK, { s })).errors[0]?.extensions?.code).toBe(
      'BAD_USER_INPUT',
    );
  }
});

test('an operator who may act as an expert is told nothing of gold', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const expert = world.experts[0];
  const { id } = (await api.graphql(expert?.token ?? '', CLAIM)).data.claimTask.assignment;
  await api.graphql(expert?.token ?? '', SUBMIT, { id });
  await plantGold(db.admin, world.tenantId);
  const expertId = api.server.app.ids.decode(expert?.id ?? '')?.id;
  await db.admin.query('delete from identity_roles where expert_id = $1', [expertId]);
  await db.admin.query(
    `insert into identity_roles (tenant_id, identity_id, role, expert_id)
     select tenant_id, identity_id, 'EXPERT', $2 from identity_roles where tenant_id = $1 and role = 'OPERATOR'`,
    [world.tenantId, expertId],
  );
  const { activity } = (await api.graphql(world.operator, ASK, {})).data;
  expect(activity.goldRight).toBeNull();
  const told = [...activity.figures, ...activity.latest].map(({ kind }: { kind: string }) => kind);
  expect(told).toContain('SUBMIT');
  expect(told).not.toContain('GOLD_RESULT');
});

test('an expert’s sum since an instant is what was booked since then, and of no longer than a month', async () => {
  const world = await makeApiWorld(api, { tasks: 3, redundancy: 1 });
  const token = world.experts[0]?.token ?? '';
  const answer = async () => {
    const { id } = (await api.graphql(token, CLAIM)).data.claimTask.assignment;
    await api.graphql(token, SUBMIT, { id });
  };
  const sum = async (since: Date) => {
    const query =
      'query($s: DateTime!) { statement { booked(since: $s) { answers amount { minorUnits currency } } } }';
    const { data, errors } = await api.attempt(token, query, { s: since.toISOString() });
    return errors?.[0]?.extensions?.code ?? data.statement.booked;
  };
  const clock = async () =>
    (await db.admin.query<{ now: Date }>('select app.clock_now() as now')).rows[0]?.now;
  await answer();
  await db.advance(3600);
  const midnight = (await clock()) ?? new Date(0);
  expect(await sum(midnight)).toEqual([]);
  await answer();
  await answer();
  const [two] = await sum(midnight);
  const [three] = await sum(new Date(midnight.getTime() - 7_200_000));
  expect([two.answers, three.answers]).toEqual([2, 3]);
  expect(Number(three.amount.minorUnits) / 3).toBe(Number(two.amount.minorUnits) / 2);
  expect(await sum(new Date(midnight.getTime() - 32 * 86_400_000))).toBe('BAD_USER_INPUT');
});

test('batches come oldest first, or newest first, page by page', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const projectId = await makeProject(api, world.customer, { ...world, marker: 'pages' });
  for (const name of ['one', 'two', 'three']) {
    const input = { projectId, name, tasks: [{ payload: 1 }], idempotencyKey: name };
    await idOf(api, world.customer, 'createBatch.batch')(input);
  }
  const query = `query($id: ID!, $newest: Boolean, $after: String) { node(id: $id) { ... on Project {
    batches(first: 2, newestFirst: $newest, after: $after) { edges { node { name } } pageInfo { endCursor hasNextPage } } } } }`;
  const page = async (variables: object) => {
    const { batches } = (await api.graphql(world.customer, query, { id: projectId, ...variables })).data.node;
    return {
      ...batches.pageInfo,
      names: batches.edges.map(({ node }: { node: { name: string } }) => node.name),
    };
  };
  expect((await page({})).names).toEqual(['one', 'two']);
  const newest = await page({ newest: true });
  expect(newest.names).toEqual(['three', 'two']);
  const rest = await page({ newest: true, after: newest.endCursor });
  expect([rest.names, rest.hasNextPage]).toEqual([['one'], false]);
});
