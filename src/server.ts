import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { App } from './context.js';
import { createGraphQL } from './http/graphql.js';
import { createReadiness, type Readiness } from './http/readiness.js';
import { createHttpServer } from './http/server.js';
import { createBatchStoring } from './jobs/batch-storing.js';
import { createLeaseAlarms } from './jobs/lease-alarms.js';
import type { Job } from './jobs/loop.js';
import { createSequencer } from './jobs/sequencer.js';
import type { Config } from './runtime/config.js';
import { loadIdKey } from './runtime/id-key.js';
import { errorCode, StartupError } from './runtime/startup-error.js';
import { createAuthenticator } from './services/access/authenticator.js';
import { DEVELOPMENT_ISSUER, loadDevelopmentKey } from './services/access/development-key.js';
import { createTokenVerifier, type VerifyToken } from './services/access/tokens.js';
import { createLocalBus, createRedisBus, type EventBus } from './services/events/bus.js';
import { type Database, openDatabase } from './services/platform/database.js';
import { createIdCodec } from './services/platform/ids.js';
import type { Logger } from './services/platform/logger.js';
import { connectRedis } from './services/platform/redis.js';
import { createTelemetry, type Telemetry } from './services/platform/telemetry.js';
import { openPayloadStore } from './services/projects/payload-store-open.js';

export interface ServerOptions {
  readonly config: Config;
  /** Login of the pools; the database behind it is migrated. */
  readonly databaseUrl: string;
  readonly log: Logger;
}

/** A running API. */
export interface RunningServer {
  /** Where it listens, such as http://127.0.0.1:4000. */
  readonly url: string;
  /** What the process is made of, for what is run beside it: seeding, tests. */
  readonly app: App;
  /** Finishes requests that have begun (at most ten seconds), then lets everything go. */
  close(): Promise<void>;
}

/** Requests that have begun may take this long to end when the server stops. */
const DRAIN_MS = 10_000;

/**
 * Starts the API and everything that runs by itself in this process.
 * @throws StartupError where something outside the code keeps it from starting
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, databaseUrl, log } = options;
  const db = openDatabase({ url: databaseUrl });
  const wakeUps = openBus(config, log);
  const { app, verify } = await createApp(options, db);
  const readiness = createReadiness(app, databaseUrl);
  const authenticator = createAuthenticator(db, verify);
  const http = createHttpServer(app, {
    graphql: createGraphQL(app),
    authenticator,
    checkReady: readiness.check,
  });
  const jobs = createJobs(app, wakeUps.bus);
  const letGo = async () => {
    await Promise.all(jobs.map((job) => job.stop()));
    await wakeUps.close();
    app.payloads.close();
    await db.close();
  };
  try {
    const url = await listen(http, config);
    app.publicUrl = config.publicUrl ?? url;
    for (const job of jobs) {
      job.start();
    }
    return { url, app, close: () => closeAll({ http, readiness }, letGo) };
  } catch (error) {
    await letGo();
    throw error;
  }
}

async function createApp(
  { config, log }: ServerOptions,
  db: Database,
): Promise<{ app: App; verify: VerifyToken }> {
  const telemetry = createTelemetry();
  watchPools(telemetry, db);
  const app: App = {
    db,
    log,
    telemetry,
    ids: createIdCodec(await loadIdKey(config)),
    payloads: await openPayloadStore(config.s3 ?? { directory: join(config.dataDir, 'objects') }),
    production: config.mode === 'production',
    tokenIssuer: config.jwt?.issuer ?? DEVELOPMENT_ISSUER,
    publicUrl: config.publicUrl ?? '',
  };
  return { app, verify: await tokenVerifier(config) };
}

/** The development key is not even read in production: what it signed can then never be accepted. */
async function tokenVerifier({ mode, jwt, dataDir }: Config): Promise<VerifyToken> {
  if (jwt !== undefined) {
    return createTokenVerifier({ jwks: jwt });
  }
  if (mode === 'production') {
    throw new StartupError(
      'Production mode refuses tokens of the development key.',
      'Set JWKS_URL and JWT_ISSUER to those of your identity provider.',
    );
  }
  return createTokenVerifier({ developmentKey: await loadDevelopmentKey(dataDir) });
}

function openBus({ redisUrl }: Config, log: Logger): { bus: EventBus; close(): Promise<void> } {
  const redis = redisUrl === undefined ? null : connectRedis({ url: redisUrl, log });
  const bus = redis === null ? createLocalBus() : createRedisBus({ redis, log });
  return {
    bus,
    async close() {
      bus.close();
      await redis?.close();
    },
  };
}

function createJobs({ db, ids, log, payloads: store }: App, bus: EventBus): Job[] {
  return [
    createSequencer({ db, bus, log }),
    createLeaseAlarms({ db, bus, log }),
    createBatchStoring({ db, ids, log, store }),
  ];
}

function watchPools({ watch }: Telemetry, { appPool, systemPool }: Database): void {
  for (const [name, pool] of [
    ['app', appPool],
    ['system', systemPool],
  ] as const) {
    watch(
      `touchstone_pool_${name}_waiting`,
      `Waiting for a connection of the ${name} pool.`,
      () => pool.waitingCount,
    );
    watch(`touchstone_pool_${name}_open`, `Open connections of the ${name} pool.`, () => pool.totalCount);
    watch(`touchstone_pool_${name}_idle`, `Idle connections of the ${name} pool.`, () => pool.idleCount);
  }
}

function listen(http: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once('error', (error) => reject(explainListen(error, { host, port })));
    http.listen(port, host, () => {
      const address = http.address() as AddressInfo;
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}

function explainListen(error: Error, { host, port }: { host: string; port: number }): Error {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} of ${host} is in use by another program.`,
        `Stop that program, or choose another port: --port 0 takes any that is free.`,
        { cause: error },
      );
    case 'EACCES':
      return new StartupError(`This user may not listen on port ${port}.`, 'Choose a port above 1023.', {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(`${host} is no address of this machine.`, 'Correct HOST, or unset it.', {
        cause: error,
      });
    default:
      return error;
  }
}

/** Nothing new is taken; what has begun may end; then every connection is closed. */
async function closeAll(
  { http, readiness }: { http: Server; readiness: Readiness },
  letGo: () => Promise<void>,
): Promise<void> {
  readiness.drain();
  const ended = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  const timer = setTimeout(() => http.closeAllConnections(), DRAIN_MS);
  await ended;
  clearTimeout(timer);
  await letGo();
}
