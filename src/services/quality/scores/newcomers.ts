import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { Queryable } from '../../platform/rows.js';
import { type Door, openHighDoor, openRetestDoor } from '../gold/door.js';
import { isProbationOver } from '../gold/probation.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { leastHighBar, lookAtBars, tellLeastBars } from './bars.sql.js';
import { estimate, type Prior } from './estimate.js';
import type { GradedAnswer } from './facts-of.js';
import type { Folded } from './fold.js';
import { isLifted, keepDoor, keepGate, restsOn } from './gates.js';
import { type Way, wayOf } from './gates.sql.js';
import { keepTypeGates, NO_TYPES, restartedTypes, type TypeGates } from './gates-by-type.js';
import type { Pair } from './keep.sql.js';
import type { NewcomerRow } from './newcomers.sql.js';
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
 * claim takes them for: decided here, in effect later (app.await_effect). Who a human made active is
 * active; in a pause the standing decides, and in a re-test only the door is ours. The caller holds the expert's lock.
 */
export async function keepNewcomer(tx: Queryable, pair: Pair, person: Newcomer): Promise<void> {
  const { standing, skill } = person.folded;
  const newcomer = await sql.newcomerOf(tx, pair);
  const way = await wayOf(tx, pair);
  if (standing.phase === 'RETEST') {
    // That a re-test began is told at once, and points at no answer: so may its door.
    const known = estimate(skill, person.prior);
    const door = openRetestDoor({ results: standing.results, known, leastBar: way.leastBar });
    const { quality } = await keepDoor(tx, pair, { folded: person.folded, door });
    const isFirst = standing.results.length === 0;
    const types = restartedTypes(person.folded);
    const atOnce = isFirst ? 'ALL' : [];
    await sql.decide(tx, pair, {
      status: null,
      door: quality,
      isFirst,
      tryAt: null,
      types,
      typesAtOnce: atOnce,
    });
    return;
  }
  if (newcomer.status === 'PAUSED') {
    await sql.restTypes(tx, pair, restartedTypes(person.folded));
    return;
  }
  if (standing.phase === 'PAUSED') {
    const isFirst = skill.seen === 0;
    await sql.decide(tx, pair, {
      status: null,
      door: null,
      isFirst,
      tryAt: null,
      types: restartedTypes(person.folded),
      typesAtOnce: isFirst ? 'ALL' : [],
    });
    return;
  }
  const { isProven, isMade, high } = await judge(tx, pair, { ...person, newcomer });
  const { quality, ...gate } = await keepGate(tx, pair, { person, newcomer, way, high, isProven });
  const status = isProven ? 'ACTIVE' : 'PROBATION';
  const { types, tried } = await typesOf(tx, pair, { ...person, quality, way, isProven });
  // A human who has just lifted a pause points at no answer.
  const typesAtOnce = isLifted(person.folded) ? 'ALL' : tried;
  await sql.decide(tx, pair, { ...gate, types, typesAtOnce, status: isMade ? null : status });
}

/** By task type: of whoever is past probation; anew where a human has just lifted a pause. */
async function typesOf(
  tx: Queryable,
  pair: Pair,
  {
    folded,
    prior,
    anew,
    quality,
    way,
    isProven,
  }: Newcomer & { quality: number; way: Way; isProven: boolean },
): Promise<TypeGates> {
  if (!isProven) {
    return NO_TYPES;
  }
  const before = isLifted(folded) ? restartedTypes(folded) : way.types;
  return keepTypeGates(tx, pair, { folded, prior, anew, quality, before, now: way.now });
}

/** Whether somebody is past probation, by results or a human's word, and their door where all bars are high. Keeps what changed. */
async function judge(
  tx: Queryable,
  pair: Pair,
  { folded, before, latest, prior, anew, newcomer }: Newcomer & { newcomer: NewcomerRow },
): Promise<{ isProven: boolean; isMade: boolean; high: Door | null }> {
  const { status, overResults, overGradingId } = newcomer;
  const isMade = status === 'ACTIVE' && overResults === null;
  if (isMade) {
    return { isProven: true, isMade, high: null };
  }
  const over = overResults === null ? null : { results: overResults, gradingId: overGradingId ?? 0n };
  // Where all bars are high who is not proven for any stays a newcomer: without the door they would have no work.
  const leastBar = over === null ? await leastHighBar(tx, pair) : null;
  const high = openHighDoor({ score: folded.skill, prior }, leastBar);
  const isProven =
    (over !== null && (!anew || (await sql.stands(tx, pair, over)))) ||
    (high === null && isProvenBy({ before, latest }, prior));
  if (isProven !== (over !== null)) {
    await sql.saveProbation(tx, pair, { isOver: isProven, ...restsOn(folded) });
  }
  return { isProven, isMade, high };
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

const SKILLS_A_LOOK = 50;

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

type SkillPlace = NonNullable<Awaited<ReturnType<typeof lookAtBars>>['last']>;

const FIRST_SKILL: SkillPlace = { tenantId: 0n, skillId: 0n };

/** One look, at skills after one. @returns of how many the bar changed, and the last of them; null where there are no more */
export const noteBars = (db: Database, after = FIRST_SKILL) =>
  withSystem(db, (tx) => lookAtBars(tx, after, SKILLS_A_LOOK));

/** Tells experts of a skill whose least bar is another one where that put them below it or not any more, at most `limit`. @returns whether there are more */
export const tellBars = (db: Database, limit: number): Promise<boolean> =>
  retrying(() => withSystem(db, (tx) => tellLeastBars(tx, limit)));
