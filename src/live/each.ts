/** Does something with each of some things that have nothing to do with each other: what one throws, the process hears of when all are done. */
export function each<T>(things: Iterable<T>, act: (thing: T) => void): void {
  for (const thing of things) {
    try {
      act(thing);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
