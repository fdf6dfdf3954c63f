import type { Logger } from 'pino';
import type { EventBus } from '../services/events/bus.js';
import { type Database, withSystem } from '../services/platform/database.js';
import { pgQueryable } from '../services/platform/pg-queryable.js';
import { jitter, retrying } from '../services/platform/retry.js';
import { fireDueAlarms, secondsToNextAlarm } from '../services/routing/alarms.sql.js';
import { createLoop, type Job } from './loop.js';

export interface LeaseAlarmOptions {
  readonly db: Database;
  readonly bus: EventBus;
  readonly log: Logger;
}

const ALARMS_A_STEP = 100;
/** The longest pause: a lease that is taken meanwhile may be short (from 1 s), and its warning is due within it. */
const LOOK_EVERY_MS = 400;
const SPREAD_MS = 20;
/** Another node is at the alarms that are due: they are locked, and gone in a moment. */
const TAKEN_MS = 50;
/** So many in one go are no usual ends of leases but an outage that ended: of a node, a network, a customer's site. */
const MASS_LAPSE = 100;

/**
 * Fires the alarms of leases when they are due, so that warnings and expiries are heard in time. Any number of nodes may
 * run it at once: each takes alarms that nobody else holds. No rule depends on it; claims fire what is due themselves.
 */
export function createLeaseAlarms({ db, bus, log }: LeaseAlarmOptions): Job {
  const polling = pgQueryable(db.systemPool);
  let firedInARow = 0;

  async function step() {
    const seconds = await secondsToNextAlarm(polling);
    if (seconds === null || seconds > 0) {
      endOfRow();
      // A little late and never in step with the other nodes: the first one there takes what is due.
      return (
        Math.min(LOOK_EVERY_MS, (seconds ?? Number.POSITIVE_INFINITY) * 1000) + Math.random() * SPREAD_MS
      );
    }
    const fired = await retrying(() => withSystem(db, (tx) => fireDueAlarms(tx, ALARMS_A_STEP)));
    if (fired === 0) {
      return jitter(TAKEN_MS);
    }
    firedInARow += fired;
    bus.poke();
    return 0;
  }

  function endOfRow() {
    if (firedInARow >= MASS_LAPSE) {
      log.warn({ alarms: firedInARow }, 'leases.mass_lapse');
    }
    firedInARow = 0;
  }

  return createLoop({ name: 'lease_alarms', log, step });
}
