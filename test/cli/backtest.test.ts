import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { touchstone } from './support/touchstone.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-backtest-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function backtest(text: string, ...flags: string[]) {
  const path = join(directory, 'log.csv');
  await writeFile(path, text);
  return touchstone(['backtest', path, ...flags], {});
}

/** Seven batches of eight answers, a day apart: the last takes its time. */
const rows = (time: (seconds: number) => string) =>
  Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 8 }, (_, answer) => {
      const at = 1_400_000_000 + day * 86_400 + answer * 60 + (answer === 7 ? 1000 : 0);
      return `${time(at)},b${day},${answer},ann,${time(at - 30)}`;
    }),
  ).flat();
const logOf = (time: (seconds: number) => string) =>
  ['created_at,batch,item,worker,started_at', ...rows(time)].join('\n');

test('prints one line of JSON: at a quarter, half and three quarters each method by its scores', async () => {
  const { code, stdout, stderr } = await backtest(logOf(String), '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const result = JSON.parse(stdout) as Record<string, Record<string, Record<string, number>>>;
  expect(Object.keys(result)).toEqual(['25', '50', '75']);
  for (const methods of Object.values(result)) {
    expect(Object.keys(methods)).toEqual(['ours', 'average', 'monteCarlo', 'blend']);
    for (const scores of Object.values(methods)) {
      expect(Object.keys(scores)).toEqual([
        'batches',
        'brier',
        'crpsHours',
        'coverage80',
        'width80Hours',
        'q90Coverage',
        'medianExceeded',
      ]);
      expect(scores.batches).toBe(2);
    }
  }
  // The mean speed misses the wait for the last answer of each; the finished batches tell of it.
  expect(result['50']?.average?.crpsHours).toBeGreaterThan(0.2);
  expect(result['50']?.ours?.crpsHours).toBeLessThan(0.05);
});

test('reads times in seconds, in milliseconds and as ISO 8601 alike', async () => {
  const [seconds, millis, iso, spaced] = [
    await backtest(logOf(String), '--json'),
    await backtest(
      logOf((at) => String(at * 1000)),
      '--json',
    ),
    await backtest(
      logOf((at) => new Date(at * 1000).toISOString()),
      '--json',
    ),
    await backtest(
      logOf((at) => new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' ')),
      '--json',
    ),
  ];
  expect([millis.stdout, iso.stdout, spaced.stdout]).toEqual(Array(3).fill(seconds.stdout));
});

test('prints a table for people', async () => {
  const { code, stdout } = await backtest(logOf(String));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^At 50 % of the answers: 2 batches$/m);
  expect(stdout).toMatch(/^ours( +\d\.\d{3}){6}$/m);
});

test('leaves out rows that are no answers, and says which', async () => {
  const bad = ['x,b0,1,ann,1', '1400000000,b0,1,ann,yesterday', '10,b0,1,ann,20', '10,b0'];
  const { code, stdout, stderr } = await backtest(`${logOf(String)}\n${bad.join('\n')}`, '--json');
  expect(code).toBe(0);
  expect(stdout).toBe((await backtest(logOf(String), '--json')).stdout);
  expect(stderr).toMatch(/line 58: The row has a created_at that is no time: "x"\./);
  expect(stderr).toMatch(/line 59: The row has a started_at that is no time: "yesterday"\./);
  expect(stderr).toMatch(/line 60: The row has an answer that came before it was begun\./);
  expect(stderr).toMatch(/line 61: /);
});

test('says what is wrong with a file that cannot be scored', async () => {
  const none = await backtest('batch,started_at,created_at\n');
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toMatch(/has no answers\. Each row after the header is one/);
  expect((await backtest('batch,created_at\nb,1\n')).stderr).toMatch(/no column "started_at"/);
  const few = await backtest('batch,started_at,created_at\nb,1,2\nb,2,5\n', '--json');
  expect(few.code).toBe(0);
  expect(few.stderr).toMatch(/of no batch had five others ended when it was half done/);
  expect(JSON.parse(few.stdout)).toMatchObject({ 50: { ours: { batches: 0, brier: null } } });
});
