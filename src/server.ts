import type { Server } from 'node:http';
import { join } from 'node:path';
import { type App, createContext, sharedExecution } from './context.js';
import { EventStreams } from './http/event-stream.js';
import { watchProcess } from './http/gauges.js';
import { createGraphQL, maskError } from './http/graphql.js';
import { listen } from './http/listen.js';
import { createReadiness, type Readiness } from './http/readiness.js';
import { createHttpServer } from './http/server.js';
import { watchSilentConnections } from './http/silent-connections.js';
import { createAgreement } from './jobs/agreement.js';
import { createAlerts } from './jobs/alerts.js';
import { createBatchStoring } from './jobs/batch-storing.js';
import { createDispatchJob } from './jobs/dispatch.js';
import { createGold } from './jobs/gold.js';
import { createHours } from './jobs/hours.js';
import { createHousekeeping } from './jobs/housekeeping.js';
import { createLeaseAlarms } from './jobs/lease-alarms.js';
import type { Job } from './jobs/loop.js';
import { createPools } from './jobs/pools.js';
import { createRisk } from './jobs/risk.js';
import { createScores } from './jobs/scores.js';
import { createSequencer } from './jobs/sequencer.js';
import { createSessions } from './jobs/sessions.js';
import { createWatch } from './jobs/watch.js';
import { createWebhooks } from './jobs/webhooks.js';
import { type Connected, createConnected } from './live/connected.js';
import { createLiveHub, type LiveHub } from './live/hub.js';
import { createLive } from './live/live.js';
import { createRevocationWatch, type RevocationWatch } from './live/revocation.js';
import { attachWebSocket, type WebSockets } from './live/websocket.js';
import type { Config } from './runtime/config.js';
import { loadIdKey } from './runtime/id-key.js';
import { StartupError } from './runtime/startup-error.js';
import { startTracing } from './runtime/tracing.js';
import type { WebBundle } from './runtime/web-bundle.js';
import { type Authenticator, bearerToken, createAuthenticator } from './services/access/authenticator.js';
import { DEVELOPMENT_ISSUER, loadDevelopmentKey } from './services/access/development-key.js';
import { createPresence } from './services/access/presence.js';
import { createTokenVerifier, type VerifyToken } from './services/access/tokens.js';
import { createDefaultDispatch } from './services/dispatch/default-ports.js';
import { createLocalBus, createRedisBus, type EventBus } from './services/events/bus.js';
import { type Database, openDatabase } from './services/platform/database.js';
import { createIdCodec } from './services/platform/ids.js';
import type { Logger } from './services/platform/logger.js';
import { connectRedis, type RedisConnection } from './services/platform/redis.js';
import { createSecretBox } from './services/platform/secret-box.js';
import { createTelemetry } from './services/platform/telemetry.js';
import { openPayloadStore } from './services/projects/payload-store-open.js';
import { openAdmission } from './services/routing/admission.js';
import { createAdmissionMetrics } from './services/routing/admission-metrics.js';
import { createCompletions } from './services/routing/completions.js';
import { createPace } from './services/routing/pace.js';

export interface ServerOptions {
  readonly config: Config;
  /** Login of the pools; the database behind it is migrated. */
  readonly databaseUrl: string;
  readonly log: Logger;
  /** The web app to serve; default: none. */
  readonly web?: WebBundle | undefined;
}

/** A running API. */
export interface RunningServer {
  /** Where it listens, such as http://127.0.0.1:4000. */
  readonly url: string;
  /** What the process is made of, for what is run beside it: seeding, tests. */
  readonly app: App;
  /** Takes nothing new, finishes requests that have begun (at most ten seconds), then lets everything go; once. */
  close(): Promise<void>;
}

/** Requests that have begun may take this long to end when the server stops. */
const DRAIN_MS = 10_000;

/**
 * Starts the API and everything that runs by itself in this process.
 * @throws StartupError where something outside the code keeps it from starting
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const verify = await tokenVerifier(options.config);
  const base = await openBase(options);
  try {
    const app = createApp(options, base);
    const serving = createServing(options, { app, base, verify });
    const url = await listen(serving.http, options.config);
    app.publicUrl = options.config.publicUrl ?? url;
    const jobs = createJobs(app, base);
    for (const job of jobs) {
      job.start();
    }
    let closed: Promise<void> | undefined;
    const close = () => {
      closed ??= closeAll({ ...serving, app, jobs, base });
      return closed;
    };
    return { url, app, close };
  } catch (error) {
    await base.close();
    throw error;
  }
}

/** What everything else stands on. */
interface Base {
  readonly db: Database;
  readonly bus: EventBus;
  readonly hub: LiveHub;
  readonly revocation: RevocationWatch;
  readonly connected: Connected;
  readonly redis: RedisConnection | null;
  readonly idKey: string;
  readonly payloads: App['payloads'];
  close(): Promise<void>;
}

