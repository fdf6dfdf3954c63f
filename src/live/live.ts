import type { Viewer } from '../services/access/viewer.js';
import { alertEvents } from './alert-events.js';
import { createBeginnings } from './beginnings.js';
import { deadlineRisk } from './deadline-risk.js';
import { forecast } from './forecast.js';
import { jobEvents } from './job-events.js';
import { leaseEvents } from './lease-events.js';
import { offerEvents } from './offer-events.js';
import type { LiveParts } from './parts.js';
import { payoutEvents } from './payout-events.js';
import { poolEvents } from './pool-events.js';
import { projectProgress } from './project-progress.js';
import { qualityEvents } from './quality-events.js';
import { queueDepth } from './queue-depth.js';
import { SharedReads } from './shared-reads.js';
import { traceEvents } from './trace-events.js';

const SUBSCRIPTIONS = {
  alertEvents,
  deadlineRisk,
  forecast,
  jobEvents,
  leaseEvents,
  offerEvents,
  payoutEvents,
  poolEvents,
  projectProgress,
  qualityEvents,
  queueDepth,
  traceEvents,
} as const;

type Subscriptions = typeof SUBSCRIPTIONS;

/** The subscriptions of the API. Each is authorised when it begins, and refuses with a SubscriptionError. */
export type Live = {
  readonly [Name in keyof Subscriptions]: (
    viewer: Viewer,
    args: Parameters<Subscriptions[Name]>[2],
  ) => ReturnType<Subscriptions[Name]>;
};

/** Binds the subscriptions to their parts. */
export function createLive(base: Omit<LiveParts, 'sharedReads' | 'beginnings'>): Live {
  const parts: LiveParts = {
    ...base,
    sharedReads: new SharedReads(),
    beginnings: createBeginnings(base.db),
  };
  const bound = Object.entries(SUBSCRIPTIONS).map(([name, open]) => [
    name,
    (viewer: Viewer, args: never) => open(parts, viewer, args),
  ]);
  return Object.fromEntries(bound) as Live;
}
