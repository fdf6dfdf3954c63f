import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import {
  type Alert,
  acknowledgeAlert,
  unresolvedAlerts,
  watchAlerts,
} from '../../src/services/events/alerts/alerts.js';
import { judgeProjects } from '../../src/services/forecast/risk.js';
import { withScope } from '../../src/services/platform/database.js';
import { decideFinding } from '../../src/services/quality/watching/findings.js';
import { pauseExpert, resumeExpert } from '../../src/services/routing/pauses.js';
import { claim, makeWorld as makeDeadlineWorld, submit } from '../live/world.js';
import { useTestDb } from '../support/db.js';
import { makeViewer, makeWorld } from '../support/factories.js';

// What raises an alert, what ends it, and that one cause is told of once.

const t = useTestDb();

type Kept = Record<'kind' | 'severity' | 'reason', string> & { id: bigint; open: boolean };

async function alertsOf({ tenantId }: { tenantId: bigint }): Promise<Kept[]> {
  const { rows } = await t.admin.query(
    'select id, kind, severity, reason, resolved_at is null as open from alerts where tenant_id = $1 order by id',
    [tenantId],
  );
  return rows.map((row) => ({ ...row, id: BigInt(row.id) }));
}

const brief = async (of: { tenantId: bigint }) =>
  (await alertsOf(of)).map(({ kind, open }) => `${kind} ${open ? 'open' : 'over'}`);

async function told({ tenantId }: { tenantId: bigint }, stream: string): Promise<string[]> {
  const { rows } = await t.admin.query(
    'select kind from stream_events where tenant_id = $1 and stream = $2 order by id',
    [tenantId, stream],
  );
  return rows.map(({ kind }) => kind);
}

