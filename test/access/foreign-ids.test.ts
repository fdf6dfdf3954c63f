// @once
import { createHash } from 'node:crypto';
import { type GraphQLInputObjectType, getNamedType } from 'graphql';
import { createClient } from 'graphql-ws';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { schema } from '../../src/schema/index.js';
import { goodInputs } from '../api/support/good-inputs.js';
import { leavesOf, withValueAt } from '../api/support/hostile.js';
import {
  type ApiWorld,
  idOf,
  makeApiWorld,
  makeBatch,
  makeCustomer,
  makeExpert,
  makeProject,
} from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// Every argument of type ID that can change something, with ids of another tenant, another customer and another
// expert: nothing of theirs changes, nothing of theirs comes back.

const db = useTestDb();
const api = useTestApi(db);

let world: ApiWorld;
let assignmentId: string;
/** How many of the foreign ids are of the caller's tenant; they come first. */
const NEIGHBOURS = 6;
/** Ids of an owner that is not the caller. */
let foreign: string[];
/** Tenants and customers of those ids, by number. */
let owners: { tenantId: bigint; customerId: bigint }[];

async function claim(token: string): Promise<{ id: string; task: { id: string } }> {
  const query =
    'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id task { id } } } } }';
  return (await api.graphql(token, query)).data.claimTask.assignment;
}

const numberOf = (id: string) => api.server.app.ids.decode(id)?.id ?? 0n;

/** A second customer in the same tenant, with a project and an expert at work in it. */
async function neighbour() {
  const { slug, tenantId, operator } = world;
  const marker = 'neighbour';
  const customer = await makeCustomer(api, { slug, tenantId, operator, marker });
  const skillId = await idOf(api, operator, 'createSkill.skill')({ name: 'Skill of the neighbour' });
  const definition = { kind: 'SINGLE_CHOICE', options: [{ value: 'yes' }, { value: 'no' }] };
  const taskTypeId = await idOf(
    api,
    customer.token,
    'createTaskType.taskType',
  )({ name: 'Theirs', definition });
  const expert = await makeExpert(api, { slug, operator, skillId, marker });
  const projectId = await makeProject(api, customer.token, { taskTypeId, skillId, marker });
  const batchId = await makeBatch(api, customer.token, { projectId, tasks: 2, marker });
  const held = await claim(expert.token);
  return {
    ids: [customer.id, taskTypeId, projectId, batchId, held.id, held.task.id],
    customerId: numberOf(customer.id),
  };
}

beforeAll(async () => {
  world = await makeApiWorld(api, { tasks: 2, marker: 'caller' });
  assignmentId = (await claim(world.experts[0]?.token ?? '')).id;
  const other = await makeApiWorld(api, { tasks: 2, marker: 'stranger' });
  const held = await claim(other.experts[0]?.token ?? '');
  const near = await neighbour();
  foreign = [
    ...near.ids,
    ...[other.customerId, other.taskTypeId, other.projectId, other.skillId, held.id, held.task.id],
    other.experts[0]?.id ?? '',
  ];
  owners = [
    { tenantId: other.tenantId, customerId: 0n },
    { tenantId: world.tenantId, customerId: near.customerId },
  ];
});

/** Tables whose rows the server's own jobs may change at any time. */
const JOBS_OWN = [
  'alerts',
  'expert_connections',
  'expert_sessions',
  'expert_interruptions',
  'stream_events',
  'streams',
  'forecasts',
  'expert_weeks',
  'hour_marks',
  'task_tallies',
  'task_deltas',
  'open_batches',
  'lease_alarms',
  'ledger_stamps',
  'ledger_entries',
  'ledger_outbox',
  'lanes',
  'flows',
  'pools',
  'skill_pools',
  // What is folded from answers, and the rounds of jobs. (What an answer itself leaves is looked at.)
  'agreement_dues',
  'agreement_units',
  'agreement_cells',
  'agreement_totals',
  'agreement_values',
  'gold_pools',
  'gold_rates',
  'gold_refills',
  'mint_looks',
  'project_watches',
  'grading_dues',
  'quality_scores',
  'skill_calibrations',
  'score_days',
  'shown_marks',
  'skill_priors',
  'standings',
  'stopping_models',
  'inference_turns',
  'adjudication_waits',
  'inference_versions',
  'inference_experts',
];

/** And columns of others: what newcomers of a skill would need to be let in, as last looked at. */
const JOBS_COLUMNS = ['high_bar', 'bar_at', 'least_bar', 'told_bar', 'try_at', 'try_due'];

/** A digest of everything that the others have, table by table. */
async function others(): Promise<Record<string, string>> {
  const { rows } = await db.admin.query(
    `select c.relname as name, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'customer_id') as owned
     from pg_class c join pg_attribute t on t.attrelid = c.oid and t.attname = 'tenant_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and not c.relname = any ($1) order by 1`,
    [JOBS_OWN],
  );
  const digests: Record<string, string> = {};
  for (const { name, owned } of rows) {
    const hash = createHash('sha256');
    for (const { tenantId, customerId } of owners) {
      const filter = customerId === 0n ? '' : owned ? `and customer_id = ${customerId}` : 'and false';
      const found = await db.admin.query(
        `select (to_jsonb(t) - $1::text[])::text as row from ${name} t where tenant_id = ${tenantId} ${filter} order by 1`,
        [JOBS_COLUMNS],
      );
      hash.update(`${found.rows.map(({ row }) => row).join('\n')}\n\n`);
    }
    digests[name] = hash.digest('hex');
  }
  return digests;
}

/** Places where another's id is text to us, or where it is answered by what the caller has anyway. */
const HARMLESS = /\/idempotencyKey$|ExpertIds\/0$|^claimTask |nextSkillId$/;

