import { type Database, withSystem } from '../../platform/database.js';
import type { Queryable } from '../../platform/rows.js';
import type { Dimension } from '../../tasks/task-types.js';
import type { WorkerModel } from '../redundancy/posterior.js';
import * as sql from './methods.sql.js';
import { chooseMethod, type MethodChoice } from './project-method.js';
import { calibrateNumbers, type NumbersChoice } from './project-numbers.js';

/** A project is looked at again after so long. */
const EVERY_SECONDS = 600;
/** Answers, and gradings of gold, that a choice rests on: the latest ones. */
const ANSWERS_MAX = 20_000;
/** A version is made when so much of what it rests on is new, or anything after a day. */
const NEWS_SHARE = 0.1;
const AGE_SECONDS = 86_400;

export interface MethodsLooked {
  /** Projects that were looked at. */
  readonly looked: number;
  /** Projects that have a new version. */
  readonly chosen: number;
  readonly failures: readonly unknown[];
}

/** What follows from a new version, in its transaction. */
export type AfterChoice = (tx: Queryable, place: sql.ProjectPlace) => Promise<void>;

/**
 * Chooses, for running projects whose turn it is, the method by which each dimension is judged (chooseMethod), and keeps it as a new
 * version where a tenth of its evidence is new, gold that it rests on counts no longer, or a day has gone by with anything
 * new. Projects take turns over all nodes; each has a transaction of its own, so one that fails costs no other its turn.
 * @param limit projects that are looked at
 */
export async function chooseMethods(
  db: Database,
  { limit, after }: { limit: number; after: AfterChoice },
): Promise<MethodsLooked> {
  const turns = await withSystem(db, async (tx) => {
    await sql.enterProjects(tx, limit);
    return sql.takeTurns(tx, { limit, everySeconds: EVERY_SECONDS });
  });
  const failures: unknown[] = [];
  let chosen = 0;
  for (const place of turns) {
    try {
      chosen += Number(await withSystem(db, (tx) => chooseFor(tx, place, after)));
    } catch (error) {
      failures.push(error);
    }
  }
  return { looked: turns.length, chosen, failures };
}

type Project = NonNullable<Awaited<ReturnType<typeof sql.projectOf>>>;

async function chooseFor(tx: Queryable, place: sql.ProjectPlace, after: AfterChoice): Promise<boolean> {
  const project = await sql.projectOf(tx, place, AGE_SECONDS);
  const dimensions =
    project === null ? [] : (JSON.parse(project.dimensions) as Dimension[]).filter(isChosenFor);
  if (project === null || dimensions.length === 0 || !(await hasNews(tx, place, project))) {
    return false;
  }
  const work = await sql.workAnswers(tx, place, ANSWERS_MAX);
  const gold = await sql.goldAnswers(tx, place, ANSWERS_MAX);
  for (const dimension of dimensions) {
    await sql.saveVersion(tx, place, versionOf({ project, dimension, work, gold }));
  }
  await after(tx, place);
  return true;
}

/** Not of a dimension that has nothing to choose: classes that nobody declared, numbers that only agree where they are equal. */
const isChosenFor = (dimension: Dimension): boolean =>
  labelsOf(dimension).length > 1 || (dimension.scale === 'interval' && dimension.tolerance !== undefined);

async function hasNews(tx: Queryable, place: sql.ProjectPlace, project: Project): Promise<boolean> {
  const { lastAssignment, lastGrading, answers, goldAnswers, isChosen, isOld } = project;
  if (lastAssignment === null || lastGrading === null) {
    return true;
  }
  const news = await sql.newsOf(tx, place, { lastAssignment, lastGrading, limit: ANSWERS_MAX });
  const isMuch = (count: number, of: number | null) =>
    count > 0 && (isOld || count >= NEWS_SHARE * (of ?? 0));
  return (
    isMuch(news.gradings, goldAnswers) ||
    (isChosen === true && isMuch(news.answers, answers)) ||
    news.goldTold < (goldAnswers ?? 0)
  );
}

