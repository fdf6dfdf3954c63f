// @once: what a page makes of a payload
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { betweenTexts, textsOf } from '../../src/services/platform/json-texts.js';
import { isOfSamePerson } from '../../web/src/api/identity.js';
import { blocksOf, findIn, small } from '../../web/src/payload/blocks.js';
import { isDeeper } from '../../web/src/payload/depth.js';
import { differencesOf } from '../../web/src/payload/differences.js';
import {
  isAddress,
  isPicture,
  pictureIn,
  readableLength,
  treeLength,
} from '../../web/src/payload/embedded.js';
import { shapeOf } from '../../web/src/payload/shape.js';
import { has } from '../../web/src/payload/sought.js';

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

test('a picture in a text is of a kind that browsers show as a picture, whole, and nothing else', () => {
  const dot = 'R0lGODlhAQABAAAAACw=';
  expect(pictureIn(`data:image/gif;base64,${dot}`)?.bytes).toHaveLength(14);
  expect(pictureIn('data:image/svg+xml;charset=utf-8,%3Csvg%2F%3E')).toMatchObject({ type: 'image/svg+xml' });
  for (const none of [
    'data:text/html,<script>alert(1)</script>',
    'data:image/svg+xml',
    'data:image/png;base64,***',
    'data:image/svg+xml,%E0%A4%A',
    `see data:image/gif;base64,${dot}`,
    'javascript:alert(1)',
    '',
  ]) {
    expect(pictureIn(none), none).toBeNull();
  }
  expect(isPicture('data:text/html,<b>')).toBe(false);
  expect(['https://example.com/p.png', 'http://example.com'].every(isAddress)).toBe(true);
  expect(['javascript:alert(1)', 'https://', 'see https://example.com', 'data:,x'].some(isAddress)).toBe(
    false,
  );
});

test('a picture in JSON is looked at and not read: however large it is, the rest is shown as fields', () => {
  const picture = `data:image/png;base64,${'A'.repeat(700_000)}`;
  const rest = { question: 'What is it?', note: 'a "quoted" one', of: 'data:image/png' };
  expect(readableLength(JSON.stringify({ ...rest, picture }))).toBeLessThan(200);
  expect(readableLength(JSON.stringify({ picture }).replaceAll('/', '\\/'))).toBeLessThan(200);
  expect(readableLength(JSON.stringify({ text: 'long '.repeat(1_000) }))).toBeGreaterThan(5_000);
});

test('long texts do not count for how large a tree of JSON is, whatever is in them', () => {
  const text = '"\\\n{"'.repeat(50_000);
  expect(treeLength(JSON.stringify({ code: text, of: ['x', text] }))).toBeLessThan(2 * 16_000 + 100);
  const many = JSON.stringify(Array.from({ length: 1_000 }, () => 'x'.repeat(900)));
  expect(treeLength(many)).toBe(many.length);
});

test('texts of JSON end where they end, however long and full of escapes they are', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('"', '\\', 'a', '[', '\n', '1') }));
  fc.assert(
    fc.property(texts, (values) => {
      const json = JSON.stringify(values);
      const found = [...textsOf(json)].map(({ from, to }) => JSON.parse(json.slice(from, to)));
      expect(found).toEqual(values);
      expect([...betweenTexts(json)].join('')).toMatch(/^\[,*\]$/);
    }),
  );
  const long = JSON.stringify(['\\"'.repeat(2_000_000)]);
  expect([...textsOf(long)]).toEqual([{ from: 1, to: long.length - 1 }]);
  expect(isDeeper(long, 1)).toBe(false);
});

test('turns of a conversation have texts and pictures as the interfaces of language models write them', () => {
  const picture = 'data:image/png;base64,AAAA';
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: picture } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
    },
    { role: 'assistant', content: 'A lamp.' },
  ];
  expect(shapeOf({ messages })).toEqual({
    kind: 'CONVERSATION',
    rest: [],
    turns: [
      { who: 'user', said: ['What is it?', picture] },
      { who: 'user', said: [picture] },
      { who: 'assistant', said: ['A lamp.'] },
    ],
  });
  expect(shapeOf({ messages: [{ role: 'user', content: [{ type: 'tool_use', input: {} }] }] }).kind).toBe(
    'FIELDS',
  );
});

