import { expect, test } from 'vitest';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { idOf, makeApiWorld } from './support/world.js';

const db = useTestDb();
const api = useTestApi(db);

const EXPERT = `query($id: ID!) { node(id: $id) { ... on Expert { languages tags dailyCap status
  conflicts { reason customer { name } } pauses { reason skill { name } pausedBy { displayName } withdrewHeld }
  skills { preference status } } } }`;

test('an operator says what an expert brings and must not see; the expert says what they like', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const { operator, customerId, skillId, experts } = world;
  const [{ id: expertId, token } = { id: '', token: '' }] = experts;
  const update = idOf(api, operator, 'updateExpert.expert');
  await update({ expertId, languages: ['pt-BR', 'DE'], tags: ['NDA'], dailyCap: 40 });
  await update({ expertId, tags: ['eu'] });
  await idOf(api, operator, 'addConflict.expert')({ expertId, customerId, reason: 'Worked there.' });
  await idOf(api, operator, 'pauseExpert.expert')({ expertId, skillId, reason: 'Too fast.' });
  await idOf(api, token, 'setSkillPreference.expert')({ skillId, preference: 'AVOID' });
  const seen = async () => (await api.graphql(operator, EXPERT, { id: expertId })).data.node;
  expect(await seen()).toEqual({
    languages: ['de', 'pt-br'],
    tags: ['eu'],
    dailyCap: 40,
    status: 'ACTIVE',
    conflicts: [{ reason: 'Worked there.', customer: { name: expect.any(String) } }],
    pauses: [
      {
        reason: 'Too fast.',
        skill: { name: 'Skill plain' },
        pausedBy: { displayName: 'OPERATOR plain' },
        withdrewHeld: false,
      },
    ],
    skills: [{ preference: 'AVOID', status: 'PAUSED' }],
  });
  await update({ expertId, dailyCap: null });
  await idOf(api, operator, 'removeConflict.expert')({ expertId, customerId });
  await idOf(api, operator, 'resumeExpert.expert')({ expertId, skillId, reason: 'Looked at.' });
  const now = { dailyCap: null, conflicts: [], pauses: [], skills: [{ status: 'ACTIVE' }] };
  expect(await seen()).toMatchObject(now);
});

test('an expert reads neither why they are paused nor whom they must not see', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const [expert] = world.experts;
  const { data, errors } = await api.attempt(expert?.token ?? '', EXPERT, { id: expert?.id });
  expect(data.node).toMatchObject({ conflicts: null, pauses: null, languages: [] });
  expect(errors.map(({ extensions }) => extensions?.code)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
});

const PROJECT = `query($id: ID!) { node(id: $id) { ... on Project { languages tags maxPerExpert weight deadline
  furtherSkills { allOf { id } anyOf { id } minQuality } } } }`;

test('what a project asks for is read back in GraphQL and by the plain call, and its weight can be changed', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const { operator, customer, taskTypeId, skillId } = world;
  const skill = idOf(api, operator, 'createSkill.skill');
  const [one, two] = [await skill({ name: 'one' }), await skill({ name: 'two' })];
  const asked = {
    furtherSkills: { allOf: [one], anyOf: [two], minQuality: 0.75 },
    languages: ['DE'],
    tags: ['nda'],
    maxPerExpert: 3,
  };
  const response = await api.call(customer, 'POST /v1/projects', {
    name: 'plain',
    taskTypeId,
    skillId,
    price: { minorUnits: '1', currency: 'EUR' },
    idempotencyKey: 'plain',
    ...asked,
  });
  expect(response.status).toBe(202);
  const plain = await response.json();
  expect(plain).toMatchObject({ ...asked, languages: ['de'] });
  await idOf(api, customer, 'updateProject.project')({ projectId: plain.id, weight: 20 });
  expect((await api.graphql(customer, PROJECT, { id: plain.id })).data.node).toEqual({
    languages: ['de'],
    tags: ['nda'],
    maxPerExpert: 3,
    weight: 20,
    deadline: null,
    furtherSkills: { allOf: [{ id: one }], anyOf: [{ id: two }], minQuality: 0.75 },
  });
});

const ROUTING = (inside: string) =>
  `query($id: ID!) { node(id: $id) { ... on Assignment { routing { ${inside} } } } }`;

test('an assignment says why it was given, to an expert nothing of anybody else', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const token = world.experts[0]?.token ?? '';
  const claim = 'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }';
  const { id } = (await api.graphql(token, claim)).data.claimTask.assignment;
  const set = (reason: string | null) =>
    db.admin.query('update assignments set routing_reason = $2, routing_pressure = 1.5 where id = $1', [
      api.server.app.ids.decode(id)?.id,
      reason,
    ]);
  const asked = async (who: string, inside: string) =>
    (await api.graphql(who, ROUTING(inside), { id })).data.node.routing;
  await set(null);
  expect(await asked(token, 'reason')).toBeNull();
  const words = new Set<string>();
  for (const reason of ['RESERVED', 'SCARCE_SKILL', 'PREFERRED', 'DEADLINE', 'NEXT']) {
    await set(reason);
    const told = await asked(token, 'reason explanation');
    expect(told.reason).toBe(reason);
    expect(told.explanation).toMatch(/^You were given this because .+\.$/);
    words.add(told.explanation);
  }
  expect(words.size).toBe(5);
  await set('BEGUN');
  expect(await asked(token, 'reason')).toEqual({ reason: 'NEXT' });
  expect(await asked(world.operator, 'reason pressure')).toEqual({ reason: 'BEGUN', pressure: 1.5 });
  const { errors } = await api.attempt(token, ROUTING('pressure'), { id });
  expect(errors[0]?.extensions?.code).toBe('FORBIDDEN');
});