async function openBase({ config, databaseUrl, log }: ServerOptions): Promise<Base> {
  const idKey = await loadIdKey(config);
  const payloads = await openPayloadStore(config.s3 ?? { directory: join(config.dataDir, 'objects') });
  // Before the pools: their connections are told whether statements are traced.
  const tracing = await startTracing(config);
  const db = openDatabase({ url: databaseUrl });
  const redis = config.redisUrl === undefined ? null : connectRedis({ url: config.redisUrl, log });
  const bus = redis === null ? createLocalBus() : createRedisBus({ redis, log });
  const hub = createLiveHub({ db, bus, log });
  const revocation = createRevocationWatch({ db, log });
  return {
    db,
    bus,
    hub,
    revocation,
    connected: createConnected(),
    redis,
    idKey,
    payloads,
    async close() {
      await revocation.close();
      await hub.close();
      bus.close();
      await redis?.close();
      payloads.close();
      await db.close();
      await tracing.close();
    },
  };
}

function createApp({ config, log }: ServerOptions, { db, hub, redis, idKey, payloads }: Base): App {
  const telemetry = createTelemetry();
  const { registry } = telemetry;
  openAdmission(db, { limits: config.admission, metrics: createAdmissionMetrics(registry) });
  return {
    db,
    log,
    presence: createPresence(),
    completions: createCompletions(db),
    telemetry,
    pace: createPace({ redis, registry, limits: config.pace }),
    analystTimeShare: config.analystTimeShare,
    ids: createIdCodec(idKey),
    payloads,
    secrets: createSecretBox(idKey),
    live: createLive({ db, hub, cursorSecret: idKey }),
    dispatch: createDefaultDispatch(db),
    production: config.mode === 'production',
    tokenIssuer: config.jwt?.issuer ?? DEVELOPMENT_ISSUER,
    publicUrl: config.publicUrl ?? '',
  };
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

interface Serving {
  readonly http: Server;
  /** Ends connections on which nobody has said anything. */
  readonly endSilent: () => void;
  readonly sockets: WebSockets;
  readonly eventStreams: EventStreams;
  readonly readiness: Readiness;
}

function createServing(
  { config, databaseUrl, web }: ServerOptions,
  { app, base, verify }: { app: App; base: Base; verify: VerifyToken },
): Serving {
  const authenticator: Authenticator = createAuthenticator(app.db, verify);
  const graphql = createGraphQL(app);
  const { revocation, connected } = base;
  const eventStreams = new EventStreams({ revocation, connected });
  const readiness = createReadiness(app, databaseUrl);
  const http = createHttpServer(app, {
    graphql,
    eventStreams,
    authenticator,
    poke: base.bus.poke,
    checkReady: readiness.check,
    web,
    metricsToken: config.metricsToken,
  });
  const sockets = attachWebSocket(http, {
    path: '/graphql',
    allowedOrigins: config.allowedOrigins,
    log: app.log,
    mask: maskError(app),
    shared: sharedExecution(app),
    onRevoked: revocation.watch,
    onOpened: (viewer) => connected.opened(viewer, 'sockets'),
    authenticate: async (authorization, requestId) =>
      authenticator.authenticate(bearerToken(authorization), requestId),
    // The engine's types are those of one HTTP request; over a socket it is given the context and nothing else.
    contextFor: (viewer, signal) => createContext(app, viewer, { signal }),
    engineFor: (context) => graphql.getEnveloped(context as never) as never,
  });
  watchProcess(app, { hub: base.hub, sockets, eventStreams });
  return { http, endSilent: watchSilentConnections(http), sockets, eventStreams, readiness };
}

function createJobs(
  { db, ids, log, payloads: store, ...app }: App,
  { bus, connected }: Pick<Base, 'bus' | 'connected'>,
): Job[] {
  const { secrets, production, telemetry } = app;
  const { registry } = telemetry;
  return [
    createWebhooks({ db, ids, secrets, log, registry, loopback: !production }),
    createSequencer({ db, bus, log }),
    createLeaseAlarms({ db, bus, log }),
    createBatchStoring({ db, ids, log, store }),
    createRisk({ db, bus, log }),
    createHours({ db, log }),
    createHousekeeping({ db, log }),
    createPools({ db, bus, log }),
    createScores({ db, log }),
    createGold({ db, log }),
    createWatch({ db, log }),
    createAgreement({ db, log }),
    createAlerts({ db, bus, log }),
    createSessions({ db, connected, log, registry }),
    createDispatchJob({ db, dispatch: app.dispatch, bus, log }),
  ];
}

/** Nothing new is taken; what has begun may end; then every connection is closed, and what runs by itself stops. */
async function closeAll({
  http,
  endSilent,
  sockets,
  eventStreams,
  readiness,
  app,
  jobs,
  base,
}: Serving & { app: App; jobs: readonly Job[]; base: Base }): Promise<void> {
  readiness.drain();
  const ended = new Promise<void>((resolve) => http.close(() => resolve()));
  // A connection is idle again once its request is answered, and would be kept for the next one.
  const idle = setInterval(() => {
    http.closeIdleConnections();
    endSilent();
  }, 50);
  const late = setTimeout(() => http.closeAllConnections(), DRAIN_MS);
  eventStreams.close();
  await sockets.close();
  await ended;
  clearInterval(idle);
  clearTimeout(late);
  await Promise.all(jobs.map((job) => job.stop()));
  app.telemetry.close();
  await base.close();
}
