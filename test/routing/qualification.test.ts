import { expect, test } from 'vitest';
import { setExpertSkill } from '../../src/services/access/people.js';
import {
  addConflict,
  type ExpertProfile,
  removeConflict,
  setSkillPreference,
  updateExpert,
} from '../../src/services/access/profile.js';
import { NO_REQUIREMENT, type Requirement } from '../../src/services/projects/requirement.js';
import { flagTask, reclaimAssignment, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import {
  makeBatch,
  makeCustomer,
  makeProject,
  makeSkill,
  makeWorld,
  type World,
} from '../support/factories.js';
import { behind, expertRow } from '../support/interleave.js';
import { numberOf } from '../support/look.js';
import { brokenRules, expectRulesHold } from '../support/rules.js';
import { answerNext, claim, claimAlone, emptyReason, outcome, submit, take } from '../support/work.js';

// Who is given what: all that a project asks for, and what keeps a person from it.
const t = useTestDb();

/** A world whose one project asks for more than its skill. */
const asking = (requirement: Partial<Requirement>, tasks = 2) =>
  makeWorld(t.database, { tasks, project: { requirement: { ...NO_REQUIREMENT, ...requirement } } });

const change = (world: World, profile: Omit<ExpertProfile, 'expertId'>) =>
  updateExpert(t.database, world.operator, { expertId: world.ada.expertId, ...profile });

const given = async (world: World) => (await emptyReason(t.database, world.ada)) === 'GIVEN';

function give(
  world: World,
  skillId: bigint,
  { status = 'ACTIVE', quality = 0.8 }: { status?: 'ACTIVE' | 'PAUSED' | 'PROBATION'; quality?: number } = {},
): Promise<void> {
  const figures = { qualityMean: Math.max(0.9, quality), qualityLower: quality };
  const { expertId } = world.ada;
  return setExpertSkill(t.database, world.operator, { expertId, skillId, status, ...figures });
}

test('a language and a tag are asked for by name, all of them', async () => {
  const world = await asking({ languages: ['de', 'pt-BR'], tags: ['nda'] });
  expect(await given(world)).toBe(false);
  await change(world, { languages: ['de', 'pt'], tags: ['NDA'] });
  expect(await given(world)).toBe(false);
  await change(world, { languages: ['DE', 'pt-br', 'en'] });
  expect(await given(world)).toBe(true);
});

test('further skills: all of some, at a minimum, unpaused', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const [one, two] = [await makeSkill(t.database, world), await makeSkill(t.database, world)];
  const requirement = { ...NO_REQUIREMENT, allOf: [one, two], minQuality: 0.7 };
  const projectId = await makeProject(t.database, world, { requirement });
  await makeBatch(t.database, world, { projectId, tasks: 1 });
  await give(world, one);
  expect(await given(world)).toBe(false);
  await give(world, two, { quality: 0.69 });
  expect(await given(world)).toBe(false);
  await give(world, two, { status: 'PAUSED' });
  expect(await given(world)).toBe(false);
  await give(world, two, { status: 'PROBATION', quality: 0.7 });
  expect(await given(world)).toBe(true);
  await expectRulesHold(t.database);
});

test('further skills: any of others', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const [one, two] = [await makeSkill(t.database, world), await makeSkill(t.database, world)];
  const requirement = { ...NO_REQUIREMENT, anyOf: [one, two] };
  const projectId = await makeProject(t.database, world, { requirement });
  await makeBatch(t.database, world, { projectId, tasks: 1 });
  expect(await given(world)).toBe(false);
  await give(world, two);
  expect(await given(world)).toBe(true);
});

