// @long
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publicFile, testWithSets } from '../quality/support/public-sets.js';
import { touchstone } from './support/touchstone.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-infer-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

const infer = (...args: string[]) => touchstone(['infer', ...args], {});

/** Four items; ann and bob are right, cem says yes to all. */
const LABELS = [
  'seconds,Worker,ITEM,label',
  ...['1,yes', '2,no', '3,yes', '4,no'].flatMap((answer) => [`3,ann,${answer}`, `4,bob,${answer}`]),
  ...['1', '2', '3', '4'].map((item) => `5,cem,${item},yes`),
].join('\n');
const TRUTHS = 'item,truth\n1,yes\n2,no\n3,yes\n4,no\n';

describe('touchstone infer', () => {
  test('prints one line of JSON: the accuracy of each method, and the one chosen on a share of the truth', async () => {
    const args = [await file('label.csv', LABELS), '--truth', await file('truth.csv', TRUTHS)];
    const { code, stdout } = await infer(...args, '--gold', '.5', '--seed', '1', '--json');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    for (const method of ['majority', 'dawidSkene', 'oneCoin', 'goldBayes']) {
      expect(result[method]).toMatchObject({ accuracy: 1, labels: { yes: 2, no: 2 } });
    }
    expect(Object.keys(result)).toContain(result.chosen);
    expect(result).toMatchObject({ items: 4, workers: 3, answers: 12, truths: 4, gold: 2 });
  });

  test.each(['nominal', 'ordinal', 'interval'])(
    'items and workers are names on a %s scale: 01 is not 1, nor is 1.0',
    async (scale) => {
      const rows = ['item,worker,label', '01,w,1', '1,w,2', '1.0,w,1', '1,01,2', '1,1,2'];
      const { stdout } = await infer(await file(`${scale}.csv`, rows.join('\n')), '--scale', scale, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ items: 3, workers: 3, answers: 5 });
    },
  );

  test('says how many truths could be no gold, and why, and that a small share gives none', async () => {
    const labels = await file('some.csv', LABELS);
    const truths = await file('foreign.csv', `${TRUTHS.replace('4,no', '4,perhaps')}`);
    const foreign = await infer(labels, '--truth', truths, '--gold', '1', '--json');
    expect(JSON.parse(foreign.stdout)).toMatchObject({ truths: 4, gold: 3 });
    expect(foreign.stderr).toContain('1 truth of 4 is never gold: nobody gave that label to any item');
    expect(foreign.stderr).toContain('3 of the 4 truths that --gold 1 asks for are gold.');
    const few = await infer(labels, '--truth', await file('few.csv', TRUTHS), '--gold', '.1', '--json');
    expect(few.stderr).toContain('0 of the 1 truths that --gold 0.1 asks for are gold.');
    const all = await infer(labels, '--truth', await file('all.csv', TRUTHS), '--gold', '.5', '--json');
    expect(all.stderr).toBe('');
  });

  test('says the same whatever the order of the rows, and something else may be gold under another seed', async () => {
    const [head = '', ...rows] = LABELS.split('\n');
    const [truthHead = '', ...truths] = TRUTHS.trimEnd().split('\n');
    const one = [await file('one.csv', LABELS), '--truth', await file('one-truth.csv', TRUTHS), '--json'];
    const turned = await file('turned.csv', [head, ...rows.reverse()].join('\r\n'));
    const turnedTruth = await file('turned-truth.csv', [truthHead, ...truths.reverse()].join('\r\n'));
    const [first, second] = await Promise.all([
      infer(...one, '--gold', '.5'),
      infer(turned, '--truth', turnedTruth, '--json', '--gold', '.5'),
    ]);
    expect(second.stdout).toBe(first.stdout);
  });

  test('prints a table for people, and without truth how many items have each label', async () => {
    const labels = await file('table.csv', LABELS);
    const measured = await infer(labels, '--truth', await file('table-truth.csv', TRUTHS));
    expect(measured.stdout).toMatch(/Dawid-Skene +1\.0000 /);
    expect(measured.stdout).toMatch(/Chosen/);
    const { code, stdout } = await infer(labels);
    expect(code).toBe(0);
    expect(stdout).toMatch(/majority +no: 2, yes: 2|majority +yes: 2, no: 2/);
    expect(stdout).toMatch(/without gold there is nothing to choose by/);
    const json = JSON.parse((await infer(labels, '--json')).stdout) as Record<string, unknown>;
    expect(json.majority).toMatchObject({ accuracy: null, labels: { yes: 2, no: 2 } });
  });

  test('counts a repeated pair each time, and takes 1 and 1.0 for one label', async () => {
    const labels = await file('repeated.csv', 'item,worker,rep,label\na,1,1,0\na,1,2,1\na,1,3,1.0\n');
    const { stdout } = await infer(labels, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ answers: 3, majority: { labels: { 0: 0, 1: 1 } } });
  });

  test('tells bad rows with their lines and goes on; a truth that nobody gave is never right', async () => {
    const labels = await file('faulty.csv', 'item,worker,label\na,1,x\na,2\n"b",1,y\n,3,x\n');
    const truths = await file('faulty-truth.csv', 'item,gold\na,x\na,y\nb,z\nc,x\n');
    const { code, stdout, stderr } = await infer(labels, '--truth', truths, '--json', '--strict');
    expect(code).toBe(3);
    expect(stderr).toMatch(/line 3: The row has 2 columns/);
    expect(stderr).toMatch(/line 5: The row has an empty item/);
    expect(stderr).toMatch(/line 3: The row contradicts an earlier row/);
    expect(stderr).toMatch(/1 truth is of an item that has no answers/);
    expect(JSON.parse(stdout)).toMatchObject({ majority: { accuracy: 0.5 }, truths: 2 });
  });

  test.each([
    {
      what: 'a header without labels',
      labels: 'item,worker\na,1\n',
      says: /labels\.csv: The header has no column "label"/,
    },
    { what: 'no answers', labels: 'item,worker,label\n', says: /labels\.csv has no answers\./ },
    {
      what: 'free text',
      labels: `item,worker,label\n${Array.from({ length: 4100 }, (_, k) => `${k},1,text ${k}\n`).join('')}`,
      says: /labels\.csv has 4100 different labels/,
    },
    { what: 'an empty file', labels: '', says: /labels\.csv: The file is empty/ },
    {
      what: 'truths of other items',
      labels: 'item,worker,label\nz,1,x\n',
      says: /truths\.csv has no truth of any item/,
    },
    {
      what: 'truths without a column of truth',
      labels: 'item,worker,label\na,1,x\n',
      truths: 'item,b\na,x\n',
      says: /truths\.csv: The header has no column "truth"/,
    },
  ])('refuses $what in one line', async ({ labels, truths = TRUTHS, says }) => {
    const args = [await file('labels.csv', labels), '--truth', await file('truths.csv', truths), '--json'];
    const { code, stdout, stderr } = await infer(...args);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trimEnd()).not.toContain('\n');
    expect(stderr).toMatch(says);
  });

  test('refuses files that are not there, and shares that are none', async () => {
    const missing = await infer(join(directory, 'nowhere.csv'));
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/nowhere\.csv cannot be read/);
    const labels = await file('share.csv', LABELS);
    expect((await infer(labels, '--gold', '2')).stderr).toMatch(/Give a share from 0 to 1/);
    expect((await infer(labels, '--seed', 'x')).stderr).toMatch(/Give a whole number/);
  });

  testWithSets('rte')('rte: the published accuracy of Dawid-Skene, .9275', async () => {
    const [labels, truths] = [publicFile('rte'), publicFile('rte', 'truth.csv')];
    const { stdout } = await infer(labels, '--truth', truths, '--gold', '.1', '--seed', '1', '--json');
    const { dawidSkene } = JSON.parse(stdout) as { dawidSkene: { accuracy: number } };
    expect(Math.abs(dawidSkene.accuracy - 0.9275)).toBeLessThanOrEqual(0.0015);
  });
});

