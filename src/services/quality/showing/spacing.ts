/** Answers that lie between two states that an expert is shown of themselves, gold and other alike. */
export const ANSWERS_BETWEEN = 20;

/** Answers of one UTC day. */
export interface AnswerDay {
  /** The end of the day. */
  readonly until: Date;
  readonly answers: number;
  /** The assignment of the last of them. */
  readonly lastAssignment: bigint;
  /** What was stated with them, added up; 0 where nothing was. */
  readonly stated: number;
}

/**
 * The days at whose end an expert is shown their state: each time that {@link ANSWERS_BETWEEN} answers lie behind the last one.
 * By answers alone, oldest first: which of them were graded must not move it.
 */
export function showingDays(days: readonly AnswerDay[]): AnswerDay[] {
  const shown: AnswerDay[] = [];
  let answers = 0;
  for (const day of days) {
    answers += day.answers;
    if (answers >= ANSWERS_BETWEEN) {
      shown.push(day);
      answers = 0;
    }
  }
  return shown;
}

/** Two decimals: more of them would tell the order of results, and are noise to a reader. */
export const rounded = (share: number): number => Math.round(share * 100) / 100;
