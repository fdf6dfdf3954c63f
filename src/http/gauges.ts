import type { App } from '../context.js';
import type { LiveHub } from '../live/hub.js';
import type { WebSockets } from '../live/websocket.js';
import { readBacklog } from '../services/events/backlog.js';
import { readWebhookBacklog } from '../services/events/webhooks/deliver.js';
import { cachedFor } from '../services/platform/cached.js';
import { type Health, readHealth } from '../services/platform/upkeep.js';
import { readFailingWork } from '../services/quality/failures.js';
import { readConnected } from '../services/routing/expert-sessions.js';
import { readSessions } from '../services/routing/sessions.js';
import { watchDispatch } from './dispatch-gauges.js';
import type { EventStreams } from './event-stream.js';
import { watchPoolFigures } from './pool-gauges.js';

/** What the database is asked for metrics is asked at most this often, however many collectors there are. */
const KEPT_MS = 5_000;
/** Statistics move slowly. */
const HEALTH_KEPT_MS = 15_000;
/** Seconds to a week: tasks are waited for that long. */
const TASK_SECONDS = [
  5, 15, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 259_200, 604_800,
] as const;

/** Values that are read when metrics are asked for. */
export function watchProcess(
  app: App,
  live: { hub: LiveHub; sockets: WebSockets; eventStreams: EventStreams },
): void {
  const { watch } = app.telemetry;
  watch('touchstone_sockets', 'Open WebSockets.', () => live.sockets.count());
  watch('touchstone_event_streams', 'Open responses of server-sent events.', () => live.eventStreams.count());
  watch('touchstone_subscriptions', 'Open subscriptions.', () => live.hub.stats().readers);
  watch(
    'touchstone_experts_active',
    'Experts whose requests this node has answered in the last five minutes.',
    () => app.presence.count(),
  );
  watchPools(app);
  watchPoolFigures(app);
  watchDispatch(app);
  watchBacklog(app);
  watchWebhooks(app);
  watchWork(app);
  watchHealth(app);
  watchFailures(app);
}

function watchPools({ telemetry: { watch }, db }: App): void {
  for (const [name, pool, waiting] of [
    ['app', db.appPool, () => db.appPool.waitingCount],
    ['line', db.linePool, () => db.linePool.waitingCount],
    // These wait before the pool.
    ['analyst', db.analystPool, () => db.analysts.waiting],
    ['aside', db.asidePool, () => db.asides.waiting],
    ['system', db.systemPool, () => db.systemPool.waitingCount],
  ] as const) {
    watch(`touchstone_pool_${name}_waiting`, `Waiting for a connection of the ${name} pool.`, waiting);
    watch(`touchstone_pool_${name}_open`, `Open connections of the ${name} pool.`, () => pool.totalCount);
    watch(`touchstone_pool_${name}_idle`, `Idle connections of the ${name} pool.`, () => pool.idleCount);
  }
}

function watchWebhooks({ telemetry: { watch }, db }: App): void {
  const backlog = cachedFor(HEALTH_KEPT_MS, () => readWebhookBacklog(db));
  watch(
    'touchstone_webhook_pending',
    'Deliveries that wait for webhooks that are enabled.',
    async () => (await backlog()).pending,
  );
  watch(
    'touchstone_webhook_oldest_seconds',
    'Since when the oldest of them waits.',
    async () => (await backlog()).oldestSeconds,
  );
  watch(
    'touchstone_webhook_dead',
    'Deliveries of the last two weeks that were given up.',
    async () => (await backlog()).dead,
  );
}

function watchBacklog({ telemetry: { watch }, db }: App): void {
  const backlog = cachedFor(KEPT_MS, () => readBacklog(db));
  watch(
    'touchstone_sequencer_lag_seconds',
    'Age of the oldest event without a number; NaN where the database cannot be asked.',
    () => backlog().then(({ lagSeconds }) => lagSeconds, notKnown),
  );
  watch(
    'touchstone_leases_expired_last_minute',
    'Leases that ended unanswered in the last minute, of all nodes.',
    () => backlog().then(({ expiredLastMinute }) => expiredLastMinute, notKnown),
  );
}

