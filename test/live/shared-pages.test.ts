// @once: what it looks at is memory, not what PostgreSQL makes of a statement
import { expect, test } from 'vitest';
import { SharedPages } from '../../src/live/shared-pages.js';
import type { StreamEvent } from '../../src/services/events/stream.js';

// What is kept has no hole: whoever is answered from it misses nothing.

const event = (seq: number, { epoch = 1, body = '{}' } = {}): StreamEvent => ({
  epoch,
  seq,
  kind: 'TEST',
  body,
  at: new Date(0),
});
const events = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => event(from + n));
const after = (pages: SharedPages, seq: number, { epoch = 1, limit = 100 } = {}) =>
  pages.after({ epoch, seq }, limit)?.map((found) => found.seq) ?? null;

test('answers from the first that it has, and no further than the last', () => {
  const pages = new SharedPages();
  expect(after(pages, 4)).toBeNull();
  pages.keep(events(5, 8));
  pages.add(event(9));
  expect(after(pages, 3)).toBeNull();
  expect(after(pages, 4)).toEqual([5, 6, 7, 8, 9]);
  expect(after(pages, 4, { limit: 2 })).toEqual([5, 6]);
  expect(after(pages, 8)).toEqual([9]);
  expect(after(pages, 9)).toBeNull();
  expect(after(pages, 4, { epoch: 2 })).toBeNull();
});

test('gives everybody the same objects, whichever page brought them first', () => {
  const pages = new SharedPages();
  const first = pages.keep(events(10, 12));
  const second = pages.keep(events(7, 13));
  expect(second.slice(3, 6).every((one, n) => one === first[n])).toBe(true);
  expect(pages.after({ epoch: 1, seq: 6 }, 100)?.every((one, n) => one === second[n])).toBe(true);
});

test('keeps nothing on both sides of a hole', () => {
  const pages = new SharedPages();
  pages.keep(events(5, 8));
  pages.add(event(11));
  expect(after(pages, 4)).toBeNull();
  expect(after(pages, 10)).toEqual([11]);
  pages.keep(events(1, 3));
  expect(after(pages, 0)).toBeNull();
  pages.keep([event(8), event(10)]);
  expect(after(pages, 7)).toBeNull();
  expect(after(pages, 9)).toBeNull();
  expect(after(pages, 10)).toEqual([11]);
});

test('begins anew with an epoch', () => {
  const pages = new SharedPages();
  pages.keep(events(5, 8));
  pages.add(event(9, { epoch: 2 }));
  expect(after(pages, 4)).toBeNull();
  expect(after(pages, 8, { epoch: 2 })).toEqual([9]);
});

test('keeps the newest within its bounds, of events and of bytes', () => {
  const pages = new SharedPages();
  pages.keep(events(1, 300));
  expect(after(pages, 43)).toBeNull();
  expect(after(pages, 44, { limit: 1 })).toEqual([45]);
  pages.add(event(301, { body: 'x'.repeat(256 * 1024 - 10) }));
  expect(after(pages, 294)).toBeNull();
  expect(after(pages, 295)).toEqual([296, 297, 298, 299, 300, 301]);
});
