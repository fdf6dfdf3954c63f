import { expect, test } from 'vitest';
import { prepareAccessLog } from '../../src/runtime/access-log-months.js';
import { prepareMonths, readHealth } from '../../src/services/platform/upkeep.js';
import { heartbeat, reclaimAssignment, releaseAssignment } from '../../src/services/routing/lease.js';
import { clearEndedWork } from '../../src/services/routing/upkeep.js';
import { DRAFTS_MAX } from '../../src/services/routing/upkeep.sql.js';
import { useTestDb } from '../support/db.js';
import { makeBatch, makeWorld } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { submit, take } from '../support/work.js';

const t = useTestDb();
const DAY = 86_400;
const always = () => true;

test('grants go a day after their claim has ended, and what was logged stays', async () => {
  const project = { leaseSeconds: 3_600 };
  const { ada, bob, tenantId } = await makeWorld(t.database, { experts: 2, tasks: 3, project });
  await submit(t.database, ada, await take(t.database, ada));
  const given = await take(t.database, bob);
  await releaseAssignment(t.database, bob.viewer, { assignmentId: given.id, leaseEpoch: given.epoch });
  await take(t.database, ada);
  const grants = () =>
    numberOf(t.admin, 'select count(*) from payload_grants where tenant_id = $1', [tenantId]);

  await t.advance(DAY - 60);
  await clearEndedWork(t.database, always);
  expect(await grants()).toBe(3);
  await t.advance(120);
  // The third lease has lapsed as well, but not a day ago.
  expect(await clearEndedWork(t.database, always)).toMatchObject({ grants: 2 });
  expect(await grants()).toBe(1);
  expect(await numberOf(t.admin, 'select count(*) from access_log where tenant_id = $1', [tenantId])).toBe(3);
  await expectRulesHold(t.database);
});

test('a claim that is held keeps its grant however old it is; of an earlier epoch it goes', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { tasks: 1, project: { leaseSeconds: 28_800 } });
  const held = await take(t.database, ada);
  const epochs = async () => {
    const { rows } = await t.admin.query<{ epoch: number }>(
      'select epoch from payload_grants where tenant_id = $1 order by epoch',
      [tenantId],
    );
    return rows.map(({ epoch }) => epoch);
  };
  for (const hours of [7, 7, 7]) {
    await t.advance(hours * 3_600);
    await heartbeat(t.database, ada.viewer, { assignmentId: held.id, leaseEpoch: 1, lastActivitySeconds: 0 });
  }
  await t.advance(4 * 3_600);
  await clearEndedWork(t.database, always);
  expect(await epochs()).toEqual([1]);
  await t.advance(8 * 3_600);
  await reclaimAssignment(t.database, ada.viewer, { assignmentId: held.id });
  await clearEndedWork(t.database, always);
  expect(await epochs()).toEqual([2]);
});

test('more than a step of old grants of many tenants goes in one walk', async () => {
  const worlds = [await makeWorld(t.database, { tasks: 1 }), await makeWorld(t.database, { tasks: 1 })];
  for (const { ada, tenantId } of worlds) {
    const held = await take(t.database, ada);
    await t.admin.query(
      `insert into payload_grants (token_hash, tenant_id, access_log_id, assignment_id, epoch, expert_id, task_id, payload_key, content_type, created_at)
       select sha256(convert_to(g.tenant_id || '/' || n, 'UTF8')), g.tenant_id, g.access_log_id, g.assignment_id, g.epoch, g.expert_id, g.task_id,
              g.payload_key, g.content_type, g.created_at
       from payload_grants g cross join generate_series(1, 1200) n where g.tenant_id = $1`,
      [tenantId],
    );
    await submit(t.database, ada, held);
  }
  await t.advance(DAY + 60);
  // Grants of one claim beyond a page wait for the next walk.
  let walks = 0;
  while ((await clearEndedWork(t.database, always)).grants > 0) {
    walks += 1;
  }
  expect(walks).toBeLessThanOrEqual(3);
  const left = worlds.map(({ tenantId }) => tenantId);
  expect(
    await numberOf(t.admin, 'select count(*) from payload_grants where tenant_id = any ($1)', [left]),
  ).toBe(0);
});

test('drafts go once nobody can come back to them, and not before', async () => {
  const { ada, bob, tenantId } = await makeWorld(t.database, { experts: 2, tasks: 2 });
  const type = async (expert: typeof ada) => {
    const held = await take(t.database, expert);
    const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
    const draft = { choice: 'yes' };
    await heartbeat(t.database, expert.viewer, { ...lease, lastActivitySeconds: 0, draft });
    return { ...held, release: () => releaseAssignment(t.database, expert.viewer, lease) };
  };
  const first = await type(ada);
  const second = await type(bob);
  await first.release();
  await second.release();
  // Others say that the first one's task cannot be answered; the second one's stays open.
  await t.admin.query(
    "update tasks set state = 'FLAGGED' where tenant_id = $1 and id = (select task_id from assignments where tenant_id = $1 and id = $2)",
    [tenantId, first.id],
  );
  const drafts = async () => {
    const { rows } = await t.admin.query<{ id: string }>(
      'select assignment_id as id from drafts where tenant_id = $1 order by 1',
      [tenantId],
    );
    return rows.map(({ id }) => BigInt(id));
  };
  expect(new Set(await drafts())).toEqual(new Set([first.id, second.id]));
  await t.advance(29 * DAY);
  await clearEndedWork(t.database, always);
  expect(await drafts()).toHaveLength(2);
  await t.advance(2 * DAY);
  expect(await clearEndedWork(t.database, always)).toMatchObject({ drafts: 1 });
  expect(await drafts()).toEqual([second.id]);
});

