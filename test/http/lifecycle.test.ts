// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Config, loadConfig } from '../../src/runtime/config.js';
import { StartupError } from '../../src/runtime/startup-error.js';
import { type RunningServer, startServer } from '../../src/server.js';
import { loadDevelopmentKey, mintDevelopmentToken } from '../../src/services/access/development-key.js';
import { grantRole } from '../../src/services/access/grants.js';
import { ensureTenant } from '../../src/services/access/people.js';
import { ISSUER } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const db = useTestDb();

interface Started {
  readonly server: RunningServer;
  readonly config: Config;
  readonly lines: string[];
}

async function start(overrides: Partial<Config> = {}): Promise<Started> {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-life-'));
  const config = { ...loadConfig({}, { TOUCHSTONE_DATA_DIR: dataDir, PORT: '0' }), ...overrides };
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const server = await startServer({ config, databaseUrl: db.url, log });
  onTestFinished(async () => {
    await server.close().catch(() => undefined);
    await rm(dataDir, { recursive: true, force: true });
  });
  return { server, config, lines };
}

async function operator({ config, server }: Started): Promise<string> {
  const tenantId = await ensureTenant(server.app.db, { slug: 'acme', name: 'Acme' });
  const identity = { issuer: ISSUER, subject: 'op', displayName: 'Op', role: 'OPERATOR' } as const;
  await grantRole(server.app.db, { tenantId, actorId: null }, identity);
  const key = await loadDevelopmentKey(config.dataDir);
  return mintDevelopmentToken(key, { subject: 'op', tenantSlug: 'acme', role: 'OPERATOR' });
}

test('a port in use is one line and a next step', async () => {
  const { server } = await start();
  const port = Number(new URL(server.url).port);
  await expect(start({ port })).rejects.toSatisfy(
    (error: unknown) => error instanceof StartupError && /in use/.test(error.message) && error.hint !== '',
  );
});

test('production refuses the development key, and does not even make one', async () => {
  await expect(start({ mode: 'production' })).rejects.toBeInstanceOf(StartupError);
});

test('alive, ready and measured', async () => {
  const { server } = await start();
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  for (const name of [
    'http_request_duration_seconds',
    'claims_total',
    'submits_total',
    'pool_app_waiting',
    'subscriptions',
    'sequencer_lag_seconds',
    'leases_expired_last_minute',
  ]) {
    expect(metrics).toContain(`touchstone_${name}`);
  }
});

test('a database that is not migrated to this version is not ready', async () => {
  const { server } = await start();
  await db.admin.query(
    "update _prisma_migrations set finished_at = null where migration_name like '%_roles'",
  );
  onTestFinished(async () => {
    await db.admin.query('update _prisma_migrations set finished_at = now()');
  });
  const response = await fetch(`${server.url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    code: 'NOT_READY',
    message: expect.stringMatching(/touchstone migrate/),
  });
});

test('a fault is masked: its caller gets an id, the log has what happened under it, neither has rows', async () => {
  const started = await start();
  const token = await operator(started);
  await db.admin.query('alter table skills rename to elsewhere');
  onTestFinished(async () => {
    await db.admin.query('alter table if exists elsewhere rename to skills');
  });
  const ask = (query: string) =>
    fetch(`${started.server.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
  const asked = await ask('{ skills { edges { node { name } } } }');
  const text = await asked.text();
  const { errors } = JSON.parse(text);
  expect(errors[0]).toMatchObject({
    message: 'Something went wrong on our side.',
    path: ['skills'],
    extensions: { code: 'INTERNAL_SERVER_ERROR', errorId: expect.any(String) },
  });
  expect(text).not.toMatch(/relation|prisma|stack|\.ts/i);
  const logged = started.lines.find((line) => line.includes(errors[0].extensions.errorId)) ?? '';
  expect(JSON.parse(logged)).toMatchObject({ event: 'request.failed', sqlState: '42P01' });
  expect(JSON.parse(logged)).not.toHaveProperty('message');
  const changed = await ask('mutation { createSkill(input: { name: "secret words" }) { __typename } }');
  expect(await changed.text()).toContain('INTERNAL_SERVER_ERROR');
  expect(started.lines.join('')).not.toContain('secret words');
});

test('a server that stops finishes what has begun, tells sockets to go elsewhere, and takes nothing new', async () => {
  const started = await start();
  const { server } = started;
  const token = await operator(started);
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await new Promise((resolve) => socket.on('open', resolve));

  const body = JSON.stringify({ query: '{ viewer { role } }' });
  const begun = request(`${server.url}/graphql`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': body.length,
    },
  });
  const answer = new Promise<string>((resolve, reject) => {
    begun.on('error', reject).on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
  });
  begun.write(body.slice(0, 5));
  // The server has the head of the request once it answers another one on a later connection.
  await fetch(`${server.url}/healthz`);
  const stopped = server.close();
  expect(await closed).toBe(4012);
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  begun.end(body.slice(5));
  expect(JSON.parse(await answer)).toEqual({ data: { viewer: { role: 'OPERATOR' } } });
  await stopped;
});
