import { afterEach, describe, expect, inject, test } from 'vitest';
import { createLeaseAlarms } from '../../src/jobs/lease-alarms.js';
import { createRisk } from '../../src/jobs/risk.js';
import { createSequencer } from '../../src/jobs/sequencer.js';
import { createLiveHub, type LiveHub } from '../../src/live/hub.js';
import type { LeaseEvent } from '../../src/live/lease-events.js';
import { createLive, type Live } from '../../src/live/live.js';
import { createRevocationWatch } from '../../src/live/revocation.js';
import type { LiveItem } from '../../src/live/subscription.js';
import { createLocalBus, createRedisBus, type EventBus } from '../../src/services/events/bus.js';
import { type Database, openDatabase } from '../../src/services/platform/database.js';
import { connectRedis, type RedisConnection } from '../../src/services/platform/redis.js';
import { useTestDb } from '../support/db.js';
import { describeWithRedis } from '../support/redis.js';
import { type OwnRedis, ownRedis } from './redis-server.js';
import { appendNumbers, numbersOf, take, upTo } from './streams.js';
import { silentLog } from './waiting.js';
import { claim, makeBatch, makeWorld, submit, viewerOf, type World } from './world.js';

const ctx = useTestDb();
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) {
    await close();
  }
});

interface FullNode {
  readonly db: Database;
  readonly bus: EventBus;
  readonly hub: LiveHub;
  readonly live: Live;
}

/** A node with pools of its own; `jobs`: it also does the work that runs by itself. */
function fullNode({ redis, jobs }: { redis: string | null; jobs: boolean }): FullNode {
  const db = openDatabase({ url: ctx.url });
  const connection: RedisConnection | null =
    redis === null ? null : connectRedis({ url: redis, prefix: 'test', log: silentLog });
  const bus = connection === null ? createLocalBus() : createRedisBus({ redis: connection, log: silentLog });
  const hub = createLiveHub({ db, bus, log: silentLog });
  const revocation = createRevocationWatch({ db, log: silentLog });
  const parts = { db, bus, log: silentLog };
  const running = jobs ? [createSequencer(parts), createLeaseAlarms(parts), createRisk(parts)] : [];
  for (const job of running) {
    job.start();
  }
  opened.push(async () => {
    await Promise.all(running.map((job) => job.stop()));
    await hub.close();
    await revocation.close();
    bus.close();
    await connection?.close();
    await db.close();
  });
  return { db, bus, hub, live: createLive({ db, hub, revocation, cursorSecret: 'secret' }) };
}

async function until(
  items: AsyncIterator<LiveItem<LeaseEvent>>,
  kind: string,
): Promise<LiveItem<LeaseEvent>[]> {
  const seen: LiveItem<LeaseEvent>[] = [];
  for (;;) {
    const { value, done } = await items.next();
    if (done) {
      throw new Error(`The subscription ended before ${kind}.`);
    }
    seen.push(value);
    if (value.value.kind === kind) {
      return seen;
    }
  }
}
const kinds = (items: LiveItem<LeaseEvent>[]) => items.map((item) => item.value.kind);

/** Both what is about to happen to a lease and what has, as heard on `reader` while `worker` works. */
async function hearLeaseEnd(world: World, { reader, worker }: { reader: FullNode; worker: FullNode }) {
  const { projectId } = world;
  const project = await reader.live.leaseEvents(viewerOf(world, 'CUSTOMER'), { projectId });
  const own = await reader.live.leaseEvents(viewerOf(world, 'EXPERT'), { kinds: ['EXPIRING', 'EXPIRED'] });
  expect(kinds(await until(project, 'CURRENT'))).toEqual(['CURRENT']);
  expect(kinds(await until(own, 'CURRENT'))).toEqual(['CURRENT']);
  await claim(worker.db.appPool, world);
  expect(kinds(await until(project, 'LEASED'))).toEqual(['LEASED']);
  await ctx.advance(46);
  const warned = await until(own, 'EXPIRING');
  await ctx.advance(15);
  const ended = await until(own, 'EXPIRED');
  expect(kinds([...warned, ...ended])).toEqual(['EXPIRING', 'EXPIRED']);
  const all = await until(project, 'EXPIRED');
  expect(kinds(all)).toEqual(['EXPIRING', 'EXPIRED']);
  expect(all.every((item) => item.value.expertId === null)).toBe(true);
  await project.return?.();
  await own.return?.();
}

async function hearRisk(world: World, reader: FullNode) {
  const items = await reader.live.deadlineRisk(viewerOf(world, 'CUSTOMER'), { projectId: world.projectId });
  const { value: first } = await items.next();
  expect(first.value.atRisk).toBe(false);
  await ctx.advance(400);
  const { value: second } = await items.next();
  expect(second.value).toMatchObject({ batchId: world.batchId, atRisk: true });
  expect(second.value.probabilityOnTime).toBeLessThan(0.8);
  await items.return?.();
  const again = await reader.live.deadlineRisk(viewerOf(world, 'CUSTOMER'), { projectId: world.projectId });
  expect((await again.next()).value).toMatchObject({
    reset: false,
    value: { batchId: world.batchId, atRisk: true },
  });
  await again.return?.();
}

describe('one node without Redis', () => {
  test('tells of a lease that is about to end and of its end', async () => {
    const node = fullNode({ redis: null, jobs: true });
    await hearLeaseEnd(await makeWorld(ctx.admin), { reader: node, worker: node });
  });

  test('tells of a deadline at risk', async () => {
    const node = fullNode({ redis: null, jobs: true });
    await hearRisk(await makeWorld(ctx.admin, { tasks: 50, deadlineSeconds: 500 }), node);
  });
});

