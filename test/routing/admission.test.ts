// @once
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { openDatabase } from '../../src/services/platform/database.js';
import { CancelledError, OverloadedError, StoppingError } from '../../src/services/platform/errors.js';
import { sqlState } from '../../src/services/platform/sqlstate.js';
import { admissionOf } from '../../src/services/routing/admission.js';
import { claimTask } from '../../src/services/routing/claim.js';
import { callerOf } from '../../src/services/routing/outcome.js';
import { useTestDb } from '../support/db.js';
import { at, makeWorld } from '../support/factories.js';
import { assignmentRow, holding, untilBlocked } from '../support/interleave.js';
import { expectRulesHold } from '../support/rules.js';
import { atOnce, claim, outcome, submit, take } from '../support/work.js';
import { openNode, order, type TestNode } from './support/line.js';

const t = useTestDb();
let node: TestNode;

beforeAll(() => {
  node = openNode(t.url);
});
afterAll(() => node.db.close());

const liveOf = async (tenantId: bigint) => {
  const live = `select count(*)::int as n from assignments where tenant_id = $1 and state = 'LEASED'`;
  return (await t.admin.query(live, [tenantId])).rows[0].n;
};

test('what arrives while a batch runs is the next batch, and what comes alone runs at once', async () => {
  const { experts, tenantId } = await makeWorld(node.db, { experts: 12, tasks: 12 });
  const before = await node.metric('touchstone_admission_batch_size_count');
  const release = await node.hold();
  const first = take(node.db, at(experts, 0));
  await node.running();
  const claims = experts.slice(1).map((expert) => take(node.db, expert));
  expect(await node.metric('touchstone_admission_waiting')).toBe(11);
  release();
  await Promise.all([first, ...claims]);
  expect(await node.metric('touchstone_admission_batch_size_count')).toBe(before + 2);
  expect(await liveOf(tenantId)).toBe(12);
  await expectRulesHold(node.db);
});

test('tenants take turns: a crowd of one does not push out the only expert of another', async () => {
  const crowd = await makeWorld(node.db, { experts: 3, tasks: 3 });
  const other = await makeWorld(node.db, { experts: 1 });
  const { answered, ask } = order(node.db);
  const release = await node.hold();
  const claims = [
    ...Array.from({ length: 40 }, () => crowd.experts.map((expert) => ask(expert, 'crowd'))).flat(),
    ask(other.ada, 'other'),
  ];
  release();
  await Promise.all(claims);
  // The batch that ran already and one more of the crowd: three experts, a claim of each.
  expect(answered.indexOf('other')).toBeLessThanOrEqual(4);
});

test('an identity that floods is one of many: who comes after it waits one turn', async () => {
  const { experts } = await makeWorld(node.db, { experts: 12, tasks: 12 });
  const { answered, ask } = order(node.db);
  const release = await node.hold();
  const claims = [
    ...Array.from({ length: 100 }, () => ask(at(experts, 0), 'flood')),
    ...experts.slice(1).map((expert) => ask(expert, 'other')),
  ];
  release();
  await Promise.all(claims);
  expect(answered.slice(0, 13).filter((name) => name === 'other')).toHaveLength(11);
});

test('two claims of an expert, and the same submit twice, wait for different batches and are answered alike', async () => {
  const { ada, bob, tenantId } = await makeWorld(node.db, { experts: 2, tasks: 2 });
  const held = await take(node.db, bob);
  const release = await node.hold();
  const claims = atOnce(4, () => claim(node.db, ada));
  const receipts = atOnce(4, () => submit(node.db, bob, held));
  await expect.poll(() => node.metric('touchstone_admission_waiting')).toBe(6);
  release();
  const ids = (await claims).map((result) => ('held' in result ? result.held.id : null));
  expect(new Set(ids).size).toBe(1);
  expect(new Set((await receipts).map(({ submittedAt }) => submittedAt.getTime())).size).toBe(1);
  expect(await node.metric('touchstone_admission_rerun_total')).toBe(0);
  expect(await liveOf(tenantId)).toBe(1);
  await expectRulesHold(node.db);
});

test('whose client has gone leaves the line and is given nothing', async () => {
  const { ada, bob, tenantId } = await makeWorld(node.db, { experts: 2, tasks: 2 });
  const before = await node.metric('touchstone_admission_cancelled_total');
  const gone = new AbortController();
  const release = await node.hold();
  const first = claim(node.db, ada);
  await node.running();
  const second = claimTask(node.db, bob.viewer, { signal: gone.signal });
  gone.abort();
  await expect(second).rejects.toBeInstanceOf(CancelledError);
  release();
  await first;
  expect(await liveOf(tenantId)).toBe(1);
  expect(await node.metric('touchstone_admission_cancelled_total')).toBe(before + 1);
  await expect(claimTask(node.db, bob.viewer, { signal: gone.signal })).rejects.toBeInstanceOf(
    CancelledError,
  );
});

