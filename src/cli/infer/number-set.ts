import { type CrowdRow, readCrowdLabels, readTruths } from '../../services/projects/crowd-labels.js';
import type { IntakeFault } from '../../services/projects/intake-row.js';
import { tableOf } from '../../services/quality/inference/answers.js';
import type { KnownValue } from '../../services/quality/inference/infer-numeric.js';
import type { NumericTable } from '../../services/quality/inference/numeric.js';
import { isNewTruth, Numbered } from './numbered.js';

/** A file of answers that are numbers. */
export interface NumberSet {
  readonly table: NumericTable;
  readonly items: ReadonlyMap<string, number>;
  /** Rows that are no answers, those whose label is no number among them. */
  readonly faults: readonly IntakeFault[];
}

export interface NumberTruths {
  readonly known: readonly KnownValue[];
  /** Truths of items that have no answer. */
  readonly unanswered: number;
  readonly faults: readonly IntakeFault[];
}

/** Reads answers on an interval scale; a pair of item and worker that is repeated counts each time. Throws CrowdFileError. */
export async function readNumberSet(source: AsyncIterable<Uint8Array>): Promise<NumberSet> {
  const [items, workers] = [new Numbered(), new Numbered()];
  const columns = { item: [] as number[], worker: [] as number[], value: [] as number[] };
  const faults: IntakeFault[] = [];
  for await (const row of readCrowdLabels(source) as AsyncIterable<CrowdRow>) {
    const value = 'reason' in row ? null : numberOf(row.label);
    if ('reason' in row) {
      faults.push(row);
    } else if (value === null) {
      faults.push({ line: row.line, reason: `The row has a label that is no decimal number ${WITHIN}.` });
    } else {
      columns.item.push(items.of(row.item));
      columns.worker.push(workers.of(row.worker));
      columns.value.push(value);
    }
  }
  const answers = columns.value.length;
  // Sorted by item as any answers are: the label is the place where the number stands.
  const { label, ...sorted } = tableOf(
    {
      item: Int32Array.from(columns.item),
      worker: Int32Array.from(columns.worker),
      label: Int32Array.from(columns.value, (_, at) => at),
    },
    { items: items.numbers.size, workers: workers.numbers.size, classes: answers },
  );
  const value = Float64Array.from(label, (at) => columns.value[at] ?? Number.NaN);
  return { table: { ...sorted, value }, items: items.numbers, faults };
}

/** Reads truths that are numbers. The first truth of an item holds; another one is a fault. Throws CrowdFileError. */
export async function readNumberTruths(
  source: AsyncIterable<Uint8Array>,
  set: NumberSet,
): Promise<NumberTruths> {
  const truths = new Map<string, string>();
  const known: KnownValue[] = [];
  const faults: IntakeFault[] = [];
  let unanswered = 0;
  for await (const row of readTruths(source)) {
    const value = 'reason' in row ? null : numberOf(row.truth);
    if ('reason' in row) {
      faults.push(row);
    } else if (value === null) {
      faults.push({ line: row.line, reason: `The row has a truth that is no decimal number ${WITHIN}.` });
    } else if (isNewTruth(row, { truths, faults, nameOf: (cell) => String(Number(cell)) })) {
      const item = set.items.get(row.item);
      unanswered += Number(item === undefined);
      known.push(...(item === undefined ? [] : [{ item, value }]));
    }
  }
  return { known, unanswered, faults };
}

/** Numbers are decimal, with an exponent or without: 0x10 and Infinity are none, as they are none in other tools that read the file. */
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function numberOf(cell: string): number | null {
  const text = cell.trim();
  const value = Number(text);
  return DECIMAL.test(text) && Math.abs(value) <= NUMBER_MAX ? value : null;
}

/** Beyond, the square of a difference is no number any more. */
const NUMBER_MAX = 1e150;

const WITHIN = 'from -1e150 to 1e150';
