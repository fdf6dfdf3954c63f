/** A beat that whoever waits shares: one timer, however many wait, and none while nobody does. */
export interface Tick {
  /** Resolves with the first beat that is at least so many milliseconds away. */
  after(ms: number): Promise<void>;
}

/** A beat every so many milliseconds of this process's clock. */
export function createTick(everyMs: number): Tick {
  const waiting = new Map<number, (() => void)[]>();
  let timer: NodeJS.Timeout | null = null;

  function arm() {
    if (timer === null && waiting.size > 0) {
      const wait = Math.min(...waiting.keys()) * everyMs - performance.now();
      timer = setTimeout(beat, Math.max(1, Math.ceil(wait)));
    }
  }

  function beat() {
    timer = null;
    const now = Math.floor(performance.now() / everyMs);
    for (const slot of [...waiting.keys()].filter((slot) => slot <= now)) {
      const due = waiting.get(slot) ?? [];
      waiting.delete(slot);
      for (const release of due) {
        release();
      }
    }
    arm();
  }

  return {
    after: (ms) =>
      new Promise((resolve) => {
        const slot = Math.ceil((performance.now() + ms) / everyMs);
        const soonest = Math.min(...waiting.keys());
        waiting.set(slot, [...(waiting.get(slot) ?? []), resolve]);
        if (timer !== null && slot < soonest) {
          clearTimeout(timer);
          timer = null;
        }
        arm();
      }),
  };
}
