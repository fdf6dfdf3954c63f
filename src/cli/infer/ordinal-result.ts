import type { Known } from '../../services/quality/inference/choose.js';
import { inferOrdinal, ORDINAL_METHODS, type OrdinalMethod } from '../../services/quality/inference/infer.js';
import { leastLoss } from '../../services/quality/inference/ordinal.js';
import type { AnswerSet } from './answer-set.js';
import { labelCounts, meanOf, type Truths } from './result.js';

/** What a method says of ordered classes: the class that costs least, which is the median. Null where there is nothing to measure by. */
export interface OrdinalMethodResult {
  /** The share that is exactly right, of every item whose truth is known; gold as if it were not. */
  readonly accuracy: number | null;
  readonly accuracyOffGold: number | null;
  readonly accuracyOnGold: number | null;
  /** By how many classes it is off on average. Truths that nobody gave as an answer are left out. */
  readonly meanError: number | null;
  readonly meanErrorOffGold: number | null;
  /** How many items have each label. */
  readonly labels: Readonly<Record<string, number>>;
}

/** A method is not there where it cannot be run or would say the same as another. */
export type OrdinalResult = { readonly [method in OrdinalMethod]?: OrdinalMethodResult } & {
  readonly chosen: OrdinalMethod;
  readonly items: number;
  readonly workers: number;
  readonly answers: number;
  readonly truths: number;
  readonly gold: number;
};

/** Judges a set whose labels have an order, that of their numbers. As resultOf else. */
export function ordinalResultOf(set: AnswerSet, { known, gold }: Truths): OrdinalResult {
  const { judgements, chosen } = inferOrdinal(set.table, gold);
  const given = new Set(gold.map(({ item }) => item));
  const others = known.filter(({ item }) => !given.has(item));
  const results = ORDINAL_METHODS.flatMap((method) => {
    const judgement = judgements.get(method);
    if (judgement === undefined) {
      return [];
    }
    const decided = leastLoss(judgement.posterior, set.table.classes);
    const result: OrdinalMethodResult = {
      accuracy: accuracyOf(decided, known),
      accuracyOffGold: accuracyOf(decided, others),
      accuracyOnGold: accuracyOf(decided, gold),
      meanError: meanErrorOf(decided, known),
      meanErrorOffGold: meanErrorOf(decided, others),
      labels: labelCounts(decided, set),
    };
    return [[method, result] as const];
  });
  const { items, workers, worker } = set.table;
  const counts = { items, workers, answers: worker.length, truths: known.length, gold: gold.length };
  return { ...Object.fromEntries(results), chosen, ...counts };
}

const accuracyOf = (decided: Int32Array, known: readonly Known[]) =>
  meanOf(known.map(({ item, truth }) => Number(decided[item] === truth)));

const meanErrorOf = (decided: Int32Array, known: readonly Known[]) =>
  meanOf(
    known
      .filter(({ truth }) => truth >= 0)
      .map(({ item, truth }) => Math.abs((decided[item] ?? Number.NaN) - truth)),
  );