async function systemClient(): Promise<pg.Client> {
  const client = new pg.Client(t.systemUrl);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Whether somebody waits to raise an alert. */
async function waitsForLock(): Promise<boolean> {
  const { rows } = await t.admin.query(
    "select count(*)::int as count from pg_stat_activity where query like '%raise_alert%' and wait_event_type = 'Lock' and datname = current_database()",
  );
  return rows[0].count > 0;
}

test('a deadline at risk is an alert of the forecast’s own transaction, and ends with the risk', async () => {
  const world = await makeDeadlineWorld(t.admin, { tasks: 100, experts: 10, deadlineSeconds: 7_200 });
  await t.advance(1_800);
  for (let n = 0; n < 10; n += 1) {
    await submit(t.database.appPool, world, { held: await claim(t.database.appPool, world, n), n });
  }
  await judgeProjects(t.database, [world]);
  await judgeProjects(t.database, [world]);
  expect(await alertsOf(world)).toMatchObject([
    {
      kind: 'DEADLINE_AT_RISK',
      severity: 'WARNING',
      reason: expect.stringMatching(/90 answers are missing/),
      open: true,
    },
  ]);
  expect(await told(world, `alert/customer/${world.customerId}`)).toEqual(['RAISED']);
  await t.admin.query("update projects set deadline = now() + interval '90 days' where tenant_id = $1", [
    world.tenantId,
  ]);
  await judgeProjects(t.database, [world]);
  expect(await brief(world)).toEqual(['DEADLINE_AT_RISK over']);
  expect(await told(world, 'alert/staff')).toEqual(['RAISED', 'RESOLVED']);
});

test('what is rolled back has raised nothing; what comes again after its end is a new alert', async () => {
  const { tenantId } = await makeWorld(t.database);
  const client = await systemClient();
  const raise = () =>
    client.query(`select app.raise_alert($1, 'LEASES_LAPSED', 'tenant', 'CRITICAL', 'many', '{}')`, [
      tenantId,
    ]);
  await client.query('begin');
  await raise();
  await client.query('rollback');
  expect(await brief({ tenantId })).toEqual([]);
  await raise();
  await raise();
  await client.query(`select app.resolve_alert($1, 'LEASES_LAPSED', 'tenant')`, [tenantId]);
  await raise();
  expect(await brief({ tenantId })).toEqual(['LEASES_LAPSED over', 'LEASES_LAPSED open']);
});

test('two nodes that see one cause at the same moment raise one alert', async () => {
  const { tenantId } = await makeWorld(t.database);
  const [first, second] = [await systemClient(), await systemClient()];
  const raise = (client: pg.Client) =>
    client.query(`select app.raise_alert($1, 'LEASES_LAPSED', 'tenant', 'CRITICAL', 'many', '{}')`, [
      tenantId,
    ]);
  await first.query('begin');
  await second.query('begin');
  await raise(first);
  let isThrough = false;
  const raised = raise(second).then(() => {
    isThrough = true;
  });
  // It waits for the first, or does not: then there are two.
  await expect.poll(async () => isThrough || (await waitsForLock())).toBe(true);
  await first.query('commit');
  await raised;
  await second.query('commit');
  expect(await brief({ tenantId })).toEqual(['LEASES_LAPSED open']);
  expect(await told({ tenantId }, 'alert/staff')).toEqual(['RAISED']);
});

test('what comes about while its alert is being acknowledged is another alert', async () => {
  const { tenantId } = await makeWorld(t.database);
  const [first, second] = [await systemClient(), await systemClient()];
  const raise = (client: pg.Client) =>
    client.query(`select app.raise_alert($1, 'GOLD_LEAKED', 'project/1', 'WARNING', 'known', '{}')`, [
      tenantId,
    ]);
  await raise(first);
  await first.query('begin');
  await first.query(
    `update alerts set acknowledged_at = app.clock_now(), acknowledged_by = 1, resolved_at = app.clock_now() where tenant_id = $1`,
    [tenantId],
  );
  let isThrough = false;
  const raised = raise(second).then(() => {
    isThrough = true;
  });
  await expect.poll(async () => isThrough || (await waitsForLock())).toBe(true);
  await first.query('commit');
  await raised;
  expect(await brief({ tenantId })).toEqual(['GOLD_LEAKED over', 'GOLD_LEAKED open']);
});

test('a skill without experts and one with too few: after a minute, until it is better by a quarter', async () => {
  const { tenantId, skillId } = await makeWorld(t.database);
  const measured = (waiting: number, { qualified, pressure, age = 120 }: Record<string, number>) =>
    t.database.systemPool.query(
      `insert into skill_pools (tenant_id, skill_id, queue_depth, open_answers, oldest_open_at, experts_available, experts_qualified,
         seconds_per_answer, capacity_per_hour, pressure, computed_at)
       values ($1, $2, $3::int, $3::int, app.clock_now() - make_interval(secs => $6), 0, $4, 300, 0, $5, now())
       on conflict (tenant_id, skill_id) do update set queue_depth = excluded.queue_depth, oldest_open_at = excluded.oldest_open_at,
         experts_qualified = excluded.experts_qualified, pressure = excluded.pressure`,
      [tenantId, skillId, waiting, qualified, pressure, age],
    );
  await measured(5, { qualified: 0, pressure: 100, age: 30 });
  expect(await brief({ tenantId })).toEqual([]);
  await measured(5, { qualified: 0, pressure: 100 });
  await measured(6, { qualified: 0, pressure: 110 });
  expect(await brief({ tenantId })).toEqual(['SKILL_STARVED open']);
  await measured(6, { qualified: 1, pressure: 9 });
  expect(await brief({ tenantId })).toEqual(['SKILL_STARVED over', 'SKILL_SHORT open']);
  await measured(6, { qualified: 1, pressure: 7 });
  expect((await brief({ tenantId })).at(-1)).toBe('SKILL_SHORT open');
  await measured(6, { qualified: 1, pressure: 5 });
  expect((await brief({ tenantId })).at(-1)).toBe('SKILL_SHORT over');
  await measured(0, { qualified: 0, pressure: 0 });
  expect(await brief({ tenantId })).toHaveLength(2);
});

test('a pause is told of with its reason, and over when the expert works again', async () => {
  const { tenantId, operator, ada, skillId } = await makeWorld(t.database);
  const paused = { expertId: ada.expertId, skillId };
  await pauseExpert(t.database, operator, { ...paused, reason: 'Asked for a break.', withdraw: false });
  expect(await alertsOf({ tenantId })).toMatchObject([
    {
      kind: 'EXPERT_PAUSED',
      severity: 'INFO',
      reason: expect.stringMatching(/by somebody: Asked for a break\./),
    },
  ]);
  await resumeExpert(t.database, operator, { ...paused, reason: 'r' });
  expect(await brief({ tenantId })).toEqual(['EXPERT_PAUSED over']);
});

test('findings of gold are one alert a project, of experts one each; a decision ends them', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 2 });
  const { tenantId, projectId, operator } = world;
  const find = async (kind: string, taskId: bigint | null, experts: readonly bigint[]) => {
    const { rows } = await t.database.systemPool.query(
      `insert into gold_findings (tenant_id, kind, task_id, project_id, experts, evidence, found_at)
       values ($1, $2, $3, $4, $5, '{}', now()) returning id`,
      [tenantId, kind, taskId, projectId, experts.map(String)],
    );
    return BigInt(rows[0].id);
  };
  const [one = 0n, two = 0n] = world.taskIds;
  const leaks = [await find('LEAKED', one, []), await find('LEAKED', two, [])];
  const gap = await find('PEER_GAP', null, [world.ada.expertId]);
  expect(await brief(world)).toEqual(['GOLD_LEAKED open', 'EXPERT_FINDING open']);
  expect(await told(world, 'alert/staff/work')).toEqual([]);
  const made = { decision: 'DISMISSED' } as const;
  for (const findingId of [gap, ...leaks.slice(0, 1)]) {
    await decideFinding(t.database, operator, { findingId, reason: 'r', made });
  }
  expect(await brief(world)).toEqual(['GOLD_LEAKED open', 'EXPERT_FINDING over']);
  await decideFinding(t.database, operator, { findingId: leaks[1] ?? 0n, reason: 'r', made });
  expect(await brief(world)).toEqual(['GOLD_LEAKED over', 'EXPERT_FINDING over']);
  await find('LEAKED', two + 1_000n, []);
  const [leaked] = (await alertsOf(world)).slice(-1);
  // What leaked stays known: it ends with somebody who says that they have seen it.
  await acknowledgeAlert(t.database, operator, { alertId: leaked?.id ?? 0n, note: null, withoutGold: false });
  expect((await brief(world)).at(-1)).toBe('GOLD_LEAKED over');
});

