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
      const looks = [await watchAlerts(db), await watchDispatch(db)];
      if (looks.includes('done')) {
        bus.poke();
      }
      return jitter(EVERY_MS);
    },
  });
}
