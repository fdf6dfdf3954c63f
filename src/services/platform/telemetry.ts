import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of one process. Names are part of what operators rely on: add, never rename. */
export interface Telemetry {
  readonly registry: Registry;
  readonly httpSeconds: Histogram<'route' | 'method' | 'status'>;
  readonly claims: Counter<'outcome'>;
  readonly submits: Counter<'outcome'>;
  readonly errors: Counter<'code'>;
  /** A value that is read when metrics are asked for. */
  watch(name: string, help: string, read: () => number | Promise<number>): void;
}

/** Makes the metrics of one process, in a registry of their own, so that several servers can live in one process. */
export function createTelemetry(): Telemetry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    httpSeconds: new Histogram({
      name: 'touchstone_http_request_duration_seconds',
      help: 'Time from a request to the end of its answer, by route.',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
      registers,
    }),
    claims: new Counter({
      name: 'touchstone_claims_total',
      help: 'Claims, by what they were given: ASSIGNMENT, or the reason why there was nothing.',
      labelNames: ['outcome'],
      registers,
    }),
    submits: new Counter({
      name: 'touchstone_submits_total',
      help: 'Submits, by what they were answered: RECEIPT, or the code of the refusal.',
      labelNames: ['outcome'],
      registers,
    }),
    errors: new Counter({
      name: 'touchstone_errors_total',
      help: 'Errors that were masked, by code: each is a bug or an outage.',
      labelNames: ['code'],
      registers,
    }),
    watch(name, help, read) {
      new Gauge({ name, help, registers, collect: gaugeOf(read) });
    },
  };
}

function gaugeOf(read: () => number | Promise<number>): (this: Gauge) => Promise<void> {
  return async function collect() {
    this.set(await read());
  };
}
