import type { Queryable } from '../../platform/rows.js';
import { openDoor, openRetestDoor, PROVEN_ENOUGH } from '../gold/door.js';
import { isProbationOver } from '../gold/probation.js';
import type { PauseState } from '../pausing/pause.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { estimate, type Prior } from './estimate.js';
import { inOrder, type ScoreFact } from './facts.js';
import type { GradedAnswer } from './facts-of.js';
import type { Pair } from './keep.sql.js';
import * as sql from './newcomers.sql.js';
import { addFact, NO_SCORE, type ScoreState } from './score.js';

/** What is known of somebody who may be new to a skill. */
export interface Newcomer {
  readonly answers: readonly GradedAnswer[];
  readonly prior: Prior;
  readonly standing: PauseState;
}

/**
 * Ends the probation of whom results have proven, begins it again where those results count no longer, and says what the
 * claim takes a newcomer for: decided here, in effect later (app.await_effect). Who a human made active is
 * active; in a pause the standing decides, and in a re-test only the door is ours. The caller holds the expert's lock.
 */
export async function keepNewcomer(
  tx: Queryable,
  pair: Pair,
  { answers, prior, standing }: Newcomer,
): Promise<void> {
  const { status, overResults, overGradingId, ...chance } = await sql.newcomerOf(tx, pair);
  const facts = inOrder(answers.map(({ fact }) => fact));
  if (standing.phase === 'RETEST') {
    // That a re-test began is told at once, and points at no answer: so may its door.
    const door = await open(tx, pair, { facts, prior, chance, retest: standing.results });
    await sql.decide(tx, pair, { status: null, door, isFirst: standing.results.length === 0 });
    return;
  }
  if (status === 'PAUSED') {
    return;
  }
  const isFirst = facts.length === 0;
  const isMade = status === 'ACTIVE' && overResults === null;
  if (isMade || (standing.phase !== 'CLEAR' && standing.phase !== 'WARNED')) {
    await sql.decide(tx, pair, { status: null, door: null, isFirst });
    return;
  }
  const over = overResults === null ? null : { results: overResults, gradingId: overGradingId ?? 0n };
  const isProven = stands(over, facts) || provenAfter(facts, prior) !== null;
  if (isProven !== (over !== null)) {
    await sql.saveProbation(tx, pair, { isOver: isProven, ...restsOn(facts) });
  }
  const door = isProven ? null : await open(tx, pair, { facts, prior, chance });
  await sql.decide(tx, pair, { status: isProven ? 'ACTIVE' : 'PROBATION', door, isFirst });
}

/** Whether all results that ended a probation count still. What others do to the skill's prior takes nothing back. */
function stands(over: { results: number; gradingId: bigint } | null, facts: readonly ScoreFact[]): boolean {
  return over !== null && facts.filter(({ id }) => BigInt(id) <= over.gradingId).length >= over.results;
}

/** After how many results probation was over; null: it is not. A later fall is the standing's matter. */
function provenAfter(facts: readonly ScoreFact[], prior: Prior): number | null {
  let score: ScoreState = NO_SCORE;
  for (const fact of facts) {
    score = addFact(score, fact);
    if (isProbationOver(score, prior, PAUSE_POLICY.bar)) {
      return score.seen;
    }
  }
  return null;
}

const restsOn = (facts: readonly ScoreFact[]) => ({
  results: facts.length,
  correct: facts.reduce((sum, { credit }) => sum + credit, 0),
  gradingId: BigInt(facts.at(-1)?.id ?? 0),
});

interface Opening {
  readonly facts: readonly ScoreFact[];
  readonly prior: Prior;
  readonly chance: { readonly explore: number; readonly accuracy: number };
  /** The results of the re-test that goes on. */
  readonly retest?: PauseState['results'];
}

/** @returns what the newcomer is taken for by exception, or null */
async function open(
  tx: Queryable,
  pair: Pair,
  { facts, prior, chance, retest }: Opening,
): Promise<number | null> {
  const score = facts.reduce(addFact, NO_SCORE);
  const provenExperts = await sql.countProven(tx, pair, PROVEN_ENOUGH);
  const door =
    retest === undefined
      ? openDoor({ score, prior, provenExperts, ...chance })
      : openRetestDoor(retest, estimate(score, prior));
  const { results, gradingId } = restsOn(facts);
  const kept = await sql.keepDoor(tx, pair, {
    kind: door.kind,
    quality: door.quality,
    mean: door.estimate.mean,
    lower: door.estimate.lower,
    results,
    gradingId,
    provenExperts,
    explore: door.drawn?.explore ?? null,
    accuracy: door.drawn?.accuracy ?? null,
  });
  return kept.kind === 'LOWER_BOUND' ? null : kept.quality;
}
