// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { afterEach, expect, test } from 'vitest';
import { createBeginnings } from '../../src/live/beginnings.js';
import { createLive } from '../../src/live/live.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { useTestDb } from '../support/db.js';
import { type Node, startNode, take } from './streams.js';
import { claim, makeWorld, submit, viewerOf } from './world.js';

// When many subscribe at once, and where a node knows less than its subscriber.

const ctx = useTestDb();
const nodes: Node[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

function live(sequencer: boolean) {
  const node = startNode({ db: ctx.database, bus: createLocalBus(), sequencer });
  nodes.push(node);
  return createLive(node.parts);
}

test('what many ask at once is answered to each by their own rights', async () => {
  const worlds = await Promise.all([0, 1, 2].map(() => makeWorld(ctx.admin, { tasks: 2, experts: 1 })));
  for (const world of worlds) {
    await claim(ctx.database.appPool, world);
  }
  const beginnings = createBeginnings(ctx.database);
  const asked = worlds.flatMap((world) =>
    worlds.flatMap((other) =>
      (['CUSTOMER', 'OPERATOR'] as const).flatMap((role) =>
        Array.from({ length: 20 }, () => ({ viewer: viewerOf(world, role), world, other })),
      ),
    ),
  );
  const answers = await Promise.all(
    asked.map(async ({ viewer, other }) => ({
      sees: await beginnings.seesProject(viewer, other.projectId),
      leases: (await beginnings.firstLeases(viewer, other.projectId)).length,
    })),
  );
  expect(answers).toEqual(
    asked.map(({ world, other }) =>
      world === other ? { sees: true, leases: 1 } : { sees: false, leases: 0 },
    ),
  );
});

test('analysts whose reads take long hold up nobody else', async () => {
  const world = await makeWorld(ctx.admin);
  const beginnings = createBeginnings(ctx.database);
  const analyst = { ...viewerOf(world, 'OPERATOR'), role: 'ANALYST' as const };
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reads = Array.from({ length: 8 }, () => beginnings.inTurn(analyst, () => released));
  const seen: boolean[] = [];
  void beginnings.seesProject(viewerOf(world, 'CUSTOMER'), world.projectId).then((sees) => seen.push(sees));
  await expect.poll(() => seen).toEqual([true]);
  expect(await beginnings.inTurn(viewerOf(world, 'EXPERT'), () => Promise.resolve('read'))).toBe('read');
  release();
  await Promise.all(reads);
  expect(await beginnings.seesProject(analyst, world.projectId)).toBe(true);
});

test('a customer of the same tenant who asks in the same moment sees nothing of another’s', async () => {
  const world = await makeWorld(ctx.admin);
  const beginnings = createBeginnings(ctx.database);
  const own = viewerOf(world, 'CUSTOMER');
  const stranger = { ...own, customerId: world.customerId + 1_000_000n };
  const seen = await Promise.all(
    [own, stranger, own, stranger].map((viewer) => beginnings.seesProject(viewer, world.projectId)),
  );
  expect(seen).toEqual([true, false, true, false]);
});

test('hundreds who begin at once all begin, however few connections there are', async () => {
  const world = await makeWorld(ctx.admin, { tasks: 2, experts: 2 });
  const one = live(true);
  await claim(ctx.database.appPool, world);
  const viewer = viewerOf(world, 'OPERATOR');
  const begun = await Promise.all(
    Array.from({ length: 400 }, async (_, n) => {
      const items = await (n % 2 === 0
        ? one.leaseEvents(viewer, { projectId: world.projectId })
        : one.payoutEvents(viewer, { expertId: world.experts[n % 4 === 1 ? 0 : 1]?.expertId ?? null }));
      const [first] = await take<unknown>(items, 1);
      await items.return?.();
      return first;
    }),
  );
  expect(begun.filter((first) => first !== undefined)).toHaveLength(400);
});

test('a state goes on from a cursor of another node that this node has not heard of yet', async () => {
  const world = await makeWorld(ctx.admin, { tasks: 3 });
  const viewer = viewerOf(world, 'CUSTOMER');
  const { projectId } = world;
  const [ahead, behind] = [live(true), live(false)];
  const waiting = await behind.projectProgress(viewer, { projectId });
  await take(waiting, 1);
  const told = await ahead.projectProgress(viewer, { projectId });
  await take(told, 1);
  await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world) });
  const [moved] = await take(told, 1);
  const moving = await behind.projectProgress(viewer, { projectId, after: moved?.cursor ?? null });
  const next = moving.next();
  await claim(ctx.database.appPool, world);
  expect((await next).value).toMatchObject({ reset: false });
  await Promise.all([waiting, told, moving].map((items) => items.return?.()));
});
