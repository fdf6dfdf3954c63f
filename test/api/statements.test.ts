// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { plantJob } from '../support/planted-dispatch.js';
import { type ListDocument, listDocuments } from './support/list-documents.js';
import { statementsOf } from './support/statements.js';
import {
  type ApiWorld,
  CHOICE,
  idOf,
  makeApiWorld,
  makeBatch,
  makeCustomer,
  makeExpert,
  makeProject,
} from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

// No query makes more statements because a list is longer. The documents come from the schema: every root field that can
// be asked without an argument, with every field of its items, and what is two levels below.

/** Items by which every list grows. */
const MORE = 5;

const CLAIM = 'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }';
const SUBMIT = `mutation($id: ID!) { submit(input: { assignmentId: $id, leaseEpoch: 1, answer: { choice: "yes" } }) { __typename } }`;

async function answer(token: string): Promise<void> {
  const { id } = (await api.graphql(token, CLAIM)).data.claimTask.assignment;
  await api.graphql(token, SUBMIT, { id });
}

/** One more of everything: a skill, a customer, a task type, an expert who has answered, a project and its batch. */
async function grow(world: ApiWorld): Promise<void> {
  const { slug, tenantId, operator, customer, skillId } = world;
  const marker = randomUUID().slice(0, 6);
  await idOf(api, operator, 'createSkill.skill')({ name: `Skill ${marker}` });
  const other = await makeCustomer(api, { slug, tenantId, operator, marker });
  const type = { name: `Type ${marker}`, definition: CHOICE, instructions: '' };
  const taskTypeId = await idOf(api, customer, 'createTaskType.taskType')(type);
  const expert = await makeExpert(api, { slug, operator, skillId, marker });
  const projectId = await makeProject(api, customer, { taskTypeId, skillId, marker });
  await makeBatch(api, customer, { projectId, tasks: 3, marker });
  await answer(world.experts[0]?.token ?? '');
  await answer(expert.token);
  await idOf(
    api,
    operator,
    'addConflict.expert',
  )({ expertId: expert.id, customerId: other.id, reason: 'related' });
  await db.admin.query(
    `insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at)
     select $1, 'PEER_GAP', $2, array[max(id)], '{"z": 4}', now() from experts where tenant_id = $1`,
    [tenantId, api.server.app.ids.decode(projectId)?.id],
  );
  await db.admin.query(
    `insert into doors (tenant_id, expert_id, skill_id, kind, quality, mean, lower, results, grading_id, proven_experts, opened_at)
     select $1, max(id), $2, 'SCARCE_SKILL', 0.7, 0.8, 0.4, 0, 0, 2, now() from experts where tenant_id = $1`,
    [tenantId, api.server.app.ids.decode(skillId)?.id],
  );
  await db.admin.query(
    'insert into expert_sessions (tenant_id, expert_id, connected_at) select $1, max(id), now() from experts where tenant_id = $1',
    [tenantId],
  );
  await plantJob(db.admin, tenantId);
  await db.admin.query(
    `with logged as (
       insert into access_log (tenant_id, actor_id, role, subject_type, subject_id, purpose)
       select i.tenant_id, i.id, 'OPERATOR', 'EXPERT', x.id, 'TRACE' from (select max(id) as id from experts where tenant_id = $1) x
       join lateral (select tenant_id, id from identities where tenant_id = $1 limit 1) i on true
       returning tenant_id, id, actor_id, subject_id
     )
     insert into trace_exports (tenant_id, access_log_id, expert_id, job_id, reason, from_at, to_at, fixes, exported_by, role)
     select l.tenant_id, l.id, l.subject_id, 0, 'Planted to be counted.', now(), now(), 0, l.actor_id, 'OPERATOR' from logged l`,
    [tenantId],
  );
}

interface Counted {
  readonly statements: number;
  /** Items of the list, or -1 where this viewer may not ask. */
  readonly items: number;
}

/** Who acts as no expert has no quality of their own, and no id is given here. */
const isNotTheirs = (root: string, code: unknown) =>
  code === 'FORBIDDEN' || (root === 'expertQuality' && code === 'BAD_USER_INPUT');

async function count(token: string, { root, text, shallow }: ListDocument): Promise<Counted> {
  let items = -1;
  const ask = async (document: string) => {
    const { data, errors } = await api.attempt(token, document);
    items = data?.[root]?.edges?.length ?? -1;
    return errors.map(({ extensions }) => extensions?.code).filter((code) => !isNotTheirs(root, code));
  };
  const statements = await statementsOf(api.server.app.db.appPool, async () => {
    const codes = await ask(text);
    expect(codes.includes('QUERY_TOO_COMPLEX') ? await ask(shallow) : codes).toEqual([]);
  });
  return { statements, items };
}

/** Pools are measured by a job, some seconds after there is something in them. */
async function poolsSeen({ operator }: ApiWorld): Promise<number> {
  const { data } = await api.graphql(operator, '{ pools(first: 8) { edges { node { queueDepth } } } }');
  return data.pools.edges.length;
}

test('no list of the schema is read with more statements because it is longer', async () => {
  const world = await makeApiWorld(api, { experts: 1, tasks: 3 });
  const viewers = {
    operator: world.operator,
    analyst: world.analyst,
    customer: world.customer,
    dispatcher: world.dispatcher,
    expert: world.experts[0]?.token ?? '',
  };
  const documents = listDocuments(schema);
  const measure = async () => {
    const counted = new Map<string, Counted & ListDocument>();
    for (const [viewer, token] of Object.entries(viewers)) {
      for (const document of documents) {
        counted.set(`${viewer}: ${document.root}.${document.field}`, {
          ...document,
          ...(await count(token, document)),
        });
      }
    }
    return counted;
  };
  await grow(world);
  await grow(world);
  await expect.poll(() => poolsSeen(world)).toBeGreaterThan(1);
  const few = await measure();
  // Disabled, it is sent nothing; what it would be told of the rest waits.
  await db.admin.query(
    `insert into webhooks (tenant_id, url, state, reason, changed_at)
     values ($1, 'https://example.com/hooks', 'DISABLED', 'planted', now())`,
    [world.tenantId],
  );
  for (let n = 0; n < MORE; n++) {
    await grow(world);
  }
  await expect.poll(() => poolsSeen(world)).toBeGreaterThan(MORE);
  const many = await measure();
  // Loads of one level now and then come in two ticks, and a forecast is stored or computed: that is one more, or two. A
  // statement an item is at least as many as there are more items.
  const grown = [...many].filter(
    ([key, { statements }]) => statements >= (few.get(key)?.statements ?? 0) + MORE,
  );
  expect(
    grown.map(([key, { statements }]) => `${key}: ${few.get(key)?.statements} to ${statements}`),
  ).toEqual([]);
  // And the lists were there: each is longer for somebody, and read at all.
  const longer = new Set(
    [...many].flatMap(([key, { root, items }]) => (items > (few.get(key)?.items ?? 0) ? [root] : [])),
  );
  const paged = documents.filter(({ text }) => text.includes('(first: 8)')).map(({ root }) => root);
  expect([...new Set(paged)].filter((root) => !longer.has(root))).toEqual([]);
});
