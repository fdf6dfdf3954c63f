import { METHODS } from '../../services/quality/inference/infer.js';
import type { InferResult, MethodResult } from './result.js';

const NAMES = {
  majority: 'majority',
  goldBayes: 'gold-weighted Bayes',
  oneCoin: 'one-coin',
  dawidSkene: 'Dawid-Skene',
  hybrid: 'Dawid-Skene, coins for few answers',
} as const;

/** With more labels than this their counts would not fit beside each other. */
const LABELS_SHOWN = 6;

/** A table for people: a line a method, then which one is chosen and why it could know. */
export function printed(result: InferResult): string {
  const { items, workers, answers, truths, gold } = result;
  return [
    `${answers} answers of ${workers} workers to ${items} items; ${truths} truths known, ${gold} of them given as gold.`,
    '',
    row('method', truths > 0 ? ['accuracy', 'off gold', 'on gold', 'stated', 'labels'] : ['labels']),
    ...METHODS.filter((method) => result[method] !== undefined).map((method) =>
      row(NAMES[method], cellsOf(result[method] ?? null, truths > 0)),
    ),
    '',
    gold > 0
      ? `Chosen on gold: ${NAMES[result.chosen]}.`
      : `Chosen: ${NAMES[result.chosen]}; without gold there is nothing to choose by.`,
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

function labelsOf({ labels }: MethodResult): string {
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
