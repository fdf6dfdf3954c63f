// What is asked too often, by one rule with two homes: in Redis for all nodes together (throttle-redis.ts), and in the
// process for an installation of one node and while Redis is away.
//
//   1. A subject may make `perSecond` calls a second, and twice as many at once after a pause.
//   2. Who was told to come back on a topic after some seconds may ask sooner only `patience` times; so many a
//      second are given back (`patiencePerSecond`), and one at once where there was something after all.

/** How often a subject may ask. */
export interface ThrottleLimits {
  readonly perSecond: number;
  readonly patience: number;
  readonly patiencePerSecond: number;
}

export interface Verdict {
  /** 0: go on. Otherwise the milliseconds after which asking makes sense. */
  readonly waitMs: number;
  /** Whether this was sooner than the subject was told to come back. */
  readonly isEarly: boolean;
}

export interface Throttle {
  /** Counts a call; `topic` null where rule 2 does not apply. */
  ask(subject: string, topic: string | null): Promise<Verdict>;
  /** Remembers that the subject was told to come back on this topic after so many seconds. */
  rest(subject: string, topic: string, seconds: number): Promise<void>;
  /** An early call was right: forgets what it was told, and gives back what the call cost. */
  wake(subject: string, topic: string): Promise<void>;
}

/** What is remembered of a subject that says nothing: longer than anybody is told to stay away. */
export const MEMORY_MS = 180_000;
/** Subjects remembered at once in a process; who has said nothing for longest goes first. */
const SUBJECTS_MAX = 50_000;

interface Subject {
  tokens: number;
  patience: number;
  at: number;
  readonly until: Map<string, number>;
}

/** The rule in the memory of this process; `now` is a clock in milliseconds that never goes back. */
export function createLocalThrottle(
  { perSecond, patience, patiencePerSecond }: ThrottleLimits,
  now: () => number = () => performance.now(),
): Throttle {
  const burst = 2 * perSecond;
  const subjects = new Map<string, Subject>();
  const subjectOf = (name: string, at: number): Subject => {
    const subject = subjects.get(name) ?? { tokens: burst, patience, at, until: new Map<string, number>() };
    const seconds = (at - subject.at) / 1000;
    subject.tokens = Math.min(burst, subject.tokens + seconds * perSecond);
    subject.patience = Math.min(patience, subject.patience + seconds * patiencePerSecond);
    subject.at = at;
    remember(subjects, name, subject);
    return subject;
  };
  return {
    async ask(name, topic) {
      const at = now();
      const subject = subjectOf(name, at);
      if (subject.tokens < 1) {
        return { waitMs: Math.ceil(((1 - subject.tokens) * 1000) / perSecond), isEarly: false };
      }
      const restMs = topic === null ? 0 : Math.max(0, Math.ceil((subject.until.get(topic) ?? 0) - at));
      if (restMs > 0 && subject.patience < 1) {
        return { waitMs: restMs, isEarly: true };
      }
      subject.patience -= restMs > 0 ? 1 : 0;
      subject.tokens -= 1;
      return { waitMs: 0, isEarly: restMs > 0 };
    },
    async rest(name, topic, seconds) {
      const at = now();
      const { until } = subjectOf(name, at);
      for (const [other, end] of until) {
        if (end <= at) {
          until.delete(other);
        }
      }
      until.set(topic, at + seconds * 1000);
    },
    async wake(name, topic) {
      const subject = subjectOf(name, now());
      subject.until.delete(topic);
      subject.patience = Math.min(patience, subject.patience + 1);
    },
  };
}

function remember(subjects: Map<string, Subject>, name: string, subject: Subject): void {
  subjects.delete(name);
  subjects.set(name, subject);
  const [silent] = subjects.keys();
  if (subjects.size > SUBJECTS_MAX && silent !== undefined) {
    subjects.delete(silent);
  }
}
