import { type Database, withSystem } from '../../platform/database.js';
import type { Queryable } from '../../platform/rows.js';
import type { Dimension } from '../../tasks/task-types.js';
import { meanAccuracy, PRIOR_STRENGTH } from '../scores/estimate.js';
import * as sql from './fit.sql.js';
import { orderedErrors } from './ordered.js';
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
export async function fitStoppingModels(db: Database): Promise<number> {
  const due = await withSystem(db, (tx) =>
    sql.fitsDue(tx, { seconds: EVERY_SECONDS, limit: PROJECTS_A_ROUND }),
  );
  for (const project of due) {
    await withSystem(db, (tx) => fitProject(tx, project));
  }
  return due.length;
}

type Due = Awaited<ReturnType<typeof sql.fitsDue>>[number];
type Revealed = Awaited<ReturnType<typeof sql.revealedAnswers>>[number];

async function fitProject(tx: Queryable, project: Due): Promise<void> {
  const answers = await sql.revealedAnswers(tx, { ...project, limit: ANSWERS_MAX });
  const dimensions: Dimension[] = JSON.parse(project.dimensions);
  for (const dimension of dimensions) {
    const { name } = dimension;
    const labels = labelsOf(dimension);
    const of = answers.filter((answer) => answer.dimension === name);
    const known = { labels, isOrdered: dimension.scale === 'ordinal', priorMean: project.priorMean };
    const items = labels.length < 2 ? [] : revealedItems(of, known);
    const prior = labels.map(() => 1 / labels.length);
    const fit = fitStopping(items, { posterior: project.posterior, min: project.min, prior }).all;
    await sql.saveFit(tx, project, {
      dimension: name,
      threshold: fit?.threshold ?? null,
      intercept: fit?.map.intercept ?? null,
      slope: fit?.map.slope ?? null,
      items: items.length,
    });
  }
}

/** The classes of a dimension as its answers are kept, in their order: text of an ordinal one by its rank. None of numbers. */
function labelsOf({ scale, values = [] }: Dimension): string[] {
  return scale === 'interval'
    ? []
    : values.map((value, rank) => String(scale === 'ordinal' && typeof value === 'string' ? rank : value));
}

interface Classes {
  readonly labels: readonly string[];
  readonly isOrdered: boolean;
  readonly priorMean: number;
}

/**
 * Gold with two answers or more, as items whose truth is known. Each answer is weighed by its expert's record on the
 * project's other gold: nothing vouches for itself.
 */
export function revealedItems(
  answers: readonly Omit<Revealed, 'dimension'>[],
  { labels, isOrdered, priorMean }: Classes,
): RevealedItem[] {
  const known = answers.filter(({ truth, answered }) => labels.includes(truth) && labels.includes(answered));
  const records = new Map<bigint, { right: number; all: number }>();
  for (const { expertId, isRight } of known) {
    const { right, all } = records.get(expertId) ?? { right: 0, all: 0 };
    records.set(expertId, { right: right + (isRight ? 1 : 0), all: all + 1 });
  }
  const prior = { mean: priorMean, strength: PRIOR_STRENGTH };
  const accuracyOf = ({ expertId, isRight }: { expertId: bigint; isRight: boolean }) => {
    const { right, all } = records.get(expertId) ?? { right: 0, all: 0 };
    const others = right - (isRight ? 1 : 0);
    return meanAccuracy({ right: others, wrong: Math.max(0, all - 1 - others) }, prior);
  };
  const items = new Map<bigint, RevealedItem>();
  for (const answer of known) {
    const accuracy = accuracyOf(answer);
    const confusion = isOrdered ? orderedErrors(accuracy, labels.length) : null;
    const vote = { label: labels.indexOf(answer.answered), model: { accuracy, confusion } };
    const votes = [...(items.get(answer.taskId)?.votes ?? []), vote];
    items.set(answer.taskId, { id: String(answer.taskId), truth: labels.indexOf(answer.truth), votes });
  }
  return [...items.values()].filter(({ votes }) => votes.length > 1);
}
