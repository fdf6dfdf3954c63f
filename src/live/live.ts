import type { Viewer } from '../services/access/viewer.js';
import type { DeadlineRisk, DeadlineRiskArgs } from './deadline-risk.js';
import { deadlineRisk } from './deadline-risk.js';
import { type LeaseEvent, type LeaseEventArgs, leaseEvents } from './lease-events.js';
import type { LiveParts } from './parts.js';
import { type PoolEvent, type PoolEventArgs, poolEvents } from './pool-events.js';
import type { LiveItem } from './subscription.js';

/** The subscriptions of the API. Each is authorised when it begins, and refuses with a SubscriptionError. */
export interface Live {
  leaseEvents(viewer: Viewer, args: LeaseEventArgs): Promise<AsyncIterableIterator<LiveItem<LeaseEvent>>>;
  deadlineRisk(
    viewer: Viewer,
    args: DeadlineRiskArgs,
  ): Promise<AsyncIterableIterator<LiveItem<DeadlineRisk>>>;
  poolEvents(viewer: Viewer, args: PoolEventArgs): Promise<AsyncIterableIterator<LiveItem<PoolEvent>>>;
}

/** Binds the subscriptions to their parts. */
export function createLive(parts: LiveParts): Live {
  return {
    leaseEvents: (viewer, args) => leaseEvents(parts, viewer, args),
    deadlineRisk: (viewer, args) => deadlineRisk(parts, viewer, args),
    poolEvents: (viewer, args) => poolEvents(parts, viewer, args),
  };
}
