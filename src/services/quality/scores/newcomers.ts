import { type Database, withSystem } from '../../platform/database.js';
import type { Queryable } from '../../platform/rows.js';
import { type Door, openDoor, openHighDoor, openRetestDoor, PROVEN_ENOUGH } from '../gold/door.js';
import { isProbationOver } from '../gold/probation.js';
import type { PauseState } from '../pausing/pause.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { estimate, type Prior } from './estimate.js';
import type { GradedAnswer } from './facts-of.js';
import type { Folded } from './fold.js';
import type { Pair } from './keep.sql.js';
import * as sql from './newcomers.sql.js';
import { addFact, type ScoreState } from './score.js';

/** What is known of somebody who may be new to a skill. */
export interface Newcomer {
  /** What all results amount to. */
  readonly folded: Folded;
  /** What they amounted to before the latest ones, and those. */
  readonly before: ScoreState;
  readonly latest: readonly GradedAnswer[];
  readonly prior: Prior;
  /** Something that was folded counts no longer, or again, since the last fold: what ended a probation may be among it. */
  readonly anew: boolean;
}

/**
 * Ends the probation of whom results have proven, begins it again where those results count no longer, and says what the
 * claim takes a newcomer for: decided here, in effect later (app.await_effect). Who a human made active is
 * active; in a pause the standing decides, and in a re-test only the door is ours. The caller holds the expert's lock.
 */
export async function keepNewcomer(
  tx: Queryable,
  pair: Pair,
  { folded, before, latest, prior, anew }: Newcomer,
): Promise<void> {
  const { status, overResults, overGradingId, ...chance } = await sql.newcomerOf(tx, pair);
  const { standing } = folded;
  const known = { folded, prior, chance };
  if (standing.phase === 'RETEST') {
    // That a re-test began is told at once, and points at no answer: so may its door.
    const door = await open(tx, pair, { ...known, retest: standing.results });
    await sql.decide(tx, pair, { status: null, door, isFirst: standing.results.length === 0 });
    return;
  }
  if (status === 'PAUSED') {
    return;
  }
  const isFirst = folded.skill.seen === 0;
  const isMade = status === 'ACTIVE' && overResults === null;
  if (isMade || (standing.phase !== 'CLEAR' && standing.phase !== 'WARNED')) {
    await sql.decide(tx, pair, { status: null, door: null, isFirst });
    return;
  }
  const over = overResults === null ? null : { results: overResults, gradingId: overGradingId ?? 0n };
  // Where all bars are high who is not proven for any stays a newcomer: without the door they would have no work.
  const leastBar = over === null ? await sql.leastHighBar(tx, pair) : null;
  const high = openHighDoor({ score: folded.skill, prior }, leastBar);
  const isProven =
    (over !== null && (!anew || (await sql.stands(tx, pair, over)))) ||
    (high === null && isProvenBy({ before, latest }, prior));
  if (isProven !== (over !== null)) {
    await sql.saveProbation(tx, pair, { isOver: isProven, ...restsOn(folded) });
  }
  const door = isProven ? null : await open(tx, pair, { ...known, high });
  await sql.decide(tx, pair, { status: isProven ? 'ACTIVE' : 'PROBATION', door, isFirst });
}

/** Whether probation was over after any of the latest results. A later fall is the standing's matter. */
function isProvenBy({ before, latest }: Pick<Newcomer, 'before' | 'latest'>, prior: Prior): boolean {
  let score = before;
  const isOver = () => isProbationOver(score, prior, PAUSE_POLICY.bar);
  return (
    isOver() ||
    latest.some(({ fact }) => {
      score = addFact(score, fact);
      return isOver();
    })
  );
}

const restsOn = ({ skill, correct }: Folded) => ({
  results: skill.seen,
  correct,
  gradingId: BigInt(skill.lastId ?? 0),
});

interface Opening {
  readonly folded: Folded;
  readonly prior: Prior;
  readonly chance: { readonly explore: number; readonly accuracy: number; readonly share: number | null };
  /** Their door where all bars are high. */
  readonly high?: Door | null;
  /** The results of the re-test that goes on. */
  readonly retest?: PauseState['results'];
}

/** @returns what the newcomer is taken for by exception, or null */
async function open(
  tx: Queryable,
  pair: Pair,
  { folded, prior, chance, retest, high = null }: Opening,
): Promise<number | null> {
  const score = folded.skill;
  const provenExperts = await sql.countProven(tx, pair, PROVEN_ENOUGH);
  const door =
    retest === undefined
      ? (high ?? openDoor({ score, prior, provenExperts, ...chance }))
      : openRetestDoor(retest, estimate(score, prior));
  const { results, gradingId } = restsOn(folded);
  const kept = await sql.keepDoor(tx, pair, {
    kind: door.kind,
    quality: door.quality,
    mean: door.estimate.mean,
    lower: door.estimate.lower,
    results,
    gradingId,
    provenExperts,
    explore: door.drawn?.explore ?? null,
    share: door.drawn?.share ?? null,
    accuracy: door.drawn?.accuracy ?? null,
  });
  return kept.kind === 'LOWER_BOUND' ? null : kept.quality;
}

const SKILLS_A_LOOK = 200;

/**
 * A look that makes those on probation due where the least bar that newcomers to their skill are let in to came, went or is another
 * one. Each call looks at so many skills, from where the last one ended, and writes of those that changed only. Any number of nodes may
 * have one.
 * @returns a function that says whether there are more skills to look at in this round
 */
export function createBarsLook(db: Database): () => Promise<boolean> {
  let after: SkillPlace = FIRST_SKILL;
  return async () => {
    const { last } = await noteBars(db, after);
    after = last ?? FIRST_SKILL;
    return last !== null;
  };
}

type SkillPlace = NonNullable<Awaited<ReturnType<typeof sql.lookAtBars>>['last']>;

const FIRST_SKILL: SkillPlace = { tenantId: 0n, skillId: 0n };

/** One look, at skills after one. @returns of how many the bar changed, and the last of them; null where there are no more */
export const noteBars = (db: Database, after = FIRST_SKILL) =>
  withSystem(db, (tx) => sql.lookAtBars(tx, after, SKILLS_A_LOOK));
