import { expect, test } from 'vitest';
import { checkedName } from '../../src/services/access/people.js';
import { hasUnseen } from '../../src/services/platform/visible.js';

const RIGHT_TO_LEFT = '\u202E';

test('names with characters that nobody sees are refused: two that look alike would be two', () => {
  const unseen = [
    '\u202A',
    RIGHT_TO_LEFT,
    '\u2066',
    '\u2069',
    '\u200B',
    '\u200E',
    '\uFEFF',
    '\u00AD',
    '\u3164',
    '\u2028',
  ];
  for (const character of [...unseen, '\u{E0041}', '\u200D', '\u200C', '\uFE0F', '\u0000']) {
    expect(hasUnseen(`Ac${character}me`)).toBe(true);
  }
  expect(() => checkedName('/name', `Acme${RIGHT_TO_LEFT}`)).toThrow('that nobody sees');
});

test('names of all scripts, and pictures, are taken as they are', () => {
  const names = [
    'Acme Ltd.',
    'Žluťoučký kůň',
    'شرکت',
    'می\u200Cخواهم',
    'क्\u200Dष',
    'පුශ්\u200Dප',
    '株式会社',
    '👩\u200D🔬',
    '❤\uFE0F',
    'a\u0301',
  ];
  expect(names.filter(hasUnseen)).toEqual([]);
});
