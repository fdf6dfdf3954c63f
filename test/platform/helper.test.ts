import { threadId } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { type Helper, HelperFailedError, openHelper } from '../../src/services/platform/helper.js';
import type { Asked } from './support/thread.js';

// What takes seconds of a core is done in a thread of its own, and what goes wrong there stays there.
const THREAD = new URL('./support/thread.ts', import.meta.url);

let helper: Helper<Asked, number>;

function open({ memoryMb = 512, timeoutMs = 60_000 } = {}): Helper<Asked, number> {
  helper = openHelper(THREAD, { memoryMb, timeoutMs });
  return helper;
}

afterEach(() => helper.close());

test('one thread, not this one, does what comes until it is closed, and another what comes then', async () => {
  const { run, close } = open();
  const first = await run('WHO');
  expect(first).not.toBe(threadId);
  expect(await run('WHO')).toBe(first);
  await close();
  expect(await run('WHO')).not.toBe(first);
});

test.each([
  ['throws', 'THROW', new RangeError('Nothing to be done.')],
  ['ends', 'EXIT', new HelperFailedError('The thread ended.')],
] as const)(
  'who asked is told when the work %s, and another thread does what comes next',
  async (_how, asked, error) => {
    const { run } = open();
    const first = await run('WHO');
    await expect(run(asked)).rejects.toThrow(error);
    expect(await run('WHO')).not.toBe(first);
  },
);

test('what needs more memory than it may have ends, and this process goes on', async () => {
  const { run } = open({ memoryMb: 64 });
  await expect(run('GROW')).rejects.toThrow(new HelperFailedError('It needs more than 64 MiB.'));
  expect(await run('WHO')).toBeGreaterThan(0);
});

test('what takes too long is ended, while this process does other things', async () => {
  const { run } = open({ timeoutMs: 3_000 });
  await expect(run('HANG')).rejects.toThrow(new HelperFailedError('It took more than 3000 ms.'));
});
