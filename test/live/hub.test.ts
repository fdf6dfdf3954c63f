// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { afterEach, describe, expect, test } from 'vitest';
import { QUEUE_EVENTS } from '../../src/live/event-queue.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { useTestDb } from '../support/db.js';
import { appendNumbers, type Node, numbersOf, startNode, take, upTo } from './streams.js';
import { makeWorld } from './world.js';

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
const append = (to: Node, what: { tenantId: bigint; stream?: string; numbers: readonly number[] }) =>
  appendNumbers(ctx.database.systemPool, to.bus, what);
const values = <T>(items: { value: T }[]) => items.map((item) => item.value);

describe('a subscription', () => {
  test('begins with the state, then tells each change once, in order', async () => {
    const one = node();
    const tenantId = await tenant();
    const items = numbersOf(one.hub, { tenantId });
    expect(values(await take(items, 1))).toEqual([-1]);
    await append(one, { tenantId, numbers: upTo(5) });
    expect(values(await take(items, 5))).toEqual(upTo(5));
    await items.return?.();
  });

  test('goes on after its cursor, across writes that came while it was away and pages of them', async () => {
    const one = node();
    const tenantId = await tenant();
    const first = numbersOf(one.hub, { tenantId });
    await take(first, 1);
    await append(one, { tenantId, numbers: upTo(3) });
    const seen = await take(first, 2);
    await first.return?.();
    await append(one, { tenantId, numbers: upTo(700, 4) });
    const again = numbersOf(one.hub, { tenantId, after: seen[1]?.cursor ?? null });
    const rest = await take(again, 698);
    expect(values(rest)).toEqual(upTo(700, 3));
    expect(rest.every((item) => !item.reset)).toBe(true);
    await append(one, { tenantId, numbers: [701] });
    expect(values(await take(again, 1))).toEqual([701]);
    await again.return?.();
  });

  test('hands over what was missed as what comes, and asks again only for what is not taken', async () => {
    const one = node();
    const tenantId = await tenant();
    const first = numbersOf(one.hub, { tenantId });
    const [begun] = await take(first, 1);
    await first.return?.();
    await append(one, { tenantId, numbers: upTo(300) });
    const again = numbersOf(one.hub, { tenantId, after: begun?.cursor ?? null });
    const handed: number[] = [];
    again.handTo((event) => {
      const { n } = JSON.parse(event.body);
      const takes = n !== 200 && n !== 300;
      if (takes) {
        handed.push(n);
      }
      return takes;
    });
    expect(values(await take(again, 2))).toEqual([200, 300]);
    expect(handed).toEqual(upTo(299).filter((n) => n !== 200));
    await again.return?.();
  });

  test('ten that come and go at random, while writers write, each see every number once', async () => {
    const one = node();
    const tenantId = await tenant();
    const last = 400;
    const follow = async (seed: number) => {
      const seen: number[] = [];
      let cursor: string | null = null;
      while (seen.at(-1) !== last) {
        const items = numbersOf(one.hub, { tenantId, after: cursor });
        const count = Math.min(1 + ((seed * 31 + seen.length * 7) % 40), last - (seen.at(-1) ?? last - 1));
        const some = await take(items, count);
        await items.return?.();
        cursor = some.at(-1)?.cursor ?? cursor;
        seen.push(...values(some).filter((n) => n !== -1));
      }
      return seen;
    };
    const begun = numbersOf(one.hub, { tenantId });
    await take(begun, 1);
    const all = take(begun, last);
    const followers = upTo(10).map(follow);
    await append(one, { tenantId, numbers: upTo(last) });
    for (const seen of await Promise.all(followers)) {
      expect(seen).toEqual(upTo(last, seen[0]));
    }
    expect(values(await all)).toEqual(upTo(last));
    await begun.return?.();
  });

  test.each([
    ['is made up', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['is no cursor', 'not a cursor'],
  ])('whose cursor %s starts afresh and says so', async (_, after) => {
    const one = node();
    const tenantId = await tenant();
    const items = numbersOf(one.hub, { tenantId, after });
    expect(await take(items, 1)).toMatchObject([{ value: -1, reset: true, skipped: null }]);
    await items.return?.();
  });

  test('whose cursor is of another stream or another tenant starts afresh', async () => {
    const one = node();
    const [tenantId, other] = [await tenant(), await tenant()];
    const [item] = await take(numbersOf(one.hub, { tenantId }), 1);
    for (const foreign of [
      { tenantId, stream: 'x' },
      { tenantId: other, stream: 's' },
    ]) {
      const items = numbersOf(one.hub, { ...foreign, after: item?.cursor ?? null });
      expect(await take(items, 1)).toMatchObject([{ value: -1, reset: true }]);
    }
  });

  test('whose cursor was trimmed away starts afresh; one at the edge of what was trimmed goes on', async () => {
    const one = node();
    const tenantId = await tenant();
    const first = numbersOf(one.hub, { tenantId });
    await take(first, 1);
    await append(one, { tenantId, numbers: upTo(10) });
    const seen = await take(first, 10);
    await ctx.admin.query('select app.trim_events($1, 4, 1000000, 1000000, 0, $2)', ['1000 years', '']);
    const trimmed = numbersOf(one.hub, { tenantId, after: seen[4]?.cursor ?? null });
    expect(await take(trimmed, 1)).toMatchObject([{ value: -1, reset: true, skipped: 5 }]);
    const edge = numbersOf(one.hub, { tenantId, after: seen[5]?.cursor ?? null });
    expect(values(await take(edge, 4))).toEqual([7, 8, 9, 10]);
  });

  test('whose stream has a hole in its old part starts afresh and never skips', async () => {
    const one = node();
    const tenantId = await tenant();
    const first = numbersOf(one.hub, { tenantId });
    await take(first, 1);
    await append(one, { tenantId, numbers: upTo(10) });
    const seen = await take(first, 10);
    await ctx.admin.query('delete from stream_events where tenant_id = $1 and seq = 7', [tenantId]);
    const resumed = numbersOf(one.hub, { tenantId, after: seen[3]?.cursor ?? null });
    expect(await take(resumed, 1)).toMatchObject([{ value: -1, reset: true }]);
  });

  test('loses nothing when every connection to the database is cut, live and catching up', async () => {
    const one = node();
    const tenantId = await tenant();
    const items = numbersOf(one.hub, { tenantId });
    const [start] = await take(items, 1);
    const all = take(items, 300);
    let cut = 0;
    for (let n = 1; n <= 300; n += 50) {
      await appendNumbers(ctx.admin, one.bus, { tenantId, numbers: upTo(n + 49, n) });
      cut += await cutAllConnections();
    }
    expect(values(await all)).toEqual(upTo(300));
    expect(cut).toBeGreaterThan(0);
    const again = numbersOf(one.hub, { tenantId, after: start?.cursor ?? null });
    const caught = take(again, 300);
    await cutAllConnections();
    expect(values(await caught)).toEqual(upTo(300));
  });

  test('is told to start afresh when the database began a new epoch, live and by cursor', async () => {
    const one = node();
    const tenantId = await tenant();
    const items = numbersOf(one.hub, { tenantId });
    await take(items, 1);
    await append(one, { tenantId, numbers: [1, 2] });
    const seen = await take(items, 2);
    await ctx.admin.query('update stream_epoch set epoch = epoch + 1');
    await append(one, { tenantId, numbers: [3] });
    expect(await take(items, 1)).toMatchObject([{ value: -1, reset: true }]);
    await append(one, { tenantId, numbers: [4] });
    expect(await take(items, 1)).toMatchObject([{ value: 4, reset: false }]);
    const resumed = numbersOf(one.hub, { tenantId, after: seen[1]?.cursor ?? null });
    expect(await take(resumed, 1)).toMatchObject([{ value: -1, reset: true }]);
  });

  test('is not led astray by wake-ups that are not true', async () => {
    const one = node();
    const tenantId = await tenant();
    const items = numbersOf(one.hub, { tenantId });
    await take(items, 1);
    const lie = { tenantId, stream: 's', epoch: 99, seq: 1_000 };
    one.bus.publishHeads([lie, { ...lie, epoch: 1 }, { ...lie, stream: 'none' }]);
    await append(one, { tenantId, numbers: [1, 2] });
    one.bus.publishHeads([lie]);
    await append(one, { tenantId, numbers: [3] });
    const seen = await take(items, 3);
    expect(values(seen)).toEqual([1, 2, 3]);
    expect(seen.some((item) => item.reset)).toBe(false);
  });

  test('that is interrupted while its state is told starts afresh, for it has not got all of it', async () => {
    const one = node();
    const tenantId = await tenant();
    const source = { tenantId, stream: 's' };
    const { createCursorCodec } = await import('../../src/live/cursor.js');
    const { incomplete } = createCursorCodec('secret', source);
    expect(await take(numbersOf(one.hub, { tenantId, after: incomplete }), 1)).toMatchObject([
      { reset: true },
    ]);
  });

  test('ends when its token does', async () => {
    const one = node();
    const items = numbersOf(one.hub, { tenantId: await tenant(), expiresAtMs: Date.now() + 200 });
    await take(items, 1);
    await expect(items.next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(one.hub.stats().readers).toBe(0);
  });
});

describe('a subscriber that stops reading', () => {
  test('is ended within bounds with its cursor; others lose nothing, and it goes on without a gap', async () => {
    const one = node();
    const tenantId = await tenant();
    const stuck = numbersOf(one.hub, { tenantId });
    const healthy = numbersOf(one.hub, { tenantId });
    await take(stuck, 1);
    await take(healthy, 1);
    const last = QUEUE_EVENTS + 200;
    const all = take(healthy, last);
    await append(one, { tenantId, numbers: upTo(last) });
    expect(values(await all)).toEqual(upTo(last));
    expect(one.hub.stats().readers).toBe(1);
    const error = await stuck.next().then(
      () => null,
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: 'SLOW_CONSUMER' });
    const again = numbersOf(one.hub, { tenantId, after: error.cursor });
    expect(values(await take(again, last))).toEqual(upTo(last));
  });

  test('of a state gets the newest of each key, however much it slept through', async () => {
    const one = node();
    const tenantId = await tenant();
    const sleepy = numbersOf(one.hub, { tenantId, coalesce: ({ body }) => String(JSON.parse(body).key) });
    const awake = numbersOf(one.hub, { tenantId });
    await take(sleepy, 1);
    await take(awake, 1);
    const seen = take(awake, 600);
    await append(one, { tenantId, numbers: upTo(600) });
    await seen;
    const newest = await take(sleepy, 3);
    expect(values(newest)).toEqual([598, 599, 600]);
    const resumed = numbersOf(one.hub, { tenantId, after: newest[2]?.cursor ?? null });
    await append(one, { tenantId, numbers: [601] });
    expect(values(await take(resumed, 1))).toEqual([601]);
  });
});

test('a thousand that come and go leave nothing behind', async () => {
  const one = node();
  const tenantId = await tenant();
  for (let round = 0; round < 1_000; round++) {
    const items = numbersOf(one.hub, { tenantId, stream: `s/${round % 50}` });
    if (round % 3 === 0) {
      await take(items, 1);
    }
    if (round % 2 === 0) {
      void items.next(); // waits for what never comes
    }
    await items.return?.();
  }
  expect(one.hub.stats()).toEqual({ readers: 0, streams: 0 });
});

test('a hub that closes ends its subscriptions', async () => {
  const one = node();
  const items = numbersOf(one.hub, { tenantId: await tenant() });
  await take(items, 1);
  const next = items.next();
  await one.hub.close();
  expect(await next).toMatchObject({ done: true });
});

async function cutAllConnections(): Promise<number> {
  const { rowCount } = await ctx.admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and starts_with(application_name, 'touchstone_')`,
  );
  return rowCount ?? 0;
}
