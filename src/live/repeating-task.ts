import type { Logger } from 'pino';
import { jitter } from '../services/platform/retry.js';

export interface RepeatingTask {
  /** Begins the work unless it runs already. */
  run(): void;
  /** Resolves when nothing runs; it never runs again. */
  stop(): Promise<void>;
}

export interface RepeatingTaskOptions {
  readonly name: string;
  readonly log: Logger;
  readonly hasWork: () => boolean;
  /** Does some of the work. When it throws, it is tried again after a pause. */
  readonly work: () => Promise<void>;
}

const PAUSE_MS = 250;

/** Work on demand, one piece at a time, for as long as there is some. */
export function createRepeatingTask({ name, log, hasWork, work }: RepeatingTaskOptions): RepeatingTask {
  let running: Promise<void> | null = null;
  let stopped = false;
  let endPause: () => void = () => undefined;

  async function loop() {
    while (!stopped && hasWork()) {
      try {
        await work();
      } catch (error) {
        log.warn({ err: error }, `${name}.failed`);
        await pause();
      }
    }
    running = null;
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => endPause(), jitter(PAUSE_MS));
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    run() {
      if (running === null && !stopped && hasWork()) {
        running = loop();
      }
    },
    async stop() {
      stopped = true;
      endPause();
      await running;
    },
  };
}
