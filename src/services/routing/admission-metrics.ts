import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { BatchObserver } from '../platform/micro-batches.js';
import { sqlState } from '../platform/sqlstate.js';

/** What is measured of the line in front of claims and submits. */
export interface AdmissionMetrics extends BatchObserver {
  /** Values that are read when metrics are asked for. */
  watch(line: { waiting: () => number; looksWaiting: () => number }): void;
}

/** Registers the metrics of the line; names are part of what operators rely on. */
export function createAdmissionMetrics(registry: Registry = new Registry()): AdmissionMetrics {
  const registers = [registry];
  const waited = new Histogram({
    name: 'touchstone_admission_wait_seconds',
    help: 'Time that claims and submits wait in the line of this node before their batch begins.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const batches = new Histogram({
    name: 'touchstone_admission_batch_size',
    help: 'Claims and submits that share a transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  });
  const shed = new Counter({
    name: 'touchstone_admission_shed_total',
    help: 'Requests that were answered OVERLOADED: the line was FULL, or they had waited too long (LATE).',
    labelNames: ['reason'],
    registers,
  });
  const cancelled = new Counter({
    name: 'touchstone_admission_cancelled_total',
    help: 'Requests that left the line with their client.',
    registers,
  });
  const rerun = new Counter({
    name: 'touchstone_admission_rerun_total',
    help: 'Requests of failed batches that were run by themselves, by the SQLSTATE that their batch failed with (none: the connection).',
    labelNames: ['sqlstate'],
    registers,
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  return {
    batch: (size) => batches.observe(size),
    waited: (seconds) => waited.observe(seconds),
    shed: (reason) => shed.inc({ reason }),
    cancelled: () => cancelled.inc(),
    rerun: (count, why) => rerun.inc({ sqlstate: sqlState(why) ?? 'none' }, count),
    watch({ waiting, looksWaiting }) {
      gauge('touchstone_admission_waiting', 'Claims and submits in the line of this node.', waiting);
      gauge(
        'touchstone_admission_looks_waiting',
        'Claims that found nothing at once and wait for the exact look.',
        looksWaiting,
      );
    },
  };
}
