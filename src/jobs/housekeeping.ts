import type { Logger } from 'pino';
import { clearAlerts } from '../services/events/alerts/alerts.js';
import { clearDeliveries } from '../services/events/webhooks/deliver.js';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { prepareMonths } from '../services/platform/upkeep.js';
import { clearInterruptions } from '../services/routing/expert-sessions.js';
import { clearEndedWork } from '../services/routing/upkeep.js';
import { createLoop, type Job } from './loop.js';

export interface HousekeepingOptions {
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 15 * 60_000;

/**
 * Takes away what ended work leaves behind, and prepares the months of the access log. Any number of nodes may run it:
 * each step is one statement, and what two of them would delete one of them does. Nothing depends on it but sizes.
 */
export function createHousekeeping({ db, log }: HousekeepingOptions): Job {
  let stopping = false;
  const loop = createLoop({
    name: 'housekeeping',
    log,
    async step() {
      const months = await prepareMonths(db);
      const cleared = await clearEndedWork(db, () => !stopping);
      const alerts = await clearAlerts(db);
      const deliveries = await clearDeliveries(db);
      const interruptions = await clearInterruptions(db, () => !stopping);
      if (
        cleared.grants + cleared.drafts + cleared.days + alerts + deliveries + interruptions + (months ?? 0) >
        0
      ) {
        log.info({ ...cleared, alerts, deliveries, interruptions, months }, 'housekeeping.cleared');
      }
      return jitter(EVERY_MS);
    },
  });
  return {
    start() {
      stopping = false;
      loop.start();
    },
    async stop() {
      stopping = true;
      await loop.stop();
    },
  };
}
