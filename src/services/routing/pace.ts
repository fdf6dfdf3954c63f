import { Counter, type Registry } from 'prom-client';
import type { Viewer } from '../access/viewer.js';
import { RateLimitedError } from '../platform/errors.js';
import type { RedisConnection } from '../platform/redis.js';
import { createLocalThrottle, type Throttle, type ThrottleLimits } from '../platform/throttle.js';
import { createSharedThrottle } from '../platform/throttle-redis.js';
import type { ClaimResult } from './claim.js';

// How fast one identity may ask, over all nodes (the rule is in platform/throttle.ts). It is there for programs that ask
// again and again at once, not for quick workers: what is given work is never held up below `perSecond` calls a second.

export const PACE: ThrottleLimits = {
  /** Claims and submits of one identity a second: a hundred whole cycles, each of two calls. */
  perSecond: 200,
  /** So often may whoever was told to come back later ask sooner: a person presses a button, a test arranges work. */
  patience: 60,
  /** What is given back: a simple program may ask four times a second; what asks without a pause is held back. */
  patiencePerSecond: 4,
};

/** Holds identities to their pace. */
export interface Pace {
  /** Runs a claim, by itself or with a submit, unless the identity asks too often. @throws RateLimitedError */
  claim(viewer: Viewer, skillId: bigint | null, work: () => Promise<ClaimResult>): Promise<ClaimResult>;
  /** Counts a submit. @throws RateLimitedError */
  submit(viewer: Viewer): Promise<void>;
}

export interface PaceParts {
  /** Null in an installation of one node. */
  readonly redis: RedisConnection | null;
  readonly registry: Registry;
  readonly limits?: Partial<ThrottleLimits>;
}

/** Counts in Redis where there is one, else in the process. */
export function createPace({ redis, registry, limits: given = {} }: PaceParts): Pace {
  const limits = { ...PACE, ...given };
  const { limited, fallback } = createMetrics(registry);
  const local = createLocalThrottle(limits);
  const throttle =
    redis === null ? local : createSharedThrottle({ redis, limits, local, onFallback: () => fallback.inc() });

  async function ask(viewer: Viewer, topic: string | null): Promise<{ isEarly: boolean }> {
    const { waitMs, isEarly } = await throttle.ask(subjectOf(viewer), topic);
    if (waitMs > 0) {
      limited.inc({ reason: isEarly ? 'EARLY' : 'RATE' });
      throw new RateLimitedError(Math.ceil(waitMs / 1000));
    }
    return { isEarly };
  }

  return {
    async claim(viewer, skillId, work) {
      const topic = topicOf(skillId);
      const { isEarly } = await ask(viewer, topic);
      const result = await work();
      await note(throttle, { viewer, topic, result, isEarly });
      return result;
    },
    async submit(viewer) {
      await ask(viewer, null);
    },
  };
}

interface Answered {
  readonly viewer: Viewer;
  readonly topic: string;
  readonly result: ClaimResult;
  readonly isEarly: boolean;
}

/** Remembers an empty answer; work that was found early says that asking was right. BUSY is nobody's fault but ours. */
async function note(throttle: Throttle, { viewer, topic, result, isEarly }: Answered): Promise<void> {
  if ('empty' in result && result.empty.reason !== 'BUSY') {
    await throttle.rest(subjectOf(viewer), topic, result.empty.retryAfterSeconds);
  } else if (isEarly) {
    await throttle.wake(subjectOf(viewer), topic);
  }
}

const subjectOf = ({ tenantId, identityId }: Viewer) => `${tenantId}/${identityId}`;

/** "Nothing of this skill" says nothing about another. */
const topicOf = (skillId: bigint | null) => (skillId === null ? 'any' : String(skillId));

function createMetrics(registry: Registry) {
  const registers = [registry];
  return {
    limited: new Counter({
      name: 'touchstone_admission_rate_limited_total',
      help: 'Calls that were answered RATE_LIMITED: too many a second (RATE), or sooner than they were told (EARLY).',
      labelNames: ['reason'],
      registers,
    }),
    fallback: new Counter({
      name: 'touchstone_admission_rate_fallback_total',
      help: 'Calls that this node judged by itself because Redis could not be asked.',
      registers,
    }),
  };
}
