import type { Queryable } from '../../platform/rows.js';
import { type DimensionAgreement, projectAgreement } from './agreement.js';
import * as methods from './methods.sql.js';
import * as sql from './project-quality.sql.js';

/** Finished tasks whose results are looked at, and answers that forms are compared on: the latest ones. */
const TASKS_MAX = 500;
const ANSWERS_MAX = 20_000;

export interface DimensionQuality extends DimensionAgreement {
  /** How sure the results of the latest finished tasks are, on average; null where none is finished. */
  readonly stated: number | null;
  /** Those tasks. */
  readonly statedTasks: number;
  /** Whether that was held to truths that were not chosen by how sure it was. */
  readonly isCalibrated: boolean;
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
  /** Who gave them. */
  readonly experts: number;
  /** Of experts who answered on other forms too: the mean of `agreed` here less there, with its standard error, and how many they are. */
  readonly agreedDifference: number | null;
  readonly agreedError: number | null;
  readonly agreedExperts: number;
  /** The same of how long they take: the geometric mean of here over there, with its standard error (delta method). */
  readonly secondsRatio: number | null;
  readonly secondsError: number | null;
  readonly secondsExperts: number;
}

export interface ProjectQuality {
  readonly dimensions: readonly DimensionQuality[];
  readonly adjudications: { readonly opened: number; readonly done: number };
  readonly forms: readonly FormQuality[];
  readonly methods: readonly JudgingMethod[];
  /** Of the tasks that were finished last: how many they are, and how many of them rest on newcomers alone. */
  readonly newcomers: { readonly tasks: number; readonly alone: number };
}

export type JudgingMethod = methods.JudgingMethod;
export type MethodWhich = methods.MethodWhich;

/** How sure results are, by dimension, and on whom they rest. */
export interface ResultsNow {
  readonly stated: Awaited<ReturnType<typeof methods.statedNow>>;
  readonly newcomers: ProjectQuality['newcomers'];
}

/** What is known of a project's latest results by the records of those who answered: so in a transaction of our own. */
export async function resultsNow(db: Queryable, projectId: bigint): Promise<ResultsNow> {
  const latest = { projectId, limit: TASKS_MAX };
  return { stated: await methods.statedNow(db, latest), newcomers: await sql.newcomersAloneOf(db, latest) };
}

/** The quality of a project, as the viewer's scope shows it: agreement of all of it, the rest by the latest tasks. */
export async function projectQuality(
  db: Queryable,
  projectId: bigint,
  { stated, newcomers }: ResultsNow,
): Promise<ProjectQuality> {
  const agreement = await projectAgreement(db, projectId);
  const judged = await methods.methodsOf(db, { projectId, dimension: null, version: null });
  const statedOf = (name: string) => stated.find(({ dimension }) => dimension === name);
  return {
    dimensions: agreement.map((one) => ({
      ...one,
      stated: statedOf(one.dimension)?.stated ?? null,
      statedTasks: statedOf(one.dimension)?.tasks ?? 0,
      isCalibrated: judged.some(({ dimension, isCalibrated }) => dimension === one.dimension && isCalibrated),
    })),
    methods: judged,
    adjudications: await sql.adjudicationsOf(db, projectId),
    forms: await sql.formsOf(db, projectId, ANSWERS_MAX),
    newcomers,
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
  readonly method: JudgingMethod['method'];
  /** Of the method, by number; null before any was made. */
  readonly version: number | null;
  /** As in JudgingMethod. */
  readonly isCalibrated: boolean;
}

/**
 * What the answers of a task amount to, adjudication included: every class that was named, the most probable first, and
 * every number.
 */
export async function taskConsensus(db: Queryable, taskId: bigint): Promise<TaskClass[]> {
  const classes = await sql.consensusOf(db, taskId);
  return classes.map(({ votes, ...one }) => ({ ...one, votes: Number(votes) }));
}

/** By what the dimensions of a project are judged, or were by a version, as the viewer's scope shows it. */
export const judgingMethods = (db: Queryable, which: MethodWhich): Promise<JudgingMethod[]> =>
  methods.methodsOf(db, which);
