/** Answers in the order they came: the k-th says that worker `worker[k]` gave item `item[k]` the class `label[k]`. */
export interface AnswerColumns {
  readonly item: Int32Array;
  readonly worker: Int32Array;
  readonly label: Int32Array;
}

/** How many there are of each; items, workers and classes are numbered from 0. */
export interface Sizes {
  readonly items: number;
  readonly workers: number;
  readonly classes: number;
}

/**
 * Answers to one dimension, item by item: those to item i are at `start[i]` up to, without, `start[i + 1]`. A pair of item
 * and worker may occur more than once; each time counts.
 */
export interface AnswerTable extends Sizes {
  /** items + 1 places. */
  readonly start: Int32Array;
  readonly worker: Int32Array;
  readonly label: Int32Array;
}

/** Sorts answers by item, those of one item in the order they came. @throws RangeError for a number out of its range */
export function tableOf({ item, worker, label }: AnswerColumns, sizes: Sizes): AnswerTable {
  checkRange(item, sizes.items);
  checkRange(worker, sizes.workers);
  checkRange(label, sizes.classes);
  const start = new Int32Array(sizes.items + 1);
  for (const i of item) {
    start[i + 1] = (start[i + 1] ?? 0) + 1;
  }
  for (let i = 0; i < sizes.items; i++) {
    start[i + 1] = (start[i + 1] ?? 0) + (start[i] ?? 0);
  }
  const next = start.slice(0, sizes.items);
  const table = { ...sizes, start, worker: new Int32Array(item.length), label: new Int32Array(item.length) };
  for (const [k, i] of item.entries()) {
    const at = next[i] ?? 0;
    next[i] = at + 1;
    table.worker[at] = worker[k] ?? 0;
    table.label[at] = label[k] ?? 0;
  }
  return table;
}

/** How many answers each worker gave. */
export function answersOfWorkers({ workers, worker }: AnswerTable): Int32Array {
  const counts = new Int32Array(workers);
  for (const w of worker) {
    counts[w] = (counts[w] ?? 0) + 1;
  }
  return counts;
}

/** How many answers each class was given. */
export function answersOfClasses({ classes, label }: AnswerTable): Int32Array {
  const counts = new Int32Array(classes);
  for (const l of label) {
    counts[l] = (counts[l] ?? 0) + 1;
  }
  return counts;
}

function checkRange(values: Int32Array, size: number): void {
  for (const value of values) {
    if (value < 0 || value >= size) {
      throw new RangeError(`${value} is not one of ${size}.`);
    }
  }
}