test('an upload that fails, adjudications that wait, and leases that lapse all at once', async () => {
  const world = await makeWorld(t.database, { tasks: 2 });
  const { tenantId, batchId } = world;
  await t.admin.query(
    `update batches set state = 'FAILED', failure = 'Line 3 is no JSON.', stored_at = null where tenant_id = $1 and id = $2`,
    [tenantId, batchId],
  );
  await t.admin.query(
    "update tasks set kind = 'ADJUDICATION', created_at = app.clock_now() where tenant_id = $1 and id = $2",
    [tenantId, world.taskIds[0]],
  );
  await t.admin.query(
    `insert into stream_events (tenant_id, stream, kind, body)
     select $1, 'lease/expert/' || n, 'EXPIRED', '{}' from generate_series(1, 100) n`,
    [tenantId],
  );
  await watchAlerts(t.database);
  expect(await brief(world)).toEqual(['BATCH_FAILED open', 'LEASES_LAPSED open']);
  await t.advance(1_801);
  await watchAlerts(t.database);
  expect(await brief(world)).toEqual([
    'BATCH_FAILED open',
    'LEASES_LAPSED over',
    'ADJUDICATIONS_WAITING open',
  ]);
  await t.admin.query("update tasks set state = 'CANCELLED' where tenant_id = $1 and kind = 'ADJUDICATION'", [
    tenantId,
  ]);
  await watchAlerts(t.database);
  expect((await brief(world)).at(-1)).toBe('ADJUDICATIONS_WAITING over');
});

test('a project whose budget stops its tasks is one alert, of its customer too, until none is stopped', async () => {
  const { tenantId, projectId, customer } = await makeWorld(t.database, { tasks: 1 });
  await t.admin.query(
    'insert into budget_stops (tenant_id, project_id, task_id, customer_id, decision_id) select $1, $2, n, $3, n from generate_series(1, 3) n',
    [tenantId, projectId, customer.customerId],
  );
  await watchAlerts(t.database);
  expect(await brief({ tenantId })).toEqual(['BUDGET_EXHAUSTED open']);
  expect(await told({ tenantId }, `alert/customer/${customer.customerId}`)).toEqual(['RAISED']);
  await t.admin.query('delete from budget_stops where tenant_id = $1', [tenantId]);
  await watchAlerts(t.database);
  expect(await brief({ tenantId })).toEqual(['BUDGET_EXHAUSTED over']);
});

test('one person acknowledges: again changes nothing, somebody else is told that it was done', async () => {
  const world = await makeWorld(t.database, { experts: 1 });
  const { tenantId, operator, ada } = world;
  await pauseExpert(t.database, operator, {
    expertId: ada.expertId,
    skillId: null,
    reason: 'r',
    withdraw: false,
  });
  const [alert] = await alertsOf(world);
  const colleague = await makeViewer(t.database, world, { role: 'OPERATOR' });
  const asked = { alertId: alert?.id ?? 0n, note: 'I call them.', withoutGold: false };
  const results = await Promise.allSettled(
    [operator, colleague].map((viewer) => acknowledgeAlert(t.database, viewer, asked)),
  );
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({
    code: 'ALREADY_ACKNOWLEDGED',
  });
  const first = results[0]?.status === 'fulfilled' ? operator : colleague;
  await acknowledgeAlert(t.database, first, { ...asked, note: 'Something else.' });
  const list = (): Promise<Alert[]> =>
    withScope(t.database, scopeOf(operator), (tx) => unresolvedAlerts(tx, { withoutGold: false, limit: 9 }));
  expect(await list()).toMatchObject([{ note: 'I call them.', acknowledgedBy: first.identityId }]);
  expect(await told({ tenantId }, 'alert/staff')).toEqual(['RAISED', 'ACKNOWLEDGED']);
  await expect(
    acknowledgeAlert(t.database, operator, { alertId: 1n << 40n, note: null, withoutGold: false }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
