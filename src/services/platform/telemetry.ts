import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { onRetry } from './retry.js';

/** The metrics of one process. Names are part of what operators rely on: add, never rename. */
export interface Telemetry {
  readonly registry: Registry;
  readonly httpSeconds: Histogram<'route' | 'method' | 'status'>;
  readonly claims: Counter<'outcome'>;
  readonly submits: Counter<'outcome'>;
  readonly errors: Counter<'code'>;
  readonly redisFaults: Counter<'fault'>;
  /** What experts wait for, by class of outcome; see src/resolvers/measured.ts. */
  readonly claimSeconds: Histogram<'outcome'>;
  readonly heartbeatSeconds: Histogram<'outcome'>;
  readonly submitSeconds: Histogram<'outcome'>;
  /** A value that is read when metrics are asked for. */
  watch(name: string, help: string, read: () => number | Promise<number>): void;
  /** Values by label that are read when metrics are asked for; what is not said again is gone. */
  watchEach<L extends string>(gauge: LabelledGauge<L>): void;
  /** Observations that are collected when metrics are asked for, such as what a statement finds. */
  watchDurations<L extends string>(histogram: CollectedHistogram<L>): void;
  /** Lets go of what the process keeps for these metrics. */
  close(): void;
}

/** A gauge with labels. The read says every value that there is. */
export interface LabelledGauge<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
  readonly read: () => Promise<readonly LabelledValue<L>[]> | readonly LabelledValue<L>[];
}

/** One value under its labels. */
export interface LabelledValue<L extends string> {
  readonly labels: Readonly<Record<L, string>>;
  readonly value: number;
}

/** A histogram in seconds whose observations are fetched. */
export interface CollectedHistogram<L extends string> extends LabelledGauge<L> {
  readonly buckets: readonly number[];
}

/** Around the bars that claims are held to: 40 and 150 ms at 64 in flight, 1.5 and 3 s at 2,000. */
const SERVICE_SECONDS = [0.002, 0.005, 0.01, 0.02, 0.04, 0.075, 0.15, 0.3, 0.6, 1, 1.5, 3, 10];
const HTTP_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** Makes the metrics of one process, in a registry of their own, so that several servers can live in one process. */
export function createTelemetry(): Telemetry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const retries = new Counter({
    name: 'touchstone_retries_total',
    help: 'Transactions that were run again, by SQLSTATE: 40001 serialisation failure, 40P01 deadlock, others (LOST where none was sent) a lost connection.',
    labelNames: ['sqlstate'],
    registers,
  });
  const stopHearing = onRetry((sqlstate) => retries.inc({ sqlstate }));
  return {
    registry,
    ...requestMetrics(registers),
    ...serviceMetrics(registers),
    watch(name, help, read) {
      new Gauge({ name, help, registers, collect: gaugeOf(read) });
    },
    watchEach(gauge) {
      watchEach(registers, gauge);
    },
    watchDurations(histogram) {
      watchDurations(registers, histogram);
    },
    close: stopHearing,
  };
}

function requestMetrics(registers: Registry[]) {
  return {
    httpSeconds: new Histogram({
      name: 'touchstone_http_request_duration_seconds',
      help: 'Time from a request to the end of its answer, by route.',
      labelNames: ['route', 'method', 'status'],
      buckets: HTTP_SECONDS,
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
    redisFaults: new Counter({
      name: 'touchstone_redis_faults_total',
      help: 'Commands that Redis did not do, by why: NO_SERVER, LATE, NO_MEMORY, READ_ONLY, NOT_ALLOWED, WRONG_TYPE, SCRIPT, OTHER.',
      labelNames: ['fault'],
      registers,
    }),
  };
}

function serviceMetrics(registers: Registry[]) {
  const histogram = (what: string, classes: string) =>
    new Histogram({
      name: `touchstone_${what}_duration_seconds`,
      help: `Time that a ${what} took its service, waiting for its turn included, by class of outcome: ${classes}, REFUSED, ERROR.`,
      labelNames: ['outcome'],
      buckets: SERVICE_SECONDS,
      registers,
    });
  return {
    claimSeconds: histogram('claim', 'ASSIGNMENT, EMPTY, BUSY'),
    heartbeatSeconds: histogram('heartbeat', 'EXTENDED, KEPT'),
    submitSeconds: histogram('submit', 'RECEIPT'),
  };
}

function gaugeOf(read: () => number | Promise<number>): (this: Gauge) => Promise<void> {
  return async function collect() {
    this.set(await read());
  };
}

function watchEach<L extends string>(registers: Registry[], gauge: LabelledGauge<L>): void {
  const { name, help, labels, read } = gauge;
  new Gauge({
    name,
    help,
    labelNames: [...labels],
    registers,
    async collect() {
      const values = await read();
      this.reset();
      for (const { labels: of, value } of values) {
        this.set(of, value);
      }
    },
  });
}

function watchDurations<L extends string>(registers: Registry[], histogram: CollectedHistogram<L>): void {
  const { name, help, labels, buckets, read } = histogram;
  new Histogram({
    name,
    help,
    labelNames: [...labels],
    buckets: [...buckets],
    registers,
    async collect() {
      for (const { labels: of, value } of await read()) {
        this.observe(of, value);
      }
    },
  });
}
