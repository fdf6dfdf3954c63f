import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeApiWorld } from './support/world.js';

// What a change leaves out stays as it was, what it made is what it says, and what is wrong with it comes before what it costs.
const db = useTestDb();
const api = useTestApi(db);

const REFUSED = '... on DomainError { code ... on InputInvalidError { issues { path message } } }';

async function change(token: string, mutation: string, input: object) {
  const [name = '', fields = ''] = mutation.split(/ (.*)/);
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const text = `mutation($i: ${type}Input!) { ${name}(input: $i) { ${REFUSED} ... on ${type}Payload { ${fields} } } }`;
  const { data, errors } = await api.graphql(token, text, { i: input });
  expect(errors).toEqual([]);
  return data[name];
}

test('what is not said of redundancy stays: only critical, only first gold, and no rule has to be said', async () => {
  const { operator, projectId } = await makeApiWorld(api, { tasks: 0 });
  const set = (input: object) =>
    change(
      operator,
      'setRedundancy project { redundancy redundancyPolicy isCritical firstGoldMax auditShare }',
      {
        projectId,
        ...input,
      },
    );
  expect(await set({})).toEqual({ code: 'INPUT_INVALID', issues: [expect.anything()] });
  expect((await set({ isCritical: true })).issues).toEqual([
    { path: '/isCritical', message: expect.stringContaining('no rule') },
  ]);
  const policy = { kind: 'AGREE', agree: 2, max: 3 };
  const ruled = {
    redundancy: 2,
    redundancyPolicy: policy,
    isCritical: false,
    firstGoldMax: 20,
    auditShare: 0,
  };
  expect((await set({ agree: { agree: 2, max: 3 } })).project).toEqual(ruled);
  expect((await set({ firstGoldMax: 3 })).project).toEqual({ ...ruled, firstGoldMax: 3 });
  expect((await set({ auditShare: 0.3 })).issues).toMatchObject([{ path: '/auditShare' }]);
  expect((await set({ auditShare: 0.05 })).project).toEqual({ ...ruled, firstGoldMax: 3, auditShare: 0.05 });
  expect((await set({ isCritical: true })).project).toEqual({
    redundancy: 3,
    redundancyPolicy: { kind: 'AGREE', agree: 3, max: 5 },
    isCritical: true,
    firstGoldMax: 3,
    auditShare: 0.05,
  });
  expect((await set({ isCritical: false, plain: { answers: 1 } })).project).toEqual({
    redundancy: 1,
    redundancyPolicy: null,
    isCritical: false,
    firstGoldMax: 3,
    auditShare: 0.05,
  });
});

test('who has a role already is given another only where that is said', async () => {
  const { operator } = await makeApiWorld(api, { tasks: 0 });
  const expert = { handle: 'Cara', subject: 'cara-desk' };
  await change(operator, 'createExpert expert { id }', expert);
  const customer = { name: 'Cara Ltd', subject: 'cara-desk' };
  expect(await change(operator, 'createCustomer customer { id }', customer)).toEqual({
    code: 'INPUT_INVALID',
    issues: [{ path: '/subject', message: expect.stringContaining('acts as EXPERT already') }],
  });
  const said = { ...customer, mayHaveOtherRoles: true };
  expect(await change(operator, 'createCustomer customer { name }', said)).toEqual({
    customer: { name: 'Cara Ltd' },
  });
});

test('a customer is made with who acts for it, and sees itself and nobody else', async () => {
  const { operator, slug } = await makeApiWorld(api, { tasks: 0 });
  const make = (name: string, subject: string) =>
    change(operator, 'createCustomer customer { id name }', { name, subject });
  const { customer } = await make('Borealis', 'borealis-desk');
  const token = await api.token({ subject: 'borealis-desk', tenantSlug: slug, role: 'CUSTOMER' });
  const text = '{ viewer { role customer { id } } }';
  expect((await api.graphql(token, text)).data.viewer).toEqual({
    role: 'CUSTOMER',
    customer: { id: customer.id },
  });
  expect(await make('Australis', 'borealis-desk')).toMatchObject({ code: 'NAME_TAKEN' });
  expect(await make('Australis', '')).toEqual({
    code: 'INPUT_INVALID',
    issues: [{ path: '/subject', message: expect.anything() }],
  });
  // Refused, it leaves no customer behind.
  expect((await make('Australis', 'australis-desk')).customer.name).toBe('Australis');
});

