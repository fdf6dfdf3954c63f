import type { Logger } from 'pino';
import type { Fix } from './fix.js';
import type { FixMetrics } from './fix-metrics.js';
import type { HotIndex } from './hot-index.js';

export interface FixQueueParts {
  readonly index: Pick<HotIndex, 'apply'>;
  readonly metrics: FixMetrics;
  readonly log: Logger;
}

/** Fixes are passed on that long after they have come; at 20,000 a second those are 400. */
const GATHER_MS = 20;
/** After a failure the index is left alone so long. */
const RETRY_MS = 250;
/** Workers with a fix that waits. */
const WAITING_MAX = 200_000;

/**
 * What is on its way to the index: of each worker one fix, the newest. So memory does not grow while the index is away, and what is
 * passed on at last is where people are. One batch is under way at a time, and meanwhile the next one gathers.
 */
export class FixQueue {
  #waiting = new Map<bigint, Map<bigint, Fix>>();
  #size = 0;
  /** Counted with the next batch: a counter with labels costs as much as the rest of this. */
  #superseded = 0;
  #timer: NodeJS.Timeout | null = null;
  #passing: Promise<void> = Promise.resolve();
  /** Who wants to know when the fixes that gather now have been passed on. */
  #watchers: (() => void)[] = [];
  #isClosed = false;

  constructor(private readonly parts: FixQueueParts) {}

  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#isClosed || this.#size >= WAITING_MAX;
  }

  add(fix: Fix): void {
    this.#superseded += this.#put(fix) ? 0 : 1;
    this.#passOnIn(GATHER_MS);
  }

  /** Resolves once what has come so far is in the index, or was tried. */
  settled(): Promise<void> {
    if (this.#timer === null) {
      return this.#passing;
    }
    return new Promise((resolve) => this.#watchers.push(resolve));
  }

  /** Passes on what waits, once, and takes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#passOn();
    }
    await this.#passing;
  }

  /** @returns whether there was none of its worker */
  #put(fix: Fix): boolean {
    const workers = this.#waiting.get(fix.tenantId) ?? new Map<bigint, Fix>();
    this.#waiting.set(fix.tenantId, workers);
    const before = workers.get(fix.expertId);
    if (before === undefined || fix.deviceMs > before.deviceMs) {
      workers.set(fix.expertId, fix);
    }
    this.#size += before === undefined ? 1 : 0;
    return before === undefined;
  }

  #passOnIn(ms: number): void {
    if (this.#timer === null && !this.#isClosed) {
      this.#timer = setTimeout(() => this.#passOn(), ms);
    }
  }

  #passOn(): void {
    this.#timer = null;
    const watchers = this.#watchers;
    this.#watchers = [];
    this.#passing = this.#passing.then(async () => {
      await this.#passAll();
      for (const watcher of watchers) {
        watcher();
      }
    });
  }

  async #passAll(): Promise<void> {
    const all = this.#waiting;
    this.parts.metrics.fixes.inc({ outcome: 'SUPERSEDED' }, this.#superseded);
    this.#superseded = 0;
    this.#waiting = new Map();
    this.#size = 0;
    await Promise.all([...all].map(([tenantId, workers]) => this.#pass(tenantId, [...workers.values()])));
  }

  async #pass(tenantId: bigint, fixes: readonly Fix[]): Promise<void> {
    const { index, metrics, log } = this.parts;
    const end = metrics.batchSeconds.startTimer();
    try {
      const { newer, older } = await index.apply(tenantId, fixes);
      metrics.fixes.inc({ outcome: 'NEWER' }, newer);
      metrics.fixes.inc({ outcome: 'OLDER' }, older);
      end();
    } catch (error) {
      metrics.failures.inc();
      log.debug({ err: error, fixes: fixes.length }, 'fixes.not_passed_on');
      // They wait on; whoever has reported since has a newer one.
      for (const fix of fixes) {
        this.#put(fix);
      }
      this.#passOnIn(RETRY_MS);
    }
  }
}
