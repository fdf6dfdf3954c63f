import type { Context } from '../context.js';
import type { LeaseEventKind } from '../live/lease-events.js';
import type { IdType } from '../services/platform/ids.js';

interface NodeId {
  readonly id: bigint;
}

interface OfProject {
  readonly projectId: NodeId;
  readonly after?: string | null | undefined;
}

export const leaseEvents = (
  args: {
    projectId?: NodeId | null | undefined;
    kinds?: readonly LeaseEventKind[] | null | undefined;
    after?: string | null | undefined;
  },
  { app, viewer }: Context,
) => app.live.leaseEvents(viewer, { ...args, projectId: args.projectId?.id ?? null });

export const deadlineRisk = ({ projectId, after }: OfProject, { app, viewer }: Context) =>
  app.live.deadlineRisk(viewer, { projectId: projectId.id, after });

export const projectProgress = ({ projectId, after }: OfProject, { app, viewer }: Context) =>
  app.live.projectProgress(viewer, { projectId: projectId.id, after });

export const forecast = ({ projectId, after }: OfProject, { app, viewer }: Context) =>
  app.live.forecast(viewer, { projectId: projectId.id, after });

export const payoutEvents = (
  { expertId, after }: { expertId?: NodeId | null | undefined; after?: string | null | undefined },
  { app, viewer }: Context,
) => app.live.payoutEvents(viewer, { expertId: expertId?.id ?? null, after });

export const poolEvents = (
  { skillId, after }: { skillId: NodeId; after?: string | null | undefined },
  { app, viewer }: Context,
) => app.live.poolEvents(viewer, { skillId: skillId.id, after });

/** The opaque id of what an event is about. */
export const idOf = ({ app }: Context, type: IdType, id: bigint | null): string | null =>
  id === null ? null : app.ids.encode(type, id);
