// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { handshake } from './bare-socket.js';
import { type Site, useSites } from './site.js';
import { appendNumbers, upTo } from './streams.js';

const ctx = useTestDb();
const { site, client, socket } = useSites(ctx);

const NUMBERS = 'subscription { numbers { n cursor } }';
const append = ({ bus, world }: Site, numbers: readonly number[]) =>
  appendNumbers(ctx.database.systemPool, bus, { tenantId: world.tenantId, numbers });

describe('one bad operation', () => {
  test.each([
    ['a syntax error', 'subscription {', /Syntax Error/],
    ['an unknown field', 'subscription { nothing }', /Cannot query field/],
    ['a bug when it begins', 'subscription { boom }', /Unexpected error/],
  ])('with %s is answered for itself; the others of its socket go on', async (_, query, told) => {
    const one = await site();
    const { subscribe, message, raw } = await socket(one.url);
    subscribe('good', NUMBERS);
    await message('next', 'good');
    subscribe('bad', query);
    const answer = await Promise.race([message('error', 'bad'), message('next', 'bad')]);
    expect(JSON.stringify(answer)).toMatch(told);
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    await append(one, [7]);
    expect(await message('next', 'good')).toMatchObject({ payload: { data: { numbers: { n: 7 } } } });
    expect(raw.readyState).toBe(raw.OPEN);
  });

  test('that goes wrong on its way is masked and ends alone', async () => {
    const one = await site();
    const { subscribe, message, raw } = await socket(one.url);
    subscribe('late', 'subscription { late }');
    await message('next', 'late');
    const error = await message('error', 'late');
    expect(JSON.stringify(error)).not.toContain('hunter2');
    expect(raw.readyState).toBe(raw.OPEN);
  });
});

