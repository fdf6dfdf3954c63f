import type { Dimension } from '../../tasks/task-types.js';
import type { GoldAnswer } from '../inference/gold-items.js';
import { labelsOf } from '../inference/labels.js';
import { type KeptAnswer, type KeptRecord, weighed } from '../inference/weighing.js';
import type { FittedRow, fitsDue, modelsOf } from './fit.sql.js';
import type { WorkerModel } from './posterior.js';
import { fitStopping, type RevealedItem } from './stopping.js';

type Model = Awaited<ReturnType<typeof modelsOf>>[number];

/** What the fits of a project rest on. */
export interface StoppingSeen {
  readonly project: Pick<
    Awaited<ReturnType<typeof fitsDue>>[number],
    'dimensions' | 'posterior' | 'min' | 'max'
  >;
  readonly answers: readonly KeptAnswer[];
  /** Of those who gave them. */
  readonly records: readonly KeptRecord[];
  readonly models: readonly Model[];
}

/** What a project's gold says of stopping, of each dimension. Seconds of a core: run in a thread of its own. */
export function stoppingFits({ project, answers, records, models }: StoppingSeen): FittedRow[] {
  return (JSON.parse(project.dimensions) as Dimension[]).map((dimension) => {
    const { name } = dimension;
    const labels = labelsOf(dimension);
    const of = answers.filter((answer) => answer.dimension === name);
    const model = models.find((one) => one.dimension === name) ?? null;
    const known = { labels, modelOf: frozenOf(model, labels) };
    const items = labels.length < 2 ? [] : revealedItems(weighed(of, { dimension, records }), known);
    const prior = labels.map((label) => model?.prior?.[label] ?? 1 / labels.length);
    const { posterior, min, max } = project;
    const fit = fitStopping(items, { posterior, min, max, prior }).all;
    return {
      dimension: name,
      threshold: fit?.threshold ?? null,
      intercept: fit?.map.intercept ?? null,
      slope: fit?.map.slope ?? null,
      items: items.length,
      versionId: model?.versionId ?? null,
    };
  });
}

/** What the version that holds knows of an expert; null where scores weigh. */
function frozenOf(model: Model | null, labels: readonly string[]): Classes['modelOf'] {
  if (model === null || model.accuracy === null) {
    return null;
  }
  const average = workerOf({ accuracy: model.accuracy, matrix: model.matrix }, labels);
  const experts = new Map(model.experts.map(({ id, ...expert }) => [id, workerOf(expert, labels)]));
  return (expertId) => experts.get(expertId) ?? average;
}

function workerOf(
  { accuracy, matrix }: { accuracy: number; matrix: Model['matrix'] },
  labels: readonly string[],
): WorkerModel {
  const rowOf = (truth: string) => labels.map((said) => matrix?.[truth]?.[said] ?? 0);
  return { accuracy, confusion: matrix === null ? null : labels.map(rowOf) };
}

interface Classes {
  readonly labels: readonly string[];
  /** What is known of whoever answers, by a method that does not look at gold; null: scores weigh. */
  readonly modelOf: ((expertId: bigint) => WorkerModel) | null;
}

/**
 * Gold with two answers or more, as items whose truth is known. Each answer is weighed as it weighs in decisions: by scores, what
 * this gold said of it taken out, or as the method that was chosen does.
 */
export function revealedItems(answers: readonly GoldAnswer[], { labels, modelOf }: Classes): RevealedItem[] {
  const known = answers.filter(({ truth, answered }) => labels.includes(truth) && labels.includes(answered));
  const items = new Map<bigint, RevealedItem>();
  for (const answer of known) {
    const vote = {
      label: labels.indexOf(answer.answered),
      model: modelOf?.(answer.expertId) ?? answer.model,
    };
    const votes = [...(items.get(answer.taskId)?.votes ?? []), vote];
    items.set(answer.taskId, { id: String(answer.taskId), truth: labels.indexOf(answer.truth), votes });
  }
  return [...items.values()].filter(({ votes }) => votes.length > 1);
}
