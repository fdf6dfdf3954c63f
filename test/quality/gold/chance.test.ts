import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';
import { makeWorld, type World } from '../../support/factories.js';
import { makeGolds, setGoldRate } from '../../support/golds.js';
import { expectRulesHold } from '../../support/rules.js';
import { claimRequest, connectApp, restoreChance, serve, submitRequest } from '../../support/serving.js';

// Gold as it is in production: drawn by chance.
const t = useTestDb();

let client: pg.Client;
beforeAll(async () => {
  await restoreChance(t.admin);
  client = await connectApp(t);
});
afterAll(() => client.end());

async function goldWorld(rate: number, experts = 1): Promise<World> {
  const world = await makeWorld(t.database, { tasks: 400, experts });
  await makeGolds(t.database, world, {
    keys: Array.from({ length: 300 }, (_, n) => (n % 3 === 0 ? 'no' : 'yes')),
  });
  for (const { expertId } of world.experts) {
    await setGoldRate(t.admin, { tenantId: world.tenantId, expertId }, rate);
  }
  return world;
}

/** One claim of each expert, all in a batch, and then their answers. */
async function round({ tenantId, experts }: World) {
  const { claims } = await serve(client, tenantId, { claims: experts.map((expert) => claimRequest(expert)) });
  const held = claims.map(({ assignment }) => {
    if (assignment === undefined) {
      throw new Error('A claim was given nothing');
    }
    return assignment;
  });
  const submits = held.map((one, n) => submitRequest(experts[n] ?? missing(), one));
  return { tasks: held.map(({ taskId }) => BigInt(taskId)), submits };
}

function missing(): never {
  throw new Error('There are more claims than experts');
}

const queueOf = async (tenantId: bigint) =>
  (
    await t.admin.query(
      'select task_id, phase, free_slots, excl, passed from ready where tenant_id = $1 and phase < 3 order by tag, task_id',
      [tenantId],
    )
  ).rows;

test('a claim that becomes gold takes one task from the queue and leaves its order', async () => {
  const world = await goldWorld(0.45);
  let golds = 0;
  for (let n = 0; n < 40; n++) {
    const before = await queueOf(world.tenantId);
    const { tasks, submits } = await round(world);
    if (!tasks.some((id) => world.taskIds.includes(id))) {
      golds += 1;
      expect(await queueOf(world.tenantId)).toEqual(before.slice(1));
    }
    await serve(client, world.tenantId, { submits });
  }
  expect(golds).toBeGreaterThan(5);
  await expectRulesHold(t.database);
});

test('the share of gold is the rate, and the classes come in equal shares', async () => {
  const world = await goldWorld(0.25, 20);
  for (let n = 0; n < 12; n++) {
    const { submits } = await round(world);
    await serve(client, world.tenantId, { submits });
  }
  const { rows } = await t.admin.query(
    `select g.label, count(*)::int as n from gold_draws d join golds g on g.tenant_id = d.tenant_id and g.task_id = d.task_id
     where d.tenant_id = $1 group by g.label order by g.label`,
    [world.tenantId],
  );
  const [no, yes] = rows.map(({ n }) => n);
  // 240 claims at .25: 60, with a standard deviation of 6.7; five of them are 34.
  expect(Math.abs(no + yes - 60)).toBeLessThan(34);
  expect(Math.abs(no - yes)).toBeLessThanOrEqual(20);
});
