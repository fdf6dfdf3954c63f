import { type CrowdRow, type RecordedAnswer, readCrowdLabels } from './crowd-labels.js';
import type { IntakeFault } from './intake-row.js';

/** The answers of a file, by item: what each worker said. Items, workers and labels in the order they first appear. */
export interface CrowdSet {
  readonly items: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly workers: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
  /** How many answers there are in all. */
  readonly answers: number;
  /** Rows that are no answers: the first of them, and how many there are. */
  readonly faults: readonly IntakeFault[];
  readonly faultCount: number;
}

/** A task names at most so many experts. */
export const MOST_WORKERS_AN_ITEM = 1000;

/** Enough to see what is wrong with a file; the count says how much of it is. */
const MOST_FAULTS_KEPT = 1000;

/**
 * Reads a whole file of crowd labels. The first answer of a worker to an item counts; a repetition is a fault, for an
 * expert never answers the same task twice. Memory grows with the answers (about 100 bytes each), not with the file.
 */
export async function readCrowdSet(source: AsyncIterable<Uint8Array>): Promise<CrowdSet> {
  const builder = new CrowdSetBuilder();
  for await (const row of readCrowdLabels(source)) {
    builder.add(row);
  }
  return builder;
}

class CrowdSetBuilder implements CrowdSet {
  readonly items = new Map<string, Map<string, string>>();
  readonly workers = new Set<string>();
  readonly labels = new Set<string>();
  readonly faults: IntakeFault[] = [];
  answers = 0;
  faultCount = 0;
  /** One copy of each text, however often it occurs; a cell would hold on to its whole row. */
  private readonly texts = new Map<string, string>();

  add(row: CrowdRow): void {
    if ('reason' in row) {
      this.refuse(row);
    } else {
      this.answer(row);
    }
  }

  private answer({ line, item, worker, label }: RecordedAnswer): void {
    const given = this.items.get(item);
    if (given?.has(worker)) {
      this.refuse({ line, reason: 'The row repeats an item and worker of an earlier row.' });
      return;
    }
    if (given !== undefined && given.size >= MOST_WORKERS_AN_ITEM) {
      this.refuse({ line, reason: `The item has ${MOST_WORKERS_AN_ITEM} answers already.` });
      return;
    }
    const answers = given ?? new Map<string, string>();
    if (given === undefined) {
      this.items.set(this.text(item), answers);
    }
    answers.set(this.text(worker), this.text(label));
    this.workers.add(this.text(worker));
    this.labels.add(this.text(label));
    this.answers += 1;
  }

  private refuse(fault: IntakeFault): void {
    this.faultCount += 1;
    if (this.faults.length < MOST_FAULTS_KEPT) {
      this.faults.push(fault);
    }
  }

  private text(value: string): string {
    const known = this.texts.get(value);
    if (known !== undefined) {
      return known;
    }
    const copy = Buffer.from(value).toString();
    this.texts.set(copy, copy);
    return copy;
  }
}
