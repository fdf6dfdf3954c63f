import type { Logger } from 'pino';
import {
  cellOf,
  clockFault,
  type Fix,
  type FixFault,
  type MapBounds,
  parseReport,
  type Report,
} from './fix.js';
import type { FixMetrics } from './fix-metrics.js';
import { FixQueue } from './fix-queue.js';
import type { FixStore } from './fix-store.js';
import type { HotIndex } from './hot-index.js';
import { createFixPace, type FixPace } from './pace.js';
import type { WorkerKey } from './shifts.js';

/** What became of the reports of one message. */
export interface Taken {
  /** How many were taken. */
  readonly accepted: number;
  /** Of the others, each by its place in the message and why. */
  readonly refused: readonly { readonly index: number; readonly code: FixFault }[];
  /** Above 0: nothing was taken, for this worker reports too much; the seconds to wait. */
  readonly retryAfterSeconds: number;
  /** Nothing was taken, for more waits than can be held. */
  readonly isOverloaded: boolean;
}

/** Takes what workers report, judges it, and passes it on in batches. */
export interface Intake {
  /** Takes the reports of one message of a worker who was let in and is on shift. Never throws. */
  take(worker: WorkerKey, reports: readonly unknown[]): Taken;
  /** Resolves once what was taken so far is in the index, or has been tried. */
  settled(): Promise<void>;
  waiting(): number;
  /** Passes on what waits, and takes no more. */
  close(): Promise<void>;
}

export interface IntakeParts {
  readonly index: HotIndex;
  readonly store: Pick<FixStore, 'sample'>;
  readonly nowMs: () => number;
  readonly metrics: FixMetrics;
  readonly log: Logger;
  readonly bounds: MapBounds | null;
  readonly pace?: FixPace;
}

const NOTHING: Taken = { accepted: 0, refused: [], retryAfterSeconds: 0, isOverloaded: false };

/** Makes the intake of one process. */
export function createIntake(parts: IntakeParts): Intake {
  const { nowMs, metrics, bounds, store, pace = createFixPace() } = parts;
  const queue = new FixQueue(parts);

  function judge(worker: WorkerKey, value: unknown, receivedMs: number): FixFault | null {
    const report = parseReport(value, bounds);
    const fault = typeof report === 'string' ? report : clockFault(report, receivedMs);
    if (fault !== null) {
      metrics.fixes.inc({ outcome: fault });
      return fault;
    }
    const fix = new ReportedFix(worker, report as Report, receivedMs);
    store.sample(fix, worker.key);
    queue.add(fix);
    return null;
  }

  return {
    take(worker, reports) {
      if (queue.isFull) {
        metrics.fixes.inc({ outcome: 'OVERLOADED' }, reports.length);
        return { ...NOTHING, isOverloaded: true };
      }
      const retryAfterSeconds = pace.take(worker.key, reports.length);
      if (retryAfterSeconds > 0) {
        metrics.fixes.inc({ outcome: 'RATE_LIMITED' }, reports.length);
        return { ...NOTHING, retryAfterSeconds };
      }
      const receivedMs = nowMs();
      const refused: { index: number; code: FixFault }[] = [];
      for (const [index, report] of reports.entries()) {
        const code = judge(worker, report, receivedMs);
        if (code !== null) {
          refused.push({ index, code });
        }
      }
      return { ...NOTHING, accepted: reports.length - refused.length, refused };
    },
    settled: () => queue.settled(),
    waiting: () => queue.size,
    close: () => queue.close(),
  };
}

/** Of five fixes of one post four are never looked at again: the cell is reckoned when it is asked for. */
class ReportedFix implements Fix {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly lat: number;
  readonly lng: number;
  readonly deviceMs: number;
  readonly accuracyMetres: number | null;
  #cell: string | null = null;

  constructor(
    { tenantId, expertId }: WorkerKey,
    { lat, lng, deviceMs, accuracyMetres }: Report,
    readonly receivedMs: number,
  ) {
    this.tenantId = tenantId;
    this.expertId = expertId;
    this.lat = lat;
    this.lng = lng;
    this.deviceMs = deviceMs;
    this.accuracyMetres = accuracyMetres;
  }

  get cell(): string {
    this.#cell ??= cellOf(this.lat, this.lng);
    return this.#cell;
  }
}
