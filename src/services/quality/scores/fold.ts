import { strict as assert } from 'node:assert';
import { z } from 'zod';
import { type Beginning, type KeptPause, standingOf } from '../pausing/history.js';
import { NOT_PAUSED, type PauseNotice, type PauseState } from '../pausing/pause.js';
import { type GradedAnswer, resultOf } from './facts-of.js';
import { greatest, least } from './ids.js';
import { addFact, NO_SCORE, type ScoreState } from './score.js';

/**
 * What the results of an expert in a skill amount to. Plain JSON: a number kept in it comes back to the last bit, so that a fold
 * which goes on from here is one from the first result.
 */
export interface Folded {
  /** Which version of this it is. */
  readonly form: number;
  readonly skill: ScoreState;
  /** By task type. */
  readonly types: Readonly<Record<string, ScoreState>>;
  readonly standing: PauseState;
  /** Credits added up. */
  readonly correct: number;
  /** Changes of the standing that nobody was told of yet, oldest first, and what it was before them. */
  readonly untold: readonly PauseNotice[];
  readonly begins: Beginning;
}

/** Raised with each change of what is kept: what another version counted is not gone on from. */
const FORM = 3;
const Kept = z.object({ form: z.literal(FORM) });

/** What was kept as text. Null: a node of another version wrote it, and it may lack what this one counts. */
export function readFolded(text: string): Folded | null {
  const kept: unknown = JSON.parse(text);
  return Kept.safeParse(kept).success ? (kept as Folded) : null;
}

/** Before any result. */
export const NOTHING_FOLDED: Folded = {
  form: FORM,
  skill: NO_SCORE,
  types: {},
  standing: NOT_PAUSED,
  correct: 0,
  untold: [],
  begins: { phase: NOT_PAUSED.phase, reason: NOT_PAUSED.reason },
};

/** The same, once all of it is told. */
export const told = (folded: Folded): Folded => ({
  ...folded,
  untold: [],
  begins: { phase: folded.standing.phase, reason: folded.standing.reason },
});

/** What a standing depends on beside results. */
export interface History {
  readonly pauses: readonly KeptPause[];
  readonly retests: readonly Date[];
}

/**
 * What more results make of what is folded. Whatever happened up to the last result of `from` is in it;
 * `untilMs` leaves out what happened after that.
 */
export function foldOn(
  from: Folded,
  answers: readonly GradedAnswer[],
  { pauses, retests, untilMs = Number.POSITIVE_INFINITY }: History & { untilMs?: number },
): Folded {
  const results = answers.map((answer) => ({
    kind: 'RESULT' as const,
    atMs: answer.fact.atMs,
    ...resultOf(answer),
  }));
  const span = { afterMs: from.skill.lastAtMs ?? Number.NEGATIVE_INFINITY, untilMs };
  const { state, notices } = standingOf({ results, pauses, retests }, { state: from.standing, ...span });
  const types: Record<string, ScoreState> = { ...from.types };
  for (const { taskTypeId, fact } of answers) {
    types[String(taskTypeId)] = addFact(types[String(taskTypeId)] ?? NO_SCORE, fact);
  }
  // A dimension is a type's: of the skill as a whole the answers count, each of them the mean of its dimensions.
  const skill = answers.reduce((score, { fact }) => addFact(score, { ...fact, dimensions: [] }), from.skill);
  const correct = answers.reduce((sum, { fact }) => sum + fact.credit, from.correct);
  const untold = [...from.untold, ...notices];
  return { form: FORM, skill, types, standing: state, correct, untold, begins: from.begins };
}

/** Answers that stay out of a checkpoint: one that commits late, or an event of the same moment, still finds its place. */
const LEFT_OUT = 200;

/**
 * How many of these answers a checkpoint can take in: all but the last two hundred, or the last half of fewer, and no more than leave
 * every later grading with a greater id, since a fold goes on by ids.
 */
export function checkpointAt(answers: readonly GradedAnswer[]): number {
  const leastAfter: bigint[] = [];
  for (const [back, { firstId }] of [...answers].reverse().entries()) {
    const index = answers.length - 1 - back;
    leastAfter[index] = least([firstId, leastAfter[index + 1] ?? firstId]);
  }
  const most = answers.length - Math.min(LEFT_OUT, Math.ceil(answers.length / 2));
  let seen = 0n;
  let found = 0;
  for (const [index, { lastId }] of answers.slice(0, most).entries()) {
    seen = greatest([seen, lastId]);
    found = seen < (leastAfter[index + 1] ?? 0n) ? index + 1 : found;
  }
  return found;
}

/** The greatest grading of some answers. */
export function lastGrading(answers: readonly GradedAnswer[]): bigint {
  assert(answers.length > 0, 'there are answers');
  return greatest(answers.map(({ lastId }) => lastId));
}
