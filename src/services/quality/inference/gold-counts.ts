import type { Vote } from './item-model.js';

/** A worker's answer to an item whose truth is known. */
export interface Graded extends Vote {
  readonly truth: number;
}

/** How a worker did on gold. */
export interface Record {
  /** truth × classes + said: how often, where it ever happened; a square of all labels could be larger than memory. */
  readonly counts: Map<number, number>;
  right: number;
  total: number;
}

/**
 * What workers said to items whose truth is known: counts, to which one answer can be added, or from which one can be taken
 * again, without looking at the others. Whole numbers, so that the order leaves no trace.
 */
export class GoldCounts {
  /** Of all workers together. */
  right = 0;
  total = 0;
  /** Another number after each change. */
  version = 0;
  private readonly records = new Map<number, Record>();

  constructor(readonly classes: number) {}

  add(graded: Graded): void {
    this.count(graded, 1);
  }

  /** @throws RangeError where no such answer was added */
  remove(graded: Graded): void {
    if (!this.records.get(graded.worker)?.counts.has(this.cell(graded))) {
      throw new RangeError('This answer was not counted.');
    }
    this.count(graded, -1);
  }

  of(worker: number): Record | undefined {
    return this.records.get(worker);
  }

  private cell({ truth, label }: Graded): number {
    return truth * this.classes + label;
  }

  private count(graded: Graded, change: 1 | -1): void {
    const record = this.records.get(graded.worker) ?? { counts: new Map(), right: 0, total: 0 };
    this.records.set(graded.worker, record);
    const cell = this.cell(graded);
    const count = (record.counts.get(cell) ?? 0) + change;
    if (count === 0) {
      record.counts.delete(cell);
    } else {
      record.counts.set(cell, count);
    }
    record.total += change;
    this.total += change;
    if (graded.truth === graded.label) {
      record.right += change;
      this.right += change;
    }
    this.version += 1;
  }
}
