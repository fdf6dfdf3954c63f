import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Connected } from '../live/connected.js';
import type { Database } from '../services/platform/database.js';
import {
  forgetNode,
  type Over,
  type Refused,
  sayConnected,
  sweepNodes,
} from '../services/routing/expert-sessions.js';
import { createLoop, type Job } from './loop.js';

export interface SessionsOptions {
  readonly db: Database;
  readonly connected: Connected;
  readonly log: Logger;
  readonly registry: Registry;
}

/** A node that says nothing for four of these is taken for dead (app.is_node_alive). */
const BEAT_MS = 5_000;
/** What changes within this time is told together. */
const GATHER_MS = 200;
const EXPERTS_A_STEP = 1_000;
const AWAY_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 3_600] as const;

/** Tells of the experts who are connected to this node, and takes away what nodes that died have left. */
export function createSessions({ db, connected, log, registry }: SessionsOptions): Job {
  const node = randomUUID();
  const count = interruptionMetrics(registry);
  let gathering: NodeJS.Timeout | null = null;

  async function step(): Promise<number> {
    const told = connected.changes(EXPERTS_A_STEP);
    const said = await sayConnected(db, node, told);
    if (!said.known) {
      connected.forgotten();
      return 0;
    }
    connected.wasTold(told);
    said.over.forEach(count);
    said.refused.forEach(logRefused);
    await sweep();
    return told.length === EXPERTS_A_STEP ? 0 : BEAT_MS;
  }

  function logRefused({ told: { tenantId, expertId }, error }: Refused): void {
    log.error({ tenantId: String(tenantId), expertId: String(expertId), err: error }, 'sessions.refused');
  }

  /** What cannot be taken away of dead nodes does no harm: their connections are believed no more. */
  async function sweep(): Promise<void> {
    try {
      (await sweepNodes(db, node)).forEach(count);
    } catch (error) {
      log.error({ err: error }, 'sessions.not_swept');
    }
  }

  const loop = createLoop({ name: 'sessions', log, step });
  return {
    start() {
      connected.onChange(() => {
        gathering ??= setTimeout(() => {
          gathering = null;
          loop.poke();
        }, GATHER_MS).unref();
      });
      loop.start();
    },
    async stop() {
      await loop.stop();
      if (gathering !== null) {
        clearTimeout(gathering);
      }
      try {
        while (connected.changes(1).length > 0) {
          await step();
        }
        await forgetNode(db, node);
      } catch (error) {
        log.warn({ err: error }, 'sessions.not_told'); // it is found to be dead soon
      }
    },
  };
}

function interruptionMetrics(registry: Registry): (over: Over) => void {
  const interruptions = new Counter({
    name: 'touchstone_session_interruptions_total',
    help: 'Experts who were back after their last connection was lost, as this node found it, by what became of the lease that they held: held, lost, none (they held none).',
    labelNames: ['lease'],
    registers: [registry],
  });
  const away = new Histogram({
    name: 'touchstone_session_away_seconds',
    help: 'How long they were away, of those who were back within an hour.',
    buckets: [...AWAY_SECONDS],
    registers: [registry],
  });
  return ({ awaySeconds, leaseHeld }) => {
    interruptions.inc({ lease: leaseHeld === null ? 'none' : leaseHeld ? 'held' : 'lost' });
    if (awaySeconds <= 3_600) {
      away.observe(awaySeconds);
    }
  };
}
