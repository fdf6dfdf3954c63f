/**
 * Keeps the clock still while a call is under way: production's clock does not move inside a transaction, and a shift in
 * the middle of one would be a fault that cannot happen.
 */
export class Gate {
  private closed: Promise<void> | null = null;
  private readonly inside = new Set<Promise<unknown>>();

  async pass<T>(call: () => Promise<T>): Promise<T> {
    while (this.closed !== null) {
      await this.closed;
    }
    const running = call();
    const ended = running.catch(() => undefined);
    this.inside.add(ended);
    try {
      return await running;
    } finally {
      this.inside.delete(ended);
    }
  }

  /** Lets nobody in, waits until all are out, runs `work`, and opens again. */
  async alone(work: () => Promise<unknown>): Promise<void> {
    while (this.closed !== null) {
      await this.closed;
    }
    let open = () => undefined as unknown;
    this.closed = new Promise((resolve) => {
      open = () => resolve();
    });
    try {
      await Promise.all(this.inside);
      await work();
    } finally {
      this.closed = null;
      open();
    }
  }
}
