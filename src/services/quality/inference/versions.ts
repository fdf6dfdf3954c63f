import type { Dimension } from '../../tasks/task-types.js';
import type { WorkerModel } from '../redundancy/posterior.js';
import type { goldAnswers, VersionRow, workAnswers } from './methods.sql.js';
import { chooseMethod, type MethodChoice } from './project-method.js';
import { calibrateNumbers, type NumbersChoice } from './project-numbers.js';

/** Not of a dimension that has nothing to choose: classes that nobody declared, numbers that only agree where they are equal. */
export const isChosenFor = (dimension: Dimension): boolean =>
  labelsOf(dimension).length > 1 || (dimension.scale === 'interval' && dimension.tolerance !== undefined);

/** What the versions of a project's dimensions rest on. */
export interface Seen {
  readonly customerId: bigint;
  readonly priorMean: number;
  /** Those that have something to choose. */
  readonly dimensions: readonly Dimension[];
  readonly work: Awaited<ReturnType<typeof workAnswers>>;
  readonly gold: Awaited<ReturnType<typeof goldAnswers>>;
}

/** Chooses and fits the method of each dimension (chooseMethod, calibrateNumbers): a function of what is seen, and seconds of a core. */
export const versionsOf = ({ dimensions, ...seen }: Seen): VersionRow[] =>
  dimensions.map((dimension) => versionOf({ dimension, ...seen }));

function versionOf({
  dimension,
  customerId,
  priorMean,
  ...all
}: Omit<Seen, 'dimensions'> & { dimension: Dimension }): VersionRow {
  const isOf = (row: { dimension: string }) => row.dimension === dimension.name;
  const work = all.work.filter(isOf);
  const gold = all.gold.filter(isOf);
  const common = {
    customerId,
    dimension: dimension.name,
    goldAnswers: gold.length,
    answers: work.length,
    lastAssignment: latest(all.work.map(({ assignmentId }) => assignmentId)),
    lastGrading: latest(all.gold.map(({ gradingId }) => gradingId)),
  };
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
