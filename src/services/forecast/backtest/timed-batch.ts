import type { Finished, Progress } from '../history/progress.js';

/** One answer of a log. Seconds since 1970. */
export interface TimedAnswer {
  readonly startedAt: number;
  readonly createdAt: number;
}

/** A batch that has ended, as its log tells. Seconds since 1970. */
export interface TimedBatch {
  readonly name: string;
  /** When its first answer was begun. */
  readonly start: number;
  /** When its last answer came. */
  readonly end: number;
  /** When each answer came, in this order. */
  readonly came: Float64Array;
}

/** @param answers at least one */
export function timedBatch(name: string, answers: readonly TimedAnswer[]): TimedBatch {
  const came = Float64Array.from(answers, ({ createdAt }) => createdAt).sort();
  const start = answers.reduce(
    (first, { startedAt }) => Math.min(first, startedAt),
    Number.POSITIVE_INFINITY,
  );
  return { name, start, end: came[came.length - 1] ?? start, came };
}

/** When a share of the work was done: when answer ⌊share × N⌋ + 1 came. */
export function momentOf({ came, end }: TimedBatch, share: number): number {
  return came[Math.floor(came.length * share)] ?? end;
}

/** How far a batch was at a moment: answers of the same second are in. */
export function progressOf({ came, start }: TimedBatch, now: number): Progress {
  let answers = came.length;
  while (answers > 0 && (came[answers - 1] ?? now) > now) {
    answers -= 1;
  }
  return { elapsedSeconds: now - start, answers, remainingAnswers: came.length - answers };
}

/** A batch that has ended, as it was at a share of its work. */
export function finishedAt(batch: TimedBatch, share: number): Finished {
  const moment = momentOf(batch, share);
  return { ...progressOf(batch, moment), remainingSeconds: batch.end - moment };
}

/** The times between its answers up to a moment, the first from the start. */
export function gapsUntil({ came, start }: TimedBatch, now: number): Float64Array {
  const past = came.filter((at) => at <= now);
  return past.map((at, place) => at - (past[place - 1] ?? start));
}
