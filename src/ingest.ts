import type { Server } from 'node:http';
import { setPriority } from 'node:os';
import { mayCollect } from './http/health.js';
import { listen } from './http/listen.js';
import { HttpProblem } from './http/problem.js';
import { watchSilentConnections } from './http/silent-connections.js';
import { createFixServer } from './ingest/fix-server.js';
import { createFixSockets, type FixSockets } from './ingest/fix-socket.js';
import { createFixUpkeep } from './jobs/fixes.js';
import type { Job } from './jobs/loop.js';
import { createRevocationWatch } from './live/revocation.js';
import type { Config } from './runtime/config.js';
import { loadIdKey } from './runtime/id-key.js';
import { StartupError } from './runtime/startup-error.js';
import { tokenVerifier } from './runtime/token-verifier.js';
import { bearerToken, createAuthenticator } from './services/access/authenticator.js';
import { rememberVerified } from './services/access/verified-tokens.js';
import { type Fixes, openFixes } from './services/dispatch/fixes/open-fixes.js';
import { openDatabase } from './services/platform/database.js';
import { createIdCodec } from './services/platform/ids.js';
import type { Logger } from './services/platform/logger.js';
import { connectRedis } from './services/platform/redis.js';
import { createSecretBox } from './services/platform/secret-box.js';
import { createTelemetry } from './services/platform/telemetry.js';

export interface IngestOptions {
  readonly config: Config;
  /** Login of the pools; the database behind it is migrated. */
  readonly databaseUrl: string;
  readonly log: Logger;
}

/** A running ingest process. */
export interface RunningIngest {
  /** Where it listens, such as http://127.0.0.1:4001. */
  readonly url: string;
  readonly fixes: Fixes;
  /** Takes nothing new, passes on and writes what has come, then lets everything go; once. */
  close(): Promise<void>;
}

/** Phones whose tokens are remembered. */
const TOKENS_MAX = 100_000;
/** A phone posts every twenty seconds or so. A role that was taken away bites within this time, as the end of a shift does. */
const REUSE_MS = 30_000;
/** Posts that have begun may take this long to end. */
const DRAIN_MS = 5_000;

/** Of −20 to 19; 0 is the common one. A tenth of the processor is left to this process where others want all of it. */
const PRIORITY = 10;

/**
 * Where this process shares a machine with those that decide, a fix may wait for a tenth of a second and an offer may not: what waits
 * meanwhile is passed on in larger batches, which cost less each. Elsewhere it changes nothing.
 */
function yieldToDecisions(log: Logger): void {
  try {
    setPriority(PRIORITY);
  } catch (error) {
    log.debug({ err: error }, 'ingest.priority_kept');
  }
}

/**
 * Starts what takes workers' fixes, and nothing else, so that they cost no claim and no assignment a turn of the loop. Its index is
 * in Redis: one of its own would be of no use to the nodes that assign.
 * @throws StartupError without REDIS_URL, and where something else outside the code keeps it from starting
 */
export async function startIngest({ config, databaseUrl, log }: IngestOptions): Promise<RunningIngest> {
  if (config.redisUrl === undefined) {
    throw new StartupError(
      'An ingest process of its own needs Redis: the nodes that assign find workers there.',
      'Set REDIS_URL, or report fixes to `touchstone serve`.',
    );
  }
  yieldToDecisions(log);
  const verify = rememberVerified(await tokenVerifier(config), { max: TOKENS_MAX });
  const idKey = await loadIdKey(config);
  const db = openDatabase({ url: databaseUrl, appConnections: 2, systemConnections: 3 });
  const telemetry = createTelemetry();
  const { registry, redisFaults } = telemetry;
  const redis = connectRedis({ url: config.redisUrl, log, onFault: (fault) => redisFaults.inc({ fault }) });
  const secrets = createSecretBox(idKey);
  const fixes = await openFixes({ db, redis, secrets, registry, log, bounds: config.mapBounds ?? null });
  const revocation = createRevocationWatch({ db, log });
  const authenticator = createAuthenticator(db, verify, { reuseMs: REUSE_MS, rememberedMax: TOKENS_MAX });
  const http = createFixServer({
    fixes,
    authenticator,
    ids: createIdCodec(idKey),
    telemetry,
    log,
    mayCollect: (authorization) => mayCollect(authorization, config.metricsToken),
    checkReady: async () => {
      if (!(await redis.isUp())) {
        throw new HttpProblem(503, 'NOT_READY', 'Redis cannot be reached.');
      }
    },
  });
  const sockets = createFixSockets({
    fixes,
    log,
    allowedOrigins: config.allowedOrigins,
    authenticate: async (authorization, requestId) =>
      authenticator.authenticate(bearerToken(authorization), requestId),
    onRevoked: revocation.watch,
  });
  http.on('upgrade', (request, stream, head) => {
    stream.on('error', () => stream.destroy());
    if (!sockets.upgrade(request, stream, head)) {
      stream.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    }
  });
  const endSilent = watchSilentConnections(http);
  const url = await listen(http, config);
  const jobs = createFixUpkeep({ ...fixes, log });
  for (const job of jobs) {
    job.start();
  }
  let closed: Promise<void> | undefined;
  const close = () =>
    closeAll({ http, endSilent, sockets, jobs }, async () => {
      await fixes.close();
      await revocation.close();
      telemetry.close();
      await redis.close();
      await db.close();
    });
  return {
    url,
    fixes,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

interface Serving {
  readonly http: Server;
  readonly endSilent: () => void;
  readonly sockets: FixSockets;
  readonly jobs: readonly Job[];
}

async function closeAll(
  { http, endSilent, sockets, jobs }: Serving,
  closeBase: () => Promise<void>,
): Promise<void> {
  const ended = new Promise<void>((resolve) => http.close(() => resolve()));
  const late = setTimeout(() => http.closeAllConnections(), DRAIN_MS);
  await sockets.close();
  http.closeIdleConnections();
  endSilent();
  await ended;
  clearTimeout(late);
  await Promise.all(jobs.map((job) => job.stop()));
  await closeBase();
}
