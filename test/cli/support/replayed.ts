import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { createIdCodec } from '../../../src/services/platform/ids.js';
import { readCrowdSet } from '../../../src/services/projects/crowd-set.js';
import type { TestDb } from '../../support/db.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { touchstone } from './touchstone.js';

export const ID_KEY = 'the secret of replayed ids';
const ids = createIdCodec(ID_KEY);

/** The environment of commands and servers on a test's database. */
export function environmentOf(t: TestDb, dataDir: string): NodeJS.ProcessEnv {
  return { DATABASE_URL: t.url, TOUCHSTONE_DATA_DIR: dataDir, TOUCHSTONE_ID_KEY: ID_KEY };
}

/** Imports a file for a replay. */
export async function importForReplay(file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, stderr } = await touchstone(['import', file, '--replay', '--json'], env);
  expect(stderr).toMatch(/bad rows\.\n$/);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\{"projectId":"[\w-]{22}"\}\n$/);
  return (JSON.parse(stdout) as { projectId: string }).projectId;
}

/** The database's own number of a project. */
export function projectNumber(project: string): bigint {
  const decoded = ids.decode(project);
  if (decoded?.type !== 'Project') {
    throw new Error(`${project} is no project.`);
  }
  return decoded.id;
}

/**
 * What every replay comes to: what is exported is what was imported, each answer is paid once, the ledger sums to zero,
 * and no rule is broken.
 */
export async function expectReplayed(
  t: TestDb,
  run: { project: string; file: string; env: NodeJS.ProcessEnv },
) {
  const { items, answers } = await readCrowdSet(createReadStream(run.file));
  const recorded = [...items].flatMap(([item, given]) =>
    [...given].map(([worker, label]) => JSON.stringify([item, worker, label])),
  );
  const { code, stdout } = await touchstone(['export', run.project, '--format', 'csv'], run.env);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^item,worker,label,/);
  const rows: Record<string, string>[] = parse(stdout, { columns: true });
  const exported = rows.map(({ item, worker, label }) => JSON.stringify([item, worker, label]));
  expect(exported.toSorted()).toEqual(recorded.toSorted());

  const project = projectNumber(run.project);
  const count = (text: string) => numberOf(t.admin, text, [project]);
  expect(await count('select count(*) from payouts where project_id = $1')).toBe(answers);
  expect(await count('select count(distinct assignment_id) from payouts where project_id = $1')).toBe(
    answers,
  );
  expect(await count('select sum(amount_minor) from payouts where project_id = $1')).toBe(5 * answers);
  expect(
    await numberOf(
      t.admin,
      'select count(*) from (select 1 from ledger_lines group by currency having sum(amount_minor) <> 0) x',
    ),
  ).toBe(0);
  await expectRulesHold(t.database);
}