test('whose client goes while the batch runs is still answered, and the next claim gives the lease again', async () => {
  const { ada, tenantId } = await makeWorld(node.db);
  const gone = new AbortController();
  const blocker = await connect(t.url, 'touchstone test lock');
  await blocker.query('begin');
  await blocker.query('select pg_advisory_xact_lock(7246, hashint8($1::bigint))', [tenantId]);
  const running = claimTask(node.db, ada.viewer, { signal: gone.signal });
  await untilBlocked(t.admin, 1);
  gone.abort();
  await blocker.query('rollback');
  await blocker.end();
  const result = await running;
  expect('held' in result && result.held.id).toBe((await take(node.db, ada)).id);
});

test('a bad request fails alone: the others of its batch are run by themselves', async () => {
  const { experts, tenantId } = await makeWorld(node.db, { experts: 6, tasks: 6 });
  const ada = at(experts, 0);
  const held = await Promise.all(experts.map((expert) => take(node.db, expert)));
  const before = await node.metric('touchstone_admission_rerun_total');
  const release = await node.hold();
  const first = submit(node.db, at(experts, 1), at(held, 1));
  await node.running();
  const poison = admissionOf(node.db).submit({
    kind: 'SUBMIT',
    caller: callerOf(ada.viewer),
    lease: { assignmentId: at(held, 0).id, leaseEpoch: at(held, 0).epoch },
    answer: {
      body: '{}',
      digest: 'no digest',
      confidence: null,
      values: [],
      clientVersion: null,
      formVariant: null,
    },
  });
  const others = experts.slice(2).map((expert, n) => submit(node.db, expert, at(held, n + 2)));
  await expect.poll(() => node.metric('touchstone_admission_waiting')).toBe(5);
  release();
  await expect(poison).rejects.toMatchObject({ code: '23514' });
  await Promise.all([first, ...others]);
  expect(await node.metric('touchstone_admission_rerun_total')).toBeGreaterThanOrEqual(before + 5);
  expect(await liveOf(tenantId)).toBe(1);
  expect(await outcome(submit(node.db, ada, at(held, 0)))).toBe('OK');
  await expectRulesHold(node.db);
});

test('who needs a row that somebody holds waits alone: the others of the batch are served meanwhile', async () => {
  const { experts, tenantId } = await makeWorld(node.db, { experts: 5, tasks: 5 });
  const ada = at(experts, 0);
  const held = await Promise.all(experts.map((expert) => take(node.db, expert)));
  const release = await node.hold();
  const first = submit(node.db, at(experts, 1), at(held, 1));
  await node.running();
  const { waiting, others } = await holding(t.url, assignmentRow(tenantId, at(held, 0).id), async () => {
    const stored = outcome(submit(node.db, ada, at(held, 0)));
    const sent = experts.slice(2).map((expert, n) => submit(node.db, expert, at(held, n + 2)));
    await expect.poll(() => node.metric('touchstone_admission_waiting')).toBe(4);
    release();
    await first;
    return { waiting: stored, others: await Promise.all(sent) };
  });
  expect(others).toHaveLength(3);
  expect(await waiting).toBe('OK');
  await expectRulesHold(node.db);
});

test('rows that somebody holds in one tenant stop no other tenant', async () => {
  const crowd = await makeWorld(node.db, { experts: 200, tasks: 200 });
  const { ada } = await makeWorld(node.db, { experts: 1, tasks: 12 });
  const held = await Promise.all(crowd.experts.map((expert) => take(node.db, expert)));
  const blocker = await connect(t.url, 'touchstone test lock');
  await blocker.query('begin');
  await blocker.query('select 1 from tasks where tenant_id = $1 for update', [crowd.tenantId]);
  const answered: string[] = [];
  const submits = crowd.experts.map(async (expert, n) => {
    const stored = outcome(submit(node.db, expert, at(held, n)));
    answered.push(await stored.catch((error: unknown) => sqlState(error) ?? 'no state'));
  });
  await expect.poll(() => node.metric('touchstone_admission_rerun_total')).toBeGreaterThanOrEqual(64);
  const began = performance.now();
  for (let n = 0; n < 12; n++) {
    await submit(node.db, ada, await take(node.db, ada));
  }
  expect(performance.now() - began).toBeLessThan(8_000);
  await blocker.query('rollback');
  await blocker.end();
  await Promise.all(submits);
  expect(answered).toHaveLength(200);
  expect(['OK', 'OVERLOADED', '55P03']).toEqual(expect.arrayContaining(answered));
  await expectRulesHold(node.db);
});

