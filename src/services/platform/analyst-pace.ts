import { performance } from 'node:perf_hooks';
import { type Asking, FairTurns } from './fair-turns.js';

/** So much may be owed before anybody waits: small questions come at once. */
const OWED_MS_FREE = 2_000;
/** Longer nobody waits for what another has asked, and more is not owed: what comes after it does not pay for it again. */
const REST_MS_MAX = 10_000;

/**
 * Runs analysts' queries one at a time. To put together an answer of thousands of rows takes as long as to read them, and
 * meanwhile this process answers nobody else. What it has computed during a query, for whomever, is what is owed to the others: the
 * busier it is, the more they go first.
 *
 * @param share of this process's time that analysts may take, above 0 to 1 (no rests)
 */
export class AnalystPace {
  private readonly turns = new FairTurns({ atOnce: 1, waitingMax: 64, retryAfterSeconds: 30 });
  private paidAtMs = 0;

  constructor(private readonly share: number) {}

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
    const owedMs = Math.max(0, this.paidAtMs - nowMs) + takenMs * (1 / this.share - 1);
    this.paidAtMs = nowMs + Math.min(owedMs, OWED_MS_FREE + REST_MS_MAX);
    return Math.max(0, this.paidAtMs - nowMs - OWED_MS_FREE);
  }
}
