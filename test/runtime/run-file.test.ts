import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeRunFile, runningServer, writeRunFile } from '../../src/runtime/run-file.js';

let dataDir: string;
let healthy: Server;
let url: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'touchstone-run-'));
  healthy = createServer((_req, res) => res.end('{}'));
  await new Promise<void>((listening) => healthy.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(healthy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  healthy.closeAllConnections();
  await new Promise((closed) => healthy.close(closed));
  await rm(dataDir, { recursive: true, force: true });
});

const put = (content: string) => writeFile(join(dataDir, 'run.json'), content);
const got = async () => JSON.parse(await readFile(join(dataDir, 'run.json'), 'utf8'));

test.each(['', '{}', 'null', '{"url":"nope","pid":1}', '{"url":"http://127.0.0.1:9/","pid":1}'])(
  'a run file that no living server stands behind is none: %s',
  async (content) => {
    await put(content);
    expect(await runningServer(dataDir)).toBeNull();
  },
);

test('a second server leaves the word of a living one, at its start and at its end', async () => {
  await put(JSON.stringify({ url, pid: 1 }));
  await writeRunFile(dataDir, 'http://127.0.0.1:9');
  removeRunFile(dataDir);
  expect(await got()).toEqual({ url, pid: 1 });
  expect(await runningServer(dataDir)).toEqual({ url, pid: 1 });
});

test('what a server left that was killed where this one listens now is replaced: it is this one that answers', async () => {
  await put(JSON.stringify({ url, pid: 1 }));
  await writeRunFile(dataDir, url);
  expect(await got()).toEqual({ url, pid: process.pid });
  removeRunFile(dataDir);
  await expect(got()).rejects.toThrow('ENOENT');
});

test('what a killed server left behind is replaced, and taken back at the end', async () => {
  await put('{"url":"http://127.0.0.1:9","pid":1}');
  await writeRunFile(dataDir, url);
  expect(await got()).toEqual({ url, pid: process.pid });
  removeRunFile(dataDir);
  await expect(got()).rejects.toThrow('ENOENT');
});