test('a connection that is lost under a batch costs nobody an answer', async () => {
  const { experts, tenantId } = await makeWorld(node.db, { experts: 8, tasks: 8 });
  const blocker = await connect(t.url, 'touchstone test lock');
  await blocker.query('begin');
  await blocker.query('select pg_advisory_xact_lock(7246, hashint8($1::bigint))', [tenantId]);
  const claims = experts.map((expert) => take(node.db, expert));
  await untilBlocked(t.admin, 1);
  await t.admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  );
  await blocker.query('rollback');
  await blocker.end();
  await Promise.all(claims);
  expect(await liveOf(tenantId)).toBe(8);
  await expectRulesHold(node.db);
});

test('a connection that breaks under a batch ends neither the process nor a request', async () => {
  const { ada, tenantId } = await makeWorld(node.db);
  const sockets: { destroy(error: Error): void }[] = [];
  const remember = (client: object) => {
    sockets.push((client as { connection: { stream: { destroy(error: Error): void } } }).connection.stream);
  };
  node.db.linePool.on('acquire', remember);
  const blocker = await connect(t.url, 'touchstone test lock');
  await blocker.query('begin');
  await blocker.query('select pg_advisory_xact_lock(7246, hashint8($1::bigint))', [tenantId]);
  const claimed = take(node.db, ada);
  await expect.poll(() => sockets.length).toBe(1);
  sockets[0]?.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  await blocker.query('rollback');
  await blocker.end();
  node.db.linePool.off('acquire', remember);
  expect((await claimed).id).toBeGreaterThan(0n);
  expect(await liveOf(tenantId)).toBe(1);
});

test('two nodes share a tenant’s queue: every task once, and every expert is served', async () => {
  const second = openDatabase({ url: t.url });
  const { experts, tenantId } = await makeWorld(node.db, { experts: 40, tasks: 40 });
  const takeOf = (n: number) => take(n % 2 === 0 ? node.db : second, at(experts, n));
  const answered = await Promise.all(experts.map((_expert, n) => takeOf(n)));
  expect(new Set(answered.map(({ taskId }) => taskId)).size).toBe(40);
  expect(await liveOf(tenantId)).toBe(40);
  await expectRulesHold(node.db);
  await second.close();
});

test('“nothing” is still the truth: whom a batch finds nothing is looked for exactly', async () => {
  const { experts } = await makeWorld(node.db, { experts: 30, tasks: 3 });
  const results = await Promise.all(experts.map((expert) => claim(node.db, expert)));
  expect(results.filter((result) => 'held' in result)).toHaveLength(3);
  expect(
    results.filter((result) => 'empty' in result && result.empty.reason === 'NO_OPEN_TASK'),
  ).toHaveLength(27);
});

test('more than the line holds are shed with the time to come back, and who crowds makes room for others', async () => {
  const small = openNode(t.url, { waitingMax: 3 });
  const { ada, bob, cyd } = await makeWorld(node.db, { experts: 3, tasks: 3 });
  const release = await small.hold();
  const first = claim(small.db, ada);
  await small.running();
  const flood = atOnce(5, () => claim(small.db, ada).catch((error: unknown) => error));
  const others = [claim(small.db, bob), claim(small.db, cyd)];
  expect(await small.metric('touchstone_admission_waiting')).toBe(3);
  expect(await small.metric('touchstone_admission_shed_total', { reason: 'FULL' })).toBe(4);
  release();
  const shed = (await flood).filter((result) => result instanceof OverloadedError);
  expect(shed.map(({ retryAfterSeconds }) => retryAfterSeconds >= 1)).toEqual([true, true, true, true]);
  expect((await Promise.all([first, ...others])).every((result) => 'held' in result)).toBe(true);
  await small.db.close();
});

test('who has waited too long is shed, whatever holds up the line', async () => {
  const small = openNode(t.url, { waitMs: 30 });
  const { ada, bob, tenantId } = await makeWorld(node.db, { experts: 2, tasks: 2 });
  const release = await small.hold();
  const first = claim(small.db, ada);
  await small.running();
  await expect(claim(small.db, bob)).rejects.toBeInstanceOf(OverloadedError);
  release();
  await first;
  expect(await small.metric('touchstone_admission_shed_total', { reason: 'LATE' })).toBe(1);
  expect(await liveOf(tenantId)).toBe(1);
  await small.db.close();
});

test('a database that is closed serves what waits and takes nothing more', async () => {
  const leaving = openNode(t.url);
  const { experts, tenantId } = await makeWorld(node.db, { experts: 6, tasks: 6 });
  const release = await leaving.hold();
  const claims = experts.slice(1).map((expert) => take(leaving.db, expert));
  const closed = leaving.db.close();
  await expect(claim(leaving.db, at(experts, 0))).rejects.toBeInstanceOf(StoppingError);
  release();
  await Promise.all([...claims, closed]);
  expect(await liveOf(tenantId)).toBe(5);
});
