import type { App } from '../context.js';
import { type DispatchFigures, readDispatchFigures } from '../services/dispatch/figures.js';
import { cachedFor } from '../services/platform/cached.js';

const KEPT_MS = 15_000;

const GAUGES = {
  unassignedDueSoon: [
    'touchstone_dispatch_unassigned_due_soon',
    'Jobs that nobody has and that are due within half an hour.',
  ],
  missedWindows: ['touchstone_dispatch_missed_windows', 'Windows of the last day in which nobody came.'],
  noShows: ['touchstone_dispatch_no_shows', 'Accepted jobs to which nobody has come.'],
  expiredShare: [
    'touchstone_dispatch_expired_share',
    'Of the offers of the last hour, the share that ended unanswered.',
  ],
  topShare: [
    'touchstone_dispatch_top_share',
    'Of the jobs taken in the last week, the share of the tenth of the workers who took most.',
  ],
} as const;

/** How dispatch goes, by tenant. The same on every node: take one of them, not the sum. */
export function watchDispatch({ telemetry, db }: App): void {
  // Metrics are needed most when the database is in trouble: they come without what it would have to say.
  const figures = cachedFor(KEPT_MS, () => readDispatchFigures(db));
  const known = (): Promise<DispatchFigures[]> => figures().catch(() => []);
  for (const [of, [name, help]] of Object.entries(GAUGES)) {
    telemetry.watchEach({
      name,
      help,
      labels: ['tenant'],
      read: async () =>
        (await known()).map(({ tenant, ...values }) => ({
          labels: { tenant },
          value: values[of as keyof typeof GAUGES],
        })),
    });
  }
}
