import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Work that is done in a thread of its own, so that nobody else of this process waits for it. */
export interface Helper<I, O> {
  /**
   * One piece of work at a time: the caller waits for the one before.
   * @throws HelperFailedError where the thread ended, ran out of memory or took too long; what the work itself threw
   */
  run(input: I): Promise<O>;
  /** Ends the thread; the next piece of work begins another. */
  close(): Promise<void>;
}

/** The thread could not do its work. */
export class HelperFailedError extends Error {
  override readonly name = 'HelperFailedError';
}

export interface HelperLimits {
  /** Heap of the thread, in MiB: beyond it the thread ends, and this process goes on. */
  readonly memoryMb: number;
  /** Of one piece of work, and the start of the thread where it is the first. */
  readonly timeoutMs: number;
}

/**
 * Work for a thread that begins with the first piece of it. Input and output are copied (structured clone).
 * @param entry the module that the thread runs: it answers each message with one of its own
 */
export function openHelper<I, O>(entry: URL, limits: HelperLimits): Helper<I, O> {
  let thread: Worker | null = null;
  const close = async () => {
    const ended = thread;
    thread = null;
    await ended?.terminate();
  };
  return {
    async run(input) {
      thread ??= begin(entry, limits.memoryMb);
      try {
        return await answerOf<O>(thread, input, limits);
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
  };
}

async function answerOf<O>(
  thread: Worker,
  input: unknown,
  { memoryMb, timeoutMs }: HelperLimits,
): Promise<O> {
  const ending = new AbortController();
  const { signal } = ending;
  const failed = (why: string) => () => {
    throw new HelperFailedError(why);
  };
  try {
    thread.postMessage(input);
    // Each of the first two rejects with what the thread threw.
    return await Promise.race([
      once(thread, 'message', { signal }).then(([output]) => output as O),
      once(thread, 'exit', { signal }).then(failed('The thread ended.')),
      setTimeout(timeoutMs, undefined, { signal }).then(failed(`It took more than ${timeoutMs} ms.`)),
    ]);
  } catch (error) {
    const isTooMuch = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    throw isTooMuch ? new HelperFailedError(`It needs more than ${memoryMb} MiB.`) : error;
  } finally {
    ending.abort();
  }
}

/** Sources run as they stand, in a thread as in the process; what was built needs nothing. */
function begin(entry: URL, memoryMb: number): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: memoryMb };
  return entry.pathname.endsWith('.ts')
    ? new Worker(new URL('./helper-thread.mjs', import.meta.url), {
        resourceLimits,
        workerData: { entry: entry.href },
      })
    : new Worker(entry, { resourceLimits });
}
