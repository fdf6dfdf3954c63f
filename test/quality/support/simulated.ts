import { type Random, randomOf } from '../../../src/services/platform/random.js';
import { type AnswerTable, tableOf } from '../../../src/services/quality/inference/answers.js';
import type { Known } from '../../../src/services/quality/inference/choose.js';

/** Crowds of the kinds that public sets are known for, among them those on which one method or the other fails. */
export interface Kind {
  readonly items: number;
  readonly workers: number;
  readonly classes: number;
  readonly answersAnItem: number;
  /** Shares of classes; equal by default. */
  readonly prior?: readonly number[];
  /** P(says | truth) of one worker: truth, then what is said. */
  readonly person: (random: Random) => number[][];
  /** Share of items that lead a worker astray, of workers who can be led, and how often those then are. */
  readonly traps?: { readonly items: number; readonly workers: number; readonly fall: number };
}

export interface SimulatedCrowd {
  readonly table: AnswerTable;
  readonly truth: readonly Known[];
}

export function crowdOf(kind: Kind, seed: number): SimulatedCrowd {
  const random = randomOf(seed, 'crowd');
  const { items, workers, classes, answersAnItem, traps } = kind;
  const people = Array.from({ length: workers }, () => ({
    rows: kind.person(random),
    isGullible: random() < (traps?.workers ?? 0),
  }));
  const prior = kind.prior ?? Array.from({ length: classes }, () => 1 / classes);
  const columns = { item: [] as number[], worker: [] as number[], label: [] as number[] };
  const truth = Array.from({ length: items }, (_, item) => ({ item, truth: drawn(prior, random) }));
  for (const { item, truth: j } of truth) {
    const isTrap = random() < (traps?.items ?? 0);
    const lure = (j + 1 + Math.floor(random() * (classes - 1))) % classes;
    for (const w of someOf(workers, answersAnItem, random)) {
      const falls = isTrap && people[w]?.isGullible === true && random() < (traps?.fall ?? 0);
      columns.item.push(item);
      columns.worker.push(w);
      columns.label.push(falls ? lure : drawn(people[w]?.rows[j] ?? [], random));
    }
  }
  const table = tableOf(
    {
      item: Int32Array.from(columns.item),
      worker: Int32Array.from(columns.worker),
      label: Int32Array.from(columns.label),
    },
    { items, workers, classes },
  );
  return { table, truth };
}

/** Right with a probability around `mean`; a share of workers answers by chance alone. */
export const coins =
  (classes: number, { mean, spread, spam }: { mean: number; spread: number; spam: number }) =>
  (random: Random): number[][] => {
    const skilled = logistic(Math.log(mean / (1 - mean)) + spread * normal(random));
    const q = random() < spam ? 1 / classes : skilled;
    return rows(classes, (j, l) => (l === j ? q : (1 - q) / (classes - 1)));
  };

/** Each worker likes some answers better than others, whatever is true. */
export const partial =
  (classes: number, { skill, spread, bias }: { skill: number; spread: number; bias: number }) =>
  (random: Random): number[][] => {
    const liking = Array.from({ length: classes }, () => bias * normal(random));
    const own = skill + spread * normal(random);
    return rows(classes, (j, l) => Math.exp((liking[l] ?? 0) + (l === j ? own : 0))).map((row) => {
      const sum = row.reduce((all, weight) => all + weight, 0);
      return row.map((weight) => weight / sum);
    });
  };

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function rows(classes: number, of: (j: number, l: number) => number): number[][] {
  return Array.from({ length: classes }, (_row, j) =>
    Array.from({ length: classes }, (_cell, l) => of(j, l)),
  );
}

function drawn(shares: readonly number[], random: Random): number {
  let left = random();
  for (const [at, share] of shares.entries()) {
    left -= share;
    if (left < 0) {
      return at;
    }
  }
  return shares.length - 1;
}

/** Different workers, the first ones more often than the last ones. */
function someOf(workers: number, count: number, random: Random): number[] {
  const some = new Set<number>();
  while (some.size < Math.min(count, workers)) {
    some.add(Math.floor(workers * random() ** 2));
  }
  return [...some];
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
