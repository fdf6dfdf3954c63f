// @once: what it measures is the same on the second PostgreSQL, where the soak kills servers under experts

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { environmentOf, expectReplayed, importForReplay, projectNumber } from './support/replayed.js';
import { writeSmallSet } from './support/small-set.js';
import { touchstone } from './support/touchstone.js';

const t = useTestDb();
let dataDir: string;
let file: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-replay-'));
  file = join(dataDir, 'set.csv');
  await writeSmallSet(file, { items: 40, workers: 16, answers: 5 });
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const env = () => environmentOf(t, dataDir);

test('a replay in which clients vanish and requests come twice ends with exactly what was recorded', async () => {
  const project = await importForReplay(file, env());
  const flags = ['--vanish', '.25', '--double', '.2', '--lease-seconds', '1', '--seed', '7', '--json'];
  const { code, stdout, stderr } = await touchstone(['replay', project, ...flags], env());
  // On a slow machine it says in between how far it is; nothing else.
  expect(stderr).toMatch(/^(\d+\/200 answers, .*\n)*$/);
  expect(JSON.parse(stdout)).toMatchObject({
    complete: true,
    seed: 7,
    answers: 200,
    stored: 200,
    missing: 0,
    wrong: 0,
    vanished: 4,
    returned: 4,
    broken: [],
    failure: null,
  });
  expect(code).toBe(0);
  await expectReplayed(t, { project, file, env: env() });

  const again = await touchstone(['replay', project], env());
  expect(again.stdout).toMatch(
    /^0 receipts .*\n.*\nAll 200 answers are stored, once each, as they were recorded\.\n$/,
  );
  expect(again.code).toBe(0);
});

test('a replay without progress ends when its patience does, says what is missing, and fails', async () => {
  const { code, stdout } = await touchstone(
    ['import', file, '--replay', '--json', '--name', 'cancelled'],
    env(),
  );
  expect(code).toBe(0);
  const { projectId } = JSON.parse(stdout) as { projectId: string };
  await t.admin.query('delete from ready_directed where project_id = $1', [projectNumber(projectId)]);
  const replayed = await touchstone(['replay', projectId, '--patience', '1'], env());
  expect(replayed.code).toBe(1);
  expect(replayed.stdout).toContain('Stopped: No answer was accepted for 1 seconds.');
  expect(replayed.stdout).toContain('0 of 200 answers are stored: 200 missing, 0 wrong.');
});

test('a project that was not imported for a replay, or is none, is one line and a next step', async () => {
  const { stdout } = await touchstone(['import', file, '--json'], env());
  const { projectId } = JSON.parse(stdout) as { projectId: string };
  const open = await touchstone(['replay', projectId], env());
  expect(open).toMatchObject({ code: 1, stdout: '' });
  expect(open.stderr).toMatch(/^touchstone: This project was not imported for a replay.* with --replay\.\n$/);
  const none = await touchstone(['export', 'nothing'], env());
  expect(none).toMatchObject({ code: 1, stdout: '' });
  expect(none.stderr).toMatch(/^touchstone: There is no project nothing in this installation\. .*\n$/);
  const share = await touchstone(['replay', projectId, '--vanish', '2'], env());
  expect(share.code).toBe(1);
});
