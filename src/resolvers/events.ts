import type { Context } from '../context.js';
import type { LeaseEventKind } from '../live/lease-events.js';
import type { IdType } from '../services/platform/ids.js';

interface NodeId {
  readonly id: bigint;
}

interface Resumable {
  readonly after?: string | null | undefined;
}

interface OfProject extends Resumable {
  readonly projectId: NodeId;
}

/** Behind which cursor a subscriber begins. */
const begin = ({ after }: Resumable, { lastEventId }: Context): string | null => lastEventId ?? after ?? null;

export const leaseEvents = (
  args: Resumable & {
    projectId?: NodeId | null | undefined;
    kinds?: readonly LeaseEventKind[] | null | undefined;
  },
  ctx: Context,
) =>
  ctx.app.live.leaseEvents(ctx.viewer, {
    ...args,
    projectId: args.projectId?.id ?? null,
    after: begin(args, ctx),
  });

export const deadlineRisk = (args: OfProject, ctx: Context) =>
  ctx.app.live.deadlineRisk(ctx.viewer, { projectId: args.projectId.id, after: begin(args, ctx) });

export const projectProgress = (args: OfProject, ctx: Context) =>
  ctx.app.live.projectProgress(ctx.viewer, { projectId: args.projectId.id, after: begin(args, ctx) });

export const forecast = (args: OfProject, ctx: Context) =>
  ctx.app.live.forecast(ctx.viewer, { projectId: args.projectId.id, after: begin(args, ctx) });

export const qualityEvents = (args: Resumable & { projectId?: NodeId | null | undefined }, ctx: Context) =>
  ctx.app.live.qualityEvents(ctx.viewer, { projectId: args.projectId?.id ?? null, after: begin(args, ctx) });

export const payoutEvents = (args: Resumable & { expertId?: NodeId | null | undefined }, ctx: Context) =>
  ctx.app.live.payoutEvents(ctx.viewer, { expertId: args.expertId?.id ?? null, after: begin(args, ctx) });

export const poolEvents = (args: Resumable & { skillId: NodeId }, ctx: Context) =>
  ctx.app.live.poolEvents(ctx.viewer, { skillId: args.skillId.id, after: begin(args, ctx) });

/** The opaque id of what an event is about. */
export const idOf = ({ app }: Context, type: IdType, id: bigint | null): string | null =>
  id === null ? null : app.ids.encode(type, id);