interface Seen {
  readonly project: Project;
  readonly dimension: Dimension;
  readonly work: Awaited<ReturnType<typeof sql.workAnswers>>;
  readonly gold: Awaited<ReturnType<typeof sql.goldAnswers>>;
}

function versionOf({ project, dimension, ...all }: Seen): sql.VersionRow {
  const isOf = (row: { dimension: string }) => row.dimension === dimension.name;
  const work = all.work.filter(isOf);
  const gold = all.gold.filter(isOf);
  const common = {
    customerId: project.customerId,
    dimension: dimension.name,
    goldAnswers: gold.length,
    answers: work.length,
    lastAssignment: latest(all.work.map(({ assignmentId }) => assignmentId)),
    lastGrading: latest(all.gold.map(({ gradingId }) => gradingId)),
  };
  const { priorMean } = project;
  const labels = labelsOf(dimension);
  if (labels.length > 1) {
    const isOrdered = dimension.scale === 'ordinal';
    return { ...common, ...classVersion(chooseMethod({ labels, isOrdered, work, gold, priorMean }), labels) };
  }
  const { tolerance = 0 } = dimension;
  const tasks = new Set(work.map(({ taskId }) => taskId)).size;
  const answersAnItem = Math.max(1, Math.round(work.length / Math.max(1, tasks)));
  return {
    ...common,
    answersAnItem,
    ...numbersVersion(calibrateNumbers({ tolerance, answersAnItem, gold, priorMean })),
  };
}

function latest(ids: readonly bigint[]): bigint {
  let most = 0n;
  for (const id of ids) {
    most = id < most ? most : id;
  }
  return most;
}

/** The classes of a dimension as its answers are kept, in their order: text of an ordinal one by its rank. None of numbers. */
export function labelsOf({ scale, values = [] }: Dimension): string[] {
  return scale === 'interval'
    ? []
    : values.map((value, rank) => String(scale === 'ordinal' && typeof value === 'string' ? rank : value));
}

function classVersion(
  { model, calibration, scoresCalibration, ...choice }: MethodChoice,
  labels: readonly string[],
) {
  const frozen = model?.frozen ?? null;
  return {
    ...choice,
    ...calibration,
    scoresTemper: scoresCalibration.temper,
    scoresDoubt: scoresCalibration.doubt,
    intercept: null,
    slope: null,
    prior: frozen?.prior ? byLabel(frozen.prior, labels) : null,
    accuracy: frozen?.average.accuracy ?? null,
    matrix: frozen === null ? null : matrixOf(frozen.average, labels),
    experts: (frozen?.workers ?? []).flatMap((worker, at) => {
      const expertId = model?.expertIds[at];
      return expertId === undefined
        ? []
        : [{ expertId, accuracy: worker.accuracy, matrix: matrixOf(worker, labels) }];
    }),
  };
}

function numbersVersion({ accuracy, stated, map, ...evidence }: NumbersChoice) {
  return {
    ...evidence,
    method: 'NUMBERS',
    reason: map === null ? 'TOO_LITTLE_GOLD' : 'CHOSEN_ON_GOLD',
    trials: map === null ? [] : [{ method: 'NUMBERS', accuracy, stated }],
    ...{
      temper: 1,
      doubt: 0,
      scoresTemper: 1,
      scoresDoubt: 0,
      prior: null,
      accuracy: null,
      matrix: null,
      experts: [],
    },
    intercept: map?.intercept ?? null,
    slope: map?.slope ?? null,
  };
}

const byLabel = <T>(values: readonly T[], labels: readonly string[]): Record<string, T> =>
  Object.fromEntries(labels.map((label, at) => [label, values[at] as T]));

const matrixOf = ({ confusion }: WorkerModel, labels: readonly string[]) =>
  confusion === null
    ? null
    : byLabel(
        confusion.map((row) => byLabel(row, labels)),
        labels,
      );
