import { join } from 'node:path';
import { type Connected, createConnected } from './live/connected.js';
import { createLiveHub, type LiveHub } from './live/hub.js';
import { createRevocationWatch, type RevocationWatch } from './live/revocation.js';
import type { Config } from './runtime/config.js';
import { loadIdKey } from './runtime/id-key.js';
import { startTracing } from './runtime/tracing.js';
import { type Fixes, openFixes } from './services/dispatch/fixes/open-fixes.js';
import { type OpenDispatch, openDispatch } from './services/dispatch/open.js';
import { createLocalBus, createRedisBus, type EventBus } from './services/events/bus.js';
import { type Database, openDatabase } from './services/platform/database.js';
import type { Logger } from './services/platform/logger.js';
import { connectRedis, type RedisConnection } from './services/platform/redis.js';
import type { RedisFault } from './services/platform/redis-errors.js';
import { createSecretBox, type SecretBox } from './services/platform/secret-box.js';
import { createTelemetry, type Telemetry } from './services/platform/telemetry.js';
import type { PayloadStore } from './services/projects/payload-store.js';
import { openPayloadStore } from './services/projects/payload-store-open.js';

export interface BaseOptions {
  readonly config: Config;
  /** Login of the pools; the database behind it is migrated. */
  readonly databaseUrl: string;
  readonly log: Logger;
}

/** What everything else stands on. */
export interface Base {
  readonly db: Database;
  readonly bus: EventBus;
  readonly hub: LiveHub;
  readonly revocation: RevocationWatch;
  readonly connected: Connected;
  readonly redis: RedisConnection | null;
  readonly idKey: string;
  readonly secrets: SecretBox;
  readonly telemetry: Telemetry;
  readonly payloads: PayloadStore;
  readonly fixes: Fixes;
  readonly dispatch: OpenDispatch;
  close(): Promise<void>;
}

/** Opens it; the database must be there and migrated. */
export async function openBase({ config, databaseUrl, log }: BaseOptions): Promise<Base> {
  const idKey = await loadIdKey(config);
  const payloads = await openPayloadStore(config.s3 ?? { directory: join(config.dataDir, 'objects') });
  // Before the pools: their connections are told whether statements are traced.
  const tracing = await startTracing(config);
  const db = openDatabase({ url: databaseUrl });
  const telemetry = createTelemetry();
  const { registry, redisFaults } = telemetry;
  const onFault = (fault: RedisFault) => redisFaults.inc({ fault });
  const redis = config.redisUrl === undefined ? null : connectRedis({ url: config.redisUrl, log, onFault });
  const bus = redis === null ? createLocalBus() : createRedisBus({ redis, log });
  const hub = createLiveHub({ db, bus, log });
  const revocation = createRevocationWatch({ db, log });
  const secrets = createSecretBox(idKey);
  const fixes = await openFixes({ db, redis, secrets, registry, log, bounds: config.mapBounds ?? null });
  const { routerUrl } = config;
  const dispatch = openDispatch({ db, index: fixes.index, registry, log, routerUrl });
  return {
    db,
    bus,
    hub,
    revocation,
    connected: createConnected(),
    redis,
    idKey,
    secrets,
    telemetry,
    payloads,
    fixes,
    dispatch,
    async close() {
      await fixes.close();
      await dispatch.close();
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
