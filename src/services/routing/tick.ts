import { Worker } from 'node:worker_threads';

/** A beat that whoever waits shares: one for all of this process, and none while nobody waits. */
export interface Tick {
  /** Resolves with the first beat that is at least so many milliseconds away. */
  after(ms: number): Promise<void>;
}

/** What beats: calls back with each beat while it is on. */
interface Beating {
  set(isOn: boolean): void;
}

/**
 * A beat every so many milliseconds of this machine's clock, late by up to half of that, at random. Timers of the event loop would be
 * late by as much as the loop was past a whole millisecond when it went to sleep: who waits by them tells when it began to. And
 * without any lateness hundredths of a millisecond would tell what else an answer took.
 */
export function createTick(everyMs: number, open: OpenThread = openThread): Tick {
  const waiting = new Map<number, (() => void)[]>();
  let beating: Beating | null = null;

  function beat() {
    const now = Math.floor(clockMs() / everyMs);
    for (const slot of [...waiting.keys()].filter((slot) => slot <= now)) {
      const due = waiting.get(slot) ?? [];
      waiting.delete(slot);
      for (const release of due) {
        release();
      }
    }
    beating?.set(waiting.size > 0);
  }

  return {
    after: (ms) =>
      new Promise((resolve) => {
        const slot = Math.ceil((clockMs() + ms) / everyMs);
        waiting.set(slot, [...(waiting.get(slot) ?? []), resolve]);
        beating ??= byThread({ everyMs, open }, beat);
        beating.set(true);
      }),
  };
}

/** Of the machine, the same in each thread. */
const clockMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Whether somebody waits, and whether a beat was told that was not heard yet: a busy loop is told once. */
const [IS_ON, IS_TOLD, NOBODY] = [0, 1, 2];

/** It sleeps where it stands, and wakes when it is time: that is all that a thread of its own is for. */
const THREAD = `
const { parentPort, workerData: { state, everyMs } } = require('node:worker_threads');
for (;;) {
  Atomics.wait(state, ${IS_ON}, 0);
  const now = Number(process.hrtime.bigint()) / 1e6;
  Atomics.wait(state, ${NOBODY}, 0, everyMs - (now % everyMs) + (Math.random() * everyMs) / 2);
  if (Atomics.load(state, ${IS_ON}) === 1 && Atomics.exchange(state, ${IS_TOLD}, 1) === 0) {
    parentPort.postMessage(null);
  }
}`;

/** What the thread is told of: {@link IS_ON} and the others, and how often it is to beat. */
interface Shared {
  readonly state: Int32Array;
  readonly everyMs: number;
}

/** Begins a thread that beats. */
type OpenThread = (shared: Shared) => Worker;

const openThread: OpenThread = (shared) =>
  new Worker(THREAD, {
    eval: true,
    workerData: shared,
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
  });

/** By a thread; by timers until it is there, where it has ended, and where there can be none. */
function byThread({ everyMs, open }: { everyMs: number; open: OpenThread }, beat: () => void): Beating {
  const state = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  let isThere = false;
  let timer: NodeJS.Timeout | null = null;
  const beatByTimer = () => {
    timer = null;
    beat();
  };
  const end = (why: string) => {
    isThere = false;
    process.emitWarning(`Answers leave by timers, whose lateness tells gold from other work: ${why}`);
    beatByTimer();
  };
  let thread: Worker | null = null;
  try {
    thread = open({ state, everyMs });
    thread.unref();
    thread.on('message', () => {
      isThere = true;
      Atomics.store(state, IS_TOLD, 0);
      beat();
    });
    thread.once('error', ({ message }) => process.emitWarning(message));
    thread.once('exit', (code) => end(`the thread that beats has ended (${code}).`));
  } catch (error) {
    end(`no thread can be begun (${error instanceof Error ? error.message : String(error)}).`);
  }
  return {
    set(isOn) {
      if (Atomics.exchange(state, IS_ON, isOn ? 1 : 0) !== (isOn ? 1 : 0)) {
        Atomics.notify(state, IS_ON);
        // (While nobody waits it does not keep the process.)
        thread?.[isOn ? 'ref' : 'unref']();
      }
      if (isOn && !isThere) {
        timer ??= setTimeout(beatByTimer, everyMs);
      }
    },
  };
}
