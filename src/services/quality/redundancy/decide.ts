import { applyPlatt, type PlattMap } from '../confidence/platt.js';
import { around, largestCluster, type NumberVote, numberConsensus, rounded } from './numbers.js';
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
  /** Whether the task was drawn to be looked at when it is done, whatever its answers say (default false). */
  readonly isDrawn?: boolean;
}

/** A class, or a number, and how sure it is. */
export interface Result {
  readonly label: number;
  /** The model's P(label). */
  readonly probability: number;
  /** The same, held to what was revealed: what a customer may be told. Equals `probability` before there is enough. */
  readonly stated: number;
}

export type AdjudicationReason =
  | 'TIE'
  | 'MAXIMUM_REACHED'
  | 'NOT_WORTH_ITS_PRICE'
  | 'PROBATION_ALONE'
  | 'AUDIT';

/** `result` is the best answer so far, also where the task goes on. */
export type Decision = { readonly result: Result } & (
  | { readonly next: 'STOP' }
  /** So many more answers at least, at most up to the policy's maximum. */
  | { readonly next: 'MORE'; readonly answers: number; readonly reason?: 'PROBATION_ALONE' }
  | { readonly next: 'ADJUDICATE'; readonly reason: AdjudicationReason }
);

/** What the answers say, on whatever scale; classes or numbers. */
interface Standing {
  readonly answers: number;
  /** What most say alike: how many do, whether others are as many, and what it is. */
  readonly leading: { readonly votes: number; readonly isTied: boolean; readonly result: Result };
  /** The most probable result. */
  readonly best: Result;
  /** The probability of each class. */
  readonly probabilities: readonly number[];
}

/**
 * What to do with a task that has these answers: it is done, it needs more, or a stronger expert is to decide.
 *
 * Depends on the answers and not on their order. Never asks for more than the policy's maximum; at the maximum, or when no
 * further answer is worth its price, what is not sure enough is adjudicated, never asked about again. Nor is a task done on
 * the word of experts on probation alone: it goes on by one, and is adjudicated at the maximum.
 */
export function decide(votes: readonly Vote[], judging: Judging): Decision {
  const probabilities = posterior(votes, judging.prior);
  const counts = judging.prior.map((_, label) => votes.filter((vote) => vote.label === label).length);
  const most = Math.max(...counts);
  const leader = counts.indexOf(most);
  const { label, probability } = mostProbable(probabilities);
  const standing = {
    answers: votes.length,
    leading: {
      votes: most,
      isTied: counts.filter((count) => count === most).length > 1,
      result: resultOf(leader, probabilities[leader] ?? 0, judging),
    },
    best: resultOf(label, probability, judging),
    probabilities,
  };
  return decideOn(standing, judging);
}

/** What numbers are judged by. */
export interface NumberJudging extends Omit<Judging, 'prior'> {
  /** Numbers that are no further apart say the same; above 0. */
  readonly tolerance: number;
}

/**
 * The same for numbers, at least one: as many agree as are within the tolerance of one another, and the consensus is known as
 * well as asked when the truth is within the tolerance of it with the probability asked. The label of a result is a number.
 */
export function decideNumbers(votes: readonly NumberVote[], judging: NumberJudging): Decision {
  const { tolerance } = judging;
  const { value, probability } = numberConsensus(votes, tolerance);
  const cluster = largestCluster(
    votes.map((vote) => vote.value),
    tolerance,
  );
  const best = resultOf(value, probability, judging);
  const together = resultOf(
    rounded(cluster.value, tolerance),
    around(votes, tolerance, cluster.value).probability,
    judging,
  );
  const { votes: most, isTied } = cluster;
  const leading = { votes: most, isTied, result: isTied ? best : together };
  return decideOn(
    { answers: votes.length, leading, best, probabilities: asClasses(best.probability) },
    judging,
  );
}

/**
 * A number as classes, for what one more answer is worth: within the tolerance or not, and where it is not as many other
 * values as leave none more probable; the three most probable of them.
 */
function asClasses(probability: number): number[] {
  const p = Math.max(CLASS_MIN, probability);
  const others = Math.max(1, Math.ceil((1 - p) / p));
  return [p, ...Array.from({ length: Math.min(3, others) }, () => (1 - p) / others)];
}

const CLASS_MIN = 1e-6;

type Rules = Omit<Judging, 'prior'>;

function decideOn(standing: Standing, judging: Rules): Decision {
  const { policy } = judging;
  const missing = answersAtFirst(policy) - standing.answers;
  if (missing > 0) {
    return { next: 'MORE', answers: missing, result: standing.best };
  }
  const decision =
    policy.kind === 'POSTERIOR' ? byPosterior(standing, judging, policy) : byVotes(standing, policy);
  if (decision.next !== 'STOP') {
    return decision;
  }
  const { result } = decision;
  if (judging.isUnproven === true) {
    return unproven(result, answersAtMost(policy) - standing.answers);
  }
  return judging.isDrawn === true ? { next: 'ADJUDICATE', reason: 'AUDIT', result } : decision;
}

/** Nobody past probation is among those who answered: one more, in the hope of one who is, else a stronger expert. */
function unproven(result: Result, left: number): Decision {
  return left > 0
    ? { next: 'MORE', answers: 1, reason: 'PROBATION_ALONE', result }
    : { next: 'ADJUDICATE', reason: 'PROBATION_ALONE', result };
}

function byVotes({ answers, leading }: Standing, policy: RedundancyPolicy): Decision {
  const left = answersAtMost(policy) - answers;
  const { result } = leading;
  if (policy.kind === 'AGREE' && leading.votes < policy.agree && left > 0) {
    return { next: 'MORE', answers: Math.min(left, policy.agree - leading.votes), result };
  }
  if (leading.isTied) {
    return { next: 'ADJUDICATE', reason: 'TIE', result };
  }
  return policy.kind === 'AGREE' && leading.votes < policy.agree
    ? { next: 'ADJUDICATE', reason: 'MAXIMUM_REACHED', result }
    : { next: 'STOP', result };
}

function byPosterior(
  { answers, best: result, probabilities }: Standing,
  { stopping, next }: Rules,
  policy: RedundancyPolicy & { kind: 'POSTERIOR' },
): Decision {
  if (result.probability >= Math.max(policy.posterior, stopping?.threshold ?? 0)) {
    return { next: 'STOP', result };
  }
  const left = policy.max - answers;
  if (left <= 0) {
    return { next: 'ADJUDICATE', reason: 'MAXIMUM_REACHED', result };
  }
  const isWorthIt =
    policy.price === null ||
    gainOfMore(probabilities, { accuracy: next.accuracy, answersMax: left }) * policy.price.error >
      policy.price.answer;
  return isWorthIt
    ? { next: 'MORE', answers: 1, result }
    : { next: 'ADJUDICATE', reason: 'NOT_WORTH_ITS_PRICE', result };
}

function resultOf(label: number, probability: number, { stopping }: Rules): Result {
  return {
    label,
    probability,
    stated: stopping === null ? probability : applyPlatt(stopping.map, probability),
  };
}