test('a conflict keeps an expert from all projects of a customer, and from no other’s', async () => {
  const world = await makeWorld(t.database, { tasks: 2 });
  const { ada, operator, customer } = world;
  const { customerId } = customer;
  const conflict = { expertId: ada.expertId, customerId, reason: 'Worked there.' };
  await addConflict(t.database, operator, conflict);
  expect(await given(world)).toBe(false);
  const other = await makeCustomer(t.database, world);
  const projectId = await makeProject(t.database, { ...partsOf(world), customer: other });
  await makeBatch(t.database, { tenantId: world.tenantId, customer: other }, { projectId, tasks: 1 });
  expect((await answerNext(t.database, ada)).projectId).toBe(projectId);
  expect(await given(world)).toBe(false);
  await removeConflict(t.database, operator, conflict);
  expect(await given(world)).toBe(true);
  await expectRulesHold(t.database);
});

test.each(['conflict first', 'claim first'])(
  'a conflict and a claim that wait for the same expert: %s',
  async (order) => {
    const world = await makeWorld(t.database);
    const { ada, operator, tenantId, customer } = world;
    const add = () =>
      addConflict(t.database, operator, {
        expertId: ada.expertId,
        customerId: customer.customerId,
        reason: 'r',
      });
    const ask = async () => 'held' in (await claimAlone(t.database, ada));
    const lock = expertRow(tenantId, ada.expertId);
    const ends = await behind<unknown>(t, lock, order === 'conflict first' ? [add, ask] : [ask, add]);
    expect(ends[order === 'conflict first' ? 1 : 0]).toMatchObject({ value: order === 'claim first' });
  },
);

test('a daily cap ends with the UTC day', async () => {
  const world = await makeWorld(t.database, { tasks: 5 });
  await change(world, { dailyCap: 2 });
  await answerNext(t.database, world.ada);
  await answerNext(t.database, world.ada);
  expect(await given(world)).toBe(false);
  await t.advance(24 * 3600);
  expect(await given(world)).toBe(true);
  await t.advance(-24 * 3600);
});

test('after a full day a crowd is told to come back at different times, and nobody takes back what they had', async () => {
  const world = await makeWorld(t.database, { tasks: 5 });
  const { ada } = world;
  await change(world, { dailyCap: 2 });
  const held = await take(t.database, ada);
  await releaseAssignment(t.database, ada.viewer, { assignmentId: held.id, leaseEpoch: held.epoch });
  await answerNext(t.database, ada);
  expect(await outcome(reclaimAssignment(t.database, ada.viewer, { assignmentId: held.id }))).toBe(
    'NOT_QUALIFIED',
  );
  const toMidnight = `select ceil(extract(epoch from date_trunc('day', app.clock_now(), 'UTC') + interval '1 day' - app.clock_now()))`;
  const waits = new Set<number>();
  for (let n = 0; n < 5; n++) {
    const result = await claim(t.database, ada);
    const wait = 'empty' in result ? result.empty.retryAfterSeconds : 0;
    waits.add(wait);
    expect(wait).toBeGreaterThan(await numberOf(t.admin, toMidnight, []));
    expect(wait).toBeLessThan((await numberOf(t.admin, toMidnight, [])) + 603);
  }
  expect(waits.size).toBeGreaterThan(1);
});

test('a daily cap counts what was taken before it was set, and while there was none', async () => {
  const world = await makeWorld(t.database, { tasks: 9 });
  const reason = () => emptyReason(t.database, world.ada);
  await answerNext(t.database, world.ada);
  await answerNext(t.database, world.ada);
  await change(world, { dailyCap: 2 });
  expect(await reason()).toBe('DAILY_CAP_REACHED');
  await change(world, { dailyCap: null });
  for (let i = 0; i < 3; i++) await answerNext(t.database, world.ada);
  await change(world, { dailyCap: 5 });
  expect(await reason()).toBe('DAILY_CAP_REACHED');
  await change(world, { dailyCap: 6 });
  await answerNext(t.database, world.ada);
  expect(await reason()).toBe('DAILY_CAP_REACHED');
});

