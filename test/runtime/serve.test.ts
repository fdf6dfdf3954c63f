// @once: serves on databases of its own, the embedded ones

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve, touchstone } from './commands.js';
import { postmasterOf, scratchDirectory } from './scratch.js';

test('`npm start` serves, is found by its run file, and ends with everything it started', async () => {
  const dataDir = scratchDirectory();
  const server = await serve(dataDir);
  expect(runFileOf(dataDir)).toEqual({ url: server.url, pid: server.process.pid });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(await server.interrupt()).toBe(0);
  expect(runFileOf(dataDir)).toBeNull();
  expect(postmasterOf(dataDir)).toBeNull();
});

test('a first start prints a token for each role, and each of them works', async () => {
  const server = await serve(scratchDirectory(), { seed: true });
  const tokens = [...server.output().matchAll(/^ {2}([A-Z]+) +(ey\S+)$/gm)];
  expect(new Set(tokens.map(([, role]) => role))).toEqual(
    new Set(['EXPERT', 'CUSTOMER', 'ANALYST', 'DISPATCHER', 'OPERATOR']),
  );
  for (const [, role, token] of tokens) {
    expect(await acts(server.url, String(token))).toBe(role);
  }
  await server.interrupt();
});

test('a server that was killed leaves its data and its database to the next one', async () => {
  const dataDir = scratchDirectory();
  const first = await serve(dataDir);
  first.process.kill('SIGKILL');
  await once(first.process, 'exit');
  const postmaster = postmasterOf(dataDir);
  expect(postmaster).not.toBeNull();
  const second = await serve(dataDir);
  expect(postmasterOf(dataDir)).toBe(postmaster);
  expect(runFileOf(dataDir)?.pid).toBe(second.process.pid);
  await second.interrupt();
  expect(postmasterOf(dataDir)).toBeNull();
});

test('a command beside a running server uses its database and leaves it running', async () => {
  const dataDir = scratchDirectory();
  const server = await serve(dataDir);
  expect(await touchstone(['verify'], { TOUCHSTONE_DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await server.interrupt();
});

test('a port in use is one line and a next step, and no database is left running', async () => {
  const dataDir = scratchDirectory();
  const squatter = await listen();
  const { port } = squatter.address() as AddressInfo;
  const { code, stderr } = await touchstone(['serve', '--empty', '--port', String(port)], {
    TOUCHSTONE_DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^touchstone: Port \d+ of 127\.0\.0\.1 is in use.*--port.*\n$/);
  expect(postmasterOf(dataDir)).toBeNull();
});

test('Ctrl-C that arrives twice, as under npm, still ends everything in order', async () => {
  const dataDir = scratchDirectory();
  const server = await serve(dataDir);
  server.process.kill('SIGINT');
  expect(await server.interrupt()).toBe(0);
  expect(postmasterOf(dataDir)).toBeNull();
});

function runFileOf(dataDir: string): { url: string; pid: number } | null {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8'));
  } catch {
    return null;
  }
}

async function acts(url: string, token: string): Promise<unknown> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{ viewer { role } }' }),
  });
  const body = (await response.json()) as { data?: { viewer?: { role?: string } } };
  return body.data?.viewer?.role ?? body;
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return server;
}
