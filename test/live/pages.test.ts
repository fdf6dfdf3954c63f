// @once: what it looks at is what is asked of the database and what is kept, not how PostgreSQL answers
import { expect, test } from 'vitest';
import { Pages } from '../../src/live/pages.js';
import type { Position, StreamEvent, StreamName, StreamStore } from '../../src/services/events/stream.js';

// Readers who come back together: how much is asked for them, and how much is kept.

type Place = StreamName & Position;
const PAGE = 128;

/** Streams of `count` events each, but for those that were trimmed; notes what is asked of them. */
function streams(count: number, { trimmed = [] as readonly number[], bytesMax = 2 ** 26 } = {}) {
  const asked: string[][] = [];
  const kept = Array.from({ length: count }, (_, n) => n + 1).filter((seq) => !trimmed.includes(seq));
  const eventsAfter = ({ epoch, seq: after }: Place, from: number) =>
    kept
      .filter((seq) => seq > after)
      .slice(0, PAGE)
      .map((seq) => ({ epoch, seq, kind: 'TEST', body: '{}', at: new Date(0), from }));
  const store: Pick<StreamStore, 'afterEach'> = {
    async afterEach(froms) {
      asked.push(froms.map(({ stream, seq }) => `${stream}${seq}`));
      return froms.flatMap((from, index) => eventsAfter(from, index));
    },
  };
  return { asked, pages: new Pages(store, bytesMax) };
}

/** Where each of them goes on, from a place of its own: the numbers of its page. */
async function pagesFrom(pages: Pages, places: readonly number[], stream = 's'): Promise<number[][]> {
  const all = places.map((seq) => pages.after({ tenantId: 1n, stream }, { epoch: 1, seq }));
  return (await Promise.all(all)).map((page: readonly StreamEvent[]) => page.map(({ seq }) => seq));
}

const each = (count: number, apart: number) => Array.from({ length: count }, (_, n) => n * apart);
const isDenseAfter = (page: readonly number[], place: number) =>
  page.length > 0 && page.every((seq, n) => seq === place + 1 + n);

test('a crowd far apart on one stream is answered by one statement', async () => {
  const { asked, pages } = streams(20_000);
  const places = each(50, 300);
  const found = await pagesFrom(pages, places);
  expect(found.every((page, n) => page.length === PAGE && isDenseAfter(page, places[n] ?? 0))).toBe(true);
  expect(asked.map((froms) => froms.length)).toEqual([50]);
});

test('those near one another share a page', async () => {
  const { asked, pages } = streams(20_000);
  const places = each(50, 10).reverse();
  const found = await pagesFrom(pages, places);
  expect(found.every((page, n) => isDenseAfter(page, places[n] ?? 0))).toBe(true);
  expect(asked).toEqual([['s0', 's130', 's260', 's390']]);
});

test('whom the page of another does not serve, because the stream was trimmed, asks once more', async () => {
  const { asked, pages } = streams(1_000, { trimmed: [5] });
  expect(await pagesFrom(pages, [0, 2, 20, 20])).toMatchObject([{ 0: 1 }, { 0: 3 }, { 0: 21 }, { 0: 21 }]);
  expect(asked).toEqual([['s0'], ['s20']]);
});

test('what is kept of all streams is bounded, and goes from those that nobody has asked for the longest', async () => {
  // An event of this size counts as a thousand bytes and its body.
  const { asked, pages } = streams(3, { bytesMax: 10_000 });
  for (const stream of ['a', 'b', 'c']) {
    await pagesFrom(pages, [0], stream);
  }
  await pagesFrom(pages, [1], 'a');
  expect(asked).toEqual([['a0'], ['b0'], ['c0']]);
  await pagesFrom(pages, [0], 'd');
  await pagesFrom(pages, [0], 'a');
  await pagesFrom(pages, [0], 'c');
  expect(asked.slice(3)).toEqual([['d0']]);
  await pagesFrom(pages, [0], 'b');
  expect(asked.slice(4)).toEqual([['b0']]);
  pages.heard({ tenantId: 1n, stream: 'b' }, { ...eventFour, body: 'x'.repeat(5_000) });
  expect(await pagesFrom(pages, [3], 'b')).toEqual([[4]]);
  await pagesFrom(pages, [0], 'a');
  expect(asked.slice(5)).toEqual([['a0']]);
});

const eventFour: StreamEvent = { epoch: 1, seq: 4, kind: 'TEST', body: '', at: new Date(0) };
