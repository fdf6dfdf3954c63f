import type { WorkerModel } from '../redundancy/posterior.js';

/** An answer to a gold, in one dimension; in the order in which they came. */
export interface GoldAnswer {
  readonly taskId: bigint;
  readonly expertId: bigint;
  readonly truth: string;
  readonly answered: string;
  /** As it was graded: of numbers within the tolerance. */
  readonly isRight: boolean;
  /** To a task of the project that was drawn, not to gold. */
  readonly isWork?: boolean;
  /** What it weighs while scores weigh, what this gold said of it taken out (weighing.ts). */
  readonly model: WorkerModel;
}

/** As many answers to one gold as another task of its project has: what a method is tried on. */
export interface GoldItem {
  readonly truth: string;
  readonly answers: readonly GoldAnswer[];
}

/**
 * The items that methods are tried on. A gold is shown to forty experts, a task is answered by three: of forty answers every
 * method is right, so each gold's answers are dealt out into items of `answersAnItem` or a few more, the first ones first. A task that was
 * drawn is an item as it is: dealt out it would count the oftener the more its answers were at odds.
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
  const isWork = answers.some((answer) => answer.isWork === true);
  const count = isWork ? 1 : Math.max(1, Math.floor(answers.length / answersAnItem));
  return Array.from({ length: count }, (_, item) => ({
    truth: answers[0]?.truth ?? '',
    answers: answers.filter((_answer, at) => at % count === item),
  }));
}
