// @once: what a page makes of a payload
import { expect, test } from 'vitest';
import { isOfSamePerson } from '../../web/src/api/identity.js';
import { blocksOf, findIn, small } from '../../web/src/payload/blocks.js';
import { isDeeper } from '../../web/src/payload/depth.js';

test('every letter stays where it is when a text is made small, so that what is found is where it is marked', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const letter = String.fromCodePoint(code);
    if (small(letter).length !== letter.length) {
      throw new Error(`U+${code.toString(16)}`);
    }
  }
  const text = `${'İ'.repeat(40)}stanbul`;
  expect(findIn(blocksOf(text), 'L')).toEqual([found(46, 47)]);
  expect(findIn(blocksOf(text), 'istan')).toEqual([found(39, 44)]);
});

const found = (start: number, end: number) => ({
  start: { block: 0, at: start },
  end: { block: 0, at: end },
});

test('what stands on the edge of two blocks is found, in both', () => {
  const text = `${'x'.repeat(7_998)}NEEDLE${'y'.repeat(9_000)}needle`;
  const blocks = blocksOf(text);
  expect(blocks.length).toBeGreaterThan(2);
  expect(blocks.join('')).toBe(text);
  const matches = findIn(blocks, 'needle');
  expect(matches[0]).toEqual({ start: { block: 0, at: 7_998 }, end: { block: 1, at: 4 } });
  const { start, end } = matches[1] ?? found(0, 0);
  expect(blocks[end.block]?.slice(start.at, end.at)).toBe('needle');
  expect(matches).toHaveLength(2);
});

test('brackets are counted where they are open at once, and not in strings', () => {
  expect(isDeeper('['.repeat(50) + ']'.repeat(50), 50)).toBe(false);
  expect(isDeeper('['.repeat(51) + ']'.repeat(51), 50)).toBe(true);
  expect(isDeeper(JSON.stringify({ a: ['[{"\\"['.repeat(90), {}, {}], b: [] }), 3)).toBe(false);
  expect(isDeeper('{"a":'.repeat(100_000), 50)).toBe(true);
  expect(isDeeper(JSON.stringify('\\"'.repeat(100_000)), 50)).toBe(false);
});

test('two tokens are of the same person where they differ in times alone', () => {
  const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  const ada = { iss: 'https://id', sub: 'ada', role: 'EXPERT' };
  expect(isOfSamePerson(token({ ...ada, exp: 1 }), token({ exp: 2, ...ada }))).toBe(true);
  expect(isOfSamePerson(token({ ...ada, exp: 1 }), token({ ...ada, sub: 'bob', exp: 1 }))).toBe(false);
  expect(isOfSamePerson(token(ada), token({ ...ada, role: 'CUSTOMER' }))).toBe(false);
  expect(isOfSamePerson('no token', 'another')).toBe(false);
});
