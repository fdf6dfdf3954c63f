// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { afterEach, expect, test } from 'vitest';
import { createLocalBus } from '../../src/services/events/bus.js';
import { useTestDb } from '../support/db.js';
import { VIEWER } from './asking.js';
import { countsOf, HOLD_UP, heldUpReads } from './number-engine.js';
import { appendNumbers, type Node, numbersOf, startNode, take } from './streams.js';
import { makeWorld } from './world.js';

// A database that goes back to a backup while nodes run: what they had told is no more.

const ctx = useTestDb();
const nodes: Node[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

function node(): Node {
  const started = startNode({ db: ctx.database, bus: createLocalBus() });
  nodes.push(started);
  return started;
}
const tenant = async () => (await makeWorld(ctx.admin, { tasks: 0, experts: 0 })).tenantId;
const append = (to: Node, what: { tenantId: bigint; numbers: readonly number[] }) =>
  appendNumbers(ctx.database.systemPool, to.bus, what);
const values = <T>(items: { value: T }[]) => items.map((item) => item.value);

test('those who follow a quiet stream start afresh, once, when the database is restored under a running node', {
  timeout: 60_000,
}, async () => {
  const one = node();
  const tenantId = await tenant();
  const items = numbersOf(one.hub, { tenantId });
  const log = numbersOf(one.hub, { tenantId });
  const counts = countsOf(one.parts, { ...VIEWER, tenantId });
  await take(items, 1);
  await take(log, 1);
  await append(one, { tenantId, numbers: [1, 2, 3] });
  await take(items, 3);
  await take(log, 2); // It stands behind.
  const [first] = await take(counts, 1);
  expect(first).toMatchObject({ value: 3, reset: false });
  // As from a backup of when there were two; the epoch has not been raised yet.
  await ctx.admin.query('delete from stream_events where tenant_id = $1 and seq = 3', [tenantId]);
  await ctx.admin.query('update streams set head_seq = 2 where tenant_id = $1', [tenantId]);
  for (const of of [items, log]) {
    expect(await take(of, 1)).toMatchObject([{ value: -1, reset: true, skipped: null }]);
  }
  expect(await take(counts, 1)).toMatchObject([{ value: 2, reset: true, skipped: null }]);
  await ctx.admin.query('update stream_epoch set epoch = epoch + 1');
  for (const of of [items, log]) {
    expect(await take(of, 1)).toMatchObject([{ value: -1, reset: true, skipped: null }]);
  }
  expect(await take(counts, 1)).toMatchObject([{ value: 2, reset: true, skipped: null }]);
  // Another look finds nothing new.
  one.bus.publishHeads([{ tenantId, stream: 's', epoch: 99, seq: 1 }]);
  await append(one, { tenantId, numbers: [4, 5] });
  for (const of of [items, log]) {
    const seen = await take(of, 2);
    expect(values(seen)).toEqual([4, 5]);
    expect(seen.some(({ reset }) => reset)).toBe(false);
  }
  const resumed = numbersOf(one.hub, { tenantId, after: first?.cursor ?? null });
  expect(await take(resumed, 1)).toMatchObject([{ value: -1, reset: true }]);
});

test('a state that rests while the database is restored starts afresh, and its rest is over', {
  timeout: 60_000,
}, async () => {
  const one = node();
  const tenantId = await tenant();
  const log = numbersOf(one.hub, { tenantId });
  const counts = countsOf(one.parts, { ...VIEWER, tenantId });
  await take(log, 1);
  await append(one, { tenantId, numbers: [1, 2, 3] });
  await take(log, 3);
  await ctx.admin.query('select pg_advisory_lock($1)', [HOLD_UP]);
  const first = counts.next();
  await expect.poll(() => heldUpReads(ctx.admin, 2_000), { timeout: 30_000 }).toBe(1);
  await ctx.admin.query('select pg_advisory_unlock($1)', [HOLD_UP]); // The rest after it is ten times as long.
  expect(await first).toMatchObject({ value: { value: 3, reset: false } });
  const second = counts.next();
  await append(one, { tenantId, numbers: [4] });
  await take(log, 1);
  await ctx.admin.query('delete from stream_events where tenant_id = $1 and seq > 2', [tenantId]);
  await ctx.admin.query('update streams set head_seq = 2 where tenant_id = $1', [tenantId]);
  const beganMs = performance.now();
  expect(await second).toMatchObject({ value: { value: 2, reset: true, skipped: null } });
  expect(performance.now() - beganMs).toBeLessThan(12_000);
});
