import type { Server } from 'node:http';
import { type Base, openBase } from './base.js';
import { type App, createContext, sharedExecution } from './context.js';
import { EventStreams } from './http/event-stream.js';
import { watchProcess } from './http/gauges.js';
import { createGraphQL, maskError } from './http/graphql.js';
import { listen } from './http/listen.js';
import { createReadiness, type Readiness } from './http/readiness.js';
import { createHttpServer } from './http/server.js';
import { watchSilentConnections } from './http/silent-connections.js';
import { createFixSockets, type FixSockets } from './ingest/fix-socket.js';
import { createAgreement } from './jobs/agreement.js';
import { createAlerts } from './jobs/alerts.js';
import { createBatchStoring } from './jobs/batch-storing.js';
import { createDispatchJobs } from './jobs/dispatch.js';
import { createFixDays, createFixUpkeep } from './jobs/fixes.js';
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
import { createLive } from './live/live.js';
import { attachWebSocket, type WebSockets } from './live/websocket.js';
import type { Config } from './runtime/config.js';
import { tokenVerifier } from './runtime/token-verifier.js';
import type { WebBundle } from './runtime/web-bundle.js';
import { type Authenticator, bearerToken, createAuthenticator } from './services/access/authenticator.js';
import { DEVELOPMENT_ISSUER } from './services/access/development-key.js';
import { createPresence } from './services/access/presence.js';
import type { VerifyToken } from './services/access/tokens.js';
import { createStages } from './services/dispatch/stages.js';
import { createIdCodec } from './services/platform/ids.js';
import type { Logger } from './services/platform/logger.js';
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

function createApp({ config, log }: ServerOptions, base: Base): App {
  const { db, hub, revocation, redis, idKey, payloads, secrets, telemetry, dispatch } = base;
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
    secrets,
    live: createLive({ db, hub, revocation, cursorSecret: idKey }),
    dispatch,
    inStage: createStages(registry),
    production: config.mode === 'production',
    tokenIssuer: config.jwt?.issuer ?? DEVELOPMENT_ISSUER,
    publicUrl: config.publicUrl ?? '',
  };
}

interface Serving {
  readonly http: Server;
  /** Ends connections on which nobody has said anything. */
  readonly endSilent: () => void;
  readonly sockets: WebSockets;
  readonly fixSockets: FixSockets;
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
    fixes: base.fixes,
  });
  const authenticate = async (authorization: string | undefined, requestId: string) =>
    authenticator.authenticate(bearerToken(authorization), requestId);
  const { allowedOrigins } = config;
  const { watch: onRevoked } = revocation;
  const fixSockets = createFixSockets({ ...base, log: app.log, allowedOrigins, authenticate, onRevoked });
  const sockets = attachWebSocket(http, {
    path: '/graphql',
    allowedOrigins,
    elsewhere: fixSockets.upgrade,
    log: app.log,
    mask: maskError(app),
    shared: sharedExecution(app),
    onRevoked,
    onOpened: (viewer) => connected.opened(viewer, 'sockets'),
    authenticate,
    // The engine's types are those of one HTTP request; over a socket it is given the context and nothing else.
    contextFor: (viewer, signal) => createContext(app, viewer, { signal }),
    engineFor: (context) => graphql.getEnveloped(context as never) as never,
  });
  watchProcess(app, { hub: base.hub, sockets, eventStreams });
  return { http, endSilent: watchSilentConnections(http), sockets, fixSockets, eventStreams, readiness };
}

function createJobs(
  { db, ids, log, payloads: store, ...app }: App,
  { bus, connected, fixes, dispatch }: Pick<Base, 'bus' | 'connected' | 'fixes' | 'dispatch'>,
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
    createFixDays({ db, log }),
    ...createFixUpkeep({ ...fixes, memory: dispatch.memory, log }),
    createPools({ db, bus, log }),
    createScores({ db, log }),
    createGold({ db, log }),
    createWatch({ db, log }),
    createAgreement({ db, log }),
    createAlerts({ db, bus, log }),
    createSessions({ db, connected, log, registry }),
    ...createDispatchJobs({ db, dispatch: app.dispatch, inStage: app.inStage, bus, log }),
  ];
}

/** Nothing new is taken; what has begun may end; then every connection is closed, and what runs by itself stops. */
async function closeAll({
  http,
  endSilent,
  sockets,
  fixSockets,
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
  await Promise.all([sockets.close(), fixSockets.close()]);
  await ended;
  clearInterval(idle);
  clearTimeout(late);
  await Promise.all(jobs.map((job) => job.stop()));
  app.telemetry.close();
  await base.close();
}
