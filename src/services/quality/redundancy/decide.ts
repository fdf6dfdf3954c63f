import { applyPlatt, type PlattMap } from '../confidence/platt.js';
import { answersAtFirst, answersAtMost, type RedundancyPolicy } from './policy.js';
import { mostProbable, posterior, type Vote, type WorkerModel } from './posterior.js';
import { gainOfMore } from './value.js';

/** What a task's answers are judged by. */
export interface Judging {
  readonly policy: RedundancyPolicy;
  /** P(class) before any answer. */
  readonly prior: readonly number[];
  /** Who would answer next: the mean of the experts who may. */
  readonly next: WorkerModel;
  /** What the project's revealed items say of stopping (stopping.ts); null before there are enough. */
  readonly stopping: { readonly threshold: number; readonly map: PlattMap } | null;
  /** Whether all who answered are on probation: then what would be done is not yet (default false). */
  readonly isUnproven?: boolean;
}

/** A class and how sure it is. */
export interface Result {
  readonly label: number;
  /** The model's P(label). */
  readonly probability: number;
  /** The same, held to what was revealed: what a customer may be told. Equals `probability` before there is enough. */
  readonly stated: number;
}

export type AdjudicationReason = 'TIE' | 'MAXIMUM_REACHED' | 'NOT_WORTH_ITS_PRICE' | 'PROBATION_ALONE';

/** `result` is the best answer so far, also where the task goes on. */
export type Decision = { readonly result: Result } & (
  | { readonly next: 'STOP' }
  /** So many more answers at least, at most up to the policy's maximum. */
  | { readonly next: 'MORE'; readonly answers: number; readonly reason?: 'PROBATION_ALONE' }
  | { readonly next: 'ADJUDICATE'; readonly reason: AdjudicationReason }
);

/**
 * What to do with a task that has these answers: it is done, it needs more, or a stronger expert is to decide.
 *
 * Depends on the answers and not on their order. Never asks for more than the policy's maximum; at the maximum, or when no
 * further answer is worth its price, what is not sure enough is adjudicated, never asked about again. Nor is a task done on
 * the word of experts on probation alone: it goes on by one, and is adjudicated at the maximum.
 */
export function decide(votes: readonly Vote[], judging: Judging): Decision {
  const { policy } = judging;
  const missing = answersAtFirst(policy) - votes.length;
  if (missing > 0) {
    return { next: 'MORE', answers: missing, result: mostProbableResult(votes, judging) };
  }
  const decision =
    policy.kind === 'POSTERIOR' ? byPosterior(votes, judging, policy) : byVotes(votes, judging);
  return decision.next === 'STOP' && judging.isUnproven === true
    ? unproven(decision.result, answersAtMost(policy) - votes.length)
    : decision;
}

/** Nobody past probation is among those who answered: one more, in the hope of one who is, else a stronger expert. */
function unproven(result: Result, left: number): Decision {
  return left > 0
    ? { next: 'MORE', answers: 1, reason: 'PROBATION_ALONE', result }
    : { next: 'ADJUDICATE', reason: 'PROBATION_ALONE', result };
}

function byVotes(votes: readonly Vote[], judging: Judging): Decision {
  const { policy, prior } = judging;
  const counts = prior.map((_, label) => votes.filter((vote) => vote.label === label).length);
  const most = Math.max(...counts);
  const label = counts.indexOf(most);
  const result = resultOf(label, posterior(votes, prior)[label] ?? 0, judging);
  const left = answersAtMost(policy) - votes.length;
  if (policy.kind === 'AGREE' && most < policy.agree && left > 0) {
    return { next: 'MORE', answers: Math.min(left, policy.agree - most), result };
  }
  return counts.filter((count) => count === most).length === 1
    ? { next: 'STOP', result }
    : { next: 'ADJUDICATE', reason: 'TIE', result };
}

function byPosterior(
  votes: readonly Vote[],
  judging: Judging,
  policy: RedundancyPolicy & { kind: 'POSTERIOR' },
): Decision {
  const result = mostProbableResult(votes, judging);
  if (result.probability >= Math.max(policy.posterior, judging.stopping?.threshold ?? 0)) {
    return { next: 'STOP', result };
  }
  const left = policy.max - votes.length;
  if (left <= 0) {
    return { next: 'ADJUDICATE', reason: 'MAXIMUM_REACHED', result };
  }
  return isWorthIt(votes, judging, { left, price: policy.price })
    ? { next: 'MORE', answers: 1, result }
    : { next: 'ADJUDICATE', reason: 'NOT_WORTH_ITS_PRICE', result };
}

interface Offer {
  readonly left: number;
  readonly price: { readonly answer: number; readonly error: number } | null;
}

function isWorthIt(votes: readonly Vote[], { prior, next }: Judging, { left, price }: Offer): boolean {
  if (price === null) {
    return true;
  }
  const gain = gainOfMore(posterior(votes, prior), { accuracy: next.accuracy, answersMax: left });
  return gain * price.error > price.answer;
}

function mostProbableResult(votes: readonly Vote[], judging: Judging): Result {
  const { label, probability } = mostProbable(posterior(votes, judging.prior));
  return resultOf(label, probability, judging);
}

function resultOf(label: number, probability: number, { stopping }: Judging): Result {
  return {
    label,
    probability,
    stated: stopping === null ? probability : applyPlatt(stopping.map, probability),
  };
}
