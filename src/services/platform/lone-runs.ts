import { createTurns, type Turns } from './concurrency.js';
import { StoppingError } from './errors.js';

// Requests of failed batches, each by itself and a few at a time: see guarantee 3 of micro-batches.ts.

/** A request that runs by itself. */
export interface LoneEntry<Item, Result> {
  readonly tenantId: bigint;
  readonly item: Item;
  /** When it came, by the monotonic clock. */
  readonly since: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface LoneLimits {
  readonly waitMs: number;
  readonly aloneAtOnce: number;
  readonly aloneWaitingMax: number;
  readonly aloneOfTenant: number;
}

interface Surroundings {
  /** False once everything that still waits is to be refused. */
  mayRun(): boolean;
  /** Counts a request that is shed. @returns what it is told */
  shed(why: 'FULL' | 'LATE'): Error;
  onDone(): void;
}

export class LoneRuns<Item, Result> {
  private readonly turns: Turns;
  private readonly running = new Set<Promise<void>>();
  private readonly byTenant = new Map<bigint, number>();

  constructor(
    private readonly work: { alone(item: Item): Promise<Result> },
    private readonly limits: LoneLimits,
    private readonly around: Surroundings,
  ) {
    this.turns = createTurns(limits.aloneAtOnce, limits.aloneWaitingMax);
  }

  isBusy(): boolean {
    return this.running.size > 0;
  }

  /** When the next one of those that run is done. */
  next(): Promise<void> {
    return Promise.race(this.running);
  }

  /** Whether a tenant has so many here that it gets no batch. */
  isFull(tenantId: bigint): boolean {
    return (this.byTenant.get(tenantId) ?? 0) >= this.limits.aloneOfTenant;
  }

  run(entry: LoneEntry<Item, Result>): void {
    const { tenantId } = entry;
    this.byTenant.set(tenantId, (this.byTenant.get(tenantId) ?? 0) + 1);
    const run = this.answer(entry).then(() => {
      this.running.delete(run);
      this.forget(tenantId);
      this.around.onDone();
    });
    this.running.add(run);
  }

  private forget(tenantId: bigint): void {
    const left = (this.byTenant.get(tenantId) ?? 1) - 1;
    if (left > 0) {
      this.byTenant.set(tenantId, left);
    } else {
      this.byTenant.delete(tenantId);
    }
  }

  private async answer({ item, since, signal, resolve, reject }: LoneEntry<Item, Result>): Promise<void> {
    const work = async () => {
      if (!this.around.mayRun()) {
        throw new StoppingError();
      }
      if (performance.now() - since > this.limits.waitMs) {
        throw this.around.shed('LATE');
      }
      return { result: await this.work.alone(item) };
    };
    try {
      const ran = await this.turns.take(work, signal);
      if (ran === null) {
        throw this.around.shed('FULL');
      }
      resolve(ran.result);
    } catch (error) {
      reject(error);
    }
  }
}
