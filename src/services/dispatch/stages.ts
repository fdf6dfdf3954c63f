import { Histogram, type Registry } from 'prom-client';
import { inSpan } from '../platform/tracing.js';

/** What a decision consists of, and the whole of it. */
type Stage = 'nearby' | 'filter' | 'eta' | 'lease' | 'whole';

/** Runs a stage of a decision in a span of its own, and measures it. */
export type InStage = <T>(stage: Stage, work: () => Promise<T>) => Promise<T>;

/** Around the bars that decisions are held to: 60 and 210 ms, and 250 ms at a hundred a second. */
const SECONDS = [0.002, 0.005, 0.01, 0.02, 0.04, 0.06, 0.1, 0.15, 0.21, 0.25, 0.5, 1, 2.5];

/** Registers the metric of decisions; its name is part of what operators rely on. */
export function createStages(registry: Registry): InStage {
  const seconds = new Histogram({
    name: 'touchstone_dispatch_decision_seconds',
    help: 'Time that it takes to assign a job, by stage: nearby, filter, eta, lease, and the whole.',
    labelNames: ['stage'],
    buckets: SECONDS,
    registers: [registry],
  });
  return async (stage, work) => {
    const end = seconds.startTimer({ stage });
    try {
      return await inSpan(`dispatch.${stage}`, {}, work);
    } finally {
      end();
    }
  };
}
