// @once @long: what it measures is the same on the second PostgreSQL, where the soak kills servers under experts

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { publicFile, testWithSets } from '../quality/support/public-sets.js';
import { useTestDb } from '../support/db.js';
import { environmentOf, expectReplayed, importForReplay } from './support/replayed.js';
import { touchstone } from './support/touchstone.js';

const FILE = publicFile('rte');

const t = useTestDb();
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-replay-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

testWithSets('rte')(
  'rte: 164 workers at once, a fifth of them vanishing, a tenth of requests sent twice, leases of 2 s',
  async () => {
    const env = environmentOf(t, dataDir);
    const project = await importForReplay(FILE, env);
    const flags = ['--vanish', '.2', '--double', '.1', '--lease-seconds', '2', '--json'];
    const { code, stdout } = await touchstone(['replay', project, ...flags], env);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    console.log(`rte: ${result.seconds} s, ${result.answersPerSecond} answers/s, seed ${result.seed}`);
    expect(result).toMatchObject({ complete: true, stored: 8000, vanished: 33, returned: 33, broken: [] });
    expect(code).toBe(0);
    await expectReplayed(t, { project, file: FILE, env });
  },
  600_000,
);