const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

test.each(mutations.map(({ name }) => name))(
  '%s does nothing with ids that are not the caller’s',
  async (name) => {
    const before = await others();
    const inputName = (
      getNamedType(mutations.find((m) => m.name === name)?.args[0]?.type) as GraphQLInputObjectType
    ).name;
    const document = `mutation($input: ${inputName}!) { ${name}(input: $input) { __typename ... on DomainError { code message } } }`;
    const good = goodInputs({ world, assignmentId })[name];
    const asCustomer = /^(createTaskType|createProject|createBatch|updateProject|cancelProject)$/.test(name);
    const token = asCustomer ? world.customer : (good?.token ?? '');
    // To an operator all customers of the tenant are their own.
    const ids = token === world.operator ? foreign.slice(NEIGHBOURS) : foreign;
    for (const { path } of leavesOf(schema, inputName).filter(({ type }) => type === 'ID')) {
      for (const id of ids) {
        const where = `${name} /${path.join('/')}`;
        const input = withValueAt(withoutCustomer(good?.input, asCustomer), path, id);
        const { data, status } = await api.attempt(token, document, { input });
        expect(status, where).toBeLessThan(500);
        if (!HARMLESS.test(where)) {
          expect(data?.[name]?.__typename ?? 'Error', where).toMatch(/Error$/);
        }
        expect(JSON.stringify(data ?? null), where).not.toMatch(/stranger|neighbour/);
      }
    }
    expect(await others()).toEqual(before);
  },
  60_000,
);

/** A customer does not say whose it is. */
function withoutCustomer(input: object | undefined, drop: boolean): object {
  const { customerId, ...rest } = { ...input } as Record<string, unknown>;
  return drop || customerId === undefined ? rest : { ...rest, customerId };
}

test('an operator reaches every customer of their tenant, and nobody of another', async () => {
  const before = await others();
  const theirs = foreign.slice(NEIGHBOURS);
  for (const name of [
    'cancelProject',
    'setLease',
    'setExpertStatus',
    'updateProject',
    'updateExpert',
    'addConflict',
    'removeConflict',
    'pauseExpert',
    'resumeExpert',
    'createBatch',
    'createProject',
    'setExpertSkill',
  ]) {
    const inputName = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const good = goodInputs({ world, assignmentId })[name];
    const document = `mutation($input: ${inputName}!) { ${name}(input: $input) { __typename } }`;
    for (const { path } of leavesOf(schema, inputName).filter(({ type }) => type === 'ID')) {
      for (const id of theirs) {
        const { data } = await api.attempt(world.operator, document, {
          input: withValueAt(good?.input, path, id),
        });
        if (!HARMLESS.test(`${name} /${path.join('/')}`)) {
          expect(data?.[name]?.__typename ?? 'Error', `${name} ${path.join('/')}`).toMatch(/Error$/);
        }
      }
    }
  }
  expect(await others()).toEqual(before);
});

test('subscriptions to what is not theirs are refused', async () => {
  const documents = [
    'subscription($id: ID!) { deadlineRisk(projectId: $id) { batchId } }',
    'subscription($id: ID!) { leaseEvents(projectId: $id) { kind taskId } }',
    'subscription($id: ID!) { poolEvents(skillId: $id) { queueDepth } }',
    'subscription($id: ID!) { queueDepth(skillId: $id) { queueDepth } }',
    'subscription($id: ID!) { projectProgress(projectId: $id) { state } }',
    'subscription($id: ID!) { forecast(projectId: $id) { cursor } }',
    'subscription($id: ID!) { payoutEvents(expertId: $id) { kind } }',
    'subscription($id: ID!) { qualityEvents(projectId: $id) { kind } }',
  ];
  for (const token of [world.customer, world.experts[0]?.token, world.dispatcher]) {
    const client = createClient({
      url: `${api.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${token}` },
      retryAttempts: 0,
    });
    for (const query of documents) {
      for (const id of foreign) {
        const items = client.iterate({ query, variables: { id } });
        const { value } = await items.next();
        expect(value?.errors?.[0]?.extensions?.code, `${query} ${value?.data}`).toMatch(
          /NOT_FOUND|FORBIDDEN|BAD_USER_INPUT/,
        );
      }
    }
    await client.dispose();
  }
});

test('plain calls about what is not theirs are 404', async () => {
  const before = await others();
  const expert = world.experts[0]?.token ?? '';
  const verbs = {
    heartbeat: { leaseEpoch: 1, lastActivitySeconds: 0 },
    submit: { leaseEpoch: 1, answer: { choice: 'yes' } },
    release: { leaseEpoch: 1 },
    reclaim: undefined,
    flag: { leaseEpoch: 1, reason: 'OTHER' },
  };
  for (const id of foreign) {
    for (const [verb, body] of Object.entries(verbs)) {
      expect((await api.call(expert, `POST /v1/assignments/${id}/${verb}`, body)).status, verb).toBe(404);
    }
    expect((await api.call(world.customer, `GET /v1/projects/${id}`)).status).toBe(404);
    expect((await api.call(world.customer, `GET /v1/projects/${id}/answers`)).status).toBe(404);
    expect((await api.call(world.customer, `GET /v1/projects/${id}/results`)).status).toBe(404);
    expect((await api.call(world.customer, `GET /v1/batches/${id}`)).status).toBe(404);
    const upload = await fetch(`${api.url}/v1/projects/${id}/batches?format=jsonl&name=n`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.customer}`, 'Idempotency-Key': 'k' },
      body: '{"payload":1}',
    });
    expect(upload.status).toBe(404);
  }
  expect(await others()).toEqual(before);
});
