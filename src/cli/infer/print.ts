import { counted } from '../../services/platform/counted.js';
import { METHODS, ORDINAL_METHODS } from '../../services/quality/inference/infer.js';
import { NUMERIC_METHODS } from '../../services/quality/inference/infer-numeric.js';
import type { NumberResult } from './number-result.js';
import type { OrdinalResult } from './ordinal-result.js';
import type { InferResult, MethodResult } from './result.js';

const NAMES = {
  majority: 'majority',
  goldBayes: 'gold-weighted Bayes',
  oneCoin: 'one-coin',
  dawidSkene: 'Dawid-Skene',
  hybrid: 'Dawid-Skene, coins for few answers',
  ordinal: 'ordinal',
  median: 'median',
  precision: 'weighed by precision',
} as const;

/** With more labels than this their counts would not fit beside each other. */
const LABELS_SHOWN = 6;

/** A table for people: a line a method, then which one is chosen and why it could know. */
export function printed(result: InferResult): string {
  const isMeasured = result.truths > 0;
  return tableOf(result, [
    row('method', isMeasured ? ['accuracy', 'off gold', 'on gold', 'stated', 'labels'] : ['labels']),
    ...METHODS.filter((method) => result[method] !== undefined).map((method) =>
      row(NAMES[method], cellsOf(result[method] ?? null, isMeasured)),
    ),
  ]);
}

/** The same of ordered classes: beside how often a method is right by how many classes it is off. */
export function printedOrdinal(result: OrdinalResult): string {
  const isMeasured = result.truths > 0;
  const heads = ['accuracy', 'off gold', 'on gold', 'off by', 'labels'];
  return tableOf(result, [
    row('method', isMeasured ? heads : ['labels']),
    ...ORDINAL_METHODS.flatMap((method) => {
      const found = result[method];
      if (found === undefined) {
        return [];
      }
      const { accuracy, accuracyOffGold, accuracyOnGold, meanError } = found;
      const figures = [accuracy, accuracyOffGold, accuracyOnGold, meanError].map(figure);
      return [row(NAMES[method], [...(isMeasured ? figures : []), labelsOf(found)])];
    }),
  ]);
}

/** The same of numbers: how far off a method is. */
export function printedNumbers(result: NumberResult): string {
  return tableOf(result, [
    row('method', ['off by', 'off gold', 'on gold', 'root mean square']),
    ...NUMERIC_METHODS.map((method) => {
      const { meanError, meanErrorOffGold, meanErrorOnGold, rootMeanSquare } = result[method];
      return row(NAMES[method], [meanError, meanErrorOffGold, meanErrorOnGold, rootMeanSquare].map(figure));
    }),
  ]);
}

interface Counts {
  readonly chosen: keyof typeof NAMES;
  readonly items: number;
  readonly workers: number;
  readonly answers: number;
  readonly truths: number;
  readonly gold: number;
}

function tableOf(counts: Counts, rows: readonly string[]): string {
  const { items, workers, answers, truths, gold } = counts;
  return [
    `${counted(answers, 'answer')} of ${counted(workers, 'worker')} to ${counted(items, 'item')}; ${counted(truths, 'truth')} known, ${gold} of them given as gold.`,
    '',
    ...rows,
    '',
    gold > 0
      ? `Chosen on gold: ${NAMES[counts.chosen]}.`
      : `Chosen: ${NAMES[counts.chosen]}; without gold there is nothing to choose by.`,
    '',
  ].join('\n');
}

function cellsOf(result: MethodResult | null, measured: boolean): string[] {
  if (result === null) {
    return ['not run: too many labels for a matrix a worker'];
  }
  const { accuracy, accuracyOffGold, accuracyOnGold, stated } = result;
  const figures = measured ? [accuracy, accuracyOffGold, accuracyOnGold, stated].map(figure) : [];
  return [...figures, labelsOf(result)];
}

function labelsOf({ labels }: Pick<MethodResult, 'labels'>): string {
  const sorted = Object.entries(labels).sort(([, one], [, other]) => other - one);
  const shown = sorted.slice(0, LABELS_SHOWN).map(([label, count]) => `${label}: ${count}`);
  const hidden = sorted.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join(', ');
}

function row(head: string, cells: readonly string[]): string {
  return [head.padEnd(36), ...cells.map((cell) => cell.padEnd(9))].join(' ').trimEnd();
}

function figure(value: number | null): string {
  return value === null ? '-' : value.toFixed(4);
}
