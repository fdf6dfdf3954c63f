import type { Logger } from 'pino';
import { jitter } from '../services/platform/retry.js';

/** Something that runs by itself from start to stop. */
export interface Job {
  start(): void;
  /** Resolves when the running step has ended and every connection of the job is closed. */
  stop(): Promise<void>;
}

export interface Loop extends Job {
  /** Makes the next step come at once (or directly after the running one). Does not shorten a pause after a failure. */
  poke(): void;
}

export interface LoopOptions {
  /** Stands in the log: `<name>.failed`. */
  readonly name: string;
  readonly log: Logger;
  /** One bounded piece of work; returns how many milliseconds may pass until the next. */
  readonly step: () => Promise<number>;
}

/** The pause after failures: about 100, 200, 400 … 5,000 ms. */
const BACKOFF_MS = 100;
const BACKOFF_MAX_MS = 5_000;

/** Runs steps one after the other. A step that fails is logged and tried again, less and less often; it ends nothing. */
export function createLoop({ name, log, step }: LoopOptions): Loop {
  const pause = createPause();
  let running: Promise<void> | null = null;
  let stopping = false;
  let poked = false;

  async function run() {
    let failures = 0;
    while (!stopping) {
      poked = false;
      try {
        const restMs = await step();
        failures = 0;
        if (!poked && !stopping) {
          await pause.take(restMs, 'pokable');
        }
      } catch (error) {
        failures += 1;
        log.error({ err: error, failures }, `${name}.failed`);
        if (!stopping) {
          await pause.take(backoffMs(failures), 'deaf');
        }
      }
    }
  }

  return {
    start() {
      if (running === null) {
        stopping = false;
        running = run();
      }
    },
    poke() {
      poked = true;
      pause.poke();
    },
    async stop() {
      stopping = true;
      pause.end();
      await running;
      running = null;
    },
  };
}

function backoffMs(failures: number): number {
  return jitter(Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** (failures - 1)));
}

/** One sleep at a time, which can be ended early. */
function createPause() {
  let current: { end: () => void; pokable: boolean } | null = null;
  return {
    take: (ms: number, kind: 'pokable' | 'deaf') =>
      new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          current = null;
          resolve();
        };
        const timer = setTimeout(end, ms);
        current = { end, pokable: kind === 'pokable' };
      }),
    poke: () => void (current?.pokable && current.end()),
    end: () => void current?.end(),
  };
}
