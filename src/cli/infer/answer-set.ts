import { type CrowdRow, readCrowdLabels, readTruths } from '../../services/projects/crowd-labels.js';
import type { IntakeFault } from '../../services/projects/intake-row.js';
import { type AnswerTable, tableOf } from '../../services/quality/inference/answers.js';
import type { Known } from '../../services/quality/inference/choose.js';
import { isNewTruth, Numbered } from './numbered.js';

/** A file of answers: the table, and the names that its numbers stand for. */
export interface AnswerSet {
  readonly table: AnswerTable;
  readonly items: ReadonlyMap<string, number>;
  /** Sorted, as numbers where all are numbers: class 0 is the first. */
  readonly labels: readonly string[];
  /** Rows that are no answers. */
  readonly faults: readonly IntakeFault[];
}

/** A file of truths. */
export interface TruthSet {
  /** Truth -1: a label that nobody gave. */
  readonly known: readonly Known[];
  /** Truths of items that have no answer. */
  readonly unanswered: number;
  readonly faults: readonly IntakeFault[];
}

/** Reads answers; a pair of item and worker that is repeated counts each time. Throws CrowdFileError. */
export async function readAnswerSet(source: AsyncIterable<Uint8Array>): Promise<AnswerSet> {
  const [items, workers, labels] = [new Numbered(), new Numbered(), new Numbered()];
  const columns = { item: [] as number[], worker: [] as number[], label: [] as number[] };
  const faults: IntakeFault[] = [];
  for await (const row of readCrowdLabels(source) as AsyncIterable<CrowdRow>) {
    if ('reason' in row) {
      faults.push(row);
    } else {
      columns.item.push(items.of(row.item));
      columns.worker.push(workers.of(row.worker));
      columns.label.push(labels.of(labelOf(row.label)));
    }
  }
  const sorted = [...labels.numbers.keys()].sort(compareLabels);
  const places = new Int32Array(sorted.length);
  for (const [place, label] of sorted.entries()) {
    places[labels.of(label)] = place;
  }
  const table = tableOf(
    {
      item: Int32Array.from(columns.item),
      worker: Int32Array.from(columns.worker),
      label: Int32Array.from(columns.label, (label) => places[label] ?? 0),
    },
    { items: items.numbers.size, workers: workers.numbers.size, classes: sorted.length },
  );
  return { table, items: items.numbers, labels: sorted, faults };
}

/** Reads truths of the items of a set. The first truth of an item holds; another one is a fault. Throws CrowdFileError. */
export async function readTruthSet(source: AsyncIterable<Uint8Array>, set: AnswerSet): Promise<TruthSet> {
  const classes = new Map(set.labels.map((label, place) => [label, place]));
  const truths = new Map<string, string>();
  const known: Known[] = [];
  const faults: IntakeFault[] = [];
  let unanswered = 0;
  for await (const row of readTruths(source)) {
    if ('reason' in row) {
      faults.push(row);
    } else if (isNewTruth(row, { truths, faults, nameOf: labelOf })) {
      const item = set.items.get(row.item);
      unanswered += Number(item === undefined);
      if (item !== undefined) {
        known.push({ item, truth: classes.get(labelOf(row.truth)) ?? -1 });
      }
    }
  }
  return { known, unanswered, faults };
}

const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** 1, 1.0 and +1 are one label: files of answers and of truths come from different programs. */
function labelOf(cell: string): string {
  const text = cell.trim();
  return NUMBER.test(text) && Number.isSafeInteger(Number(text)) ? String(Number(text)) : text;
}

/** Whether all labels are numbers: then they have an order. */
export const areNumbers = (labels: readonly string[]): boolean => labels.every((label) => NUMBER.test(label));

function compareLabels(one: string, other: string): number {
  if (NUMBER.test(one) && NUMBER.test(other)) {
    return Number(one) - Number(other);
  }
  return one < other ? -1 : Number(one > other);
}
