import { strict as assert } from 'node:assert';
import { chanceOf, type TrustedResult } from '../pausing/trusted.js';
import { addOutcome, type ConfusionState } from './confusion.js';
import { addDimension, DISCOUNT, type DimensionScore } from './dimensions.js';
import { inOrder, type ScoreFact } from './facts.js';

/** Credits kept as they came, for drift. */
const RECENT = 30;

/**
 * The score of one expert, skill and task type: what the facts add up to. Plain JSON, kept by the database; a number kept
 * in JSON comes back to the last bit, so that one more fact added to a kept state gives what all facts give.
 */
export interface ScoreState {
  /** Facts counted, undiscounted. */
  readonly seen: number;
  /** Discounted credit, and discounted lack of it. */
  readonly right: number;
  readonly wrong: number;
  readonly lastAtMs: number | null;
  readonly lastId: string | null;
  /** The credits of the last 30 facts, oldest first. */
  readonly recent: readonly number[];
  /** How far whoever graded each of those is to be believed: 1 of a key. */
  readonly trusts: readonly number[];
  /** How often each of those takes a wrong answer for right. */
  readonly chances: readonly number[];
  readonly confusions: readonly ConfusionState[];
  /** Of each dimension that was graded, by name. */
  readonly dimensions: readonly DimensionScore[];
}

/** The score of somebody of whom nothing is known. */
export const NO_SCORE: ScoreState = {
  seen: 0,
  right: 0,
  wrong: 0,
  lastAtMs: null,
  lastId: null,
  recent: [],
  trusts: [],
  chances: [],
  confusions: [],
  dimensions: [],
};

/**
 * The score with one more fact. Facts come in order (`inOrder`): one that is older than the last throws, because then only
 * a fold from the beginning is right. So does one taken back.
 */
export function addFact(state: ScoreState, fact: ScoreFact): ScoreState {
  assert(isAfter(state, fact), `fact ${fact.id} is not after ${state.lastId}: fold from the beginning`);
  assert(fact.credit >= 0 && fact.credit <= 1, `credit ${fact.credit} is not within 0 and 1`);
  assert(fact.weight > 0 && fact.weight <= 1, `weight ${fact.weight} is not above 0 and at most 1`);
  const trust = fact.source === 'ADJUDICATION' ? fact.weight : 1;
  const chance = trust < 1 ? (fact.chance ?? chanceOf(trust, null)) : 0;
  return {
    seen: state.seen + 1,
    right: DISCOUNT * state.right + fact.weight * fact.credit,
    wrong: DISCOUNT * state.wrong + fact.weight * (1 - fact.credit),
    lastAtMs: fact.atMs,
    lastId: fact.id,
    recent: [...state.recent, fact.credit].slice(-RECENT),
    trusts: [...state.trusts, trust].slice(-RECENT),
    chances: [...state.chances, chance].slice(-RECENT),
    confusions: fact.outcomes.reduce<readonly ConfusionState[]>(
      (states, outcome) => addOutcome(states, outcome, fact.weight),
      state.confusions,
    ),
    dimensions: fact.dimensions.reduce(addDimension, state.dimensions),
  };
}

/** The last thirty results, oldest first, as they speak of an accuracy. */
export const lastResults = ({
  recent,
  trusts,
  chances,
}: Pick<ScoreState, 'recent' | 'trusts' | 'chances'>): TrustedResult[] =>
  recent.map((credit, at) => ({
    credit,
    trust: trusts[at] ?? 1,
    chance: chances[at] ?? chanceOf(trusts[at] ?? 1, null),
  }));

/** The score that the facts give, in whatever order they are listed. */
export function foldScore(facts: readonly ScoreFact[]): ScoreState {
  return inOrder(facts).reduce(addFact, NO_SCORE);
}

function isAfter({ lastAtMs, lastId }: ScoreState, { atMs, id }: ScoreFact): boolean {
  return lastAtMs === null || atMs > lastAtMs || (atMs === lastAtMs && id > (lastId ?? ''));
}
