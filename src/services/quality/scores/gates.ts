import type { Queryable } from '../../platform/rows.js';
import { type Door, EXCEPTION_MAX, NEW_BELOW, openDoor, PROVEN_ENOUGH } from '../gold/door.js';
import { heldQuality, trialWaitMs } from '../gold/hold.js';
import { type Estimate, estimate, type Prior } from './estimate.js';
import type { Folded } from './fold.js';
import { barBetween, type Way } from './gates.sql.js';
import { padded } from './ids.js';
import type { Pair } from './keep.sql.js';
import * as sql from './newcomers.sql.js';

/** What claims are to take somebody for, and when they are tried again. */
export type Gate = Omit<sql.NewcomerDecision, 'status' | 'types' | 'typesAtOnce'> & {
  /** What they are taken for. */
  readonly quality: number;
};

interface Standing {
  readonly person: { readonly folded: Folded; readonly prior: Prior; readonly anew: boolean };
  readonly newcomer: sql.NewcomerRow;
  readonly way: Way;
  /** Their door where all bars of the skill are high. */
  readonly high: Door | null;
  readonly isProven: boolean;
}

/**
 * What claims are to take somebody for who is not paused: what is proven of them; an exception while they are new; a bar that they
 * reached, until results speak against it; and in a trial the bar that they are tried at. Keeps each exception.
 */
export async function keepGate(tx: Queryable, pair: Pair, at: Standing): Promise<Gate> {
  const { folded, prior } = at.person;
  const known = estimate(folded.skill, prior);
  const isFirst = folded.skill.seen === 0;
  // Of whom everything was taken back nothing is proven; before there was anything it is a human's word.
  const untold = at.person.anew ? 0 : at.way.lower;
  const lower = isFirst ? untold : known.lower;
  const opened = at.isProven ? null : await openNewcomer(tx, pair, at);
  const base = Math.max(lower, opened === null || opened.kind === 'LOWER_BOUND' ? 0 : opened.quality);
  const quality = Math.max(base, heldOf(at, { lower, known }));
  if (quality > base) {
    const door = { kind: 'KEPT', quality, estimate: known, drawn: null } as const;
    await keepDoor(tx, pair, { folded, door });
  }
  const gate = { quality, door: quality > lower ? quality : null, isFirst };
  return tryAgain(tx, pair, { ...at, known, gate, isDrawn: opened !== null && isDrawnFor(opened, folded) });
}

/** Newcomers are drawn for where the skill has proven experts enough, and they have few results. */
const isDrawnFor = ({ kind }: { kind: string }, { skill }: Folded): boolean =>
  skill.seen < NEW_BELOW && (kind === 'LOWER_BOUND' || kind === 'EXPLORATION');

/** What they hold of what they were taken for: on probation no more than an exception opens, and of results taken back what they may be. */
function heldOf(
  { person, way, isProven }: Standing,
  { lower, known }: { lower: number; known: Estimate },
): number {
  const was = Math.max(way.takenFor, way.decided ?? 0);
  const reached = Math.min(was, isProven ? 1 : EXCEPTION_MAX, person.anew ? known.mean : 1);
  const after = padded(way.trialGradingId ?? 0n);
  const results = person.folded.standing.results.filter(({ id }) => id > after);
  return heldQuality({ reached, lower, results });
}

/** How often whoever has work is looked at for the next bar. */
const ABOVE_WAIT_MS = 7 * 86_400_000;

interface Trying extends Standing {
  readonly known: Estimate;
  readonly gate: { readonly quality: number; readonly door: number | null; readonly isFirst: boolean };
  readonly isDrawn: boolean;
}

/**
 * The way back. Whoever is below every bar of the skill is tried at the least of them after some days, by whatever results; and at a bar
 * above what they are taken for and below that of adjudications, where they are more likely above it than not, or may be and had no work for a week (projects of lower bars
 * may have nothing left to do). Who is drawn for is drawn for again each day.
 */
async function tryAgain(tx: Queryable, pair: Pair, trying: Trying): Promise<Gate> {
  const { gate, way, isDrawn } = trying;
  const now = gate;
  const bar = await barToTry(tx, pair, trying);
  if (bar === null) {
    return { ...now, tryAt: null };
  }
  const isShut = way.leastBar !== null && gate.quality < way.leastBar;
  const isDue = way.isDue && (isShut || way.isIdle || bar <= trying.known.mean);
  if (!isDrawn && (isDue || (isShut && isLifted(trying.person.folded)))) {
    const door = { kind: 'TRIAL', quality: bar, estimate: trying.known, drawn: null } as const;
    await keepDoor(tx, pair, { folded: trying.person.folded, door });
    return { quality: bar, door: bar, isFirst: true, tryAt: null };
  }
  const waitMs = isDrawn || isShut ? trialWaitMs(isDrawn ? 0 : way.trials) : ABOVE_WAIT_MS;
  const tryAt = (way.isDue ? null : way.tryAt) ?? new Date(way.now.getTime() + waitMs);
  // Before there are results, and where chance let somebody in whom it had left out, no answer is pointed at.
  return { ...now, isFirst: now.isFirst || (isDrawn && way.isDue), tryAt };
}

async function barToTry(
  tx: Queryable,
  pair: Pair,
  { way, gate, high, isProven, isDrawn, known, person }: Trying,
): Promise<number | null> {
  const { leastBar } = way;
  if (leastBar !== null && gate.quality < leastBar) {
    const isReached = isProven || high !== null || isDrawn || leastBar <= EXCEPTION_MAX;
    return isReached ? leastBar : null;
  }
  return isProven && person.folded.skill.seen >= NEW_BELOW
    ? barBetween(tx, pair, { above: gate.quality, upTo: Math.min(EXCEPTION_MAX, known.upper) })
    : null;
}

/** A human has lifted a pause, and no result has come since. */
export const isLifted = ({ standing }: Folded): boolean =>
  standing.reason === 'HUMAN' && standing.results.length === 0;

/** The door of a newcomer, as it is kept. */
async function openNewcomer(
  tx: Queryable,
  pair: Pair,
  { person: { folded, prior }, newcomer, way, high }: Standing,
): Promise<{ kind: string; quality: number }> {
  const provenExperts = await sql.countProven(tx, pair, PROVEN_ENOUGH);
  const door = high ?? openDoor({ score: folded.skill, prior, provenExperts, ...newcomer });
  return keepDoor(tx, pair, { folded, door, provenExperts, again: way.isDue });
}

interface Opening {
  readonly folded: Folded;
  readonly door: Door;
  readonly provenExperts?: number;
  /** They are drawn for another day. */
  readonly again?: boolean;
}

/** Keeps a door with what it rests on. @returns the one kept, which may be an earlier one */
export function keepDoor(
  tx: Queryable,
  pair: Pair,
  { folded, door, provenExperts = 0, again = false }: Opening,
): Promise<{ kind: string; quality: number }> {
  const { results, gradingId } = restsOn(folded);
  return sql.keepDoor(tx, pair, {
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
    again,
  });
}

/** The results that a decision rests on. */
export const restsOn = ({ skill, correct }: Folded) => ({
  results: skill.seen,
  correct,
  gradingId: BigInt(skill.lastId ?? 0),
});
