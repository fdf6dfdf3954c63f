import type { Known } from '../../services/quality/inference/choose.js';
import {
  calibrated,
  type Inference,
  infer,
  type Judgement,
  METHODS,
  type Method,
} from '../../services/quality/inference/infer.js';
import {
  confidences,
  credit,
  likeliest,
  type Posterior,
} from '../../services/quality/inference/posterior.js';
import type { AnswerSet } from './answer-set.js';

/** What a method says. Accuracies are null where there is nothing to measure them by. */
export interface MethodResult {
  /** On every item whose truth is known; gold as if it were not. Several likeliest classes share the credit. */
  readonly accuracy: number | null;
  /** The same without the items that were given as gold, and on those alone. */
  readonly accuracyOffGold: number | null;
  readonly accuracyOnGold: number | null;
  /** Mean probability that the calibrated posterior gives its own decision, on what accuracyOffGold is measured on. */
  readonly stated: number | null;
  /** How many items have each label. */
  readonly labels: Readonly<Record<string, number>>;
}

/** A method is null where it cannot be run, and hybrid is not there where it would say the same as dawidSkene. */
export type InferResult = Readonly<Record<Exclude<Method, 'hybrid'>, MethodResult | null>> & {
  readonly hybrid?: MethodResult;
  readonly chosen: Method;
  readonly items: number;
  readonly workers: number;
  readonly answers: number;
  readonly truths: number;
  readonly gold: number;
};

export interface Truths {
  readonly known: readonly Known[];
  readonly gold: readonly Known[];
}

/** Judges a set by every method. Nothing but `gold` of what is known is looked at before the methods have decided. */
export function resultOf(set: AnswerSet, truths: Truths): InferResult {
  const inference = infer(set.table, truths.gold);
  const results = METHODS.map(
    (method) => [method, methodResult(inference, method, { set, truths })] as const,
  ).filter(([method, result]) => method !== 'hybrid' || result !== null);
  const { items, workers, worker } = set.table;
  const counts = {
    items,
    workers,
    answers: worker.length,
    truths: truths.known.length,
    gold: truths.gold.length,
  };
  const methods = Object.fromEntries(results) as Omit<InferResult, 'chosen' | keyof typeof counts>;
  return { ...methods, chosen: inference.chosen, ...counts };
}

function methodResult(
  { judgements }: Inference,
  method: Method,
  { set, truths: { known, gold } }: { set: AnswerSet; truths: Truths },
): MethodResult | null {
  const judgement = judgements.get(method);
  if (judgement === undefined) {
    return null;
  }
  const { classes } = set.table;
  const given = new Set(gold.map(({ item }) => item));
  const others = known.filter(({ item }) => !given.has(item));
  const { posterior } = judgement;
  return {
    accuracy: accuracyOf(posterior, classes, known),
    accuracyOffGold: accuracyOf(posterior, classes, others),
    accuracyOnGold: accuracyOf(posterior, classes, gold),
    stated: statedOf(judgement, classes, others),
    labels: labelCounts(likeliest(posterior, set.labels.length), set),
  };
}

function accuracyOf(posterior: Posterior, classes: number, known: readonly Known[]): number | null {
  return meanOf(known.map((truth) => credit(posterior, classes, truth)));
}

function statedOf(judgement: Judgement, classes: number, known: readonly Known[]): number | null {
  const sure = confidences(calibrated(judgement), classes);
  return meanOf(known.map(({ item }) => sure[item] ?? 0));
}

/** How many items were given each label. */
export function labelCounts(decided: Int32Array, { labels }: AnswerSet): Record<string, number> {
  const counts = new Map(labels.map((label) => [label, 0]));
  for (const place of decided) {
    const label = labels[place] ?? '';
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** The mean to six places; null of nothing. */
export function meanOf(values: readonly number[]): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.length === 0 ? null : Math.round(mean * 1e6) / 1e6;
}