test('setBudget says the budget that it made, and null where it took it away', async () => {
  const { operator, projectId } = await makeApiWorld(api, { tasks: 2 });
  const set = (budget: string | null) =>
    change(operator, 'setBudget budget { limit { minorUnits } spent { minorUnits } stopped }', {
      projectId,
      budget,
    });
  expect((await set('100000')).budget).toEqual({
    limit: { minorUnits: '100000' },
    spent: { minorUnits: '0' },
    stopped: 0,
  });
  expect((await set(null)).budget).toBeNull();
});

test('what is wrong with tasks comes before what they cost', async () => {
  const { operator, projectId } = await makeApiWorld(api, { tasks: 0 });
  await change(operator, 'setBudget project { id }', { projectId, budget: '1' });
  const batch = (...tasks: object[]) =>
    change(operator, 'createBatch batch { id }', {
      projectId,
      name: 'b',
      idempotencyKey: `k${tasks.length}`,
      tasks,
    });
  const good = { payload: 'good', externalId: '1' };
  expect(await batch(good)).toEqual({ code: 'BUDGET_EXCEEDED' });
  expect(await batch(good, { payload: 'bad', externalId: '2', redundancy: 0 })).toEqual({
    code: 'INPUT_INVALID',
    issues: [{ path: '/tasks/1', message: expect.stringContaining('The task ') }],
  });
});

test('gold is listed by where it stands and where it comes from', async () => {
  const { operator, projectId } = await makeApiWorld(api, { tasks: 0 });
  const gold = (payload: string) => ({ payload, externalId: payload, answer: { choice: 'yes' } });
  const made = await change(operator, 'createGold golds { task { id } }', { projectId, gold: gold('h') });
  await change(operator, 'importGold golds { task { id } }', { projectId, golds: [gold('i'), gold('j')] });
  await change(operator, 'retireGold golds { state }', { taskId: made.golds[0].task.id, reason: 'worn' });
  const list = async (filter: string) => {
    const text = `query($p: ID!) { gold(projectId: $p${filter}) { edges { node { source state } } } }`;
    const { data } = await api.graphql(operator, text, { p: projectId });
    return data.gold.edges.map(
      ({ node }: { node: { source: string; state: string } }) => `${node.source} ${node.state}`,
    );
  };
  expect(await list('')).toEqual(['HAND RETIRED', 'IMPORT ACTIVE', 'IMPORT ACTIVE']);
  expect(await list(', source: IMPORT')).toEqual(['IMPORT ACTIVE', 'IMPORT ACTIVE']);
  expect(await list(', state: RETIRED')).toEqual(['HAND RETIRED']);
  expect(await list(', state: RETIRED, source: IMPORT')).toEqual([]);
  expect(await list(', isAside: true')).toEqual([]);
  expect(await list(', isAside: false')).toHaveLength(3);
});

test('what is said of gold that comes before tasks, and of gold that they are unlike', async () => {
  const { operator, projectId } = await makeApiWorld(api, { tasks: 0 });
  const give = (payload: string) =>
    change(operator, 'importGold golds { state aside } warnings { kind message golds { aside } }', {
      projectId,
      golds: [{ payload, contentType: 'application/json', answer: { choice: 'yes' } }],
    });
  expect(await give('first')).toMatchObject({
    golds: [{ state: 'ACTIVE', aside: null }],
    warnings: [{ kind: 'NO_TASKS', golds: [{ aside: null }] }],
  });
  const batch = {
    projectId,
    name: 'tasks',
    idempotencyKey: 'tasks',
    tasks: [{ payload: 'a' }, { payload: 'one' }],
  };
  await change(operator, 'createBatch batch { id }', batch);
  await expect
    .poll(() => give('first'))
    .toMatchObject({ golds: [{ aside: 'CONTENT_TYPE' }], warnings: [{ kind: 'CONTENT_TYPE' }] });
  const text = `query($p: ID!) { gold(projectId: $p, isAside: true) { edges { node { aside } } } }`;
  const { data } = await api.graphql(operator, text, { p: projectId });
  expect(data.gold.edges).toEqual([{ node: { aside: 'CONTENT_TYPE' } }]);
});

test('a project that nobody has looked at yet says so, and no figures', async () => {
  const { operator, projectId } = await makeApiWorld(api, { tasks: 0 });
  const text = `query($p: ID!) { judgingMethods(projectId: $p) { reason version goldTasks goldAnswers goldItems answersAnItem answers chosenAt } }`;
  expect((await api.graphql(operator, text, { p: projectId })).data.judgingMethods[0]).toEqual({
    reason: 'NOT_LOOKED_YET',
    version: null,
    goldTasks: null,
    goldAnswers: null,
    goldItems: null,
    answersAnItem: null,
    answers: null,
    chosenAt: null,
  });
});