test('of data what differs is told field by field, and what was put into a list makes nothing behind it differ', () => {
  const left = { name: 'Ada', tags: ['a', 'b', 'c'], at: { x: 1, y: 2 }, only: true };
  const right = { at: { y: 2, x: 1 }, tags: ['a', 'new', 'b', 'c'], name: 'Ida' };
  expect(differencesOf(left, right)).toEqual([
    { path: ['name'], left: 'Ada', right: 'Ida' },
    { path: ['tags', '2'], left: undefined, right: 'new' },
    { path: ['only'], left: true, right: undefined },
  ]);
  expect(differencesOf([{ id: 1, v: 'x' }, { id: 2 }], [{ id: 1, v: 'y' }, { id: 2 }])).toEqual([
    { path: ['1', 'v'], left: 'x', right: 'y' },
  ]);
  expect(differencesOf([1, 2, 3], [1])).toEqual([
    { path: ['2'], left: 2, right: undefined },
    { path: ['3'], left: 3, right: undefined },
  ]);
  expect(differencesOf({ a: [1] }, { a: { 0: 1 } })).toEqual([{ path: ['a'], left: [1], right: { 0: 1 } }]);
  expect(differencesOf(left, structuredClone(left))).toEqual([]);
  expect(differencesOf(JSON.parse('{"__proto__": 1}'), {})).toEqual([
    { path: ['__proto__'], left: 1, right: undefined },
  ]);
});

test('a part of a tree has what stands in it, names too, and not what stands in its pictures', () => {
  const value = { deep: [{ note: 'The NEEDLE' }], count: 12, picture: 'data:image/png;base64,needleneedle' };
  expect(has(value, 'needle')).toBe(true);
  expect(has(value, 'count: 12')).toBe(true);
  expect(has({ picture: value.picture }, 'needle')).toBe(false);
  expect(has(value, 'hay')).toBe(false);
  expect(has(value, '')).toBe(false);
});

test('calls of tools are turns, with what they were given and what came of them', () => {
  const call = (name: string, args: string) => ({
    id: `of ${name}`,
    type: 'function',
    function: { name, arguments: args },
  });
  const messages = [
    { role: 'user', content: 'Will it rain?', name: 'ada' },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [call('weather', '{"town":"Kiel"}'), call('now', '')],
    },
    { role: 'tool', tool_call_id: 'of weather', content: '{"rain": 0.3}' },
    { role: 'assistant', content: '', function_call: { name: 'weather', arguments: 'half of {' } },
    { role: 'function', name: 'weather', content: 'no' },
  ];
  expect(shapeOf({ messages })).toMatchObject({
    kind: 'CONVERSATION',
    turns: [
      { who: 'user', said: ['Will it rain?'], rest: [['name', 'ada']] },
      {
        who: 'assistant',
        said: [
          { kind: 'CALL', name: 'weather', input: { town: 'Kiel' } },
          { kind: 'CALL', name: 'now', input: '' },
        ],
      },
      { who: 'tool', said: [{ kind: 'RESULT', of: 'weather', said: [{ rain: 0.3 }] }] },
      { who: 'assistant', said: [{ kind: 'CALL', name: 'weather', input: 'half of {' }] },
      { who: 'function', said: [{ kind: 'RESULT', of: 'weather', said: ['no'] }] },
    ],
  });
  const parts = [
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'A lamp.' }] }],
    },
    { type: 'function_call', call_id: 't2', name: 'look', arguments: '{}' },
    { type: 'function_call_output', call_id: 't2', output: 'Nothing.' },
  ];
  expect(shapeOf(parts)).toMatchObject({
    kind: 'CONVERSATION',
    turns: [
      { said: [{ kind: 'CALL', name: 'look', input: { at: 1 } }] },
      { said: [{ kind: 'RESULT', of: 'look', said: ['A lamp.'] }] },
      { said: [{ kind: 'CALL', name: 'look', input: {} }] },
      { said: [{ kind: 'RESULT', of: 'look', said: ['Nothing.'] }] },
    ],
  });
});

test('what is no turn is shown as the data that it is, and nothing of a turn is left out', () => {
  for (const message of [
    { role: 'assistant', content: null },
    { role: 'assistant', content: 'x', tool_calls: [{ id: 'c1' }] },
    { role: 'assistant', content: [{ type: 'unheard-of' }], tool_calls: [{ name: 'a' }] },
  ]) {
    expect(shapeOf({ messages: [message] }).kind, JSON.stringify(message)).toBe('FIELDS');
  }
  expect(shapeOf({ messages: [{ role: 'user', content: 'x', mood: 'glad', id: 7, audio: null }] })).toEqual({
    kind: 'CONVERSATION',
    rest: [],
    turns: [{ who: 'user', said: ['x'], rest: [['mood', 'glad']] }],
  });
});
