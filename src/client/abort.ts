/** A signal that follows another one and a deadline, and lets go of both when it is released. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time, and not the other signal, ended it. */
  readonly passed: boolean;
  release(): void;
}

/**
 * Aborts after `ms` or with `parent`. Not `AbortSignal.any`: on Node 20 every signal made by it stays referenced by a
 * long-lived parent, so a client that runs for days would grow with each call.
 */
export function deadlineAfter(ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  let passed = false;
  const follow = () => controller.abort(parent?.reason);
  const timer = setTimeout(() => {
    passed = true;
    controller.abort(new DOMException('The time for this call is over.', 'TimeoutError'));
  }, ms);
  if (parent?.aborted) {
    follow();
  } else {
    parent?.addEventListener('abort', follow, { once: true });
  }
  return {
    signal: controller.signal,
    get passed() {
      return passed;
    },
    release() {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    },
  };
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
