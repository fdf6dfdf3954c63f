// @once @long: kills.test.ts does the same to claims and submits on the second PostgreSQL

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { environmentOf, expectReplayed, importForReplay, projectNumber } from '../cli/support/replayed.js';
import { writeSmallSet } from '../cli/support/small-set.js';
import { type ServerProcess, startServerProcess, touchstone } from '../cli/support/touchstone.js';
import { publicFile, testWithSets } from '../quality/support/public-sets.js';
import { useTestDb } from '../support/db.js';
import { numberOf } from '../support/look.js';

// A replay over a server that is killed and started again, at even steps of the answers. `npm run soak` sets REPLAY to
// public sets (`rte d_product`, found under TOUCHSTONE_DATA); by itself a small generated set is replayed.
const SETS = (process.env.REPLAY ?? '').split(/\s+/).filter((name) => name !== '');
const KILLS = SETS.length > 0 ? 5 : 2;

const t = useTestDb();
let dataDir: string;
let server: ServerProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-replay-'));
  server = await startServerProcess(environmentOf(t, dataDir));
});
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

testWithSets(...SETS).each(SETS.length > 0 ? SETS : ['generated'])(
  'a replay of %s over a server that is killed in between ends with exactly what was recorded',
  async (name) => {
    const env = environmentOf(t, dataDir);
    const file = name === 'generated' ? join(dataDir, 'set.csv') : publicFile(name);
    if (name === 'generated') {
      await writeSmallSet(file, { items: 120, workers: 24, answers: 5 });
    }
    const project = await importForReplay(file, env);
    const flags = ['--vanish', '.2', '--double', '.1', '--lease-seconds', '2', '--url', server.url, '--json'];
    const replaying = touchstone(['replay', project, ...flags], env);
    const kills = killInBetween(projectNumber(project));
    const { code, stdout, stderr } = await replaying;
    expect(await kills).toBe(KILLS);
    const result = JSON.parse(stdout) as { retries: number };
    console.log(`${name}, killed ${KILLS} times: ${stdout}${stderr}`);
    expect(result).toMatchObject({ complete: true, missing: 0, wrong: 0, broken: [] });
    expect(result.retries).toBeGreaterThan(0);
    expect(code).toBe(0);
    await expectReplayed(t, { project, file, env });
  },
  3_600_000,
);

/** Kills the server each time a further part of the answers is stored. */
async function killInBetween(project: bigint): Promise<number> {
  const wanted = await numberOf(t.admin, 'select sum(wanted) from tasks where project_id = $1', [project]);
  const stored = () => numberOf(t.admin, 'select count(*) from answers where project_id = $1', [project]);
  let kills = 0;
  while (kills < KILLS) {
    const step = (wanted * (kills + 1)) / (KILLS + 1);
    await expect.poll(stored, { timeout: 1_800_000, interval: 20 }).toBeGreaterThanOrEqual(step);
    await server.replace();
    kills += 1;
  }
  return kills;
}
