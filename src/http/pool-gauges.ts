import type { App } from '../context.js';
import { cachedFor } from '../services/platform/cached.js';
import { readPoolFigures } from '../services/routing/pool-figures.js';

const KEPT_MS = 5_000;

/** What waits and who is there for it, by skill. The same on every node: take one of them, not the sum. */
export function watchPoolFigures({ telemetry, db }: App): void {
  // Metrics are needed most when the database is in trouble: they come without what it would have to say.
  const figures = cachedFor(KEPT_MS, () => readPoolFigures(db));
  const known = () => figures().catch(() => ({ pools: [], skills: [], shutOut: [] }));
  const pool = (name: string, help: string, of: 'queueDepth' | 'oldestOpenSeconds') =>
    telemetry.watchEach({
      name,
      help,
      labels: ['tenant', 'skill', 'task_type'],
      read: async () =>
        (await known()).pools.map(({ tenant, skill, taskType, ...values }) => ({
          labels: { tenant, skill, task_type: taskType },
          value: values[of],
        })),
    });
  const skill = (name: string, help: string, of: 'pressure' | 'capacityPerHour') =>
    telemetry.watchEach({
      name,
      help,
      labels: ['tenant', 'skill'],
      read: async () =>
        (await known()).skills.map(({ tenant, skill, ...values }) => ({
          labels: { tenant, skill },
          value: values[of],
        })),
    });
  telemetry.watchEach({
    name: 'touchstone_experts_shut_out',
    help: 'Experts whom every bar of a skill with work keeps out and who are not paused, by skill: each is tried again within 1 to 30 days.',
    labels: ['tenant', 'skill'],
    read: async () =>
      (await known()).shutOut.map(({ tenant, skill, experts }) => ({
        labels: { tenant, skill },
        value: experts,
      })),
  });
  pool('touchstone_queue_depth', 'Tasks that wait for somebody, by skill and task type.', 'queueDepth');
  pool(
    'touchstone_oldest_open_seconds',
    'Age of the oldest task that waits, by skill and task type; 0 where none does.',
    'oldestOpenSeconds',
  );
  skill(
    'touchstone_pool_pressure',
    'Hours of work that wait for each expert who is there, by skill.',
    'pressure',
  );
  skill(
    'touchstone_pool_capacity',
    'Answers an hour that the experts who are there can give, by skill.',
    'capacityPerHour',
  );
}