describe('a socket', () => {
  test('also answers queries', async () => {
    const one = await site();
    const { subscribe, message } = await socket(one.url);
    subscribe('q', '{ hello }');
    expect(await message('next', 'q')).toMatchObject({ payload: { data: { hello: 'hi' } } });
    await message('complete', 'q');
  });

  test('without a word is closed, without a token is not let in, and is never let to speak before', async () => {
    const impatient = await site({ initMs: 30 });
    expect(await (await socket(impatient.url, { init: false })).closed).toBe(4408);
    const { url } = await site({ initMs: 60_000 });
    const nameless = await socket(url, { init: false });
    nameless.send({ type: 'connection_init' });
    expect(await nameless.closed).toBe(4403);
    const hasty = await socket(url, { init: false });
    hasty.subscribe('x', NUMBERS);
    expect(await hasty.closed).toBe(4401);
  });

  test('ends with its token', async () => {
    const one = await site();
    const closed = new Promise<number>((resolve) => {
      const short = client(one.url, { lifeMs: 300 });
      short.on('closed', (event) => resolve((event as { code: number }).code));
      short.subscribe(
        { query: NUMBERS },
        { next: () => undefined, error: () => undefined, complete: () => undefined },
      );
    });
    expect(await closed).toBe(4403);
    await expect.poll(() => one.hub.stats().readers).toBe(0);
  });

  test('carries a bounded number of operations, each refused for itself', async () => {
    const one = await site({ subscriptionsMax: 2 });
    const { subscribe, message, send } = await socket(one.url);
    for (const id of ['a', 'b', 'c']) {
      subscribe(id, NUMBERS);
    }
    const refused = await message('error', 'c');
    expect(JSON.stringify(refused)).toContain('TOO_MANY_SUBSCRIPTIONS');
    await message('next', 'a');
    send({ id: 'a', type: 'complete' });
    subscribe('d', NUMBERS);
    await message('next', 'd');
  });

  test('is one of a few of its owner; a place is free again when one ends', async () => {
    const one = await site({ socketsAViewerMax: 2 });
    const first = await socket(one.url);
    await socket(one.url);
    const third = await socket(one.url, { init: false });
    third.send({ type: 'connection_init', payload: { authorization: 'Bearer 600000' } });
    expect(await third.closed).toBe(4290);
    first.raw.close();
    await first.closed;
    await socket(one.url);
  });

  test('may not send long messages', async () => {
    const one = await site({ messageBytes: 1_024 });
    const { send, closed } = await socket(one.url);
    send({ type: 'ping', payload: { x: 'y'.repeat(2_000) } });
    expect(await closed).toBe(1009);
  });

  test.each([
    ['https://evil.example.org', 403],
    ['null', 403],
    ['https://app.example.org', 101],
  ])('of a page of %s is answered %d', async (origin, status) => {
    const one = await site();
    expect(await handshake(one.url, origin)).toBe(status);
  });

  test('of the server’s own page may connect; another path is not there', async () => {
    const one = await site();
    expect(await handshake(one.url, `http://${new URL(one.url).host}`)).toBe(101);
    expect(await handshake(one.url.replace('/graphql', '/other'), null)).toBe(404);
  });

  test('whose client vanishes leaves nothing behind', async () => {
    const one = await site();
    for (let n = 0; n < 20; n++) {
      const { subscribe, message, raw } = await socket(one.url);
      subscribe('a', NUMBERS);
      subscribe('b', NUMBERS);
      await message('next', 'a');
      raw.terminate();
      await once(raw, 'close');
    }
    await expect.poll(() => [one.hub.stats().readers, one.sockets.count()]).toEqual([0, 0]);
  });

  test('whose client stops reading is cut; others lose nothing', async () => {
    const one = await site({ pingMs: 1_000 });
    const stuck = await socket(one.url);
    const healthy = await socket(one.url);
    stuck.subscribe('s', 'subscription { numbers { n padding } }');
    healthy.subscribe('h', NUMBERS);
    await Promise.all([stuck.message('next', 's'), healthy.message('next', 'h')]);
    stuck.raw.pause();
    const numbers = upTo(600);
    await append(one, numbers);
    for (const n of numbers) {
      expect(await healthy.message('next', 'h')).toMatchObject({ payload: { data: { numbers: { n } } } });
    }
    await expect.poll(() => one.sockets.count()).toBe(1);
    await expect.poll(() => one.hub.stats().readers).toBe(1);
  });

  test('whose client answers nothing is closed with 4008, which it reads when it reads again', async () => {
    const one = await site({ pingMs: 100 });
    const stuck = await socket(one.url);
    stuck.raw.pause();
    await expect.poll(() => one.sockets.count()).toBe(0);
    stuck.raw.resume();
    expect(await stuck.closed).toBe(4008);
  });

  test('whose client reads too slowly for a log is closed with 4008, and goes on from its last cursor', async () => {
    const one = await site({ pingMs: 600_000 });
    const slow = await socket(one.url);
    const healthy = await socket(one.url);
    slow.subscribe('s', 'subscription { numbers { n cursor padding } }');
    healthy.subscribe('h', NUMBERS);
    await Promise.all([slow.message('next', 's'), healthy.message('next', 'h')]);
    slow.raw.pause();
    const numbers = upTo(1_000);
    await append(one, numbers);
    for (const n of numbers) {
      expect(await healthy.message('next', 'h')).toMatchObject({ payload: { data: { numbers: { n } } } });
    }
    slow.raw.resume();
    expect(await slow.closed).toBe(4008);
    let last = { n: 0, cursor: '' };
    for (const { payload } of slow.messages.filter(({ type }) => type === 'next')) {
      const { numbers: item } = (payload as unknown as { data: { numbers: typeof last } }).data;
      expect(item.n).toBe(last.n + 1);
      last = item;
    }
    expect(last.n).toBeLessThan(numbers.length);
    const again = await socket(one.url);
    again.subscribe('a', `subscription { numbers(after: "${last.cursor}") { n } }`);
    for (const n of upTo(numbers.length, last.n + 1)) {
      expect(await again.message('next', 'a')).toMatchObject({ payload: { data: { numbers: { n } } } });
    }
  });
});

test('a server that stops sends its clients elsewhere, where they go on without a gap', async () => {
  const first = await site();
  const second = await site({}, first);
  const { subscribe, message, closed } = await socket(first.url);
  subscribe('a', NUMBERS);
  await message('next', 'a');
  await append(first, upTo(3));
  let cursor = '';
  for (const n of upTo(3)) {
    const { payload } = await message('next', 'a');
    expect(payload).toMatchObject({ data: { numbers: { n } } });
    cursor = (payload as unknown as { data: { numbers: { cursor: string } } }).data.numbers.cursor;
  }
  const stopped = first.sockets.close();
  expect(await closed).toBe(4012);
  await stopped;
  expect(await handshake(first.url, null)).toBe(503);
  await append(first, upTo(6, 4));
  const moved = await socket(second.url);
  moved.subscribe('a', `subscription { numbers(after: "${cursor}") { n cursor } }`);
  for (const n of upTo(6, 4)) {
    expect(await moved.message('next', 'a')).toMatchObject({ payload: { data: { numbers: { n } } } });
  }
});
