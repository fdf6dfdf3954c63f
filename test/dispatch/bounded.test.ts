import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Explained, ExplainingClient, nodesOf } from '../routing/support/plans.js';
import { useTestDb } from '../support/db.js';
import {
  type Depot,
  HERE,
  makeCrowd,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
} from '../support/dispatch.js';

// What searches by place read (decision 157): what is around, and not everybody of the tenant. Counted of the plans as they were run.
const t = useTestDb();

const FAR = { latitude: HERE.latitude + 2, longitude: HERE.longitude };
const FAR_MANY = 3_000;

let depot: Depot;
let app: ExplainingClient;
beforeAll(async () => {
  depot = await makeDepot(t);
  await makeCrowd(depot, FAR_MANY, FAR);
  await makeCrowd(depot, 100, minutesAway(1));
  app = await ExplainingClient.connect(t.url, 'touchstone_app');
});
afterAll(() => app.end());

/** Rows of a table that statements read, whatever became of them. */
function rowsRead(statements: readonly Explained[], table: string): number {
  const nodes = statements.flatMap(({ plan }) => nodesOf(plan));
  return nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce(
      (sum, node) =>
        sum +
        node['Actual Loops'] *
          (node['Actual Rows'] +
            (node['Rows Removed by Filter'] ?? 0) +
            (node['Rows Removed by Index Recheck'] ?? 0)),
      0,
    );
}

/** What a statement answers as the service, and how it was run. */
async function run(text: string, values: readonly unknown[]) {
  let rows: { id: string }[] = [];
  const statements = await app.explain(async () => {
    await app.pg.query('begin');
    await app.pg.query('select app.enter_service($1, null)', [depot.tenantId]);
    rows = (await app.pg.query(text, [...values])).rows;
    await app.pg.query('rollback');
  });
  return { ids: rows.map(({ id }) => BigInt(id)), statements };
}

const QUALIFIED = 'select expert_id as id from app.qualified_workers($1, $2, $3, $4)';
const HOMES = 'select expert_id as id from app.nearest_homes($1, $2, $3, $4)';

test('of a skill that few have those are looked up, and nobody else', async () => {
  const able = await makeWorker(depot, { at: minutesAway(14) });
  const jobId = await makeJob(depot);
  const { ids, statements } = await run(QUALIFIED, [depot.tenantId, jobId, '{}', 500]);
  expect(ids).toEqual([able.expertId]);
  expect(rowsRead(statements, 'latest_fixes')).toBe(1);
  expect(rowsRead(statements, 'workers')).toBeLessThan(5);
});

test('of a job without a skill it is looked around it, until there are enough', async () => {
  const jobId = await makeJob(depot, { skillIds: [] });
  const all = await run(QUALIFIED, [depot.tenantId, jobId, '{}', 500]);
  expect(all.ids.length).toBeGreaterThanOrEqual(100);
  expect(all.ids.length).toBeLessThan(110);
  // (Each circle is looked at whole: six of them.)
  expect(rowsRead(all.statements, 'latest_fixes')).toBeLessThan(6 * 110);
  const some = await run(QUALIFIED, [depot.tenantId, jobId, '{}', 20]);
  expect(some.ids).toEqual(all.ids.slice(0, 20));
  expect(rowsRead(some.statements, 'latest_fixes')).toBeLessThan(110);
});

test('for later it is looked around the job for homes, with a skill and without', async () => {
  const window = { notBeforeInSeconds: 7_200, dueInSeconds: 9_000 };
  const able = await makeWorker(depot, { at: null, home: minutesAway(3) });
  const withSkill = await run(QUALIFIED, [depot.tenantId, await makeJob(depot, window), '{}', 500]);
  expect(withSkill.ids).toContain(able.expertId);
  expect(rowsRead(withSkill.statements, 'workers')).toBeLessThan(20);
  const jobId = await makeJob(depot, { ...window, skillIds: [] });
  const without = await run(QUALIFIED, [depot.tenantId, jobId, '{}', 60]);
  expect(without.ids).toHaveLength(60);
  expect(rowsRead(without.statements, 'workers')).toBeLessThan(400);
});

test('the nearest homes are found among those around, in a tenant that has many', async () => {
  const at = [HERE.latitude, HERE.longitude];
  const { ids, statements } = await run(HOMES, [depot.tenantId, ...at, 60]);
  expect(ids).toHaveLength(60);
  // (Of which 501 only tell that there are many.)
  expect(rowsRead(statements, 'workers')).toBeLessThan(501 + 150);
});

test.each([
  { name: 'on this side of the 180th meridian', latitude: -17.5, longitude: 179.9 },
  { name: 'on the other', latitude: -17.5, longitude: -179.95 },
  { name: 'near a pole', latitude: 89.9, longitude: 20 },
  { name: 'anywhere', latitude: 42.5, longitude: 1.5 },
])('the nearest homes are those that a look at all of them finds, $name', async ({ latitude, longitude }) => {
  const around = await makeDepot(t);
  await makeCrowd(around, 900, { latitude, longitude });
  await t.admin.query('select setseed(0.25)');
  await t.admin.query(
    `update workers set home_latitude = greatest(-90, least(90, home_latitude + (random() - 0.5) * power(10, random() * 2 - 1))),
       home_longitude = (home_longitude + 540 + (random() - 0.5) * power(10, random() * 3 - 1))::numeric % 360 - 180
     where tenant_id = $1`,
    [around.tenantId],
  );
  const wanted = await t.admin.query(
    `select expert_id as id from workers where tenant_id = $1
     order by app.metres_about(home_latitude, home_longitude, $2, $3), expert_id limit 200`,
    [around.tenantId, latitude, longitude],
  );
  const found = await t.admin.query(`${HOMES}`, [around.tenantId, latitude, longitude, 200]);
  expect(found.rows).toEqual(wanted.rows);
  const all = await t.admin.query(`${HOMES}`, [around.tenantId, latitude, longitude, 2_000]);
  expect(all.rows).toHaveLength(900);
});
