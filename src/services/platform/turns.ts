/** Runs work when it is its turn. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** At most so many at once; the rest wait in the order in which they came. */
export function createTurns(atOnce: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) {
        running -= 1;
      } else {
        next();
      }
    }
  };
}
