// @once @long: starts servers of its own, the embedded ones
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from '../../src/runtime/embedded-postgres.js';
import { isAlive } from '../../src/runtime/postgres/pid-file.js';
import { StartupError } from '../../src/runtime/startup-error.js';
import { admin } from '../support/postgres-server.js';
import { postmasterOf, scratchDirectory, userOf } from './scratch.js';

const OCCUPANT = fileURLToPath(new URL('occupant.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;

const start = (dataDir: string): Promise<EmbeddedPostgres> =>
  ensureEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });

const remember = (url: string) => admin(url, 'create table kept as select 1');
const recall = (url: string) => admin(url, 'select from kept');

test('a second start finds what the first has written', async () => {
  const dataDir = scratchDirectory();
  const first = await start(dataDir);
  await remember(first.adminUrl);
  await first.stop();
  expect(postmasterOf(dataDir)).toBeNull();
  const second = await start(dataDir);
  await recall(second.adminUrl);
  expect(second.adminUrl).toBe(first.adminUrl);
  await second.stop();
});

test('two that come first at once share one server, and the last to leave stops it', async () => {
  const dataDir = scratchDirectory();
  const [one, other] = await Promise.all([start(dataDir), start(dataDir)]);
  expect(one.adminUrl).toBe(other.adminUrl);
  await one.stop();
  await admin(other.adminUrl, 'select 1');
  await other.stop();
  expect(postmasterOf(dataDir)).toBeNull();
});

test('two that leave at once leave no server behind', async () => {
  const dataDir = scratchDirectory();
  const both = [await start(dataDir), await start(dataDir)];
  await Promise.all(both.map((occupant) => occupant.stop()));
  expect(postmasterOf(dataDir)).toBeNull();
});

test('a process that is killed leaves the server running, and the next one takes it over', async () => {
  const dataDir = scratchDirectory();
  const { process: occupant, url } = await startOccupant(dataDir);
  await remember(url);
  occupant.kill('SIGKILL');
  await once(occupant, 'exit');
  const running = postmasterOf(dataDir);
  expect(running).not.toBeNull();
  const next = await start(dataDir);
  expect(postmasterOf(dataDir)).toBe(running);
  await recall(next.adminUrl);
  await next.stop();
  expect(postmasterOf(dataDir)).toBeNull();
});

test('Ctrl-C on the terminal does not reach the server before its process has drained', async () => {
  const dataDir = scratchDirectory();
  const { process: occupant, lines } = await startOccupant(dataDir);
  process.kill(-Number(occupant.pid), 'SIGINT');
  expect(await lines.next()).toEqual({ drained: 1 });
  expect(postmasterOf(dataDir)).toBeNull();
});

test('a server that was killed recovers what was committed', async () => {
  const dataDir = scratchDirectory();
  const first = await start(dataDir);
  await remember(first.adminUrl);
  await killPostmaster(dataDir);
  const second = await start(dataDir);
  await recall(second.adminUrl);
  await second.stop();
  await first.stop();
  expect(postmasterOf(dataDir)).toBeNull();
});

test('a postmaster.pid whose process id now belongs to another program is in nobody’s way', async () => {
  const dataDir = scratchDirectory();
  await (await start(dataDir)).stop();
  const data = join(dataDir, 'postgres', 'data');
  writeFileSync(
    join(data, 'postmaster.pid'),
    `${process.pid}\n${data}\n1700000000\n1\n\n127.0.0.1\n0 0\nready\n`,
  );
  const next = await start(dataDir);
  await admin(next.adminUrl, 'select 1');
  await next.stop();
});

test('an initdb that was interrupted is not taken for a database, and is cleaned away', async () => {
  const dataDir = scratchDirectory();
  const leftover = join(dataDir, `postgres.init-${deadProcess()}-0a1b2c3d`);
  mkdirSync(join(leftover, 'data'), { recursive: true });
  const server = await start(dataDir);
  await admin(server.adminUrl, 'select 1');
  expect(existsSync(leftover)).toBe(false);
  await server.stop();
});

test('a port that somebody else has taken meanwhile is not insisted on', async () => {
  const dataDir = scratchDirectory();
  const first = await start(dataDir);
  await first.stop();
  const squatter = createServer().listen(Number(new URL(first.adminUrl).port), '127.0.0.1');
  onTestFinished(() => void squatter.close());
  await once(squatter, 'listening');
  const second = await start(dataDir);
  expect(second.adminUrl).not.toBe(first.adminUrl);
  await second.stop();
});

test('the data directory of another PostgreSQL version is refused with both versions named', async () => {
  const dataDir = scratchDirectory();
  await (await start(dataDir)).stop();
  writeFileSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '16\n');
  await expect(start(dataDir)).rejects.toThrow(/made by PostgreSQL 16; this version brings 18/);
});

test('a cluster that cannot start says PostgreSQL’s own reason in one line', async () => {
  const dataDir = scratchDirectory();
  await (await start(dataDir)).stop();
  rmSync(join(dataDir, 'postgres', 'data', 'global', 'pg_control'));
  const error = await start(dataDir).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/^StartupError: The embedded PostgreSQL did not start: .*pg_control.*$/);
});

test('a file in the place of the data directory is refused', async () => {
  const file = join(scratchDirectory(), 'file');
  writeFileSync(file, '');
  await expect(start(file)).rejects.toThrow(/is not a directory/);
  await expect(start(join(file, 'below'))).rejects.toThrow(/is not a directory/);
});

test('the password is not readable by others', async () => {
  const dataDir = scratchDirectory();
  const server = await start(dataDir);
  const { stdout } = spawnSync('ls', ['-l', join(dataDir, 'postgres', 'password')], { encoding: 'utf8' });
  expect(stdout).toMatch(/^-rw-------/);
  await server.stop();
});

// Registered, not skipped: where the suite does not run as root, nothing of this can happen.
if (isRoot) {
  test('as root, PostgreSQL runs as a user without rights', async () => {
    const dataDir = scratchDirectory();
    const server = await start(dataDir);
    expect(userOf(Number(postmasterOf(dataDir)))).toBeGreaterThan(0);
    await server.stop();
  });

  test('as root, a directory that this user cannot reach gets its database elsewhere, and says where', async () => {
    const home = join(scratchDirectory(), 'home');
    mkdirSync(home, { mode: 0o700 });
    const dataDir = join(home, 'data');
    const first = await start(dataDir);
    await remember(first.adminUrl);
    await first.stop();
    const place = readFileSync(join(dataDir, 'postgres-location'), 'utf8').trim();
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    expect(first.directory).toBe(join(place, 'postgres'));
    const second = await start(dataDir);
    await recall(second.adminUrl);
    await second.stop();
  });
}

async function startOccupant(dataDir: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', OCCUPANT, dataDir], {
    // Its own group, as a shell gives to what it runs in the foreground.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = jsonLines(child);
  const { url } = (await lines.next()) as { url: string };
  return { process: child, lines, url };
}

function jsonLines(child: ChildProcess) {
  if (child.stdout === null) {
    throw new Error('The occupant has no output.');
  }
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next(): Promise<unknown> {
      const { value } = await lines.next();
      return value === undefined ? undefined : JSON.parse(value);
    },
  };
}

async function killPostmaster(dataDir: string): Promise<void> {
  const pid = Number(postmasterOf(dataDir));
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => postmasterOf(dataDir)).not.toBe(pid);
}

/** The id of a process that has just ended. */
function deadProcess(): number {
  const { pid } = spawnSync('true');
  expect(isAlive(pid)).toBe(false);
  return pid;
}
