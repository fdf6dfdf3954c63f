import type { GoldAnswer } from '../../../src/services/quality/inference/gold-items.js';
import { meanAccuracy } from '../../../src/services/quality/scores/estimate.js';

/** Answers on gold, each weighed by what its expert answered on the others of them: as scores weigh of whom nothing else is known. */
export function weighedElsewhere(answers: readonly Omit<GoldAnswer, 'model'>[]): GoldAnswer[] {
  const records = new Map<bigint, { right: number; all: number }>();
  for (const { expertId, isRight } of answers) {
    const { right, all } = records.get(expertId) ?? { right: 0, all: 0 };
    records.set(expertId, { right: right + (isRight ? 1 : 0), all: all + 1 });
  }
  return answers.map((answer) => {
    const { right, all } = records.get(answer.expertId) ?? { right: 0, all: 0 };
    const others = right - (answer.isRight ? 1 : 0);
    const accuracy = meanAccuracy({ right: others, wrong: all - 1 - others }, { mean: 0.8, strength: 4.5 });
    return { ...answer, model: { accuracy, confusion: null } };
  });
}