test('drafts stay until their expert has heard that the task is over: they come back to another one', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 1 });
  const { ada, bob, tenantId, projectId } = world;
  const held = await take(t.database, ada);
  const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
  await heartbeat(t.database, ada.viewer, { ...lease, lastActivitySeconds: 0, draft: { choice: 'yes' } });
  const drafts = () => numberOf(t.admin, 'select count(*) from drafts where tenant_id = $1', [tenantId]);
  await t.advance(2 * 3_600);
  await submit(t.database, bob, await take(t.database, bob));
  await t.advance(60 * DAY);
  await clearEndedWork(t.database, always);
  expect(await drafts()).toBe(1);
  await makeBatch(t.database, world, { projectId, tasks: 1 });
  await take(t.database, ada);
  await clearEndedWork(t.database, always);
  expect(await drafts()).toBe(0);
});

test('drafts of whoever never came back stay for half a year', async () => {
  const { ada, bob, tenantId } = await makeWorld(t.database, { experts: 2, tasks: 1 });
  const held = await take(t.database, ada);
  const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
  await heartbeat(t.database, ada.viewer, { ...lease, lastActivitySeconds: 0, draft: { choice: 'yes' } });
  const drafts = () => numberOf(t.admin, 'select count(*) from drafts where tenant_id = $1', [tenantId]);
  await t.advance(2 * 3_600);
  await submit(t.database, bob, await take(t.database, bob));
  await t.advance(179 * DAY);
  await clearEndedWork(t.database, always);
  expect(await drafts()).toBe(1);
  await t.advance(2 * DAY);
  await clearEndedWork(t.database, always);
  expect(await drafts()).toBe(0);
});

test('of drafts that nobody can come back to an expert keeps the newest hundred', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { tasks: DRAFTS_MAX + 3 });
  const held: bigint[] = [];
  for (let n = 0; n < DRAFTS_MAX + 3; n++) {
    const { id, epoch } = await take(t.database, ada);
    const lease = { assignmentId: id, leaseEpoch: epoch };
    await heartbeat(t.database, ada.viewer, { ...lease, lastActivitySeconds: 0, draft: { choice: 'yes' } });
    await releaseAssignment(t.database, ada.viewer, lease);
    held.push(id);
  }
  const drafts = async () => {
    const { rows } = await t.admin.query<{ id: string }>(
      'select assignment_id as id from drafts where tenant_id = $1 order by 1',
      [tenantId],
    );
    return rows.map(({ id }) => BigInt(id));
  };
  await t.advance(2 * DAY);
  await clearEndedWork(t.database, always);
  expect(await drafts()).toEqual(held);
  // The second one's task stays open: it counts, and stays.
  await t.admin.query(
    "update tasks set state = 'FLAGGED' where tenant_id = $1 and id <> (select task_id from assignments where tenant_id = $1 and id = $2)",
    [tenantId, held[1]],
  );
  expect(await clearEndedWork(t.database, always)).toMatchObject({ drafts: 2 });
  expect(await drafts()).toEqual(held.filter((_, n) => n !== 0 && n !== 2));
});

test('the access log has a partition for each of the next twelve months, and is prepared again when they run out', async () => {
  const months = () => readHealth(t.database).then(({ ages }) => ages.monthsAhead);
  expect(await months()).toBe(12);
  const { rows } = await t.admin.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'access_log'::regclass order by 1 desc",
  );
  const last = rows
    .map(({ name }) => name)
    .filter((name) => /_\d{4}_\d\d$/.test(name))
    .slice(0, 2);
  await t.admin.query(`drop table ${last.join(', ')}`);
  expect(await months()).toBe(10);
  expect(await prepareAccessLog(t.url)).toBe(2);
  await t.admin.query(`drop table ${last.join(', ')}`);
  // A job beside a claim that writes the log: neither waits for the other for long.
  const { ada } = await makeWorld(t.database);
  const [made] = await Promise.all([prepareMonths(t.database), take(t.database, ada)]);
  expect(made).toBe(2);
  expect(await prepareMonths(t.database)).toBe(0);
});

test('a line of next month stands in next month’s partition', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  await t.advance(32 * DAY);
  await take(t.database, ada);
  const { rows } = await t.admin.query<{ part: string }>(
    'select tableoid::regclass::text as part from access_log where tenant_id = $1',
    [tenantId],
  );
  expect(rows[0]?.part).toMatch(/^access_log_\d{4}_\d\d$/);
});
