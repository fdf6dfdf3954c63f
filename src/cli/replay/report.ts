import type { Comparison } from './recorded.js';
import type { ReplayCounts } from './replay-log.js';

export interface ReplayResult extends Comparison {
  /** Answers in the file. */
  readonly total: number;
  readonly counts: ReplayCounts;
  readonly seconds: number;
  /** What stopped the replay before its end. */
  readonly failure: Error | null;
}

/** Prints what a replay did and found. @returns whether everything is stored, once and as recorded */
export function reportResult(
  result: ReplayResult,
  { json = false, seed }: { json?: boolean; seed: number },
): boolean {
  const missing = result.total - (result.stored.size - result.wrongCount);
  const complete = missing === 0 && result.wrongCount === 0 && result.failure === null;
  if (json) {
    process.stdout.write(`${JSON.stringify(summaryOf(result, { seed, missing, complete }))}\n`);
    return complete;
  }
  process.stdout.write(`${linesOf(result, { seed, missing, complete }).join('\n')}\n`);
  return complete;
}

interface Verdict {
  readonly seed: number;
  readonly missing: number;
  readonly complete: boolean;
}

function summaryOf(
  { total, stored, counts, seconds, failure, wrong, wrongCount }: ReplayResult,
  verdict: Verdict,
) {
  return {
    ...verdict,
    answers: total,
    stored: stored.size,
    wrong: wrongCount,
    examples: wrong,
    ...counts,
    seconds: Number(seconds.toFixed(3)),
    answersPerSecond: rateOf(counts.receipts, seconds),
    failure: failure?.message ?? null,
  };
}

function linesOf(result: ReplayResult, { seed, missing, complete }: Verdict): string[] {
  const { total, stored, counts, seconds, failure, wrong, wrongCount } = result;
  const lost = Object.entries(counts.lost).map(([code, times]) => `${times} × ${code}`);
  return [
    `${counts.receipts} receipts in ${seconds.toFixed(1)} s (${rateOf(counts.receipts, seconds)}/s), seed ${seed}.`,
    `${counts.vanished} clients vanished, ${counts.returned} came back; ${counts.doubled} requests were sent twice; ${counts.retries} tries were repeated.`,
    ...(lost.length > 0 ? [`Given up on the way: ${lost.join(', ')}.`] : []),
    ...counts.broken,
    ...(failure === null ? [] : [`Stopped: ${failure.message}`]),
    ...wrong,
    complete
      ? `All ${total} answers are stored, once each, as they were recorded.`
      : `${stored.size} of ${total} answers are stored: ${missing} missing, ${wrongCount} wrong.`,
  ];
}

function rateOf(receipts: number, seconds: number): number {
  return Math.round(receipts / Math.max(seconds, 0.001));
}