describeWithRedis('two nodes with Redis', () => {
  test('tell on one node of a lease that ends and was taken through the other', async () => {
    const worker = fullNode({ redis: inject('redisUrl'), jobs: true });
    const reader = fullNode({ redis: inject('redisUrl'), jobs: false });
    await hearLeaseEnd(await makeWorld(ctx.admin), { reader, worker });
  });

  test('tell on one node of a risk that the other has judged', async () => {
    fullNode({ redis: inject('redisUrl'), jobs: true });
    const reader = fullNode({ redis: inject('redisUrl'), jobs: false });
    await hearRisk(await makeWorld(ctx.admin, { tasks: 50, deadlineSeconds: 500 }), reader);
  });

  test('lose and repeat nothing while Redis is killed, restarted, and cuts those who listen', async () => {
    const server: OwnRedis = await ownRedis();
    opened.push(() => server.kill());
    const worker = fullNode({ redis: server.url, jobs: true });
    const reader = fullNode({ redis: server.url, jobs: false });
    const { tenantId } = await makeWorld(ctx.admin, { tasks: 0, experts: 0 });
    const items = numbersOf(reader.hub, { tenantId });
    await take(items, 1);
    const write = (numbers: readonly number[]) =>
      appendNumbers(worker.db.systemPool, worker.bus, { tenantId, numbers });
    const seen: LiveItem<number>[] = [];
    const read = async (count: number) => seen.push(...(await take(items, count)));

    await write(upTo(20));
    await read(20);
    await server.killListeners();
    await write(upTo(40, 21));
    await read(20);
    await server.kill();
    await write(upTo(60, 41));
    await read(20); // found by looking, for nobody can say it
    await server.start();
    await write(upTo(80, 61));
    await read(10);
    await items.return?.();
    const rest = numbersOf(reader.hub, { tenantId, after: seen.at(-1)?.cursor ?? null });
    seen.push(...(await take(rest, 10)));
    await rest.return?.();
    expect(seen.map((item) => item.value)).toEqual(upTo(80));
    expect(seen.some((item) => item.reset)).toBe(false);
  });
});

describe('what a viewer hears', () => {
  test('begins with the leases that are live, and goes on from a cursor without them', async () => {
    const node = fullNode({ redis: null, jobs: true });
    const world = await makeWorld(ctx.admin, { tasks: 3, experts: 3 });
    const operator = viewerOf(world, 'OPERATOR');
    const first = await claim(node.db.appPool, world, 0);
    await claim(node.db.appPool, world, 1);
    const items = await node.live.leaseEvents(operator, { projectId: world.projectId });
    const state = await until(items, 'CURRENT');
    expect(kinds(state)).toEqual(['LEASED', 'LEASED', 'CURRENT']);
    expect(state[0]?.value).toMatchObject({
      assignmentId: first.assignmentId,
      expertId: world.experts[0]?.expertId,
    });
    await items.return?.();
    await submit(node.db.appPool, world, { held: first });
    const again = await node.live.leaseEvents(operator, {
      projectId: world.projectId,
      after: state.at(-1)?.cursor,
    });
    expect(kinds(await until(again, 'SUBMITTED')).filter((kind) => kind !== 'LEASED')).toEqual(['SUBMITTED']);
    await again.return?.();
    const cut = await node.live.leaseEvents(operator, {
      projectId: world.projectId,
      after: state[0]?.cursor,
    });
    expect(await until(cut, 'CURRENT')).toMatchObject([{ reset: true }, { reset: true }]);
    await cut.return?.();
  });

  test('is refused where it is not theirs', async () => {
    const node = fullNode({ redis: null, jobs: false });
    const [world, other] = [await makeWorld(ctx.admin), await makeWorld(ctx.admin)];
    const refused = (code: string) => expect.objectContaining({ code });
    const { live } = node;
    const { projectId } = world;
    await expect(live.leaseEvents(viewerOf(other, 'CUSTOMER'), { projectId })).rejects.toEqual(
      refused('NOT_FOUND'),
    );
    await expect(live.leaseEvents(viewerOf(other, 'OPERATOR'), { projectId })).rejects.toEqual(
      refused('NOT_FOUND'),
    );
    await expect(live.leaseEvents(viewerOf(world, 'EXPERT'), { projectId })).rejects.toEqual(
      refused('NOT_FOUND'),
    );
    await expect(live.leaseEvents(viewerOf(world, 'CUSTOMER'), {})).rejects.toEqual(refused('NOT_FOUND'));
    await expect(live.deadlineRisk(viewerOf(other, 'CUSTOMER'), { projectId })).rejects.toEqual(
      refused('NOT_FOUND'),
    );
    await expect(live.deadlineRisk(viewerOf(world, 'EXPERT'), { projectId })).rejects.toEqual(
      refused('FORBIDDEN'),
    );
    expect(node.hub.stats().readers).toBe(0);
  });

  test('of one customer is not heard by another of the same tenant', async () => {
    const node = fullNode({ redis: null, jobs: false });
    const world = await makeWorld(ctx.admin);
    const stranger = { ...viewerOf(world, 'CUSTOMER'), customerId: world.customerId + 1_000_000n };
    await expect(node.live.leaseEvents(stranger, { projectId: world.projectId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('of a project without forecasts is one item that says so', async () => {
    const node = fullNode({ redis: null, jobs: false });
    const world = await makeWorld(ctx.admin);
    await makeBatch(ctx.admin, { ...world, tasks: 1 });
    const items = await node.live.deadlineRisk(viewerOf(world, 'CUSTOMER'), { projectId: world.projectId });
    expect((await items.next()).value).toMatchObject({ value: { batchId: null, atRisk: false } });
    await items.return?.();
  });
});
