import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { loadConfig } from '../../../src/runtime/config.js';
import { createWebBundle } from '../../../src/runtime/web-bundle.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { loadDevelopmentKey, mintDevelopmentToken } from '../../../src/services/access/development-key.js';
import type { Viewer } from '../../../src/services/access/viewer.js';
import { createLogger } from '../../../src/services/platform/logger.js';
import type { TestDb } from '../../support/db.js';

/** The API with its pages, which can be taken away and brought back at the same address. */
export interface TestSite {
  readonly url: string;
  /** What the running server is made of. */
  readonly app: RunningServer['app'];
  /** A token of somebody, by default for a month. */
  token(viewer: Viewer, lifetimeSeconds?: number): Promise<string>;
  /** The server is gone, with every connection to it. */
  stop(): Promise<void>;
  /** It is back; where that is asked for with another signing key, so that every token of before has ended. */
  start(options?: { newKey: boolean }): Promise<void>;
  /** The server as a process of its own at the same address (stop this one first): what a kill does not get to do is not done. */
  startProcess(): Promise<SiteProcess>;
}

/** A server that can be killed. */
export interface SiteProcess {
  /** By SIGKILL, in the middle of whatever it does; resolves when it is no more. */
  kill(): Promise<void>;
}

/** Serves the web app on the database of `useTestDb` (call that first). */
export function useTestSite(db: TestDb): TestSite {
  const log = createLogger(process.env.TEST_LOG_LEVEL ?? 'silent');
  const web = createWebBundle(log, { tellsWhy: true });
  let server: RunningServer | null = null;
  let port = 0;
  let dataDir = '';
  const start = async ({ newKey } = { newKey: false }) => {
    if (newKey) {
      await rm(join(dataDir, 'keys', 'development-token.jwk.json'));
    }
    const config = loadConfig({}, { TOUCHSTONE_DATA_DIR: dataDir, PORT: String(port) });
    server = await startServer({ config, databaseUrl: db.url, log, web });
    port = Number(new URL(server.url).port);
  };
  const stop = async () => {
    await server?.close();
    server = null;
  };
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-site-'));
    await web.prepare();
    await start();
  });
  afterAll(async () => {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    get app() {
      if (server === null) {
        throw new Error('The server is stopped.');
      }
      return server.app;
    },
    async token({ displayName: subject, tenantSlug, role }, lifetimeSeconds) {
      const claims = { subject, tenantSlug, role, ...(lifetimeSeconds ? { lifetimeSeconds } : {}) };
      return mintDevelopmentToken(await loadDevelopmentKey(dataDir), claims);
    },
    stop,
    start,
    startProcess: () => startProcess({ databaseUrl: db.url, dataDir, port }),
  };
}

const PROGRAM = fileURLToPath(new URL('../../../bin/touchstone.mjs', import.meta.url));

async function startProcess({
  databaseUrl,
  dataDir,
  port,
}: {
  databaseUrl: string;
  dataDir: string;
  port: number;
}): Promise<SiteProcess> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, TOUCHSTONE_DATA_DIR: dataDir, LOG_LEVEL: 'error' };
  const args = [PROGRAM, 'serve', '--empty', '--port', String(port)];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'), // it says its address once it listens
    ended.then(([code]) => Promise.reject(new Error(`The server ended with ${code}.`))),
  ]);
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
