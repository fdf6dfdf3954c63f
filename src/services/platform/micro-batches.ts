import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { CancelledError, OverloadedError, StoppingError } from './errors.js';
import { FairQueue, type Waiting } from './fair-queue.js';
import { type LoneEntry, LoneRuns } from './lone-runs.js';

// The guarantee:
//
//   1. One batch runs at a time. The next one is what has arrived meanwhile (no timer): who comes alone runs in the same
//      turn of the loop, as by a direct call, and a burst shares round trips and commits.
//   2. Who waits is served in turns (FairQueue); at most `waitingMax` wait, none of them longer than `waitMs`. Beyond
//      that a request is shed, and told when to come back; where all places are taken, whoever crowds makes room.
//   3. A batch that fails has done nothing. Each of its requests is then run by itself, beside the batches, so that a bad
//      one fails alone and holds up nobody. Who waits for that is bounded like the line, in number and in time, and a
//      tenant that has many there gets no further batch until they are fewer: the others' batches go on.
//   4. A request whose client has gone leaves the line. One that runs already is finished.
//   5. After `close` nothing is taken; what waits is served, or refused where that takes too long.

/** How the batches are run. */
export interface BatchWork<Item, Result> {
  /** Runs items of one tenant as a whole: their results in order. Where it throws, nothing was done, or nobody knows. */
  together(items: readonly Item[]): Promise<readonly Result[]>;
  /** Runs one by itself, and again where that helps. */
  alone(item: Item): Promise<Result>;
  /** Whether a lone request that failed so is worth running again. */
  isWorthAnother(error: unknown): boolean;
}

export interface BatchLimits {
  readonly batchMax: number;
  readonly waitingMax: number;
  /** The longest time in line. */
  readonly waitMs: number;
  /** Requests of failed batches that run by themselves at once. */
  readonly aloneAtOnce: number;
  /** So many more may wait for that; beyond it they are shed. */
  readonly aloneWaitingMax: number;
  /** A tenant that has so many there gets no batch. */
  readonly aloneOfTenant: number;
  /** How long `close` goes on serving what waits. */
  readonly drainMs: number;
}

/** What there is to measure. */
export interface BatchObserver {
  batch(size: number): void;
  waited(seconds: number): void;
  shed(why: 'FULL' | 'LATE'): void;
  cancelled(): void;
  rerun(count: number, why: unknown): void;
}

export interface MicroBatches<Item, Result> {
  /** @throws OverloadedError, StoppingError, CancelledError, or what the work throws */
  enter(request: Waiting & { readonly item: Item }, signal?: AbortSignal): Promise<Result>;
  waiting(): number;
  close(): Promise<void>;
}

interface Entry<Item, Result> extends Waiting, LoneEntry<Item, Result> {
  readonly onAbort: () => void;
}

/** Runs what arrives in batches, as said above. */
export function createMicroBatches<Item, Result>(
  work: BatchWork<Item, Result>,
  limits: BatchLimits,
  observer: BatchObserver,
): MicroBatches<Item, Result> {
  const batches = new Batches(work, limits, observer);
  return {
    enter: (request, signal) => batches.enter(request, signal),
    waiting: () => batches.queue.size,
    close: () => batches.close(),
  };
}

class Batches<Item, Result> {
  readonly queue = new FairQueue<Entry<Item, Result>>();
  private readonly lone: LoneRuns<Item, Result>;
  private running: Promise<void> | null = null;
  private lateTimer: NodeJS.Timeout | null = null;
  private closed = false;
  private refusing = false;
  /** Smoothed time that one request takes, for saying when to come back. */
  private itemMs = 1;

  constructor(
    private readonly work: BatchWork<Item, Result>,
    private readonly limits: BatchLimits,
    private readonly observer: BatchObserver,
  ) {
    this.lone = new LoneRuns(work, limits, {
      mayRun: () => !this.refusing,
      shed: (why) => this.shed(why),
      onDone: () => this.wake(), // whoever was kept from batches may have waited for this one
    });
  }

  enter(request: Waiting & { readonly item: Item }, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      const entry: Entry<Item, Result> = {
        ...request,
        since: performance.now(),
        signal,
        onAbort: () => this.cancel(entry),
        resolve,
        reject,
      };
      const refusal = this.refusalOf(entry);
      if (refusal !== null) {
        reject(refusal);
        return;
      }
      this.queue.push(entry);
      signal?.addEventListener('abort', entry.onAbort, { once: true });
      this.wake();
      this.watchLate();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    const late = setTimeout(() => this.refuseAll(), this.limits.drainMs);
    while (this.running !== null || this.lone.isBusy()) {
      await (this.running ?? this.lone.next()); // after a rerun its tenant may get its next batch
    }
    clearTimeout(late);
    clearTimeout(this.lateTimer ?? undefined);
  }

