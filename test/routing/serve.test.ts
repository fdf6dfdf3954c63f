import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setExpertSkill } from '../../src/services/access/people.js';
import { useTestDb } from '../support/db.js';
import { at, makeBatch, makeProject, makeSkill, makeTenant, makeWorld } from '../support/factories.js';
import { expertRow, holding, queueRow } from '../support/interleave.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import {
  claimRequest,
  connectApp,
  type Served,
  serve,
  submitRequest,
  workThrough,
} from '../support/serving.js';
import { answerNext, tally } from '../support/work.js';

// What one batch does, whatever is in it. That two batches and single calls agree is in test/rules.
const t = useTestDb();
let app: pg.Client;
beforeAll(async () => {
  app = await connectApp(t);
});
afterAll(() => app.end());

const outcomes = (served: readonly Served[]) => served.map(({ outcome }) => outcome);
const leaseOf = ({ assignment }: Served) => {
  if (assignment === undefined) {
    throw new Error('Nothing was given.');
  }
  return assignment;
};

test('a batch answers each request in its place, whatever the others were answered', async () => {
  const world = await makeWorld(t.database, { experts: 3, tasks: 2 });
  const elsewhere = await makeWorld(t.database, { tasks: 1 });
  const held = leaseOf(
    at((await serve(app, world.tenantId, { claims: [claimRequest(world.ada)] })).claims, 0),
  );
  const wrongEpoch = submitRequest(world.ada, { ...held, epoch: 7 });
  const anothers = submitRequest(world.bob, held);
  const { submits, claims } = await serve(app, world.tenantId, {
    submits: [{ ...anothers, assignment: '999999999' }, wrongEpoch],
    claims: [elsewhere.ada, world.cyd, world.ada, world.bob].map((expert) => claimRequest(expert)),
  });
  expect(outcomes(submits)).toEqual(['NOT_FOUND', 'STALE_EPOCH']);
  expect(outcomes(claims)).toEqual(['NOT_FOUND', 'LEASED', 'HELD', 'LOOK']);
  expect(leaseOf(at(claims, 2)).id).toBe(held.id);
  await expectRulesHold(t.database);
});

test('who has had all but the last of what stands begun is given the last at the first look', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 5, project: { redundancy: 3 } });
  for (let n = 0; n < 4; n++) {
    await answerNext(t.database, world.ada);
  }
  let last = await answerNext(t.database, world.bob);
  for (let n = 0; n < 4; n++) {
    last = await answerNext(t.database, world.bob);
  }
  const { claims } = await serve(app, world.tenantId, { claims: [claimRequest(world.ada)] });
  expect(outcomes(claims)).toEqual(['LEASED']);
  expect(BigInt(leaseOf(at(claims, 0)).taskId)).toBe(last.taskId);
});

test('submits come first: who answers and claims in one batch is given the next', async () => {
  const world = await makeWorld(t.database, { tasks: 2 });
  const first = leaseOf(
    at((await serve(app, world.tenantId, { claims: [claimRequest(world.ada)] })).claims, 0),
  );
  const both = await serve(app, world.tenantId, {
    submits: [submitRequest(world.ada, first)],
    claims: [claimRequest(world.ada)],
  });
  expect(outcomes(both.submits)).toEqual(['SUBMITTED']);
  expect(leaseOf(at(both.claims, 0)).taskId).not.toBe(first.taskId);
});

test('fifty claims in one batch share twenty slots: twenty are given one, and nobody one twice', async () => {
  const world = await makeWorld(t.database, { experts: 50, tasks: 4, project: { redundancy: 5 } });
  const { claims } = await serve(app, world.tenantId, {
    claims: world.experts.map((expert) => claimRequest(expert)),
  });
  expect(tally(outcomes(claims))).toEqual({ LEASED: 20, LOOK: 30 });
  const given = claims.filter(({ assignment }) => assignment !== undefined);
  expect(tally(given.map((one) => String(leaseOf(one).taskId)))).toEqual(
    Object.fromEntries(world.taskIds.map((id) => [String(id), 5])),
  );
  expect(await numberOf(t.admin, 'select count(*) from ready where tenant_id = $1', [world.tenantId])).toBe(
    0,
  );
  await expectRulesHold(t.database);
});

