import type { Viewer } from '../services/access/viewer.js';
import type { DeadlineRisk, DeadlineRiskArgs } from './deadline-risk.js';
import { deadlineRisk } from './deadline-risk.js';
import { forecast, type ProjectForecast } from './forecast.js';
import { type LeaseEvent, type LeaseEventArgs, leaseEvents } from './lease-events.js';
import type { LiveParts } from './parts.js';
import { type PayoutEvent, type PayoutEventArgs, payoutEvents } from './payout-events.js';
import { type PoolEvent, type PoolEventArgs, poolEvents } from './pool-events.js';
import { type ProjectArgs, type ProjectProgress, projectProgress } from './project-progress.js';
import { type QualityEvent, type QualityEventArgs, qualityEvents } from './quality-events.js';
import { SharedReads } from './shared-reads.js';
import type { LiveItem } from './subscription.js';

/** The subscriptions of the API. Each is authorised when it begins, and refuses with a SubscriptionError. */
export interface Live {
  projectProgress(
    viewer: Viewer,
    args: ProjectArgs,
  ): Promise<AsyncIterableIterator<LiveItem<ProjectProgress>>>;
  forecast(viewer: Viewer, args: ProjectArgs): Promise<AsyncIterableIterator<LiveItem<ProjectForecast>>>;
  qualityEvents(
    viewer: Viewer,
    args: QualityEventArgs,
  ): Promise<AsyncIterableIterator<LiveItem<QualityEvent>>>;
  payoutEvents(viewer: Viewer, args: PayoutEventArgs): Promise<AsyncIterableIterator<LiveItem<PayoutEvent>>>;
  leaseEvents(viewer: Viewer, args: LeaseEventArgs): Promise<AsyncIterableIterator<LiveItem<LeaseEvent>>>;
  deadlineRisk(
    viewer: Viewer,
    args: DeadlineRiskArgs,
  ): Promise<AsyncIterableIterator<LiveItem<DeadlineRisk>>>;
  poolEvents(viewer: Viewer, args: PoolEventArgs): Promise<AsyncIterableIterator<LiveItem<PoolEvent>>>;
}

/** Binds the subscriptions to their parts. */
export function createLive(base: Omit<LiveParts, 'sharedReads'>): Live {
  const parts: LiveParts = { ...base, sharedReads: new SharedReads() };
  return {
    projectProgress: (viewer, args) => projectProgress(parts, viewer, args),
    forecast: (viewer, args) => forecast(parts, viewer, args),
    qualityEvents: (viewer, args) => qualityEvents(parts, viewer, args),
    payoutEvents: (viewer, args) => payoutEvents(parts, viewer, args),
    leaseEvents: (viewer, args) => leaseEvents(parts, viewer, args),
    deadlineRisk: (viewer, args) => deadlineRisk(parts, viewer, args),
    poolEvents: (viewer, args) => poolEvents(parts, viewer, args),
  };
}
