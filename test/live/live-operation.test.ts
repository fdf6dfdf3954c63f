import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { Cohort } from '../../src/live/cohort.js';
import type { HandedItems } from '../../src/live/handed.js';
import type { LiveItem } from '../../src/live/subscription.js';
import type { StreamEvent } from '../../src/services/events/stream.js';
import { asked, seen, seenSoFar } from './asking.js';

// One execution for all who ask the same and see the same, and never for two who do not.

const of = (by: string) => JSON.stringify({ data: { seen: { by } } });

test('who asks the same and sees the same shares one execution, wherever they begin', async () => {
  const value = {};
  seenSoFar.executions = 0;
  const query = 'subscription($from: String) { seen(after: $from) { by } }';
  const all = [];
  for (const from of ['a', 'b', null]) {
    all.push(
      await seen(value, {
        query,
        variables: { from },
        viewer: { identityId: BigInt(seenSoFar.executions + 7) },
      }),
    );
  }
  expect(new Set(all)).toEqual(new Set([of('1 CUSTOMER 1 null ')]));
  expect(seenSoFar.executions).toBe(1);
});

test.each([
  ['another tenant', { tenantId: 2n }, '2 CUSTOMER 1 null '],
  ['another role', { role: 'ANALYST' }, '1 ANALYST 1 null '],
  ['another customer', { customerId: 2n }, '1 CUSTOMER 2 null '],
  ['another expert', { expertId: 2n }, '1 CUSTOMER 1 2 '],
] as const)('%s gets their own', async (_who, viewer, by) => {
  const value = {};
  expect(await seen(value)).toBe(of('1 CUSTOMER 1 null '));
  expect(await seen(value, { viewer })).toBe(of(by));
});

test('what is asked otherwise is answered otherwise', async () => {
  const value = {};
  expect(await seen(value)).toBe(of('1 CUSTOMER 1 null '));
  expect(await seen(value, { query: 'subscription { seen { mine: by } }' })).toContain('mine');
  const query = 'subscription($n: Int) { seen { by(times: $n) } }';
  const once = await seen(value, { query, variables: { n: 1 } });
  expect((await seen(value, { query, variables: { n: 2 } })).length).toBeGreaterThan(once.length);
});

test('a variable that says where to begin, and something else too, is part of what is asked', async () => {
  const value = {};
  const query = 'subscription($from: String) { seen(after: $from) { by(after: $from) } }';
  expect(await seen(value, { query, variables: { from: 'x' } })).toBe(of('1 CUSTOMER 1 null x'));
  expect(await seen(value, { query, variables: { from: 'y' } })).toBe(of('1 CUSTOMER 1 null y'));
});

test('the same value at another cursor, or as a new beginning, is another item', async () => {
  const value = {};
  seenSoFar.executions = 0;
  await seen(value, { item: { cursor: 'a', reset: false } });
  await seen(value, { item: { cursor: 'b', reset: false } });
  await seen(value, { item: { cursor: 'b', reset: true } });
  expect(seenSoFar.executions).toBe(3);
});

test('what is handed over is made once for all who ask the same, and anew for each event', async () => {
  const offers: ((event: StreamEvent) => boolean)[] = [];
  const source = (): HandedItems<LiveItem<StreamEvent>> => ({
    next: () => new Promise(() => undefined),
    handTo: (take) =>
      void offers.push((event) =>
        take(event, {
          itemOf: (value) => ({ cursor: String(value.seq), reset: false, skipped: null, value }),
        }),
      ),
    [Symbol.asyncIterator]() {
      return this;
    },
  });
  const told: string[][] = [[], [], []];
  const all = [];
  for (const [n, viewer] of [{}, { identityId: 9n }, { customerId: 2n }].entries()) {
    const items = await asked(source, { viewer, query: 'subscription { seen { by(times: 1) } }' });
    items.handTo(({ cursor, text }) => (told[n]?.push(`${cursor} ${text}`) ?? 0) > 0);
    all.push(items);
  }
  seenSoFar.executions = 0;
  for (const seq of [1, 2]) {
    const event = { epoch: 1, seq, kind: 'TEST', body: '{}', at: new Date(0) };
    expect(offers.map((offer) => offer(event))).toEqual([true, true, true]);
  }
  expect(seenSoFar.executions).toBe(4);
  const of1 = of('1 CUSTOMER 1 null ');
  const of2 = of('1 CUSTOMER 2 null ');
  expect(told).toEqual([
    [`1 ${of1}`, `2 ${of1}`],
    [`1 ${of1}`, `2 ${of1}`],
    [`1 ${of2}`, `2 ${of2}`],
  ]);
  const cohorts = Cohort.count;
  for (const items of all) {
    await items.return?.();
  }
  expect(Cohort.count).toBe(cohorts - 2);
});

test('items stand where all was told: not while one of them is still made', async () => {
  const made = new EventEmitter();
  const source = () => ({
    next: async () => {
      const [value] = await once(made, 'item');
      return { done: false as const, value: { cursor: 'c', reset: false, skipped: null, value } };
    },
    standsAt: () => 'here',
    [Symbol.asyncIterator]() {
      return this;
    },
  });
  const items = await asked(source, { query: 'subscription { seen { later } }' });
  expect(items.standsAt()).toBeNull();
  const next = items.next();
  expect(items.standsAt()).toBe('here');
  made.emit('item', {});
  for (let turn = 0; turn < 100 && items.reading() === null; turn += 1) {
    await null;
  }
  expect(items.reading()).not.toBeNull();
  expect(items.standsAt()).toBeNull();
  expect((await next).done).toBe(false);
  expect([items.standsAt(), items.reading()]).toEqual([null, null]);
});
