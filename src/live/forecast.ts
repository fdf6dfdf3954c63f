import { type Asker, scopeOf, type Viewer } from '../services/access/viewer.js';
import { projectForecasts } from '../services/events/streams.js';
import type { Forecast } from '../services/forecast/forecast.js';
import { forecastsIn } from '../services/forecast/together.js';
import { withScope } from '../services/platform/database.js';
import { requireProject, requireRole } from './authorisation.js';
import type { LiveParts } from './parts.js';
import type { ProjectArgs } from './project-progress.js';
import { watchState } from './state-subscription.js';
import type { LiveItem } from './subscription.js';

/** When a project will be done, and its open batches each. */
export interface ProjectForecast {
  /** Null where nothing is open. */
  readonly project: Forecast | null;
  readonly batches: readonly (Forecast & { readonly batchId: bigint })[];
}

/** Batches told of at most, by their age. */
const BATCHES_MAX = 100;

/** The forecast of a project, then each time that it has changed. */
export async function forecast(
  parts: LiveParts,
  viewer: Viewer,
  { projectId, after = null }: ProjectArgs,
): Promise<AsyncIterableIterator<LiveItem<ProjectForecast>>> {
  requireRole(viewer, ['CUSTOMER', 'ANALYST', 'OPERATOR']);
  await requireProject(parts, viewer, projectId);
  return watchState(parts, viewer, {
    name: 'forecast',
    stream: projectForecasts(projectId),
    after,
    read: (signal) => readForecast(parts, { ...viewer, signal }, projectId),
  });
}

function readForecast({ db }: LiveParts, viewer: Asker, projectId: bigint): Promise<ProjectForecast> {
  return withScope(db, scopeOf(viewer), async (tx) => {
    const [{ project, batches } = { project: null, batches: [] }] = await forecastsIn(tx, [projectId]);
    return { project, batches: atMost(batches) };
  });
}

/** Where there are too many, those that are done are left out first. */
function atMost<T extends Forecast>(batches: readonly T[]): readonly T[] {
  if (batches.length <= BATCHES_MAX) {
    return batches;
  }
  const isOpen = ({ remainingAnswers }: Forecast) => remainingAnswers > 0;
  const told = new Set(
    [...batches.filter(isOpen), ...batches.filter((one) => !isOpen(one))].slice(0, BATCHES_MAX),
  );
  return batches.filter((one) => told.has(one));
}
