import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setExpertSkill } from '../../src/services/access/people.js';
import { claimTask } from '../../src/services/routing/claim.js';
import { flagTask, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { at, makeBatch, makeExpert, makeProject, makeWorld, type World } from '../support/factories.js';
import { answeredOpen, claimable } from '../support/facts.js';
import { holding, queueRow } from '../support/interleave.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { answerNext, claim, emptyReason, submit, take } from '../support/work.js';

// An empty answer is exact: never "no work" while there is some, and its reason is the true one.
const t = useTestDb();

const leaseOf = (held: { id: bigint; epoch: number }) => ({ assignmentId: held.id, leaseEpoch: held.epoch });

test('NO_OPEN_TASK: nothing waits in the lanes of the expert', async () => {
  const { ada, bob } = await makeWorld(t.database, { experts: 2, tasks: 1 });
  await take(t.database, ada);
  expect(await emptyReason(t.database, bob)).toBe('NO_OPEN_TASK');
});

test('ALL_ANSWERED_BY_YOU: what waits, this expert has answered or flagged', async () => {
  const { ada } = await makeWorld(t.database, { tasks: 2, project: { redundancy: 2 } });
  await answerNext(t.database, ada);
  const flagged = await take(t.database, ada);
  await flagTask(t.database, ada.viewer, { ...leaseOf(flagged), reason: 'AMBIGUOUS' });
  expect(await emptyReason(t.database, ada)).toBe('ALL_ANSWERED_BY_YOU');
});

test('answered by this expert is not said while something waits that asks for more of them', async () => {
  const world = await makeWorld(t.database, { tasks: 1, project: { redundancy: 2 } });
  await answerNext(t.database, world.ada);
  const above = await makeProject(t.database, world, { minQuality: 0.85 });
  await makeBatch(t.database, world, { projectId: above, tasks: 1 });
  expect(await emptyReason(t.database, world.ada)).toBe('QUALITY_BELOW_MINIMUM');
});

test('answered by this expert is not said while something else waits, for others', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 1, project: { redundancy: 2 } });
  const { ada, bob, projectId } = world;
  await answerNext(t.database, ada);
  await makeBatch(t.database, world, { projectId, tasks: [{ allow: [bob.expertId] }] });
  expect(await emptyReason(t.database, ada)).toBe('RESERVED_FOR_OTHERS');
});

test('RESERVED_FOR_OTHERS: what waits names other experts, or bars this one', async () => {
  const world = await makeWorld(t.database, { experts: 3, tasks: 0 });
  const { ada, bob, projectId } = world;
  await makeBatch(t.database, world, { projectId, tasks: [{ allow: [bob.expertId] }] });
  expect(await emptyReason(t.database, ada)).toBe('RESERVED_FOR_OTHERS');
  await makeBatch(t.database, world, { projectId, tasks: [{ block: [ada.expertId] }] });
  expect(await emptyReason(t.database, ada)).toBe('RESERVED_FOR_OTHERS');
  expect(await emptyReason(t.database, bob)).toBe('GIVEN');
});

test('PAUSED, NO_SKILL and QUALITY_BELOW_MINIMUM say what the expert lacks', async () => {
  const world = await makeWorld(t.database, { quality: 0.4, project: { minQuality: 0.5 } });
  const { ada, skillId, operator } = world;
  const nobody = await makeExpert(t.database, world, []);
  expect(await emptyReason(t.database, nobody)).toBe('NO_SKILL');
  expect(await emptyReason(t.database, ada)).toBe('QUALITY_BELOW_MINIMUM');
  const pause = { expertId: ada.expertId, skillId, status: 'PAUSED', qualityMean: null, qualityLower: null };
  await setExpertSkill(t.database, operator, pause as never);
  expect(await emptyReason(t.database, ada)).toBe('PAUSED');
});

test('BUSY, not empty, while another transaction has the only row in its hands', async () => {
  const { ada, tenantId, taskIds } = await makeWorld(t.database);
  await holding(t.url, queueRow(tenantId, at(taskIds, 0)), async () => {
    expect(await claimTask(t.database, ada.viewer)).toEqual({
      empty: { reason: 'BUSY', retryAfterSeconds: 1 },
    });
  });
  expect(await emptyReason(t.database, ada)).toBe('GIVEN');
});

test('an expert who has answered every task at the head is given the one behind, however far', async () => {
  const { ada, bob } = await makeWorld(t.database, { experts: 2, tasks: 40, project: { redundancy: 2 } });
  // The quick look reads 16 rows that have been begun; ada has answered the 39 before the one that is left.
  for (let n = 0; n < 39; n++) {
    await answerNext(t.database, ada);
  }
  const last = await take(t.database, ada);
  await releaseAssignment(t.database, ada.viewer, leaseOf(last));
  expect((await take(t.database, ada)).taskId).toBe(last.taskId);
  expect(await claimable(t.admin, { tenantId: ada.viewer.tenantId }, bob)).toBe(40);
  await expectRulesHold(t.database);
});

