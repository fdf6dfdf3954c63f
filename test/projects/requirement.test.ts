import { expect, test } from 'vitest';
import { updateProject } from '../../src/services/projects/projects.js';
import { NO_REQUIREMENT, type Requirement } from '../../src/services/projects/requirement.js';
import { useTestDb } from '../support/db.js';
import { makeCustomer, makeProject, makeSkill, makeWorld, unique, type World } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { atOnce, outcome } from '../support/work.js';

// What a project asks of experts is its lane: the same requirement is the same lane, however it was said.
const t = useTestDb();

const asking = (world: World, requirement: Partial<Requirement>, idempotencyKey = unique('key')) =>
  makeProject(t.database, world, {
    name: 'asks',
    requirement: { ...NO_REQUIREMENT, ...requirement },
    idempotencyKey,
  });

const laneOf = (projectId: bigint) =>
  numberOf(t.admin, 'select lane_id from projects where id = $1', [projectId]);

test('the same requirement is the same lane, whatever its order, case and repeats; another is another', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const [one, two] = [await makeSkill(t.database, world), await makeSkill(t.database, world)];
  const asked = { allOf: [one, two], minQuality: 0.5, languages: ['de', 'pt-BR'], tags: ['nda', 'eu'] };
  const lane = await laneOf(await asking(world, asked));
  const again = { allOf: [two, one, two], languages: ['pt-br', 'DE'], tags: ['EU', 'nda', 'nda'] };
  expect(await laneOf(await asking(world, { ...asked, ...again }))).toBe(lane);
  const others: Partial<Requirement>[] = [
    {},
    { ...asked, allOf: [one] },
    { ...asked, allOf: [], anyOf: [one, two] },
    { ...asked, minQuality: 0.51 },
    { ...asked, languages: ['de'] },
    { ...asked, tags: [] },
  ];
  const lanes = new Set([lane]);
  for (const other of others) {
    lanes.add(await laneOf(await asking(world, other)));
  }
  expect(lanes.size).toBe(1 + others.length);
});

test('a minimum without a skill that it is of asks for nothing', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  expect(await laneOf(await asking(world, { minQuality: 0.9 }))).toBe(await laneOf(world.projectId));
});

test('projects that ask for a new lane at once share it', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const made = await atOnce(8, () => asking(world, { languages: ['fi'] }));
  expect(new Set(await Promise.all(made.map(laneOf))).size).toBe(1);
});

test('the same key with the same requirement in another order is the same project, with another a conflict', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const key = unique('key');
  const first = await asking(world, { tags: ['a', 'b'] }, key);
  expect(await asking(world, { tags: ['b', 'a'] }, key)).toBe(first);
  expect(await outcome(asking(world, { tags: ['a'] }, key))).toBe('IDEMPOTENCY_CONFLICT');
});

test.each([
  ['the project’s own skill', (w: World) => ({ anyOf: [w.skillId] })],
  ['a skill both of all and of some', (_: World, other: bigint) => ({ allOf: [other], anyOf: [other] })],
  ['a minimum of three decimals', (_: World, other: bigint) => ({ allOf: [other], minQuality: 0.123 })],
  ['too many skills', () => ({ allOf: Array.from({ length: 11 }, (_, n) => BigInt(n + 1)) })],
  ['no language', () => ({ languages: ['not a language'] })],
  ['an endless language', () => ({ languages: [`x-${'a'.repeat(200)}`] })],
  ['no tag', () => ({ tags: ['two words'] })],
  ['too many tags', () => ({ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) })],
] satisfies [string, (world: World, other: bigint) => Partial<Requirement>][])(
  'what cannot be asked for is refused: %s',
  async (_what, asked) => {
    const world = await makeWorld(t.database, { tasks: 0 });
    const other = await makeSkill(t.database, world);
    expect(await outcome(asking(world, asked(world, other)))).toBe('INPUT_INVALID');
  },
);

test('a skill that is not there, or another tenant’s, is not found', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const stranger = await makeWorld(t.database, { tasks: 0 });
  expect(await outcome(asking(world, { allOf: [stranger.skillId] }))).toBe('NOT_FOUND');
});

test('name, deadline and weight change, each alone, and a customer reaches only its own', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const { projectId, operator, customer, tenantId } = world;
  const look = async () => {
    const { rows } = await t.admin.query('select name, deadline, weight from projects where id = $1', [
      projectId,
    ]);
    return rows[0];
  };
  const before = await look();
  const deadline = new Date('2099-01-01T00:00:00Z');
  await updateProject(t.database, customer.viewer, { projectId, deadline });
  expect(await look()).toEqual({ ...before, deadline });
  await updateProject(t.database, operator, { projectId, weight: 77, name: ' new ' });
  expect(await look()).toEqual({ name: 'new', weight: 77, deadline });
  await updateProject(t.database, operator, { projectId, deadline: null });
  expect(await look()).toEqual({ name: 'new', weight: 77, deadline: null });
  const other = await makeCustomer(t.database, { tenantId, slug: world.slug, operator });
  const change = { projectId, weight: 1 };
  expect(await outcome(updateProject(t.database, other.viewer, change))).toBe('NOT_FOUND');
  expect(await outcome(updateProject(t.database, operator, { projectId, weight: 0 }))).toBe('INPUT_INVALID');
});
