import type { RedisConnection } from './redis.js';
import { MEMORY_MS, type Throttle, type ThrottleLimits } from './throttle.js';

// The rule of throttle.ts for all nodes together, by the clock of Redis. One hash a subject, and so one slot of a
// cluster: t tokens, p patience, a when they were right, u<topic> when the subject may come back.

const FIELDS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local key, topic = KEYS[1], 'u' .. ARGV[1]
local per_second, patience_max, patience_per_second = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local kept = redis.call('HMGET', key, 't', 'p', 'a', topic)
local passed = math.max(0, now - (tonumber(kept[3]) or now))
local tokens = math.min(2 * per_second, (tonumber(kept[1]) or 2 * per_second) + passed * per_second / 1000)
local patience = math.min(patience_max, (tonumber(kept[2]) or patience_max) + passed * patience_per_second / 1000)
`;

const ASK = `${FIELDS}
if tokens < 1 then
  return {math.ceil((1 - tokens) * 1000 / per_second), 0}
end
local rest = 0
if ARGV[1] ~= '' then
  rest = math.max(0, (tonumber(kept[4]) or 0) - now)
end
if rest > 0 and patience < 1 then
  return {rest, 1}
end
if rest > 0 then
  patience = patience - 1
end
redis.call('HSET', key, 't', tokens - 1, 'p', patience, 'a', now)
redis.call('PEXPIRE', key, ${MEMORY_MS})
return {0, rest > 0 and 1 or 0}
`;

const REST = `${FIELDS}
redis.call('HSET', key, 't', tokens, 'p', patience, 'a', now, topic, now + ARGV[5] * 1000)
redis.call('PEXPIRE', key, ${MEMORY_MS})
return 1
`;

const WAKE = `${FIELDS}
redis.call('HSET', key, 't', tokens, 'p', math.min(patience_max, patience + 1), 'a', now)
redis.call('HDEL', key, topic)
redis.call('PEXPIRE', key, ${MEMORY_MS})
return 1
`;

export interface SharedThrottleParts {
  readonly redis: RedisConnection;
  readonly limits: ThrottleLimits;
  /** Judges while Redis is away. */
  readonly local: Throttle;
  /** Told of each call that Redis did not judge. */
  readonly onFallback: () => void;
}

/** A call waits no longer for Redis than that; nothing that Redis has to say is worth more of an expert's time. */
const PATIENT_MS = 250;
/** After a failure Redis is left alone so long. */
const AWAY_MS = 1_000;

/** The rule in Redis; while that is away, each node judges what it sees itself. */
export function createSharedThrottle({ redis, limits, local, onFallback }: SharedThrottleParts): Throttle {
  const scripts = {
    ask: redis.script('throttleAsk', ASK),
    rest: redis.script('throttleRest', REST),
    wake: redis.script('throttleWake', WAKE),
  };
  let awayUntil = 0;
  const shared = async (name: keyof typeof scripts, subject: string, args: Args): Promise<unknown> => {
    if (performance.now() < awayUntil) {
      throw new Error('Redis was away a moment ago.');
    }
    try {
      const { topic, seconds = 0 } = args;
      const { perSecond, patience, patiencePerSecond } = limits;
      return await soon(
        scripts[name](redis.key(`throttle/${subject}`), [
          topic ?? '',
          perSecond,
          patience,
          patiencePerSecond,
          seconds,
        ]),
      );
    } catch (error) {
      awayUntil = performance.now() + AWAY_MS;
      throw error;
    }
  };
  const orElse = <T>(instead: () => Promise<T>) => {
    onFallback();
    return instead();
  };
  return {
    ask: (subject, topic) =>
      shared('ask', subject, { topic }).then(
        (said) => {
          const [waitMs, isEarly] = said as [number, number];
          return { waitMs, isEarly: isEarly === 1 };
        },
        () => orElse(() => local.ask(subject, topic)),
      ),
    rest: (subject, topic, seconds) =>
      shared('rest', subject, { topic, seconds }).then(
        () => undefined,
        () => orElse(() => local.rest(subject, topic, seconds)),
      ),
    wake: (subject, topic) =>
      shared('wake', subject, { topic }).then(
        () => undefined,
        () => orElse(() => local.wake(subject, topic)),
      ),
  };
}

interface Args {
  readonly topic: string | null;
  readonly seconds?: number;
}

/** Rejects where the answer takes too long; a late one is dropped. */
async function soon<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('Redis is late.')), PATIENT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
