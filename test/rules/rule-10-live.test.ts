import { type GraphQLField, getNamedType, isNonNullType } from 'graphql';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { everythingOf } from '../access/support/selection.js';
import { openEvents } from '../api/support/event-source.js';
import { openSocket } from '../api/support/sockets.js';
import { until } from '../api/support/until.js';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { setGoldRate } from '../support/golds.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';

// Rule 10, live: two experts do the same things, one with gold and one with other tasks; all that any subscription tells them
// is compared, over sockets and as server-sent events.
const db = useTestDb();
const api = useTestApi(db);

type Answer = {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions?: unknown }[] | undefined;
};
type Field = GraphQLField<unknown, unknown>;

const fields = Object.values(schema.getSubscriptionType()?.getFields() ?? {});

/** Asks a subscription for everything it has; of a project where it takes one and `named` says so. */
function documentOf(field: Field, world: ApiWorld, named: boolean): string {
  const ids: Record<string, string> = { projectId: world.projectId, skillId: world.skillId };
  const args = field.args
    .filter(({ name, type }) => ids[name] !== undefined && (named || isNonNullType(type)))
    .map(({ name }) => `${name}: "${ids[name]}"`);
  const given = args.length === 0 ? '' : `(${args.join(', ')})`;
  return `subscription { ${field.name}${given} ${everythingOf(getNamedType(field.type), schema, 2)} }`;
}

/** Asks a subscription over HTTP. */
async function* overEvents(token: string, query: string): AsyncGenerator<Answer> {
  const events = await openEvents(api, token, { query });
  for (let sent = await events.next(); sent?.event === 'next'; sent = await events.next()) {
    yield sent.data as Answer;
  }
}

/** What differs between any two tasks and any two experts: opaque ids, cursors, instants, names. */
function withoutNames(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/"cursor":"[^"]*"/g, '"cursor":"C"')
    .replaceAll(/"[A-Za-z0-9_-]{22}"/g, '"ID"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
    .replaceAll(/\/v1\/payloads\/[A-Za-z0-9_-]+/g, 'URL')
    .replaceAll(/"secondsLeft":[\d.]+/g, '"secondsLeft":0')
    .replaceAll(/item-[a-z0-9-]+/g, 'ITEM')
    .replaceAll(/expert(-| plain )[a-z0-9-]+/g, 'EXPERT');
  return JSON.parse(text) as unknown;
}

interface Heard {
  readonly name: string;
  readonly items: unknown[];
}

/** Subscribes to everything, both ways, and goes on listening. Each has begun when it is answered. */
async function listen(world: ApiWorld, token: string): Promise<Heard[]> {
  const heard: Heard[] = [];
  const socket = openSocket(api, token);
  for (const field of fields) {
    for (const [named, transport] of [
      [false, 'WS'],
      [true, 'SSE'],
      [true, 'WS'],
      [false, 'SSE'],
    ] as const) {
      const query = documentOf(field, world, named);
      const items = transport === 'WS' ? socket({ query }) : overEvents(token, query);
      const first = await items.next();
      const one: Heard = { name: `${field.name} ${named} ${transport}`, items: [withoutNames(first.value)] };
      heard.push(one);
      void (async () => {
        for await (const item of items) {
          one.items.push(withoutNames(item));
        }
      })().catch(() => one.items.push('ended'));
    }
  }
  return heard;
}

const CLAIM =
  'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id lease { epoch } } } } }';

const act = (token: string, name: string, input: object) => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  return api.graphql(token, `mutation($input: ${type}!) { ${name}(input: $input) { __typename } }`, {
    input,
  });
};

async function take(token: string): Promise<{ assignmentId: string; leaseEpoch: number }> {
  const { id, lease } = (await api.graphql(token, CLAIM)).data.claimTask.assignment;
  return { assignmentId: id, leaseEpoch: lease.epoch };
}

const answer = async (token: string) =>
  act(token, 'submit', { ...(await take(token)), answer: { choice: 'yes' }, confidence: 0.9 });