test('the receipts of a batch are each submit’s own, and the same batch again gets the same ones', async () => {
  const world = await makeWorld(t.database, { experts: 8, tasks: 8 });
  const { claims } = await serve(app, world.tenantId, {
    claims: world.experts.map((expert) => claimRequest(expert)),
  });
  const submits = world.experts.map((expert, index) => submitRequest(expert, leaseOf(at(claims, index))));
  const first = await serve(app, world.tenantId, { submits });
  const again = await serve(app, world.tenantId, { submits: [...submits].reverse() });
  expect(first.submits).toEqual(
    submits.map(({ assignment }) =>
      expect.objectContaining({ outcome: 'SUBMITTED', assignmentId: Number(assignment) }),
    ),
  );
  expect(again.submits).toEqual([...first.submits].reverse());
  await expectRulesHold(t.database);
});

test('what is in other hands is BUSY, and the rest of the batch does not wait for it', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 3 });
  const claims = [claimRequest(world.ada), claimRequest(world.bob)];
  const served = await holding(t.url, expertRow(world.tenantId, world.ada.expertId), () =>
    serve(app, world.tenantId, { claims }),
  );
  expect(outcomes(served.claims)).toEqual(['BUSY', 'LEASED']);
});

test('a queue row that another transaction has is passed by, not waited for', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  const lock = queueRow(world.tenantId, at(world.taskIds, 0));
  const served = await holding(t.url, lock, () =>
    serve(app, world.tenantId, { claims: [claimRequest(world.ada)] }),
  );
  expect(outcomes(served.claims)).toEqual(['LOOK']);
});

test('who was to be given a row that another transaction has is given the next one instead', async () => {
  const world = await makeWorld(t.database, { experts: 3, tasks: 3 });
  const lock = queueRow(world.tenantId, at(world.taskIds, 0));
  const claims = world.experts.map((expert) => claimRequest(expert));
  const served = await holding(t.url, lock, () => serve(app, world.tenantId, { claims }));
  expect(tally(outcomes(served.claims))).toEqual({ LEASED: 2, LOOK: 1 });
});

test('an error leaves nothing of the whole batch', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 2 });
  const { claims } = await serve(app, world.tenantId, {
    claims: world.experts.map((expert) => claimRequest(expert)),
  });
  const submits = world.experts.map((expert, index) => submitRequest(expert, leaseOf(at(claims, index))));
  const poisoned = [at(submits, 0), { ...at(submits, 1), digest: 'no digest' }];
  await expect(serve(app, world.tenantId, { submits: poisoned })).rejects.toThrow(/answers_digest_check/);
  expect(await numberOf(t.admin, 'select count(*) from answers where tenant_id = $1', [world.tenantId])).toBe(
    0,
  );
  expect(outcomes((await serve(app, world.tenantId, { submits })).submits)).toEqual([
    'SUBMITTED',
    'SUBMITTED',
  ]);
  await expectRulesHold(t.database);
});

test('batches of one tenant take turns, those of another do not wait for them', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  const other = await makeTenant(t.database);
  await app.query('begin');
  try {
    await serve(app, world.tenantId, { claims: [claimRequest(world.ada)] });
    const second = await connectApp(t);
    try {
      await expect(serve(second, world.tenantId, { claims: [claimRequest(world.ada)] })).rejects.toThrow(
        /lock timeout/,
      );
      expect(await serve(second, other.tenantId, {})).toEqual({ submits: [], claims: [] });
    } finally {
      await second.end();
    }
  } finally {
    await app.query('rollback');
  }
});

test('reserved work that its expert may not have just now does not stand before what they may', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 0 });
  const { ada, tenantId, operator, customer, taskTypeId, skillId } = world;
  const { expertId } = ada;
  const reserved = { allow: [expertId] };
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: Array(4).fill(reserved) });
  const other = await makeSkill(t.database, world);
  const figures = { qualityMean: 0.9, qualityLower: 0.8 };
  await setExpertSkill(t.database, operator, { expertId, skillId: other, status: 'ACTIVE', ...figures });
  await setExpertSkill(t.database, operator, { expertId, skillId, status: 'PAUSED', ...figures });
  const parts = { tenantId, operator, customer, taskTypeId, skillId: other };
  const projectId = await makeProject(t.database, parts);
  await makeBatch(t.database, world, { projectId, tasks: [{}, {}, {}, reserved, reserved] });
  await workThrough(app, { tenantId, experts: [ada], count: 2 });
  const given = `select count(*) from assignments where tenant_id = $1 and routing_reason = 'RESERVED'`;
  expect(await numberOf(t.admin, given, [tenantId])).toBe(2);
});
