import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { nodeDocuments } from '../access/support/selection.js';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { setGoldRate } from '../support/golds.js';
import { expectRulesHold } from '../support/rules.js';

// Rule 10: nothing an expert can see tells gold from other work. Two experts do the same things, one with gold and one with
// another task of the same form; everything that they are answered is compared. (Latencies: npm run bench -- quality.)
const db = useTestDb();
const api = useTestApi(db);

const HELD = 'id state lease { epoch } payloadUrl';
const CLAIM = `mutation { claimTask(input: {}) { __typename ... on ClaimTaskPayload { assignment { ${HELD} } empty { reason } } } }`;
const mutation = (name: string, inputType: string) =>
  `mutation($input: ${inputType}!) { ${name}(input: $input) { __typename ... on DomainError { code message } } }`;

/** Everything about an assignment and its task that the schema lets anybody ask for; what is refused is part of the answer. */
const LOOKS = ['Assignment', 'Task'].map((type) => ({ type, documents: nodeDocuments(schema, type, 2) }));
const LISTS = [
  '{ assignments { edges { node { id state price { minorUnits currency } routing { reason } } } } }',
  '{ currentAssignment { id state draft { body } price { minorUnits } } }',
  '{ statement { balances { minorUnits currency } lines { edges { node { amount { minorUnits } assignment { id state } } } } } }',
];

/** What differs between any two tasks and any two experts: opaque ids, instants, tokens, digests of ids, names. */
function withoutNames(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/"[A-Za-z0-9_-]{22}"/g, '"ID"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
    .replaceAll(/\/v1\/payloads\/[A-Za-z0-9_-]+/g, 'URL')
    .replaceAll(/"secondsLeft":[\d.]+/g, '"secondsLeft":0')
    .replaceAll(/item-[a-z0-9-]+/g, 'ITEM')
    .replaceAll(/expert(-| plain )[a-z0-9-]+/g, 'EXPERT');
  return JSON.parse(text) as unknown;
}

/** One expert's day: all that they can do with what they are given, and all that they can see of it. */
async function day(token: string): Promise<{ step: string; answer: unknown }[]> {
  const seen: { step: string; answer: unknown }[] = [];
  const ask = async (step: string, text: string, variables: object = {}) => {
    const { status, data, errors } = await api.attempt(token, text, variables);
    seen.push({
      step,
      answer: withoutNames({
        status,
        data,
        errors: errors.map(({ message, extensions }) => [message, extensions?.code]),
      }),
    });
    return data;
  };
  const take = async () =>
    (await ask('claim', CLAIM)).claimTask.assignment as {
      id: string;
      lease: { epoch: number };
      payloadUrl: string;
    };
  const look = async (step: string, assignmentId: string) => {
    const { data } = await api.graphql(
      token,
      'query($id: ID!) { node(id: $id) { ... on Assignment { task { id } } } }',
      { id: assignmentId },
    );
    const ids: Record<string, string> = { Assignment: assignmentId, Task: data.node.task.id };
    for (const { type, documents } of LOOKS) {
      for (const [n, document] of documents.entries()) {
        await ask(`${step}: ${type} ${n}`, document, { id: ids[type] });
      }
    }
    for (const [n, list] of LISTS.entries()) {
      await ask(`${step}: list ${n}`, list);
    }
  };
  const act = (name: string, inputType: string, input: object) =>
    ask(name, mutation(name, inputType), { input });

  const first = await take();
  const payload = await fetch(first.payloadUrl);
  seen.push({
    step: 'payload',
    answer: [payload.status, payload.headers.get('content-type'), (await payload.text()).length],
  });
  await look('held', first.id);
  const lease = { assignmentId: first.id, leaseEpoch: first.lease.epoch };
  await act('heartbeat', 'HeartbeatInput', { ...lease, lastActivitySeconds: 0, draft: { choice: 'no' } });
  await act('submit', 'SubmitInput', { ...lease, answer: { choice: 'perhaps' } });
  await act('releaseAssignment', 'ReleaseAssignmentInput', lease);
  await look('released', first.id);
  await act('reclaimAssignment', 'ReclaimAssignmentInput', { assignmentId: first.id });
  const next = await take();
  const again = { assignmentId: next.id, leaseEpoch: next.lease.epoch };
  await act('submit', 'SubmitInput', { ...lease, answer: { choice: 'yes' } });
  await act('submit', 'SubmitInput', { ...again, answer: { choice: 'yes' }, confidence: 0.9 });
  await act('submit', 'SubmitInput', { ...again, answer: { choice: 'yes' } });
  await act('submit', 'SubmitInput', { ...again, answer: { choice: 'no' } });
  await act('flagTask', 'FlagTaskInput', { ...again, reason: 'OTHER' });
  await act('reclaimAssignment', 'ReclaimAssignmentInput', { assignmentId: next.id });
  await look('answered', next.id);
  const second = await take();
  const flag = { assignmentId: second.id, leaseEpoch: second.lease.epoch, reason: 'AMBIGUOUS' };
  await act('flagTask', 'FlagTaskInput', flag);
  await act('flagTask', 'FlagTaskInput', flag);
  await act('submit', 'SubmitInput', { ...flag, reason: undefined, answer: { choice: 'yes' } });
  await look('flagged', second.id);
  return seen;
}