/** Answers one, flags one, gives one back and would have it again, and takes another; its lease then runs out. */
async function work(token: string): Promise<void> {
  await answer(token);
  await act(token, 'flagTask', { ...(await take(token)), reason: 'AMBIGUOUS' });
  const third = await take(token);
  await act(token, 'releaseAssignment', third);
  await act(token, 'reclaimAssignment', { assignmentId: third.assignmentId });
  await take(token);
}

const TOLD = `select count(*) from stream_events where tenant_id = $1 and kind = 'POSTED' and seq is not null`;

const isOpen = ({ items }: Heard) => !JSON.stringify(items[0]).includes('"errors"');
const lastOf = ({ items }: Heard, text: string) => items.some((item) => JSON.stringify(item).includes(text));

/** A world of one expert, whose project has gold: all that they begin is gold, or none of it. */
async function worldWith({ isGold }: { isGold: boolean }): Promise<ApiWorld> {
  const world = await makeApiWorld(api, { experts: 1, tasks: 9, redundancy: 2 });
  const golds = [1, 2, 3, 4, 5].map((n) => ({
    payload: { question: `Is ${n} good? plain` },
    externalId: `item-${n}-gold`,
    contentType: 'application/json',
    answer: { choice: 'yes' },
  }));
  const give = 'mutation($input: ImportGoldInput!) { importGold(input: $input) { __typename } }';
  await api.graphql(world.operator, give, { input: { projectId: world.projectId, golds } });
  if (!isGold) {
    const expertId = api.server.app.ids.decode(world.experts[0]?.id ?? '')?.id ?? 0n;
    await setGoldRate(db.admin, { tenantId: world.tenantId, expertId }, 0);
  }
  return world;
}

const tokenOf = ({ experts }: ApiWorld): string => experts[0]?.token ?? '';

test('nothing that any subscription tells an expert tells gold from other work', async () => {
  const worlds = [await worldWith({ isGold: true }), await worldWith({ isGold: false })];
  const heard: Heard[][] = [];
  for (const world of worlds) {
    // (Who has had work of a project may listen to it.)
    await answer(tokenOf(world));
    await until(async () => (await numberOf(db.admin, TOLD, [world.tenantId])) === 1, 'the posting');
    heard.push(await listen(world, tokenOf(world)));
  }
  for (const world of worlds) {
    await work(tokenOf(world));
  }
  await db.advance(1_700);
  const all = heard.flat().filter(isOpen);
  const leases = all.filter(({ name }) => name.startsWith('leaseEvents'));
  await until(async () => leases.every((one) => lastOf(one, '"EXPIRING"')), 'warnings of the end of leases');
  await db.advance(200);
  await until(async () => leases.every((one) => lastOf(one, '"EXPIRED"')), 'ends of leases');
  const pause = 'mutation($input: PauseExpertInput!) { pauseExpert(input: $input) { __typename } }';
  for (const { experts, skillId, operator } of worlds) {
    const input = { expertId: experts[0]?.id, skillId, reason: 'Enough.' };
    await api.graphql(operator, pause, { input });
  }
  const quality = all.filter(({ name }) => name.startsWith('qualityEvents'));
  await until(async () => quality.every((one) => lastOf(one, '"PAUSED"')), 'pauses');
  const payouts = all.filter(({ name }) => name.startsWith('payoutEvents'));
  await until(async () => payouts.every((one) => lastOf(one, '"POSTED"')), 'payouts');

  const [withGold, without] = heard;
  expect(withGold).toEqual(without);
  // Not because nothing was told: these are open to experts, each both ways, and nothing else is.
  const open = withGold
    ?.filter(({ items }) => !JSON.stringify(items[0]).includes('"errors"'))
    .map(({ name }) => name);
  expect([...new Set(open?.map((name) => name.split(' ')[0]))].sort()).toEqual([
    'leaseEvents',
    'offerEvents',
    'payoutEvents',
    'qualityEvents',
    'traceEvents',
  ]);
  expect(open).toHaveLength(20);
  for (const [n, { tenantId }] of worlds.entries()) {
    const { rows } = await db.admin.query(
      `select distinct t.kind = 'GOLD' as gold
       from assignments a join tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id where a.tenant_id = $1`,
      [tenantId],
    );
    expect(rows).toEqual([{ gold: n === 0 }]);
  }
  await expectRulesHold(db.database);
});
