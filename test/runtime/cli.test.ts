import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cloneTemplate, dropDatabase } from '../support/db.js';
import { admin } from '../support/postgres-server.js';
import { touchstone } from './commands.js';
import { scratchDirectory } from './scratch.js';

test('`migrate --status` lists every migration, and exits with 1 only when one is not applied', async () => {
  const url = await clone();
  const good = await touchstone(['migrate', '--status'], { DATABASE_URL: url });
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toMatch(/^applied {2}\d{14}_roles$/m);
  await admin(url, "delete from _prisma_migrations where migration_name like '%_roles'");
  expect(await touchstone(['migrate', '--status'], { DATABASE_URL: url })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^pending {2}\d{14}_roles$/m),
  });
});

test('a database that is newer than the code keeps the server from starting, in one line', async () => {
  const url = await clone();
  await admin(
    url,
    `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     values ('later', '00', '29990101000000_later', now(), 1)`,
  );
  const { code, stderr } = await touchstone(['serve', '--port', '0'], { DATABASE_URL: url });
  expect(code).toBe(1);
  expectOneLine(
    stderr,
    /newer than this version of Touchstone.*29990101000000_later.* Run the version that made it/,
  );
});

test('a database that nobody serves is named without its password', async () => {
  const { code, stderr } = await touchstone(['migrate'], {
    DATABASE_URL: 'postgres://me:hidden@127.0.0.1:1/touchstone',
  });
  expect(code).toBe(1);
  expectOneLine(
    stderr,
    /Cannot connect to PostgreSQL at 127\.0\.0\.1:1\/touchstone: nothing listens there\./,
  );
  expect(stderr).not.toContain('hidden');
});

test('a data directory that is none is one line and a next step', async () => {
  const file = join(scratchDirectory(), 'file');
  writeFileSync(file, '');
  const { code, stderr } = await touchstone(['migrate'], { TOUCHSTONE_DATA_DIR: file });
  expect(code).toBe(1);
  expectOneLine(stderr, /is not a directory\. .*TOUCHSTONE_DATA_DIR/);
});

test('a bad flag is one line and a next step', async () => {
  const { code, stderr } = await touchstone(['serve', '--port', '99999'], {});
  expect(code).toBe(1);
  expectOneLine(stderr, /PORT must be a port number/);
});

async function clone(): Promise<string> {
  const url = await cloneTemplate();
  onTestFinished(() => dropDatabase(url));
  return url;
}

function expectOneLine(output: string, pattern: RegExp): void {
  expect(output.trimEnd()).not.toContain('\n');
  expect(output).toMatch(pattern);
}
