import type { App } from '../context.js';
import type { LiveHub } from '../live/hub.js';
import type { WebSockets } from '../live/websocket.js';
import { readBacklog } from '../services/events/backlog.js';

/** Values that are read when metrics are asked for. */
export function watchProcess({ telemetry, db }: App, live: { hub: LiveHub; sockets: WebSockets }): void {
  const { watch } = telemetry;
  for (const [name, pool] of [
    ['app', db.appPool],
    ['system', db.systemPool],
  ] as const) {
    watch(
      `touchstone_pool_${name}_waiting`,
      `Waiting for a connection of the ${name} pool.`,
      () => pool.waitingCount,
    );
    watch(`touchstone_pool_${name}_open`, `Open connections of the ${name} pool.`, () => pool.totalCount);
    watch(`touchstone_pool_${name}_idle`, `Idle connections of the ${name} pool.`, () => pool.idleCount);
  }
  watch('touchstone_sockets', 'Open WebSockets.', () => live.sockets.count());
  watch('touchstone_subscriptions', 'Open subscriptions.', () => live.hub.stats().readers);
  watch(
    'touchstone_sequencer_lag_seconds',
    'Age of the oldest event without a number; NaN where the database cannot be asked.',
    async () => (await backlogOf(db)).lagSeconds,
  );
  watch(
    'touchstone_leases_expired_last_minute',
    'Leases that ended unanswered in the last minute, of all nodes.',
    async () => (await backlogOf(db)).expiredLastMinute,
  );
}

/** Metrics are needed most when the database is in trouble: they come without what it would have to say. */
function backlogOf(db: App['db']) {
  return readBacklog(db).catch(() => ({ lagSeconds: Number.NaN, expiredLastMinute: Number.NaN }));
}
