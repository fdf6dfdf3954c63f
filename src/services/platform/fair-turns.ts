import { CancelledError, OverloadedError } from './errors.js';
import { FairQueue, type Waiting } from './fair-queue.js';

/** Who asks for a turn, and what ends the asking. */
export interface Asking {
  readonly tenantId: bigint;
  readonly identityId: bigint;
  readonly signal?: AbortSignal | undefined;
}

interface Turn extends Waiting {
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

/** So many turns at once; who waits is served by tenants and people in turns, and where too many wait the crowd is refused first. */
export class FairTurns {
  private readonly queue = new FairQueue<Turn>();
  private taken = 0;

  constructor(private readonly limits: { atOnce: number; waitingMax: number; retryAfterSeconds: number }) {}

  /** Who waits. */
  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Waits for a turn; each is given back by {@link give}.
   * @throws OverloadedError where too many wait; CancelledError once the signal has been aborted
   */
  async take({ tenantId, identityId, signal }: Asking): Promise<void> {
    if (signal?.aborted === true) {
      throw new CancelledError();
    }
    if (this.taken < this.limits.atOnce) {
      this.taken += 1;
      return;
    }
    let leave: () => void = () => undefined;
    const begun = new Promise<void>((begin, refuse) => {
      const turn: Turn = { tenantId, identityId, key: '', begin, refuse };
      leave = () => this.queue.remove(turn) && refuse(new CancelledError());
      this.queue.push(turn);
    });
    signal?.addEventListener('abort', leave, { once: true });
    this.refuseOne();
    await begun.finally(() => signal?.removeEventListener('abort', leave));
  }

  /** Gives a turn to whoever is next, after a rest in milliseconds. */
  give(restMs = 0): void {
    if (restMs > 0) {
      setTimeout(() => this.give(), restMs).unref();
      return;
    }
    const [turn] = this.queue.take(1);
    if (turn === undefined) {
      this.taken -= 1;
    } else {
      turn.begin();
    }
  }

  private refuseOne(): void {
    const one = this.queue.size > this.limits.waitingMax ? this.queue.crowder() : undefined;
    if (one !== undefined && this.queue.remove(one)) {
      one.refuse(new OverloadedError(this.limits.retryAfterSeconds));
    }
  }
}
