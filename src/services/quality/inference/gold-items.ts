import { meanAccuracy } from '../scores/estimate.js';

/** An answer to a gold, in one dimension; in the order in which they came. */
export interface GoldAnswer {
  readonly taskId: bigint;
  readonly expertId: bigint;
  readonly truth: string;
  readonly answered: string;
  /** As it was graded: of numbers within the tolerance. */
  readonly isRight: boolean;
}

/** As many answers to one gold as another task of its project has: what a method is tried on. */
export interface GoldItem {
  readonly truth: string;
  readonly answers: readonly GoldAnswer[];
}

/**
 * The items that methods are tried on. A gold is shown to forty experts, a task is answered by three: of forty answers every
 * method is right, so each gold's answers are dealt out into items of `answersAnItem` or a few more, the first ones first.
 */
export function goldItems(answers: readonly GoldAnswer[], answersAnItem: number): GoldItem[] {
  const byTask = new Map<bigint, GoldAnswer[]>();
  for (const answer of answers) {
    const known = byTask.get(answer.taskId) ?? [];
    known.push(answer);
    byTask.set(answer.taskId, known);
  }
  return [...byTask.values()].flatMap((list) => dealt(list, answersAnItem));
}

function dealt(answers: readonly GoldAnswer[], answersAnItem: number): GoldItem[] {
  const count = Math.max(1, Math.floor(answers.length / answersAnItem));
  return Array.from({ length: count }, (_, item) => ({
    truth: answers[0]?.truth ?? '',
    answers: answers.filter((_answer, at) => at % count === item),
  }));
}

/**
 * The accuracy of whoever gave an answer, by what they answered to the project's other gold: an answer never vouches for itself.
 * Shrunk to `mean`, which is worth `strength` answers.
 */
export function accuracyElsewhere(
  answers: readonly Pick<GoldAnswer, 'expertId' | 'isRight'>[],
  { mean, strength }: { mean: number; strength: number },
): (answer: Pick<GoldAnswer, 'expertId' | 'isRight'>) => number {
  const records = new Map<bigint, { right: number; all: number }>();
  for (const { expertId, isRight } of answers) {
    const { right, all } = records.get(expertId) ?? { right: 0, all: 0 };
    records.set(expertId, { right: right + (isRight ? 1 : 0), all: all + 1 });
  }
  return ({ expertId, isRight }) => {
    const { right, all } = records.get(expertId) ?? { right: 0, all: 0 };
    const others = right - (isRight ? 1 : 0);
    return meanAccuracy({ right: others, wrong: Math.max(0, all - 1 - others) }, { mean, strength });
  };
}
