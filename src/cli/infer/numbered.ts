import type { RecordedTruth } from '../../services/projects/crowd-labels.js';
import type { IntakeFault } from '../../services/projects/intake-row.js';

/** Numbers for names, in the order in which they first appear. */
export class Numbered {
  readonly numbers = new Map<string, number>();

  of(name: string): number {
    const known = this.numbers.get(name);
    if (known !== undefined) {
      return known;
    }
    // A cell would hold on to its whole row.
    this.numbers.set(Buffer.from(name).toString(), this.numbers.size);
    return this.numbers.size - 1;
  }
}

interface Seen {
  /** The first truth of each item. */
  readonly truths: Map<string, string>;
  readonly faults: IntakeFault[];
  /** What two ways to write a truth have in common. */
  readonly nameOf: (cell: string) => string;
}

/** Whether a truth is the first of its item; a later one that contradicts it becomes a fault. */
export function isNewTruth({ line, item, truth }: RecordedTruth, { truths, faults, nameOf }: Seen): boolean {
  const earlier = truths.get(item);
  if (earlier !== undefined && nameOf(earlier) !== nameOf(truth)) {
    faults.push({ line, reason: 'The row contradicts an earlier row about its item.' });
  }
  truths.set(item, earlier ?? truth);
  return earlier === undefined;
}