/** How leases and tasks fare. */
function watchWork({ telemetry, db, completions }: App): void {
  const sessions = cachedFor(KEPT_MS, () => readSessions(db));
  const connected = cachedFor(KEPT_MS, () => readConnected(db));
  telemetry.watch(
    'touchstone_experts_connected',
    'Experts who are connected by a WebSocket or an event stream, to any node; NaN where the database cannot be asked.',
    () => connected().catch(notKnown),
  );
  telemetry.watchEach({
    name: 'touchstone_sessions',
    help: 'Leases that are held, of all nodes: healthy, expiring (no heartbeat came in time), lapsed (not given back yet).',
    labels: ['state'],
    read: () =>
      sessions().then(
        (counts) => Object.entries(counts).map(([state, value]) => ({ labels: { state }, value })),
        nothing,
      ),
  });
  telemetry.watchDurations({
    name: 'touchstone_task_completion_seconds',
    help: 'Time to the last answer that a task wanted, of tasks that this node completed: since it was stored (created), since its earliest lease (claimed).',
    labels: ['since'],
    buckets: TASK_SECONDS,
    read: () =>
      completions.take().then(
        (tasks) =>
          tasks.flatMap(({ sinceCreated, sinceClaimed }) => [
            { labels: { since: 'created' }, value: sinceCreated },
            { labels: { since: 'claimed' }, value: sinceClaimed },
          ]),
        nothing,
      ),
  });
}

/** Background work that is left for later because it failed. */
function watchFailures({ telemetry, db }: App): void {
  const failing = cachedFor(HEALTH_KEPT_MS, () => readFailingWork(db));
  telemetry.watchEach({
    name: 'touchstone_failing_work',
    help: 'Pieces of background work that failed when they were last tried and are tried again later, by job, of all nodes; the log has why (`<job>.left`), the table work_failures has which.',
    labels: ['job'],
    read: () =>
      failing().then((jobs) => jobs.map(({ job, failing: value }) => ({ labels: { job }, value })), nothing),
  });
}

/** What a database says before it grows slow. */
function watchHealth({ telemetry, db }: App): void {
  const health = cachedFor(HEALTH_KEPT_MS, () => readHealth(db));
  const age = (name: string, help: string, of: (ages: Health['ages']) => number | null) =>
    telemetry.watch(name, help, () => health().then(({ ages }) => of(ages) ?? Number.NaN, notKnown));
  telemetry.watchEach({
    name: 'touchstone_dead_rows',
    help: 'Rows that are dead and not vacuumed yet, by table, as the statistics of the database have it.',
    labels: ['table'],
    read: () =>
      health().then(
        ({ deadRows }) => deadRows.map(({ table, dead }) => ({ labels: { table }, value: dead })),
        nothing,
      ),
  });
  age(
    'touchstone_oldest_snapshot_seconds',
    'How long the oldest transaction with a snapshot has run: what died since cannot be vacuumed. NaN where touchstone_system may not see it.',
    ({ snapshotSeconds }) => snapshotSeconds,
  );
  age(
    'touchstone_transaction_age',
    'Transactions since the oldest that is not frozen; at 2 billion the database stops.',
    ({ transactions }) => transactions,
  );
  age(
    'touchstone_multixact_age',
    'Multixacts since the oldest that is not frozen; at 2 billion the database stops.',
    ({ multixacts }) => multixacts,
  );
  age(
    'touchstone_access_log_months_ahead',
    'Months to come that the access log has partitions for; run touchstone migrate before there is none.',
    ({ monthsAhead }) => monthsAhead,
  );
}

/** Metrics are needed most when the database is in trouble: they come without what it would have to say. */
const notKnown = () => Number.NaN;
const nothing = () => [];
