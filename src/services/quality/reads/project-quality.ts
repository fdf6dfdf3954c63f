import type { Queryable } from '../../platform/rows.js';
import { type DimensionAgreement, projectAgreement } from './agreement.js';
import * as sql from './project-quality.sql.js';

/** Finished tasks whose decisions are looked at, and answers that forms are compared on: the latest ones. */
const TASKS_MAX = 5_000;
const ANSWERS_MAX = 20_000;

export interface DimensionQuality extends DimensionAgreement {
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
  /** The share of answers on gold that are right, and how many those are: to analysts; null and 0 to customers. */
  readonly accuracyOnGold: number | null;
  readonly goldAnswers: number;
}

export interface ProjectQuality {
  readonly dimensions: readonly DimensionQuality[];
  readonly adjudications: { readonly opened: number; readonly done: number };
  readonly forms: readonly FormQuality[];
}

/** The quality of a project, as the viewer's scope shows it: agreement of all of it, the rest by the latest tasks. */
export async function projectQuality(db: Queryable, projectId: bigint): Promise<ProjectQuality> {
  const agreement = await projectAgreement(db, projectId);
  const decided = await sql.latestDecisions(db, projectId, TASKS_MAX);
  const statedOf = (name: string) => decided.find(({ dimension }) => dimension === name)?.stated ?? null;
  return {
    dimensions: agreement.map((one) => ({ ...one, stated: statedOf(one.dimension) })),
    adjudications: await sql.adjudicationsOf(db, projectId),
    forms: await sql.formsOf(db, projectId, ANSWERS_MAX),
  };
}

/** A class of a dimension of one task, or what its answers say of a number. */
export interface TaskClass {
  readonly dimension: string;
  readonly label: string;
  readonly probability: number;
  readonly votes: number;
  /** The likeliest number; the truth is within the tolerance of it with the probability. Null of a class, all three. */
  readonly number: number | null;
  readonly tolerance: number | null;
  /** How far from it the truth is: the root of the mean square. */
  readonly deviation: number | null;
}

/**
 * What the answers of a task amount to, adjudication included: every class that was named, the most probable first, and
 * every number.
 */
export async function taskConsensus(db: Queryable, taskId: bigint): Promise<TaskClass[]> {
  const classes = await sql.consensusOf(db, taskId);
  return classes.map(({ votes, ...one }) => ({ ...one, votes: Number(votes) }));
}
