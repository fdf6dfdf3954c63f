import { expect, test } from 'vitest';
import { readTimedLog } from '../../src/cli/backtest/timed-log.js';

// Logs as people have them: in any order, from any tool, of any zone.

async function read(text: string) {
  const bytes = new TextEncoder().encode(text);
  // In pieces that end in the middle of anything.
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 7) {
      yield bytes.subarray(at, at + 7);
    }
  }
  const { batches, answers, faults } = await readTimedLog(pieces());
  const shown = batches.map(({ name, start, end, came }) => ({ name, start, end, came: [...came] }));
  return { batches: shown, answers, faults: faults.map(({ line, reason }) => `${line}: ${reason}`) };
}

const A = { name: 'a', start: 10, end: 40, came: [20, 30, 40] };

test('rows in any order, of batches that are mixed, say the same', async () => {
  const log = await read('batch,started_at,created_at\na,35,40\nb,1,2\na,10,20\nb,1,3\na,15,30\n');
  expect(log.batches).toEqual([A, { name: 'b', start: 1, end: 3, came: [2, 3] }]);
  expect([log.answers, log.faults]).toEqual([5, []]);
});

test('CRLF, a byte-order mark, quotes, commas in names, empty lines and no last line end are read as they are meant', async () => {
  const log = await read(
    '\ufeff"worker",batch,"created_at",started_at\r\n7,"a, the ""first""",20,10\r\n\r\n8,"a, the ""first""",30,15',
  );
  expect(log.batches).toEqual([{ name: 'a, the "first"', start: 10, end: 30, came: [20, 30] }]);
  expect(log.faults).toEqual([]);
});

test.each([
  ['seconds', '1300000000.5'],
  ['seconds with an exponent', '1.3000000005e9'],
  ['milliseconds', '1300000000500'],
  ['microseconds', '1300000000500000'],
  ['nanoseconds', '1300000000500000000'],
  ['UTC without a zone', '2011-03-13 07:06:40.5'],
  ['UTC', '2011-03-13T07:06:40.500000Z'],
  ['a zone in the east', '2011-03-13T12:36:40.5+05:30'],
  ['a zone in the west, without a colon', '2011-03-12 23:06:40.5-0800'],
  ['a zone of hours alone', '2011-03-13 08:06:40.5+01'],
  ['a zone by name', '2011-03-13 07:06:40.5 UTC'],
])('a moment in %s is the same moment', async (_, text) => {
  const log = await read(`batch,started_at,created_at\na,${text},${text}\n`);
  expect(log.faults).toEqual([]);
  expect(log.batches[0]?.start).toBeCloseTo(1_300_000_000.5, 3);
});

test.each(['', 'never', '13/03/2011 07:06', '2011-13-40', '-5', 'NaN', 'Infinity'])(
  'a row with “%s” for a moment is left out and named',
  async (text) => {
    const log = await read(`batch,started_at,created_at\na,${text},20\na,10,20\n`);
    expect(log.answers).toBe(1);
    expect(log.faults).toHaveLength(1);
    expect(log.faults[0]).toMatch(/^2: /);
  },
);

test('a row twice is two answers, for two experts may be at the same second', async () => {
  const log = await read('batch,started_at,created_at\na,10,20\na,10,20\n');
  expect(log.answers).toBe(2);
});

test.each([
  ['', /empty|no header|no column/i],
  ['batch,started_at\na,1\n', /created_at/],
  ['batch;started_at;created_at\na;1;2\n', /no column/],
])('a file that has no such log says why: %j', async (text, why) => {
  await expect(read(text)).rejects.toThrow(why);
});
