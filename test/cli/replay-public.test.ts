// @once: what it measures is the same on the second PostgreSQL, where the soak kills servers under experts

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { environmentOf, expectReplayed, importForReplay } from './support/replayed.js';
import { touchstone } from './support/touchstone.js';

// The public sets are not part of the repository: TOUCHSTONE_DATA names the directory that holds them.
const DATA = resolve(process.env.TOUCHSTONE_DATA ?? '../shared/data');
const FILE = join(DATA, 'rte/label.csv');

const t = useTestDb();
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-replay-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

test('rte: 164 workers at once, a fifth of them vanishing, a tenth of requests sent twice, leases of 2 s', async () => {
  if (!existsSync(FILE)) {
    console.log(`not run: ${FILE} is not there (set TOUCHSTONE_DATA to the directory of the public sets)`);
    return;
  }
  const env = environmentOf(t, dataDir);
  const project = await importForReplay(FILE, env);
  const flags = ['--vanish', '.2', '--double', '.1', '--lease-seconds', '2', '--json'];
  const { code, stdout } = await touchstone(['replay', project, ...flags], env);
  const result = JSON.parse(stdout) as Record<string, unknown>;
  console.log(`rte: ${result.seconds} s, ${result.answersPerSecond} answers/s, seed ${result.seed}`);
  expect(result).toMatchObject({ complete: true, stored: 8000, vanished: 33, returned: 33, broken: [] });
  expect(code).toBe(0);
  await expectReplayed(t, { project, file: FILE, env });
}, 600_000);
