import type { Stated } from '../confidence/platt.js';
import type { Result } from '../pausing/pause.js';
import { chanceOf } from '../pausing/trusted.js';
import type { Outcome, ScoreFact } from './facts.js';
import { greatest, least, padded } from './ids.js';

/** One grading as it is kept: what a key or an adjudication says of one dimension of one answer. */
export interface Grading {
  readonly id: bigint;
  readonly assignmentId: bigint;
  readonly taskTypeId: bigint;
  readonly dimension: string;
  readonly kind: 'GOLD' | 'ADJUDICATION';
  readonly truth: string;
  /** Null: left open. */
  readonly answered: string | null;
  readonly isRight: boolean;
  /** How sure the key is. */
  readonly weight: number;
  /** How sure the expert said they were; null: they did not say. */
  readonly stated: number | null;
  readonly gradedAt: Date;
  /** The truth is a class that a nominal dimension declares. */
  readonly isClass: boolean;
  /** How many values there are in the dimension; null: nobody knows. */
  readonly classes: number | null;
}

/** A graded answer: the gradings of all its dimensions, which came in one transaction. */
export interface GradedAnswer {
  readonly taskTypeId: bigint;
  /** The first and the last of its gradings. */
  readonly firstId: bigint;
  readonly lastId: bigint;
  readonly fact: ScoreFact;
  readonly stated: number | null;
}

/**
 * The facts of gradings, an answer each, in the order in which they count. Credit is the share of dimensions that were
 * right, weight the mean of the keys'. Ids are padded, so that they sort as numbers do.
 */
export function gradedAnswers(gradings: readonly Grading[]): GradedAnswer[] {
  const groups = new Map<string, Grading[]>();
  for (const grading of gradings) {
    const key = `${grading.assignmentId}/${grading.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), grading]);
  }
  return [...groups.values()]
    .flatMap(answerOf)
    .sort((a, b) => a.fact.atMs - b.fact.atMs || (a.fact.id < b.fact.id ? -1 : 1));
}

function answerOf(group: readonly Grading[]): GradedAnswer[] {
  const [first] = group;
  if (first === undefined) {
    return [];
  }
  const mean = (of: (grading: Grading) => number) =>
    group.reduce((sum, grading) => sum + of(grading), 0) / group.length;
  const fact: ScoreFact = {
    id: padded(first.id),
    source: first.kind,
    atMs: first.gradedAt.getTime(),
    credit: mean(({ isRight }) => (isRight ? 1 : 0)),
    weight: mean(({ weight }) => weight),
    chance: mean(({ weight, classes }) => chanceOf(weight, classes)),
    outcomes: group.flatMap(outcomeOf),
    dimensions: group.map(({ dimension, isRight, weight: of }) => ({ dimension, isRight, weight: of })),
  };
  const ids = group.map(({ id }) => id);
  const span = { firstId: least(ids), lastId: greatest(ids) };
  return [{ taskTypeId: first.taskTypeId, ...span, fact, stated: first.stated }];
}

function outcomeOf({ dimension, truth, answered, isClass }: Grading): Outcome[] {
  return answered === null || !isClass ? [] : [{ dimension, truth, answer: answered }];
}

/** What the standing of an expert is decided on. A key is taken for the truth; an adjudicator errs as often as is known of them. */
export const resultOf = ({ fact: { id, credit, source, weight, chance } }: GradedAnswer): Result =>
  source === 'ADJUDICATION' && weight < 1
    ? { id, credit, trust: weight, chance: chance ?? chanceOf(weight, null) }
    : { id, credit };

/** What was stated with answers on gold, and whether they were right; oldest first. */
export const statedOnGold = (gradings: readonly Grading[]): Stated[] =>
  gradedAnswers(gradings).flatMap(({ stated, fact }) =>
    stated === null || fact.source !== 'GOLD' ? [] : [{ probability: stated, isRight: fact.credit > 0.5 }],
  );
