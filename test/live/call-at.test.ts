// @once @apart: nothing of it is PostgreSQL’s; what it calls throws
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { callAt } from '../../src/live/call-at.js';

// What many wait for at one instant is called for each of them who still waits.

const called = (atMs: number) => new Promise<number>((resolve) => callAt(atMs, () => resolve(Date.now())));

test('all who wait for an instant are called, and not before it', async () => {
  const atMs = Date.now() + 30;
  const cancelled = callAt(atMs, () => expect.unreachable());
  const both = Promise.all([called(atMs), called(atMs)]);
  cancelled();
  for (const at of await both) {
    expect(at).toBeGreaterThanOrEqual(atMs);
  }
});

test('who comes when all others have left is called', async () => {
  const atMs = Date.now() + 20;
  callAt(atMs, () => expect.unreachable())();
  await called(atMs);
});

test('what is past is called at once, and who comes again is called again', async () => {
  const atMs = Date.now() - 1_000;
  await called(atMs);
  await called(atMs);
});

test('one that throws takes no other along, and the process hears of it', async () => {
  const program = `
    import { callAt } from './src/live/call-at.ts';
    process.on('uncaughtException', (error) => console.log(error.message));
    const atMs = Date.now() + 5;
    callAt(atMs, () => { throw new Error('amiss'); });
    callAt(atMs, () => console.log('called'));
    setTimeout(() => undefined, 200);`;
  const flags = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  expect(stdout.trim().split('\n')).toEqual(['called', 'amiss']);
});
