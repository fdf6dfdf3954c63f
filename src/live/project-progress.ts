import { type Asker, scopeOf, type Viewer } from '../services/access/viewer.js';
import { projectLeases } from '../services/events/streams.js';
import { withScope } from '../services/platform/database.js';
import {
  NO_PROGRESS,
  type Progress,
  progressOfProjects,
  spendOfProjects,
} from '../services/projects/progress.js';
import { requireProject, requireRole } from './authorisation.js';
import type { LiveParts } from './parts.js';
import { watchState } from './state-subscription.js';
import type { LiveItem } from './subscription.js';

/** How far a project has come. */
export interface ProjectProgress {
  readonly state: 'RUNNING' | 'CANCELLED';
  readonly progress: Omit<Progress, 'id'>;
  /** What its answers have cost, in the smallest unit of the currency. */
  readonly spent: { readonly minor: bigint; readonly currency: string };
}

export interface ProjectArgs {
  readonly projectId: bigint;
  readonly after?: string | null | undefined;
}

/** How far a project has come, then each time that something happened in it, at most a few times a second. */
export async function projectProgress(
  parts: LiveParts,
  viewer: Viewer,
  { projectId, after = null }: ProjectArgs,
): Promise<AsyncIterableIterator<LiveItem<ProjectProgress>>> {
  requireRole(viewer, ['CUSTOMER', 'ANALYST', 'OPERATOR']);
  await requireProject(parts, viewer, projectId);
  return watchState(parts, viewer, {
    name: 'progress',
    stream: projectLeases(projectId),
    after,
    read: (signal) => readProgress(parts, { ...viewer, signal }, projectId),
  });
}

function readProgress({ db }: LiveParts, viewer: Asker, projectId: bigint): Promise<ProjectProgress> {
  return withScope(db, scopeOf(viewer), async (tx) => {
    const project = await tx.project.findFirstOrThrow({
      where: { tenantId: viewer.tenantId, id: projectId },
      select: { state: true, currency: true },
    });
    const [progress] = await progressOfProjects(tx, [projectId]);
    const [spend] = await spendOfProjects(tx, [projectId]);
    return {
      state: project.state as ProjectProgress['state'],
      progress: progress ?? NO_PROGRESS,
      spent: { minor: spend?.amountMinor ?? 0n, currency: project.currency },
    };
  });
}
