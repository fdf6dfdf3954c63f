import { GoldBayes } from './gold-bayes.js';
import { GoldCounts } from './gold-counts.js';
import type { ItemModel, Vote } from './item-model.js';

/** An answer of a worker to an item. */
export interface ItemAnswer extends Vote {
  readonly item: number;
}

/**
 * The answers and the gold of one dimension of a project as they come and go. What a single answer changes costs its own
 * item; what gold changes costs the answers to that item. All that is kept is whole numbers and lists, so the posterior of
 * an item is the one that the same answers and gold give in any other order, and from scratch.
 */
export class LiveTruth {
  readonly gold: GoldCounts;
  /** The rule of gold over what is known now. */
  readonly byGold: GoldBayes;
  private readonly votes = new Map<number, Vote[]>();
  private readonly truths = new Map<number, number>();
  private readonly classVotes: Float64Array;

  constructor(
    private readonly classes: number,
    { temper = 1 }: { readonly temper?: number } = {},
  ) {
    this.gold = new GoldCounts(classes);
    this.classVotes = new Float64Array(classes);
    this.byGold = new GoldBayes({ counts: this.gold, classVotes: this.classVotes, temper });
  }

  add({ item, worker, label }: ItemAnswer): void {
    const votes = this.votes.get(item) ?? [];
    this.votes.set(item, votes);
    // One order whatever came first: sums of the same numbers are the same to the bit only in the same order.
    const after = votes.findIndex(
      (vote) => vote.worker > worker || (vote.worker === worker && vote.label > label),
    );
    votes.splice(after < 0 ? votes.length : after, 0, { worker, label });
    this.classVotes[label] = (this.classVotes[label] ?? 0) + 1;
    const truth = this.truths.get(item);
    if (truth !== undefined) {
      this.gold.add({ worker, label, truth });
    }
  }

  /** Takes one such answer out of consideration. @throws RangeError where there is none */
  remove({ item, worker, label }: ItemAnswer): void {
    const votes = this.votes.get(item) ?? [];
    const at = votes.findIndex((vote) => vote.worker === worker && vote.label === label);
    if (at < 0) {
      throw new RangeError('There is no such answer.');
    }
    votes.splice(at, 1);
    this.classVotes[label] = (this.classVotes[label] ?? 0) - 1;
    const truth = this.truths.get(item);
    if (truth !== undefined) {
      this.gold.remove({ worker, label, truth });
    }
  }

  /** Makes an item gold, corrects its truth, or (null) suspends it: every score that used it follows. */
  setTruth(item: number, truth: number | null): void {
    const before = this.truths.get(item);
    for (const vote of this.votes.get(item) ?? []) {
      if (before !== undefined) {
        this.gold.remove({ ...vote, truth: before });
      }
      if (truth !== null) {
        this.gold.add({ ...vote, truth });
      }
    }
    if (truth === null) {
      this.truths.delete(item);
    } else {
      this.truths.set(item, truth);
    }
  }

  votesOf(item: number): readonly Vote[] {
    return this.votes.get(item) ?? [];
  }

  /** Probabilities of the classes of an item, by gold or by another model that is kept of the workers. */
  posterior(item: number, model: ItemModel = this.byGold): Float64Array {
    if (model.classes !== this.classes) {
      throw new RangeError('The model has other classes.');
    }
    return model.posterior(this.votesOf(item));
  }
}