  private refusalOf(entry: Entry<Item, Result>): Error | null {
    if (this.closed) {
      return new StoppingError();
    }
    if (entry.signal?.aborted) {
      this.observer.cancelled();
      return new CancelledError();
    }
    return this.queue.size < this.limits.waitingMax || this.makeRoom(entry) ? null : this.shed('FULL');
  }

  /** Whoever crowds goes, unless the newcomer would crowd as much. */
  private makeRoom(entry: Entry<Item, Result>): boolean {
    const crowder = this.queue.crowder();
    if (crowder === undefined) {
      return false;
    }
    const theirs = this.queue.waitingOf(crowder);
    const own = this.queue.waitingOf(entry);
    const yields =
      crowder.tenantId === entry.tenantId
        ? theirs.identity > own.identity + 1
        : theirs.tenant > own.tenant + 1;
    if (yields) {
      this.leave(crowder, this.shed('FULL'));
    }
    return yields;
  }

  private shed(why: 'FULL' | 'LATE'): OverloadedError {
    this.observer.shed(why);
    const seconds = Math.ceil((this.queue.size * this.itemMs) / 1000);
    return new OverloadedError(Math.min(30, Math.max(1, seconds)));
  }

  private cancel(entry: Entry<Item, Result>): void {
    if (this.leave(entry, new CancelledError())) {
      this.observer.cancelled();
    }
  }

  private leave(entry: Entry<Item, Result>, why: Error): boolean {
    if (!this.queue.remove(entry)) {
      return false;
    }
    entry.signal?.removeEventListener('abort', entry.onAbort);
    entry.reject(why);
    return true;
  }

  private wake(): void {
    this.running ??= this.drive();
  }

  /** Who asks in the same turn of the loop shares a batch: a crowd must not go in two, one of them alone. */
  private async drive(): Promise<void> {
    await turnOfTheLoop();
    for (let running = this.runNext(); running !== null; ) {
      const answer = await running;
      // What waits goes out before anybody is answered: that takes a while, and the line would idle.
      running = this.runNext();
      answer();
      if (running === null) {
        await turnOfTheLoop();
        running = this.runNext();
      }
    }
    this.running = null; // in the same breath as the look that found nobody
  }

  private runNext(): Promise<() => void> | null {
    const batch = this.next();
    return batch.length > 0 ? this.run(batch) : null;
  }

  private next(): Entry<Item, Result>[] {
    const batch = this.queue.take(this.limits.batchMax, (tenantId) => this.lone.isFull(tenantId));
    const now = performance.now();
    for (const { since, signal, onAbort } of batch) {
      signal?.removeEventListener('abort', onAbort);
      this.observer.waited((now - since) / 1000);
    }
    return batch;
  }

  /** Runs a batch. Never throws. @returns what answers its callers */
  private async run(batch: readonly Entry<Item, Result>[]): Promise<() => void> {
    const began = performance.now();
    this.observer.batch(batch.length);
    try {
      const results = await this.work.together(batch.map(({ item }) => item));
      if (results.length !== batch.length) {
        throw new Error('A batch did not answer each request.');
      }
      this.itemMs += ((performance.now() - began) / batch.length - this.itemMs) / 16;
      return () => batch.forEach(({ resolve }, index) => void resolve(results[index] as Result));
    } catch (error) {
      this.fail(batch, error);
      return () => undefined;
    }
  }

  private fail(batch: readonly Entry<Item, Result>[], error: unknown): void {
    const [only] = batch;
    if (batch.length === 1 && !this.work.isWorthAnother(error)) {
      only?.reject(error);
      return;
    }
    this.observer.rerun(batch.length, error);
    for (const entry of batch) {
      this.lone.run(entry);
    }
  }

  private watchLate(): void {
    const oldest = this.queue.oldest();
    if (this.lateTimer !== null || oldest === undefined) {
      return;
    }
    const leftMs = Math.max(0, oldest.since + this.limits.waitMs - performance.now());
    this.lateTimer = setTimeout(() => {
      this.lateTimer = null;
      this.shedLate();
      this.watchLate();
    }, leftMs);
    this.lateTimer.unref();
  }

  private shedLate(): void {
    const limit = performance.now() - this.limits.waitMs;
    for (let oldest = this.queue.oldest(); oldest && oldest.since <= limit; oldest = this.queue.oldest()) {
      this.leave(oldest, this.shed('LATE'));
    }
  }

  private refuseAll(): void {
    this.refusing = true;
    for (let oldest = this.queue.oldest(); oldest; oldest = this.queue.oldest()) {
      this.leave(oldest, new StoppingError());
    }
  }
}