test('what an expert gave back is offered to them again last of all, but it is offered', async () => {
  const { ada, taskIds } = await makeWorld(t.database, { tasks: 3 });
  const first = await take(t.database, ada);
  await releaseAssignment(t.database, ada.viewer, leaseOf(first));
  const given = [await answerNext(t.database, ada), await answerNext(t.database, ada)];
  expect(given.map((held) => held.taskId)).toEqual(taskIds.slice(1));
  expect((await take(t.database, ada)).taskId).toBe(first.taskId);
});

test('what one expert gave back is the next thing that another is given', async () => {
  const { ada, bob } = await makeWorld(t.database, { experts: 2, tasks: 5 });
  const first = await take(t.database, ada);
  await releaseAssignment(t.database, ada.viewer, leaseOf(first));
  expect((await take(t.database, bob)).taskId).toBe(first.taskId);
});

test('asking again is due when the next lease of the lanes is, within a minute, spread', async () => {
  const { ada, bob } = await makeWorld(t.database, { experts: 2, project: { leaseSeconds: 8 } });
  await take(t.database, ada);
  for (let n = 0; n < 5; n++) {
    const result = await claim(t.database, bob);
    // The warning of an 8 s lease is due after 6 s.
    expect('empty' in result && result.empty.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect('empty' in result && result.empty.retryAfterSeconds).toBeLessThanOrEqual(7);
  }
});

const OPERATIONS = ['answer', 'hold', 'release', 'flag', 'lapse', 'more', 'pause', 'resume'] as const;

test('whatever has happened before, an empty answer agrees with the facts', async () => {
  const step = fc.record({ who: fc.nat(3), what: fc.constantFrom(...OPERATIONS) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = await twoProjects();
      for (const { who, what } of steps) {
        await perform(world, { who, what });
      }
      for (const expert of world.experts) {
        await agree(world, expert);
      }
    }),
    { numRuns: 15 },
  );
  await expectRulesHold(t.database);
});

/** Every kind of task: open to all, reserved, barred, beyond the experts' quality, and of another project in the lane. */
async function twoProjects(): Promise<World> {
  const world = await makeWorld(t.database, { experts: 4, tasks: 2, project: { redundancy: 2 } });
  const [first, second] = [at(world.experts, 0).expertId, at(world.experts, 1).expertId];
  const projectId = await makeProject(t.database, world, { weight: 30 });
  const tasks = [{ allow: [first, second], wanted: 2 }, { block: [first] }, {}];
  await makeBatch(t.database, world, { projectId, tasks });
  const above = await makeProject(t.database, world, { minQuality: 0.85 });
  await makeBatch(t.database, world, { projectId: above, tasks: 1 });
  return world;
}

async function perform(world: World, { who, what }: { who: number; what: (typeof OPERATIONS)[number] }) {
  const expert = at(world.experts, who);
  if (what === 'lapse') {
    await t.advance(61);
  } else if (what === 'more') {
    await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 });
  } else if (what === 'pause' || what === 'resume') {
    await setExpertSkill(t.database, world.operator, {
      expertId: expert.expertId,
      skillId: world.skillId,
      status: what === 'pause' ? 'PAUSED' : 'ACTIVE',
      qualityMean: null,
      qualityLower: null,
    });
  } else {
    const result = await agree(world, expert);
    if (what === 'hold' || 'empty' in result) {
      return;
    }
    const { held } = result;
    if (what === 'answer') {
      await submit(t.database, expert, held);
    } else if (what === 'release') {
      await releaseAssignment(t.database, expert.viewer, leaseOf(held));
    } else {
      await flagTask(t.database, expert.viewer, { ...leaseOf(held), reason: 'OTHER' });
    }
  }
}

const LIVE = `
  select count(*) from assignments
  where tenant_id = $1 and expert_id = $2 and state = 'LEASED' and lease_until > app.clock_now()`;

/** Claims, and holds the answer against the facts as they stood just before. */
async function agree(world: World, expert: World['ada']) {
  const holds = await numberOf(t.admin, LIVE, [world.tenantId, expert.expertId]);
  const open = await claimable(t.admin, world, expert);
  const answered = await answeredOpen(t.admin, world, expert);
  const result = await claim(t.database, expert);
  if ('held' in result) {
    expect(holds > 0 || open > 0).toBe(true);
  } else {
    expect(holds).toBe(0);
    expect(`${result.empty.reason}, ${open} claimable`).toBe(`${result.empty.reason}, 0 claimable`);
    if (result.empty.reason === 'NO_OPEN_TASK') {
      expect(answered).toBe(0);
    } else if (result.empty.reason === 'ALL_ANSWERED_BY_YOU') {
      expect(answered).toBeGreaterThan(0);
    }
  }
  return result;
}
