import { performance } from 'node:perf_hooks';
import { type Asking, FairTurns } from './fair-turns.js';

/** Of this process's time analysts get a tenth: what one has taken nine times as long is left to the others. */
const OTHERS_PER_TAKEN = 9;
/** So much may be owed before anybody waits: small questions come at once. */
const OWED_MS_FREE = 2_000;
/** Longer nobody waits for what another has asked. */
const REST_MS_MAX = 10_000;

/**
 * Runs analysts' queries one at a time. To put together an answer of thousands of rows takes as long as to read them, and
 * meanwhile this process answers nobody else. What it has computed during a query, for whomever, is what is owed to the others: the
 * busier it is, the more they go first.
 */
export class AnalystPace {
  private readonly turns = new FairTurns({ atOnce: 1, waitingMax: 64, retryAfterSeconds: 30 });
  private paidAtMs = 0;

  /** @throws OverloadedError where too many wait; CancelledError where whoever asked has gone */
  async run<T>(asking: Asking, work: () => Promise<T>): Promise<T> {
    await this.turns.take(asking);
    const before = process.cpuUsage();
    try {
      return await work();
    } finally {
      const { user, system } = process.cpuUsage(before);
      this.turns.give(this.restAfter((user + system) / 1_000));
    }
  }

  private restAfter(takenMs: number): number {
    const nowMs = performance.now();
    this.paidAtMs = Math.max(nowMs, this.paidAtMs) + OTHERS_PER_TAKEN * takenMs;
    return Math.min(REST_MS_MAX, Math.max(0, this.paidAtMs - nowMs - OWED_MS_FREE));
  }
}