/** A world of one expert, whose project has gold: all that they begin is gold, or none of it. */
async function dayWith({ isGold }: { isGold: boolean }) {
  const world = await makeApiWorld(api, { experts: 1, tasks: 9, redundancy: 2 });
  const golds = [1, 2, 3, 4].map((n) => ({
    payload: { question: `Is ${n} good? plain` },
    externalId: `item-${n}-gold`,
    contentType: 'application/json',
    answer: { choice: 'yes' },
  }));
  await api.graphql(
    world.operator,
    'mutation($input: ImportGoldInput!) { importGold(input: $input) { __typename } }',
    { input: { projectId: world.projectId, golds } },
  );
  const [expert] = world.experts;
  if (!isGold) {
    const expertId = api.server.app.ids.decode(expert?.id ?? '')?.id ?? 0n;
    await setGoldRate(db.admin, { tenantId: world.tenantId, expertId }, 0);
  }
  const seen = await day(expert?.token ?? '');
  const { rows } = await db.admin.query(
    `select t.kind = 'GOLD' as gold
     from assignments a join tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id where a.tenant_id = $1`,
    [world.tenantId],
  );
  expect(rows).toEqual([1, 2, 3].map(() => ({ gold: isGold })));
  return seen;
}

test('nothing that an expert is answered tells gold from other work', async () => {
  const withGold = await dayWith({ isGold: true });
  const without = await dayWith({ isGold: false });
  expect(withGold.length).toBeGreaterThan(60);
  expect(withGold).toEqual(without);
  await expectRulesHold(db.database);
});

test('a customer sees no gold: not in progress, tasks, answers, leases, spending or export', async () => {
  const world = await makeApiWorld(api, { experts: 1, tasks: 3 });
  const expert = world.experts[0]?.token ?? '';
  const seenBy = async (token: string) => {
    const query = `query($id: ID!) { node(id: $id) { ... on Project { progress { tasksTotal answersWanted answersCounted leased }
      spend { minorUnits } tasks { edges { node { externalId state } } } answers { edges { node { __typename } } } } } }`;
    return (await api.graphql(token, query, { id: world.projectId })).data.node;
  };
  const before = [await seenBy(world.customer), await seenBy(world.operator)];
  const gold = {
    payload: { question: 'Is it gold? plain' },
    externalId: 'item-gold',
    contentType: 'application/json',
    answer: { choice: 'yes' },
  };
  const given = { input: { projectId: world.projectId, gold } };
  await api.graphql(world.operator, mutation('createGold', 'CreateGoldInput'), given);
  const { id, lease } = (await api.graphql(expert, CLAIM)).data.claimTask.assignment;
  expect([await seenBy(world.customer), await seenBy(world.operator)]).toEqual(before);
  const input = { assignmentId: id, leaseEpoch: lease.epoch, answer: { choice: 'no' } };
  await api.graphql(expert, mutation('submit', 'SubmitInput'), { input });
  const { rows } = await db.admin.query('select kind from gradings where tenant_id = $1', [world.tenantId]);
  expect(rows).toEqual([{ kind: 'GOLD' }]);
  expect([await seenBy(world.customer), await seenBy(world.operator)]).toEqual(before);
  const { data } = await api.graphql(
    world.customer,
    'query($id: ID!) { node(id: $id) { __typename ... on Assignment { state } } }',
    { id },
  );
  expect(data.node).toBeNull();
});
