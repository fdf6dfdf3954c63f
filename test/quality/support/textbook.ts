import { type AnswerTable, tableOf } from '../../../src/services/quality/inference/answers.js';

// Slow and plain: products of probabilities over lists of answers, as the papers write them.

export interface Answer {
  readonly item: number;
  readonly worker: number;
  readonly label: number;
}

export interface Given {
  readonly items: number;
  readonly workers: number;
  readonly classes: number;
  readonly answers: readonly Answer[];
}

export const range = (length: number): number[] => Array.from({ length }, (_, at) => at);
export const product = (values: readonly number[]): number => values.reduce((all, value) => all * value, 1);
export const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export function shares(weights: readonly number[]): number[] {
  const sum = total(weights);
  return weights.map((weight) => (sum > 0 ? weight / sum : 1 / weights.length));
}

export function tableFrom({ answers, items, workers, classes }: Given): AnswerTable {
  const column = (name: keyof Answer) => Int32Array.from(answers, (answer) => answer[name]);
  return tableOf(
    { item: column('item'), worker: column('worker'), label: column('label') },
    { items, workers, classes },
  );
}

export function textbookVotes({ items, classes, answers }: Given): number[][] {
  return range(items).map((i) =>
    shares(range(classes).map((j) => answers.filter(({ item, label }) => item === i && label === j).length)),
  );
}

/** Dawid & Skene 1979, equations 2.3 to 2.5; workers with fewer than `matrixFrom` answers have one accuracy. */
export function textbookDawidSkene(
  given: Given,
  { iterations, matrixFrom = 0 }: { iterations: number; matrixFrom?: number },
): number[][] {
  const { items, workers, classes, answers } = given;
  let T = textbookVotes(given);
  const answered = range(items).filter((i) => answers.some(({ item }) => item === i));
  for (let round = 0; round < iterations; round++) {
    const p = range(classes).map((j) => total(answered.map((i) => T[i]?.[j] ?? 0)) / answered.length);
    const n = (w: number, j: number, l: number) =>
      total(answers.filter((a) => a.worker === w && a.label === l).map((a) => T[a.item]?.[j] ?? 0));
    const coin = (w: number): number[][] => {
      const own = answers.filter(({ worker }) => worker === w);
      const q = total(own.map(({ item, label }) => T[item]?.[label] ?? 0)) / own.length;
      return range(classes).map((j) => range(classes).map((l) => (l === j ? q : (1 - q) / (classes - 1))));
    };
    const matrix = (w: number): number[][] =>
      range(classes).map((j) => {
        const row = range(classes).map((l) => n(w, j, l));
        const sum = total(row);
        return row.map((value) => (sum > 0 ? value / sum : 0));
      });
    const pi = range(workers).map((w) =>
      answers.filter(({ worker }) => worker === w).length < matrixFrom ? coin(w) : matrix(w),
    );
    T = range(items).map((i) =>
      shares(
        range(classes).map((j) => {
          const own = answers.filter(({ item }) => item === i);
          return (p[j] ?? 0) * product(own.map(({ worker, label }) => pi[worker]?.[j]?.[label] ?? 0));
        }),
      ),
    );
  }
  return T;
}

export function textbookOneCoin(given: Given, iterations: number): number[][] {
  const { items, workers, classes, answers } = given;
  let T = textbookVotes(given);
  for (let round = 0; round < iterations; round++) {
    const q = range(workers).map((w) => {
      const own = answers.filter(({ worker }) => worker === w);
      const share = total(own.map(({ item, label }) => T[item]?.[label] ?? 0)) / Math.max(1, own.length);
      return Math.min(1 - 1e-6, Math.max(1e-6, share));
    });
    T = range(items).map((i) =>
      shares(
        range(classes).map((j) =>
          product(
            answers
              .filter(({ item }) => item === i)
              .map(({ worker, label }) => {
                const right = q[worker] ?? 0;
                return label === j ? right : (1 - right) / (classes - 1);
              }),
          ),
        ),
      ),
    );
  }
  return T;
}

/** The rule of GoldBayes for one item, from the list of graded answers; temper 1. */
export function textbookByGold(
  given: Given,
  { item, truths }: { item: number; truths: ReadonlyMap<number, number> },
): number[] {
  const { classes, answers } = given;
  const graded = answers.filter((answer) => truths.has(answer.item));
  const isRight = (answer: Answer) => truths.get(answer.item) === answer.label;
  const mean = (graded.filter(isRight).length + 4 * 0.8) / (graded.length + 4);
  const chance = (worker: number, { truth, said }: { truth: number; said: number }): number => {
    const own = graded.filter((answer) => answer.worker === worker);
    const q = (own.filter(isRight).length + 4 * mean) / (own.length + 4);
    const coin = said === truth ? q : (1 - q) / (classes - 1);
    const row = own.filter((answer) => truths.get(answer.item) === truth);
    const matrix = (row.filter(({ label }) => label === said).length + 4 * coin) / (row.length + 4);
    return own.length >= 5 * classes ? matrix : coin;
  };
  const prior = (j: number) => answers.filter(({ label }) => label === j).length + 1;
  return shares(
    range(classes).map(
      (truth) =>
        prior(truth) *
        product(
          answers
            .filter((answer) => answer.item === item)
            .map(({ worker, label }) => chance(worker, { truth, said: label })),
        ),
    ),
  );
}
