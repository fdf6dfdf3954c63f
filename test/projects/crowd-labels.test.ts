import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CrowdFileError } from '../../src/services/projects/crowd-columns.js';
import { MOST_WORKERS_AN_ITEM, readCrowdSet } from '../../src/services/projects/crowd-set.js';

async function* bytes(...parts: (string | Uint8Array)[]) {
  for (const part of parts) {
    yield Buffer.from(part);
  }
}

const read = (...parts: (string | Uint8Array)[]) => readCrowdSet(bytes(...parts));

const answersOf = (set: Awaited<ReturnType<typeof read>>) =>
  [...set.items].flatMap(([item, given]) => [...given].map(([worker, label]) => [item, worker, label]));

test('columns are found by the header, in any order and case, and further ones are ignored', async () => {
  const set = await read('\uFEFFseconds, Label ,item,WORKER\r\n298,yes,1,a\r\n6,no,1,b\n');
  expect(answersOf(set)).toEqual([
    ['1', 'a', 'yes'],
    ['1', 'b', 'no'],
  ]);
  expect(set.faultCount).toBe(0);
});

test('the first answer of a worker to an item counts; every repetition is told with its line', async () => {
  const set = await read('item,worker,rep,label\n1,1,1,1\n1,1,2,1\n1,1,3,2\n1,2,1,1\n');
  expect(answersOf(set)).toEqual([
    ['1', '1', '1'],
    ['1', '2', '1'],
  ]);
  expect(set.faults).toEqual([
    { line: 3, reason: 'The row repeats an item and worker of an earlier row.' },
    { line: 4, reason: 'The row repeats an item and worker of an earlier row.' },
  ]);
});

test('a bad row is told with its line and reason, and costs only itself', async () => {
  const set = await read(
    'item,worker,label\n',
    '1,,x\n',
    '1,a\n',
    '1,a,x,y\n',
    '\n',
    '"1\n2",a,x\n',
    '1,"a"b,x\n',
    Buffer.from([0x31, 0x2c, 0xff, 0x2c, 0x78, 0x0a]),
    '1,a\u0000,x\n',
    `1,a,${'x'.repeat(201)}\n`,
    '3,a,x\n',
    '4,"a,x\n',
  );
  expect(answersOf(set)).toEqual([
    ['1\n2', 'a', 'x'],
    ['3', 'a', 'x'],
  ]);
  expect(set.faults).toEqual([
    { line: 2, reason: 'The row has an empty worker.' },
    { line: 3, reason: 'The row has 2 columns where the header has 3.' },
    { line: 4, reason: 'The row has 4 columns where the header has 3.' },
    { line: 8, reason: 'The row has text after a closing quote.' },
    { line: 9, reason: 'The row is not valid UTF-8.' },
    { line: 10, reason: 'The row contains a NUL byte.' },
    { line: 11, reason: 'The row has a label of more than 200 characters.' },
    {
      line: 13,
      reason:
        'The row has a quote that is opened in line 13 and never closed, so nothing after it could be read.',
    },
  ]);
});

test('a file without a meaning is refused whole', async () => {
  await expect(read('')).rejects.toThrow(CrowdFileError);
  await expect(read('item,worker\n1,2\n')).rejects.toThrow('no column "label"');
  await expect(read('item,worker,label,Item\n')).rejects.toThrow('column "item" twice');
  await expect(read('"item,worker,label\n1,2,3\n')).rejects.toThrow(
    'quote that is opened in line 1 and never closed',
  );
});

test('an item takes no more answers than a task may want', async () => {
  const rows = Array.from({ length: MOST_WORKERS_AN_ITEM + 2 }, (_, worker) => `i,${worker},x\n`);
  const set = await read('item,worker,label\n', ...rows);
  expect(set.answers).toBe(MOST_WORKERS_AN_ITEM);
  expect(set.faultCount).toBe(2);
});

test('whatever text and wherever the stream is cut: what was written is what is read', async () => {
  const cell = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => text.trim() !== '' && !text.includes('\u0000') && !text.includes('\r'));
  const rows = fc.uniqueArray(fc.tuple(cell, cell, cell), {
    selector: ([item, worker]) => `${item}\n\n${worker}`,
  });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (answers, size) => {
      const file = Buffer.from(
        `item,worker,label\n${answers.map((row) => `${row.map(quoted).join(',')}\n`).join('')}`,
      );
      const cuts = Array.from({ length: Math.ceil(file.length / size) }, (_, n) =>
        file.subarray(n * size, (n + 1) * size),
      );
      const set = await read(...cuts);
      expect(new Set(answersOf(set).map(String))).toEqual(new Set(answers.map(String)));
      expect(set.faultCount).toBe(0);
    }),
    { numRuns: 100 },
  );
});
