import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Database } from '../../platform/database.js';
import { type DatabaseClock, followDatabaseClock } from '../../platform/database-clock.js';
import type { RedisConnection } from '../../platform/redis.js';
import type { SecretBox } from '../../platform/secret-box.js';
import type { MapBounds } from './fix.js';
import { createFixKeys, type FixKeys } from './fix-keys.js';
import { createFixMetrics, type FixMetrics, watchIndex } from './fix-metrics.js';
import { createFixStore, type FixStore } from './fix-store.js';
import type { HotIndex } from './hot-index.js';
import { createLocalHotIndex } from './hot-index-local.js';
import { createSharedHotIndex } from './hot-index-redis.js';
import { createIntake, type Intake } from './intake.js';
import { createShifts, type Shifts } from './shifts.js';

export interface FixesParts {
  readonly db: Database;
  /** Null: the index is this process's own, and there may be one node only. */
  readonly redis: RedisConnection | null;
  readonly secrets: SecretBox;
  readonly registry: Registry;
  readonly log: Logger;
  readonly bounds: MapBounds | null;
}

/** Everything that takes fixes and says where workers are. */
export interface Fixes {
  readonly index: HotIndex;
  readonly store: FixStore;
  /** For whoever opens the archive: `exportTrace`. */
  readonly keys: FixKeys;
  readonly shifts: Shifts;
  readonly intake: Intake;
  readonly metrics: FixMetrics;
  readonly clock: DatabaseClock;
  /** Passes on and writes what has come. */
  close(): Promise<void>;
}

/** Opens it; the database must be there. */
export async function openFixes({ db, redis, secrets, registry, log, bounds }: FixesParts): Promise<Fixes> {
  const clock = await followDatabaseClock(db, log);
  const { nowMs } = clock;
  const metrics = createFixMetrics(registry);
  const onLost = (count: number) => metrics.fixes.inc({ outcome: 'NOT_KEPT' }, count);
  const keys = createFixKeys(db, secrets);
  const store = createFixStore({ db, keys, log, onLost });
  const { latest } = store;
  const index =
    redis === null
      ? createLocalHotIndex({ nowMs, latest })
      : createSharedHotIndex({ redis, nowMs, latest, log });
  watchIndex(registry, index);
  const intake = createIntake({ index, store, nowMs, metrics, log, bounds });
  return {
    index,
    store,
    keys,
    shifts: createShifts(db),
    intake,
    metrics,
    clock,
    async close() {
      clock.close();
      await intake.close();
      await store.flush().catch(() => undefined); // said in the log
    },
  };
}