describe('touchstone infer --scale', () => {
  /** Two who are off by one at most outvote nobody where they differ: the class between is nearest to all. */
  const RATINGS = [
    'item,worker,label',
    ...['a,1', 'b,3', 'c,5'].flatMap((row) => [`${row.replace(',', ',ann,')}`]),
  ];

  test('ordinal: decides for the median, and says by how many classes each method is off', async () => {
    const rows = [...RATINGS, 'a,bob,2', 'a,cem,5', 'b,bob,3', 'b,cem,1', 'c,bob,5', 'c,cem,4'];
    const args = [await file('ratings.csv', rows.join('\n')), '--scale', 'ordinal', '--truth'];
    const truths = await file('ratings-truth.csv', 'item,truth\na,2\nb,3\nc,5\n');
    const { code, stdout } = await infer(...args, truths, '--gold', '0', '--json');
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    // Of the answers 1, 2 and 5 the median is 2; each class was named once, so no majority says so.
    expect(result.majority).toMatchObject({ accuracy: 1, meanError: 0, labels: { 2: 1, 3: 1, 5: 1 } });
    expect(result.ordinal.meanError).toBeLessThanOrEqual(1);
    expect(Object.keys(result)).toContain(result.chosen);
    expect((await infer(...args, truths)).stdout).toMatch(/off by/);
    const text = await infer(await file('words.csv', LABELS), '--scale', 'ordinal');
    expect(text.code).toBe(1);
    expect(text.stderr).toMatch(/labels that are no numbers/);
  });

  test('interval: takes labels for numbers, and says how far off each method is', async () => {
    const rows = [
      'item,worker,label',
      'a,ann,1.5',
      'a,bob,2.5',
      'a,cem,9',
      'b,ann,10',
      'b,bob,ten',
      'b,cem,12',
    ];
    const labels = await file('lengths.csv', rows.join('\n'));
    const truths = await file('lengths-truth.csv', 'item,truth\na,2\nb,11\n');
    const args = [labels, '--scale', 'interval', '--truth', truths];
    const { code, stdout, stderr } = await infer(...args, '--gold', '0', '--json', '--strict');
    // One row was left out: said in the code, after the result.
    expect(code).toBe(3);
    expect(stderr).toMatch(/1 row left out/);
    expect(stderr).toMatch(/line 6: The row has a label that is no decimal number/);
    expect((await infer(...args)).code).toBe(0);
    const others = rows.map((row) => row.replace('ten', '0x10')).concat('b,dan,1e200', 'b,eve,1.1e1');
    const found = await infer(
      await file('hex.csv', others.join('\n')),
      '--scale',
      'interval',
      '--json',
      '--strict',
    );
    expect([found.code, JSON.parse(found.stdout).answers]).toEqual([3, 6]);
    const result = JSON.parse(stdout);
    // Medians 2.5 and 11: off by .5 and by nothing.
    expect(result.median).toEqual({
      meanError: 0.25,
      meanErrorOffGold: 0.25,
      meanErrorOnGold: null,
      rootMeanSquare: 0.353553,
    });
    expect(result).toMatchObject({ chosen: 'median', items: 2, workers: 3, answers: 5, truths: 2, gold: 0 });
    expect(result.precision.meanError).toBeGreaterThan(0);
    expect((await infer(...args)).stdout).toMatch(/weighed by precision/);
  });

  test('refuses what is no scale', async () => {
    const { code, stderr } = await infer(await file('any.csv', LABELS), '--scale', 'ratio');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/scale/);
  });
});
