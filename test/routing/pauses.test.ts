import { expect, test } from 'vitest';
import { setExpertSkill } from '../../src/services/access/people.js';
import { reclaimAssignment } from '../../src/services/routing/lease.js';
import { pauseExpert, resumeExpert } from '../../src/services/routing/pauses.js';
import { useTestDb } from '../support/db.js';
import { makeBatch, makeExpert, makeSkill, makeWorld, type World } from '../support/factories.js';
import { behind, expertRow } from '../support/interleave.js';
import { expectRulesHold } from '../support/rules.js';
import { claimAlone, emptyReason, outcome, reasonOf, submit, take } from '../support/work.js';

// DESIGN 8.11: a pause ends nothing but what comes after it; one for fraud ends what is held, too.
const t = useTestDb();

interface Call {
  readonly skillId?: bigint | null;
  readonly reason?: string;
  readonly withdraw?: boolean;
}

const pause = (world: World, { skillId = null, reason = 'Answers too fast.', withdraw = false }: Call = {}) =>
  pauseExpert(t.database, world.operator, { expertId: world.ada.expertId, skillId, reason, withdraw });

const resume = (world: World, skillId: bigint | null = null) =>
  resumeExpert(t.database, world.operator, { expertId: world.ada.expertId, skillId, reason: 'Asked back.' });

async function pausesOf(world: World) {
  const { rows } = await t.admin.query(
    `select reason, withdrew, resumed_at is null as open from pauses where tenant_id = $1 order by id`,
    [world.tenantId],
  );
  return rows;
}

test('a pause keeps its first reason, and ends with the resume', async () => {
  const world = await makeWorld(t.database);
  await pause(world);
  await pause(world, { reason: 'Another one.' });
  expect(await emptyReason(t.database, world.ada)).toBe('PAUSED');
  expect(await pausesOf(world)).toEqual([{ reason: 'Answers too fast.', withdrew: false, open: true }]);
  await resume(world);
  await resume(world);
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
  expect(await pausesOf(world)).toMatchObject([{ open: false }]);
});

test('a paused skill gives nothing while the others do, and comes back with the status that it had', async () => {
  const world = await makeWorld(t.database, { tasks: 2 });
  const { ada, skillId, operator } = world;
  const other = await makeSkill(t.database, world);
  const quality = { qualityMean: 0.9, qualityLower: 0.8 };
  const base = { expertId: ada.expertId, ...quality };
  await setExpertSkill(t.database, operator, { ...base, skillId, status: 'PROBATION' });
  await setExpertSkill(t.database, operator, { ...base, skillId: other, status: 'ACTIVE' });
  await pause(world, { skillId });
  expect(await emptyReason(t.database, ada, skillId)).toBe('PAUSED');
  expect(await emptyReason(t.database, ada, other)).toBe('NO_OPEN_TASK');
  await resume(world, skillId);
  const status = 'select status from expert_skills where expert_id = $1 and skill_id = $2';
  expect((await t.admin.query(status, [ada.expertId, skillId])).rows).toEqual([{ status: 'PROBATION' }]);
  expect(await emptyReason(t.database, ada)).toBe('GIVEN');
});

test('a status that is set without a word ends the pause that was recorded', async () => {
  const world = await makeWorld(t.database);
  const { ada, skillId, operator } = world;
  await pause(world, { skillId });
  const change = { expertId: ada.expertId, skillId, qualityMean: null, qualityLower: null };
  await setExpertSkill(t.database, operator, { ...change, status: 'PAUSED' });
  expect(await pausesOf(world)).toMatchObject([{ open: true }]);
  await setExpertSkill(t.database, operator, { ...change, status: 'ACTIVE' });
  expect(await pausesOf(world)).toMatchObject([{ open: false }]);
});

test('a pause for fraud ends the lease; its slot goes to somebody else, and never back', async () => {
  const world = await makeWorld(t.database, { experts: 2 });
  const held = await take(t.database, world.ada);
  await pause(world, { withdraw: true });
  expect(await pausesOf(world)).toMatchObject([{ withdrew: true }]);
  expect(await outcome(submit(t.database, world.ada, held))).toBe('LEASE_WITHDRAWN');
  expect((await take(t.database, world.bob)).taskId).toBe(held.taskId);
  await resume(world);
  expect(await emptyReason(t.database, world.ada)).not.toBe('GIVEN');
  await expectRulesHold(t.database);
});

test('a reserved task whose lease was withdrawn can be had again after the resume', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const { ada, projectId } = world;
  await makeBatch(t.database, world, { projectId, tasks: [{ allow: [ada.expertId] }] });
  const held = await take(t.database, ada);
  await pause(world, { withdraw: true });
  expect(await outcome(submit(t.database, ada, held))).toBe('LEASE_WITHDRAWN');
  expect(await outcome(reclaimAssignment(t.database, ada.viewer, { assignmentId: held.id }))).toBe(
    'NOT_QUALIFIED',
  );
  await resume(world);
  expect(await outcome(submit(t.database, ada, held))).toBe('LEASE_WITHDRAWN');
  const again = await take(t.database, ada);
  expect(again.taskId).toBe(held.taskId);
  await submit(t.database, ada, again);
  await expectRulesHold(t.database);
});

test('a pause of one skill for fraud leaves a lease of another alone', async () => {
  const world = await makeWorld(t.database);
  const other = await makeSkill(t.database, world);
  const change = { expertId: world.ada.expertId, skillId: other, qualityMean: 0.9, qualityLower: 0.8 };
  await setExpertSkill(t.database, world.operator, { ...change, status: 'ACTIVE' });
  const held = await take(t.database, world.ada);
  await pause(world, { skillId: other, withdraw: true });
  expect(await outcome(submit(t.database, world.ada, held))).toBe('OK');
});

test.each(['pause first', 'claim first'])(
  'a pause for fraud and a claim that wait for the same expert: %s',
  async (order) => {
    const world = await makeWorld(t.database);
    const stop = () => pause(world, { withdraw: true });
    const ask = () => claimAlone(t.database, world.ada).then(reasonOf);
    const lock = expertRow(world.tenantId, world.ada.expertId);
    const ends = await behind<unknown>(t, lock, order === 'pause first' ? [stop, ask] : [ask, stop]);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const { rows } = await t.admin.query(
      `select count(*)::int as live from assignments where tenant_id = $1 and state = 'LEASED'`,
      [world.tenantId],
    );
    expect(rows).toEqual([{ live: 0 }]);
    await expectRulesHold(t.database);
  },
);

test('who is not there, or does not have the skill, cannot be paused', async () => {
  const world = await makeWorld(t.database);
  const stranger = await makeWorld(t.database);
  const nobody = await makeExpert(t.database, world, []);
  const call = { reason: 'r', withdraw: false };
  const them = { ...call, expertId: stranger.ada.expertId, skillId: null };
  expect(await outcome(pauseExpert(t.database, world.operator, them))).toBe('NOT_FOUND');
  const unskilled = { ...call, expertId: nobody.expertId, skillId: world.skillId };
  expect(await outcome(pauseExpert(t.database, world.operator, unskilled))).toBe('NOT_FOUND');
  expect(await outcome(pause(world, { reason: ' ' }))).toBe('INPUT_INVALID');
});
