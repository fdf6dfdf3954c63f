import type { Logger } from 'pino';
import { watchDispatch } from '../services/dispatch/watch.js';
import { watchAlerts } from '../services/events/alerts/alerts.js';
import type { EventBus } from '../services/events/bus.js';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { createLoop, type Job } from './loop.js';

export interface AlertsOptions {
  readonly db: Database;
  readonly bus: EventBus;
  readonly log: Logger;
}

const EVERY_MS = 20_000;

/** Looks for what time alone brings about: other alerts come with their change. Any number of nodes may run it. */
export function createAlerts({ db, bus, log }: AlertsOptions): Job {
  return createLoop({
    name: 'alerts',
    log,
    async step() {
      // What one of them trips over keeps nothing of the other from being seen.
      const looks = await Promise.allSettled([watchAlerts(db), watchDispatch(db)]);
      if (looks.some((look) => look.status === 'fulfilled' && look.value === 'done')) {
        bus.poke();
      }
      const failed = looks.find((look) => look.status === 'rejected');
      if (failed !== undefined) {
        throw failed.reason;
      }
      return jitter(EVERY_MS);
    },
  });
}
