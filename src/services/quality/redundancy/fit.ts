import { type Database, withSystem } from '../../platform/database.js';
import type { Queryable } from '../../platform/rows.js';
import type { Dimension } from '../../tasks/task-types.js';
import { type OnFailure, succeeds } from '../failures.js';
import { clearFailure } from '../failures.sql.js';
import { byScore } from '../inference/frozen.js';
import { accuracyElsewhere, type GoldAnswer } from '../inference/gold-items.js';
import { goldAnswers } from '../inference/methods.sql.js';
import { labelsOf } from '../inference/versions.js';
import { PRIOR_STRENGTH } from '../scores/estimate.js';
import * as sql from './fit.sql.js';
import type { WorkerModel } from './posterior.js';
import { fitStopping, type RevealedItem } from './stopping.js';

/** A model is fitted again after so long. */
const EVERY_SECONDS = 600;
const PROJECTS_A_ROUND = 20;
/** Answers on gold that a model rests on: the latest ones. */
const ANSWERS_MAX = 20_000;

/**
 * Fits, for projects that stop at a posterior and are due, what their gold says of stopping: the posterior to stop at so that
 * what is promised is kept, and what a posterior means. Before fifty gold with two answers nothing is moved.
 * @returns how many projects were fitted
 */
export async function fitStoppingModels(
  db: Database,
  onFailure: OnFailure = () => undefined,
): Promise<number> {
  const due = await withSystem(db, (tx) =>
    sql.fitsDue(tx, { seconds: EVERY_SECONDS, limit: PROJECTS_A_ROUND, projectId: null }),
  );
  for (const project of due) {
    const subject = {
      job: 'stopping',
      tenantId: project.tenantId,
      subjectId: project.projectId,
      skillId: 0n,
    } as const;
    const fit = () =>
      withSystem(db, async (tx) => {
        await fitProject(tx, project);
        await clearFailure(tx, subject);
      });
    await succeeds(db, fit, { subject: () => subject, onFailure });
  }
  return due.length;
}

/** Fits one project at once, where it stops at a posterior: its answers are weighed otherwise from the end of this transaction on. */
export async function fitStoppingModel(tx: Queryable, { projectId }: { projectId: bigint }): Promise<void> {
  const [project] = await sql.fitsDue(tx, { seconds: 0, limit: 1, projectId });
  await (project === undefined ? null : fitProject(tx, project));
}

type Due = Awaited<ReturnType<typeof sql.fitsDue>>[number];
type Model = Awaited<ReturnType<typeof sql.modelsOf>>[number];

async function fitProject(tx: Queryable, project: Due): Promise<void> {
  const answers = await goldAnswers(tx, project, ANSWERS_MAX);
  const models = await sql.modelsOf(tx, project, [...new Set(answers.map(({ expertId }) => expertId))]);
  for (const dimension of JSON.parse(project.dimensions) as Dimension[]) {
    const { name } = dimension;
    const labels = labelsOf(dimension);
    const of = answers.filter((answer) => answer.dimension === name);
    const model = models.find((one) => one.dimension === name) ?? null;
    const known = {
      labels,
      isOrdered: dimension.scale === 'ordinal',
      priorMean: project.priorMean,
      modelOf: frozenOf(model, labels),
    };
    const items = labels.length < 2 ? [] : revealedItems(of, known);
    const prior = labels.map((label) => model?.prior?.[label] ?? 1 / labels.length);
    const fit = fitStopping(items, { posterior: project.posterior, min: project.min, prior }).all;
    await sql.saveFit(tx, project, {
      dimension: name,
      threshold: fit?.threshold ?? null,
      intercept: fit?.map.intercept ?? null,
      slope: fit?.map.slope ?? null,
      items: items.length,
      versionId: model?.versionId ?? null,
    });
  }
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
  readonly isOrdered: boolean;
  readonly priorMean: number;
  /** What is known of whoever answers, by a method that does not look at gold; null: their record. */
  readonly modelOf: ((expertId: bigint) => WorkerModel) | null;
}

/**
 * Gold with two answers or more, as items whose truth is known. Each answer is weighed by its expert's record on the
 * project's other gold, so that nothing vouches for itself, or as the method that was chosen does.
 */
export function revealedItems(
  answers: readonly GoldAnswer[],
  { labels, isOrdered, priorMean, modelOf }: Classes,
): RevealedItem[] {
  const known = answers.filter(({ truth, answered }) => labels.includes(truth) && labels.includes(answered));
  const accuracyOf = accuracyElsewhere(known, { mean: priorMean, strength: PRIOR_STRENGTH });
  const weighed = (answer: GoldAnswer) =>
    modelOf?.(answer.expertId) ?? byScore(accuracyOf(answer), labels.length, isOrdered);
  const items = new Map<bigint, RevealedItem>();
  for (const answer of known) {
    const vote = { label: labels.indexOf(answer.answered), model: weighed(answer) };
    const votes = [...(items.get(answer.taskId)?.votes ?? []), vote];
    items.set(answer.taskId, { id: String(answer.taskId), truth: labels.indexOf(answer.truth), votes });
  }
  return [...items.values()].filter(({ votes }) => votes.length > 1);
}
