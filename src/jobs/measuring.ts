/** What a measuring asks of the outside. */
export interface MeasuringParts {
  /** Rows that were ever written of what is measured. */
  readonly written: () => Promise<number>;
  readonly measure: () => Promise<void>;
  /** The process's monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** When something costly is measured. */
export interface Measuring {
  /** The instant of the process's clock before which there is nothing to do. */
  readonly dueAtMs: number;
  /** Looks, and measures, if it is time; says whether it spoke to the database. What fails is due again at once. */
  step(parts: MeasuringParts): Promise<boolean>;
}

const EVERY_MS = 5_000;
/** While it rests it looks whether something was written. */
const LOOK_EVERY_MS = 1_000;
/** Whatever the size of the queue, at most a twentieth of the time is spent on measuring it. */
export const REST_PER_COST = 20;
/** While nobody works, a measuring that takes long (tens of thousands of experts) comes less often. */
const IDLE_REST_PER_COST = 200;
const LONG_MS = 500;
/** Who is at work is told by the last half hour, and so changes without a write: a rest is no longer than this. */
const IDLE_MAX_MS = 60_000;
/**
 * What is raised when work has waited for a minute (app.alert_pool) is found by a measuring, while nobody writes: no rest sooner
 * than this after the last write.
 */
const SETTLED_MS = 120_000;

/** Measures each five seconds; where it takes long, less often while nothing is written. */
export function createMeasuring(): Measuring {
  let dueAtMs = 0;
  let written: number | null = null;
  let writtenAtMs = 0;
  let idleUntilMs = 0;

  return {
    get dueAtMs() {
      return dueAtMs;
    },
    async step({ written: readWritten, measure, now }) {
      const beganMs = now();
      if (beganMs < dueAtMs) {
        return false;
      }
      const found = await readWritten();
      if (found !== written) {
        // Kept before it is measured: a measuring that fails is as due as it was.
        [written, writtenAtMs, idleUntilMs] = [found, beganMs, 0];
      }
      if (beganMs < idleUntilMs && beganMs >= writtenAtMs + SETTLED_MS) {
        dueAtMs = beganMs + LOOK_EVERY_MS;
        return true;
      }
      await measure();
      const tookMs = now() - beganMs;
      dueAtMs = now() + Math.max(EVERY_MS, REST_PER_COST * tookMs);
      idleUntilMs = tookMs < LONG_MS ? 0 : now() + Math.min(IDLE_MAX_MS, IDLE_REST_PER_COST * tookMs);
      return true;
    },
  };
}
