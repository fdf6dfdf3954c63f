import type { GoldCounts, Record } from './gold-counts.js';
import type { ItemModel, Vote } from './item-model.js';
import { normalise } from './posterior.js';

/** How many answers the mean is worth when a worker's own accuracy is estimated. */
const STRENGTH = 4;

/** The accuracy of people of whom nothing is known, worth STRENGTH answers. */
const ASSUMED_ACCURACY = 0.8;

/** A worker has a confusion matrix of their own from so many gold answers a class on. */
const GOLD_A_CLASS = 5;

/** Nobody's accuracy is believed to be further than this from certainty or from never. */
const CERTAIN = 1e-6;

export interface GoldBayesParts {
  readonly counts: GoldCounts;
  /** How often each class was given by anybody, on gold or not: the project's prior, with one more of each. May change. */
  readonly classVotes: ArrayLike<number>;
  /** In (0, 1]: what the log odds of votes are multiplied with, because errors come together (fitTemper). */
  readonly temper?: number;
}

/**
 * The truth of one item from the votes for it and what gold says of the voters: the rule of Toloka's dynamic overlap,
 *
 *   P(truth = j | votes) ∝ prior(j) × (Π P(vote | j))^temper,   P(vote | j) = q where the vote is j, else (1 - q)/(L - 1),
 *
 * with the worker's accuracy q shrunk to that of all, (right + 4 mean)/(total + 4), instead of to one half. A worker with
 * five gold answers a class or more has a matrix of their own instead, each row shrunk to that rule. A function of counts and
 * nothing else: one vote or one gold answer more needs no other item to be looked at.
 */
export class GoldBayes implements ItemModel {
  readonly classes: number;
  readonly counts: GoldCounts;
  private readonly classVotes: ArrayLike<number>;
  readonly temper: number;
  private readonly known = new Map<number, number | Float64Array>();
  private version = -1;

  constructor({ counts, classVotes, temper = 1 }: GoldBayesParts) {
    this.counts = counts;
    this.classes = counts.classes;
    this.temper = temper;
    this.classVotes = classVotes;
  }

  /** The accuracy of all workers together, with a little of what is assumed of people. */
  mean(): number {
    const { right, total } = this.counts;
    return (right + STRENGTH * ASSUMED_ACCURACY) / (total + STRENGTH);
  }

  /** The accuracy of one worker: the mean where nothing is known of them. */
  accuracy(worker: number): number {
    const { right, total } = this.counts.of(worker) ?? { right: 0, total: 0 };
    const q = (right + STRENGTH * this.mean()) / (total + STRENGTH);
    return Math.min(1 - CERTAIN, Math.max(CERTAIN, q));
  }

  /** Probabilities of the classes of one item. */
  posterior(votes: Iterable<Vote>): Float64Array {
    return this.conclude(this.evidence(votes));
  }

  /** The log likelihood of each class, up to what is the same for all; neither tempered nor with the prior. */
  evidence(votes: Iterable<Vote>): Float64Array {
    const logs = new Float64Array(this.classes);
    for (const { worker, label } of votes) {
      this.weigh(this.weightsOf(worker), label, logs);
    }
    return logs;
  }

  /** The prior's part of the evidence, which is not tempered; up to what is the same for all. */
  prior(): Float64Array {
    return Float64Array.from(this.classVotes, (votes) => Math.log(votes + 1));
  }

  /** Turns evidence into probabilities. */
  conclude(evidence: Float64Array): Float64Array {
    const logs = this.prior();
    for (let j = 0; j < logs.length; j++) {
      logs[j] = (logs[j] as number) + this.temper * (evidence[j] as number);
    }
    normalise(logs, 0, logs.length);
    return logs;
  }

  private weigh(weights: number | Float64Array, label: number, logs: Float64Array): void {
    if (typeof weights === 'number') {
      logs[label] = (logs[label] as number) + weights;
      return;
    }
    for (let j = 0; j < logs.length; j++) {
      logs[j] = (logs[j] as number) + (weights[label * logs.length + j] as number);
    }
  }

  /** One number where all errors are alike: by how much a vote for a class speaks for it. Else label × classes + truth. */
  private weightsOf(worker: number): number | Float64Array {
    if (this.version !== this.counts.version) {
      this.known.clear();
      this.version = this.counts.version;
    }
    const known = this.known.get(worker);
    if (known !== undefined) {
      return known;
    }
    const record = this.counts.of(worker);
    const q = this.accuracy(worker);
    const weights =
      record !== undefined && record.total >= GOLD_A_CLASS * this.classes
        ? this.matrixOf(record, q)
        : Math.log(q) - Math.log((1 - q) / Math.max(1, this.classes - 1));
    this.known.set(worker, weights);
    return weights;
  }

  private matrixOf({ counts }: Record, q: number): Float64Array {
    const { classes } = this;
    const totals = new Float64Array(classes);
    for (const [cell, count] of counts) {
      const truth = Math.floor(cell / classes);
      totals[truth] = (totals[truth] as number) + count;
    }
    const weights = new Float64Array(classes ** 2);
    for (let j = 0; j < classes; j++) {
      for (let l = 0; l < classes; l++) {
        const expected = l === j ? q : (1 - q) / Math.max(1, classes - 1);
        const said = (counts.get(j * classes + l) ?? 0) + STRENGTH * expected;
        weights[l * classes + j] = Math.log(said / ((totals[j] as number) + STRENGTH));
      }
    }
    return weights;
  }
}
