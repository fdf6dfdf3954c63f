/** How far a piece of work was at some moment. */
export interface Progress {
  /** Since it began. */
  readonly elapsedSeconds: number;
  readonly answers: number;
  readonly remainingAnswers: number;
}

/** Work that has ended, as it was when as much of it was done as now is of another: what is known now was not known then. */
export interface Finished extends Progress {
  /** From then to its end. */
  readonly remainingSeconds: number;
  /** What the hours of experts alone said of that (../capacity/), where they were known. */
  readonly capacitySeconds?: number | null;
  /** And how much their possible futures differed in it: standard deviation of the logarithm; null where that was not kept. */
  readonly capacitySpread?: number | null;
}

/** The rest at the mean speed so far. */
export function atMeanRate({ elapsedSeconds, answers, remainingAnswers }: Progress): number {
  return (Math.max(1, elapsedSeconds) * remainingAnswers) / Math.max(1, answers);
}
