import type { Dimension } from '../../tasks/task-types.js';
import type { WorkerModel } from '../redundancy/posterior.js';
import type { GoldAnswer } from './gold-items.js';
import { labelsOf } from './labels.js';
import type { VersionRow, workAnswers } from './methods.sql.js';
import { chooseMethod, type MethodChoice } from './project-method.js';
import { calibrateNumbers, type NumbersChoice } from './project-numbers.js';
import { type KeptAnswer, type KeptRecord, weighed } from './weighing.js';

/** Not of a dimension that has nothing to choose: classes that nobody declared, numbers that only agree where they are equal. */
export const isChosenFor = (dimension: Dimension): boolean =>
  labelsOf(dimension).length > 1 || (dimension.scale === 'interval' && dimension.tolerance !== undefined);

/** What the versions of a project's dimensions rest on. */
export interface Seen {
  readonly customerId: bigint;
  /** Up to which grading was looked before: a version looks at no less. */
  readonly before: bigint;
  /** Those that have something to choose. */
  readonly dimensions: readonly Dimension[];
  readonly work: Awaited<ReturnType<typeof workAnswers>>;
  readonly gold: readonly KeptAnswer[];
  /** Of those who answered the gold. */
  readonly records: readonly KeptRecord[];
}

/** Chooses and fits the method of each dimension (chooseMethod, calibrateNumbers): a function of what is seen, and seconds of a core. */
export const versionsOf = ({ dimensions, ...seen }: Seen): VersionRow[] =>
  dimensions.map((dimension) => versionOf({ dimension, ...seen }));

function versionOf({
  dimension,
  customerId,
  ...all
}: Omit<Seen, 'dimensions'> & { dimension: Dimension }): VersionRow {
  const isOf = (row: { dimension: string }) => row.dimension === dimension.name;
  const work = all.work.filter(isOf);
  const gold = weighed(all.gold.filter(isOf), { dimension, records: all.records });
  const common = {
    customerId,
    dimension: dimension.name,
    goldAnswers: gold.length,
    drawnTasks: drawnTasks(gold, dimension),
    answers: work.length,
    lastAssignment: latest(all.work.map(({ assignmentId }) => assignmentId)),
    lastGrading: latest([all.before, ...all.gold.map(({ gradingId }) => gradingId)]),
  };
  const labels = labelsOf(dimension);
  if (labels.length > 1) {
    const isOrdered = dimension.scale === 'ordinal';
    return { ...common, ...classVersion(chooseMethod({ labels, isOrdered, work, gold }), labels) };
  }
  const { tolerance = 0 } = dimension;
  const tasks = new Set(work.map(({ taskId }) => taskId)).size;
  const answersAnItem = Math.max(1, Math.round(work.length / Math.max(1, tasks)));
  return {
    ...common,
    answersAnItem,
    ...numbersVersion(calibrateNumbers({ tolerance, answersAnItem, gold })),
  };
}

/** Tasks that were drawn among those of known truth, as far as what was said of them is of the dimension. */
function drawnTasks(gold: readonly GoldAnswer[], dimension: Dimension): number {
  const labels = labelsOf(dimension);
  const isValue = (text: string) => labels.length <= 1 || labels.includes(text);
  return new Set(
    gold
      .filter(({ isWork, truth, answered }) => isWork === true && isValue(truth) && isValue(answered))
      .map(({ taskId }) => taskId),
  ).size;
}

function latest(ids: readonly bigint[]): bigint {
  let most = 0n;
  for (const id of ids) {
    most = id < most ? most : id;
  }
  return most;
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
