import type { Answer, Desk } from './answer.js';
import type { HeldAssignment, Lost } from './held.js';
import { keepLease } from './keeper.js';
import type { WorkerOptions } from './worker.js';

/** An answer, and the lease under which it can be sent; or the assignment was lost before there was one. */
export type Thought = { readonly held: HeldAssignment; readonly answer: Answer } | { readonly lost: Lost };

/** Made once: by default each abort makes an exception with a stack of its own, twice an answer. */
const ANSWERED = new DOMException('The answer was found.', 'AbortError');

/** Lets the answer be found while heartbeats keep the lease. Whichever ends first stops the other. */
export async function answerUnderLease(options: WorkerOptions, held: HeldAssignment): Promise<Thought> {
  const stop = new AbortController();
  const follow = () => stop.abort(options.signal?.reason);
  options.signal?.addEventListener('abort', follow, { once: true });
  const desk = createDesk(stop.signal);
  const keeping = keepLease({
    client: options.client,
    held,
    idleSeconds: options.idleSeconds ?? desk.idleSeconds,
    takeDraft: desk.takeDraft,
    signal: stop.signal,
  });
  try {
    const lost = keeping.then((kept) => ('lost' in kept ? kept : never<Thought>()));
    const found = thinking(options, held, desk.desk).then(async (answer) => {
      stop.abort(ANSWERED);
      const kept = await keeping;
      return 'lost' in kept ? kept : { held: kept.held, answer };
    });
    return await Promise.race([found, lost, abortOf(stop.signal, options.signal)]);
  } finally {
    stop.abort(ANSWERED);
    options.signal?.removeEventListener('abort', follow);
    await keeping.catch(() => undefined); // its failure, if any, was the race's already
  }
}

async function thinking({ answer }: WorkerOptions, held: HeldAssignment, desk: Desk): Promise<Answer> {
  return answer(held, desk);
}

function createDesk(signal: AbortSignal) {
  let touchedAt = performance.now();
  let draft: { value: unknown } | null = null;
  return {
    desk: {
      signal,
      touched() {
        touchedAt = performance.now();
      },
      saveDraft(value: unknown) {
        draft = { value };
        touchedAt = performance.now();
      },
    },
    idleSeconds: () => (performance.now() - touchedAt) / 1000,
    takeDraft() {
      const value = draft?.value;
      draft = null;
      return value;
    },
  };
}

/** Rejects when the worker is stopped, so that an answer that never comes does not hold it up. */
function abortOf(stop: AbortSignal, worker: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const onStop = () => worker?.aborted && reject(worker.reason);
    stop.addEventListener('abort', onStop, { once: true });
    onStop();
  });
}

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}
