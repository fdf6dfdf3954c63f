import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { HotIndex } from './hot-index.js';

/** Metrics of fixes in one process. */
export interface FixMetrics {
  /**
   * What became of fixes: NEWER and OLDER as the index has it, SUPERSEDED by a newer one of the same worker before it was passed on,
   * NOT_KEPT in the archive, and why others were not taken. No label says who or where.
   */
  readonly fixes: Counter<'outcome'>;
  readonly failures: Counter;
  readonly batchSeconds: Histogram;
  readonly sockets: Gauge;
}

const BATCH_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** Makes them. */
export function createFixMetrics(registry: Registry): FixMetrics {
  const registers = [registry];
  return {
    fixes: new Counter({
      name: 'touchstone_fixes_total',
      help: 'Fixes that workers reported, by what became of them: NEWER, OLDER, SUPERSEDED, or why they were not taken.',
      labelNames: ['outcome'],
      registers,
    }),
    failures: new Counter({
      name: 'touchstone_fix_batches_failed_total',
      help: 'Batches of fixes that the index did not take; they were passed on again.',
      registers,
    }),
    batchSeconds: new Histogram({
      name: 'touchstone_fix_batch_duration_seconds',
      help: 'Time that a batch of fixes took into the index.',
      buckets: BATCH_SECONDS,
      registers,
    }),
    sockets: new Gauge({
      name: 'touchstone_fix_sockets',
      help: 'Open WebSockets of workers who report where they are.',
      registers,
    }),
  };
}

/** Values that are read of an index when metrics are asked for; NaN where it cannot be. */
export function watchIndex(registry: Registry, index: Pick<HotIndex, 'counts'>): void {
  const gauge = (name: string, help: string, of: (counts: Counts) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await index.counts().then(of, () => Number.NaN));
      },
    });
  gauge(
    'touchstone_workers_seen',
    'Workers who were seen in the last five minutes, of the tenants that this node has heard of.',
    ({ workers }) => workers,
  );
  gauge(
    'touchstone_workers_silent',
    'Of these, how many have said nothing for half a minute to a minute: nobody sends them a job for now.',
    ({ silent }) => silent,
  );
}

type Counts = Awaited<ReturnType<HotIndex['counts']>>;
