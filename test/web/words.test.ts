// @once: how pages write what they show
import { expect, test } from 'vitest';
import { dueOf, fromNow, verdictOf } from '../../web/src/customer/outlook.js';
import { shown, told } from '../../web/src/parts/bidi.js';
import { chance, partOf } from '../../web/src/parts/format.js';

const CONTROLS = [
  0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
].map((code) => String.fromCodePoint(code));

test('nothing that is reckoned is told as certain', () => {
  const said = [0, 0.004, 0.01, 0.314, 0.9, 0.99, 0.994, 0.9999, 1].map((p) => chance(p).replace(/\s/g, ''));
  expect(said).toEqual(['<1%', '<1%', '1%', '31%', '90%', '99%', '>99%', '>99%', '>99%']);
  expect([0, 0.98765, 0.9996, 1].map((p) => chance(p, 1).replace(/\s/g, ''))).toEqual([
    '<0.1%',
    '98.8%',
    '>99.9%',
    '>99.9%',
  ]);
});

test('all of it is all of it, and nothing is nothing', () => {
  const said = [0, 1, 500, 999, 1000].map((n) => partOf(n, 1000).replace(/\s/g, ''));
  expect(said).toEqual(['0%', '<1%', '50%', '>99%', '100%']);
});

test('only what has passed is late: before that the smallest chance is one', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const [before, after] = ['2026-03-01T11:00:00Z', '2026-03-01T13:00:00Z'];
  expect(dueOf(null, [], now)).toEqual({ isDue: false, isPast: false });
  expect(dueOf(after, undefined, now)).toEqual({ isDue: true, isPast: false });
  expect(dueOf(after, [{ deadline: null }, { deadline: before }], now)).toEqual({
    isDue: true,
    isPast: true,
  });
  expect(verdictOf(0, true).word).toBe('late');
  expect(verdictOf(0, false).word).toBe('on time: likely late');
});

test('whatever turns the order of letters is seen, and what is written from right to left turns nothing beside it', () => {
  for (const control of CONTROLS) {
    expect(shown(`a${control}b`)).toMatch(/^a⟨U\+[0-9A-F]{4}⟩b$/);
  }
  expect(told('exe.\u202egnp')).toBe('exe.⟨U+202E⟩gnp');
  expect(told('Müller 12')).toBe('Müller 12');
  expect(told('שלום')).toBe('\u2068שלום\u2069');
  expect(told('שלום\u2069!')).toBe('\u2068שלום⟨U+2069⟩!\u2069');
});

test('how long it is until then is told no finer than it matters, in few letters', () => {
  const at = Date.parse('2026-03-01T12:00:00Z');
  const said = [10, 75, 3_000, 6_120, 9_000, 86_400, 300_000].map((seconds) =>
    fromNow(new Date(at + seconds * 1_000).toISOString(), at),
  );
  expect(said).toEqual(['in 60 s', 'in 75 s', 'in 50 min', 'in 102 min', 'in 3 h', 'in 24 h', 'in 3 d']);
  expect(fromNow(new Date(at - 6_120_000).toISOString(), at)).toBe('102 min ago');
});
