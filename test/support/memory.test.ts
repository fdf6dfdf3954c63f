import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leftInMemory } from './memory.js';

test('what is left in memory is that of runs that are no more, and of nobody else', () => {
  const memory = mkdtempSync(join(tmpdir(), 'touchstone-memory-'));
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  for (const name of [
    `run-${ended}`,
    `run-${process.pid}`,
    `run-${process.ppid}`,
    'run-',
    `other-${ended}`,
  ]) {
    mkdirSync(join(memory, `touchstone-${name}`));
  }
  expect(leftInMemory(memory)).toEqual([join(memory, `touchstone-run-${ended}`)]);
  expect(leftInMemory(join(memory, 'nowhere'))).toEqual([]);
});
