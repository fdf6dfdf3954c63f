import { type Random, randomOf } from '../../src/services/platform/random.js';
import { type AnswerTable, tableOf } from '../../src/services/quality/inference/answers.js';
import type { Known } from '../../src/services/quality/inference/choose.js';

export interface SimulationSize {
  readonly items: number;
  readonly workers: number;
  readonly classes: number;
  readonly answersAnItem: number;
  readonly seed: number;
}

/** Answers whose truth is known. */
export interface Simulated {
  readonly table: AnswerTable;
  readonly truth: Int32Array;
}

/**
 * Answers of workers with matrices of their own: right with .5 to .95, with a favourite among the wrong classes; a tenth of
 * them answer at random. A worker answers an item once.
 */
export function simulate({ items, workers, classes, answersAnItem, seed }: SimulationSize): Simulated {
  const random = randomOf(seed, 'simulated');
  const people = Array.from({ length: workers }, () => personOf(random, classes));
  const truth = Int32Array.from({ length: items }, () => whole(random, classes));
  const size = items * answersAnItem;
  const columns = { item: new Int32Array(size), worker: new Int32Array(size), label: new Int32Array(size) };
  for (let k = 0; k < size; k++) {
    const item = Math.floor(k / answersAnItem);
    // Steps through the workers from a random one, so that the same one does not come twice.
    const worker = (item * 7919 + (k % answersAnItem) * Math.ceil(workers / answersAnItem)) % workers;
    columns.item[k] = item;
    columns.worker[k] = worker;
    columns.label[k] = saidBy(people[worker], truth[item] ?? 0, { random, classes });
  }
  return { table: tableOf(columns, { items, workers, classes }), truth };
}

/** The first items as gold. */
export function goldOf({ truth }: Simulated, count: number): Known[] {
  return Array.from(truth.subarray(0, count), (value, item) => ({ item, truth: value }));
}

interface Person {
  readonly accuracy: number;
  /** How far from the truth the favourite mistake is. */
  readonly favourite: number;
}

function personOf(random: Random, classes: number): Person {
  const isRandom = random() < 0.1;
  return {
    accuracy: isRandom ? 1 / classes : 0.5 + 0.45 * random(),
    favourite: 1 + whole(random, classes - 1),
  };
}

function saidBy(
  person: Person | undefined,
  truth: number,
  { random, classes }: { random: Random; classes: number },
): number {
  const { accuracy, favourite } = person ?? { accuracy: 1, favourite: 0 };
  if (random() < accuracy) {
    return truth;
  }
  return (truth + (random() < 0.5 ? favourite : 1 + whole(random, classes - 1))) % classes;
}

function whole(random: Random, below: number): number {
  return Math.floor(random() * below);
}
