import type { Queryable } from '../../platform/rows.js';
import { krippendorffAlpha } from '../agreement/krippendorff.js';
import type { Scale, Value } from '../agreement/scales.js';
import * as sql from './project-quality.sql.js';

/** Finished tasks that agreement is measured on, and answers that forms are compared on: the latest ones. */
const TASKS_MAX = 5_000;
const ANSWERS_MAX = 20_000;

export interface DimensionQuality {
  readonly dimension: string;
  readonly scale: Scale;
  /** Tasks with two answers or more. */
  readonly tasks: number;
  /** Krippendorff's alpha on the dimension's scale; null where no task has two answers. */
  readonly alpha: number | null;
  /** How sure the results were said to be, on average; null without a redundancy policy. */
  readonly stated: number | null;
}

export interface FormQuality {
  readonly clientVersion: string | null;
  readonly formVariant: string | null;
  readonly answers: number;
  readonly medianSeconds: number;
  /** The mean share of a task's other answers that say the same; null where no task has others. */
  readonly agreed: number | null;
  /** Answers that it rests on. */
  readonly compared: number;
}

export interface ProjectQuality {
  readonly dimensions: readonly DimensionQuality[];
  readonly adjudications: { readonly opened: number; readonly done: number };
  readonly forms: readonly FormQuality[];
}

/** The quality of a project by its latest finished tasks, as the viewer's scope shows them. */
export async function projectQuality(db: Queryable, projectId: bigint): Promise<ProjectQuality> {
  const values = await sql.latestValues(db, projectId, TASKS_MAX);
  const decided = await sql.latestDecisions(db, projectId, TASKS_MAX);
  const names = [...new Set(values.map(({ dimension }) => dimension))];
  const dimensions = names.map((dimension) => {
    const of = values.filter((value) => value.dimension === dimension);
    const stated = decided.find((one) => one.dimension === dimension)?.stated ?? null;
    return { ...agreementOf(dimension, of), stated };
  });
  return {
    dimensions,
    adjudications: await sql.adjudicationsOf(db, projectId),
    forms: await sql.formsOf(db, projectId, ANSWERS_MAX),
  };
}

type ValueRow = Awaited<ReturnType<typeof sql.latestValues>>[number];

function agreementOf(dimension: string, values: readonly ValueRow[]): Omit<DimensionQuality, 'stated'> {
  const units = new Map<bigint, Value[]>();
  for (const { taskId, text, number } of values) {
    const value = text ?? number;
    if (value !== null) {
      units.set(taskId, [...(units.get(taskId) ?? []), value]);
    }
  }
  const scale = (values[0]?.scale ?? 'nominal').toUpperCase() as Scale;
  const compared = [...units.values()].filter((answers) => answers.length > 1);
  return { dimension, scale, tasks: compared.length, alpha: krippendorffAlpha(compared, scale) };
}

/** A class of a dimension of one task. */
export interface TaskClass {
  readonly dimension: string;
  readonly label: string;
  readonly probability: number;
  readonly votes: number;
}

/** What the answers of a task amount to, adjudication included: every class that was named, the most probable first. */
export async function taskConsensus(db: Queryable, taskId: bigint): Promise<TaskClass[]> {
  const classes = await sql.consensusOf(db, taskId);
  return classes.map(({ votes, ...one }) => ({ ...one, votes: Number(votes) }));
}
