import { orderedErrors } from '../redundancy/ordered.js';
import type { WorkerModel } from '../redundancy/posterior.js';
import { type AnswerTable, answersOfWorkers } from './answers.js';
import { dawidSkene } from './dawid-skene.js';
import { oneCoin } from './one-coin.js';
import { errorsOf, ordinalFit } from './ordinal.js';

/** What a method that learns from all answers knows when it has learnt: enough to judge one task by its own answers. */
export interface FrozenModel {
  /** P(class) before any answer; null: all are alike. */
  readonly prior: readonly number[] | null;
  /** By the worker's number. */
  readonly workers: readonly WorkerModel[];
  /** Of whoever the model does not know. */
  readonly average: WorkerModel;
}

export const FROZEN_METHODS = ['MAJORITY', 'ONE_COIN', 'DAWID_SKENE', 'HYBRID', 'ORDINAL'] as const;
export type FrozenMethod = (typeof FROZEN_METHODS)[number];

export interface FreezingParts {
  readonly table: AnswerTable;
  readonly isOrdered: boolean;
  /** Of all experts on gold: how much a vote of the majority is worth. */
  readonly meanAccuracy: number;
}

/** So many numbers of matrices are kept with a version: 1,000 experts may have 16 classes. */
const MATRICES_MAX = 2 ** 18;
/** Nothing is impossible, in the share of equal classes: as redundancy/posterior.ts has it. */
const LEAST = 0.01;
/** What is kept is what is tried: numbers of six digits. */
const DIGITS = 6;

/**
 * The models of the methods that fit the table, by method. Matrices are left out where they would be too many, a mixture with
 * coins where every worker gave enough for a matrix, the ordinal model where classes have no order.
 */
export function freeze(parts: FreezingParts): Map<FrozenMethod, FrozenModel> {
  const { table, isOrdered } = parts;
  const enough = table.classes ** 2;
  const fits = table.workers * enough <= MATRICES_MAX;
  const isMixed = fits && answersOfWorkers(table).some((answers) => answers < enough);
  const models: [FrozenMethod, FrozenModel | null][] = [
    ['MAJORITY', majority(parts)],
    ['ONE_COIN', coins(parts)],
    ['DAWID_SKENE', fits ? matrices(table, 0) : null],
    ['HYBRID', isMixed ? matrices(table, enough) : null],
    ['ORDINAL', fits && isOrdered ? ordered(table) : null],
  ];
  return new Map(models.flatMap(([method, model]) => (model === null ? [] : [[method, model]])));
}

/** The posterior of a majority with a number: each vote for a class is worth the same, so it grows with the votes. */
function majority({ table, isOrdered, meanAccuracy }: FreezingParts): FrozenModel {
  return { prior: null, workers: [], average: coin(meanAccuracy, table.classes, isOrdered) };
}

function coins({ table, isOrdered }: FreezingParts): FrozenModel {
  const { accuracy } = oneCoin(table);
  const mean = accuracy.reduce((sum, q) => sum + q, 0) / Math.max(1, accuracy.length);
  return {
    prior: null,
    workers: Array.from(accuracy, (q) => coin(q, table.classes, isOrdered)),
    average: coin(mean, table.classes, isOrdered),
  };
}

/** All errors alike; on an ordered scale that takes a matrix, for an accuracy alone means nearer ones are likelier. */
function coin(accuracy: number, classes: number, isOrdered: boolean): WorkerModel {
  const kept = Math.min(1 - LEAST, Math.max(LEAST, Number(accuracy.toPrecision(DIGITS))));
  const row = (truth: number) => (_: unknown, said: number) =>
    said === truth ? kept : (1 - kept) / Math.max(1, classes - 1);
  const matrix = isOrdered
    ? Array.from({ length: classes }, (_, truth) => Array.from({ length: classes }, row(truth)))
    : null;
  return { accuracy: kept, confusion: matrix === null ? null : roundedRows(matrix) };
}

function matrices(table: AnswerTable, matrixFrom: number): FrozenModel {
  const { workers, classes } = table;
  const { prior, confusion } = dawidSkene(table, { matrixFrom });
  const rowsOf = (worker: number) =>
    Array.from({ length: classes }, (_, truth) =>
      Array.from(
        { length: classes },
        (_said, said) => confusion[(worker * classes + said) * classes + truth] ?? 0,
      ),
    );
  const known = Array.from({ length: workers }, (_, worker) => rowsOf(worker));
  const average = meanRows(known, classes);
  return {
    prior: floored(Array.from(prior), classes),
    // A class that somebody has met none of is answered as by others.
    workers: known.map((rows) =>
      ofRows(rows.map((row, truth) => (sum(row) > 0 ? row : (average[truth] ?? row)))),
    ),
    average: ofRows(average),
  };
}

function ordered(table: AnswerTable): FrozenModel {
  const { precision } = ordinalFit(table);
  const mean = precision.reduce((total, kappa) => total + kappa, 0) / Math.max(1, precision.length);
  return {
    prior: null,
    workers: Array.from(precision, (kappa) => ofRows(errorsOf(kappa, table.classes))),
    average: ofRows(errorsOf(mean, table.classes)),
  };
}

function meanRows(known: readonly (readonly (readonly number[])[])[], classes: number): number[][] {
  return Array.from({ length: classes }, (_, truth) => {
    const rows = known.map((matrix) => matrix[truth] ?? []).filter((row) => sum(row) > 0);
    return Array.from({ length: classes }, (_said, said) =>
      rows.length === 0 ? 1 / classes : sum(rows.map((row) => row[said] ?? 0)) / rows.length,
    );
  });
}

function ofRows(rows: readonly (readonly number[])[]): WorkerModel {
  const right = sum(rows.map((row, truth) => row[truth] ?? 0)) / Math.max(1, rows.length);
  return {
    accuracy: Math.min(1 - LEAST, Math.max(LEAST, Number(right.toPrecision(DIGITS)))),
    confusion: roundedRows(rows),
  };
}

function floored(shares: readonly number[], classes: number): number[] {
  const raised = shares.map((share) => Math.max(LEAST / classes, share));
  return raised.map((share) => Number((share / sum(raised)).toPrecision(DIGITS)));
}

const roundedRows = (rows: readonly (readonly number[])[]) =>
  rows.map((row) => row.map((p) => Number(p.toPrecision(DIGITS))));

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** How somebody answers of whom an accuracy is all that is known: on an ordered scale near misses are likelier. */
export const byScore = (accuracy: number, classes: number, isOrdered: boolean): WorkerModel => ({
  accuracy,
  confusion: isOrdered ? orderedErrors(accuracy, classes) : null,
});
