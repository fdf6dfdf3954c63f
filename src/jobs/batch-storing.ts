import type { Logger } from 'pino';
import { jitter } from '../services/platform/retry.js';
import type { Queryable } from '../services/platform/rows.js';
import { type StoringParts, storeBatch } from '../services/projects/batch-storing.js';
import { keepTalking, nextStoringBatch, type StoringBatch } from '../services/projects/batches.sql.js';
import { createLoop, type Job, type Loop } from './loop.js';
import { createSessionLock } from './session-lock.js';

export interface BatchStoringOptions extends StoringParts {
  readonly log: Logger;
}

/** Uploads up to this size are stored apart from larger ones, so that ten tasks never wait for a million. */
const SMALL_BYTES = 1024 * 1024;
/** Rows of one batch before the next one has its turn: some seconds. Going on later costs a read of the upload's start. */
const ROWS_A_TURN = 50_000;
const IDLE_MS = 250;
const STANDBY_MS = 500;
/** After a failure: whatever it was, another try at once would meet it again. */
const FAILED_MS = 1_000;
/** The session that holds the lock ends when it is silent for 5 s, and a turn may take longer. */
const PULSE_MS = 1_000;

/**
 * Stores uploaded batches: reads them row by row, makes payloads durable and opens the tasks. Every node runs one; two
 * session locks, for small and for large uploads, decide which nodes do the work, so that none is done twice. They
 * decide nothing else: should two nodes ever be at one batch, its cursor refuses the slower one.
 */
export function createBatchStoring(options: BatchStoringOptions): Job {
  const small = createStoring(options, { name: 'small', key: 3, minBytes: 0, maxBytes: SMALL_BYTES });
  const large = createStoring(options, {
    name: 'large',
    key: 4,
    minBytes: SMALL_BYTES + 1,
    maxBytes: Number.MAX_SAFE_INTEGER,
  });
  return {
    start() {
      small.start();
      large.start();
    },
    async stop() {
      await Promise.all([small.stop(), large.stop()]);
    },
  };
}

interface Lane {
  readonly name: string;
  /** The session lock's number; the sequencer has 1 and 2, pools 7. */
  readonly key: number;
  readonly minBytes: number;
  readonly maxBytes: number;
}

function createStoring({ log, ...parts }: BatchStoringOptions, lane: Lane): Loop {
  const name = `batch_storing.${lane.name}`;
  const lock = createSessionLock({ url: parts.db.url, name: `touchstone_${name}`, key: lane.key });
  // Batches take turns in a circle; one that fails again and again holds up only itself.
  let lastId = 0n;
  let stopping = new AbortController();

  async function step() {
    const session = await lock.acquire();
    if (session === null) {
      return jitter(STANDBY_MS);
    }
    const batch = await nextStoringBatch(session, { ...lane, afterId: lastId });
    if (batch === null) {
      return IDLE_MS;
    }
    lastId = batch.id;
    return await withPulse(session, () => takeTurn(batch));
  }

  async function takeTurn(batch: StoringBatch) {
    const subject = { tenantId: batch.tenantId.toString(), batchId: batch.id.toString() };
    try {
      const outcome = await storeBatch(parts, batch, { maxRows: ROWS_A_TURN, signal: stopping.signal });
      log.info({ ...subject, outcome }, 'batch.turn_ended');
      return 0;
    } catch (error) {
      log.error({ ...subject, err: error }, 'batch.storing_failed');
      return jitter(FAILED_MS);
    }
  }

  const loop = createLoop({ name, log, step });
  return {
    ...loop,
    start() {
      stopping = new AbortController();
      loop.start();
    },
    async stop() {
      stopping.abort();
      await loop.stop();
      await lock.release();
    },
  };
}

/** Keeps the session talking while `work` runs. A session that is lost meanwhile is noticed by the next step. */
async function withPulse<T>(session: Queryable, work: () => Promise<T>): Promise<T> {
  const pulse = setInterval(() => {
    keepTalking(session).catch(() => undefined);
  }, PULSE_MS);
  try {
    return await work();
  } finally {
    clearInterval(pulse);
  }
}