test('a conflict is told as one though some other project is full', async () => {
  const world = await makeWorld(t.database, { tasks: 1, project: { maxPerExpert: 1 } });
  const { ada, tenantId } = world;
  await answerNext(t.database, ada);
  const customer = await makeCustomer(t.database, world);
  const projectId = await makeProject(t.database, { ...partsOf(world), customer });
  await makeBatch(t.database, { tenantId, customer }, { projectId, tasks: 1 });
  const conflict = { expertId: ada.expertId, customerId: customer.customerId, reason: 'r' };
  await addConflict(t.database, world.operator, conflict);
  expect(await emptyReason(t.database, ada)).toBe('CONFLICT_OF_INTEREST');
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 });
  expect(await emptyReason(t.database, ada)).toBe('PROJECT_CAP_REACHED');
});

test('whoever has more of a project than it lets one have is found', async () => {
  const world = await makeWorld(t.database, { tasks: 2, project: { maxPerExpert: 2 } });
  await answerNext(t.database, world.ada);
  await take(t.database, world.ada);
  const cap = 'update projects set max_per_expert = $2 where id = $1';
  await t.admin.query(cap, [world.projectId, 1]);
  const broken = await brokenRules(t.database);
  await t.admin.query(cap, [world.projectId, 2]);
  expect(broken).toEqual([expect.stringContaining(`has 2 of project ${world.projectId}`)]);
  await expectRulesHold(t.database);
});

test('a project gives one expert as many tasks as it lets one have, and others theirs', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 5, project: { maxPerExpert: 2 } });
  await answerNext(t.database, world.ada);
  await answerNext(t.database, world.ada);
  expect(await given(world)).toBe(false);
  await answerNext(t.database, world.bob);
  expect((await take(t.database, world.bob)).projectId).toBe(world.projectId);
  await expectRulesHold(t.database);
});

test('what an expert says cannot be answered is none of those that a project lets one have', async () => {
  const world = await makeWorld(t.database, { tasks: 5, project: { maxPerExpert: 2 } });
  for (let n = 0; n < 2; n++) {
    const held = await take(t.database, world.ada);
    const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
    await flagTask(t.database, world.ada.viewer, { ...lease, reason: 'AMBIGUOUS' });
  }
  await answerNext(t.database, world.ada);
  await answerNext(t.database, world.ada);
  expect(await given(world)).toBe(false);
  await expectRulesHold(t.database);
});

test('what lapsed is not taken back against a conflict that has come to be', async () => {
  const world = await makeWorld(t.database);
  const { ada, operator, customer } = world;
  const held = await take(t.database, ada);
  await t.advance(61);
  const conflict = { expertId: ada.expertId, customerId: customer.customerId };
  await addConflict(t.database, operator, { ...conflict, reason: 'r' });
  const reclaim = () => outcome(reclaimAssignment(t.database, ada.viewer, { assignmentId: held.id }));
  expect(await reclaim()).toBe('NOT_QUALIFIED');
  await removeConflict(t.database, operator, conflict);
  expect(await reclaim()).toBe('OK');
});

test('what lapsed counts as free again, and is not taken back beyond what one expert may have', async () => {
  const { ada } = await makeWorld(t.database, { tasks: 3, project: { maxPerExpert: 1 } });
  const { id } = await take(t.database, ada);
  await t.advance(61);
  const again = () => reclaimAssignment(t.database, ada.viewer, { assignmentId: id });
  expect(await outcome(again())).toBe('OK');
  await releaseAssignment(t.database, ada.viewer, { assignmentId: id, leaseEpoch: 2 });
  await submit(t.database, ada, await take(t.database, ada));
  expect(await outcome(again())).toBe('NOT_QUALIFIED');
});

test('to avoid a skill refuses none of its work', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  const avoid = { skillId: world.skillId, preference: 'AVOID' } as const;
  await setSkillPreference(t.database, world.ada.viewer, avoid);
  expect(await given(world)).toBe(true);
});

/** What projects are made of, without the experts by name, which not every world has. */
const partsOf = ({ operator, taskTypeId, skillId }: World) => ({ operator, taskTypeId, skillId });
