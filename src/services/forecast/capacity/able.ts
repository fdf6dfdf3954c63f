import type { ExpertSupply } from './presence.js';

/** How many can do each class of work. */
export interface Able {
  /** Of those who are there. */
  count(workClass: number): number;
  /** Of those and of newcomers, whoever has not been silent for weeks: whom a forecast may rest on. */
  awake(workClass: number): number;
  /** Whether it is known when any of those works who are there. */
  isKnown(workClass: number): boolean;
  /** The same of anybody, whatever they can do. */
  readonly isAnyKnown: boolean;
}

const HOURS_A_WEEK = 168;
/** Who has not worked for so many weeks counts as silent, though there may have been nothing to do. */
export const WEEKS_QUIET = 2;

export function ableOf(experts: readonly ExpertSupply[]): Able {
  const counts = new Map<number, { there: number; awake: number; known: number }>();
  let known = 0;
  for (const expert of experts) {
    const { isKnown, isAwake } = seenOf(expert);
    const isThere = expert.isPromised !== true;
    known += Number(isThere && isKnown);
    for (const of of expert.classes) {
      const own = counts.get(of) ?? { there: 0, awake: 0, known: 0 };
      counts.set(of, own);
      own.there += Number(isThere);
      own.awake += Number(isAwake);
      own.known += Number(isThere && isKnown);
    }
  }
  return {
    count: (of) => counts.get(of)?.there ?? 0,
    awake: (of) => counts.get(of)?.awake ?? 0,
    isKnown: (of) => (counts.get(of)?.known ?? 0) > 0,
    isAnyKnown: known > 0,
  };
}

interface Seen {
  /** Has been there for a week, and worked. */
  readonly isKnown: boolean;
  /** Has worked of late, or has not been there for so long. */
  readonly isAwake: boolean;
}

const seen = new WeakMap<object, Seen>();

function seenOf({ seconds }: ExpertSupply): Seen {
  const found = seen.get(seconds);
  if (found !== undefined) {
    return found;
  }
  const late = WEEKS_QUIET * HOURS_A_WEEK;
  const told = {
    isKnown: seconds.length >= HOURS_A_WEEK && hasWorked(seconds, 0),
    isAwake: seconds.length < late || hasWorked(seconds, seconds.length - late),
  };
  seen.set(seconds, told);
  return told;
}

function hasWorked(seconds: ArrayLike<number>, from: number): boolean {
  for (let hour = seconds.length - 1; hour >= from; hour -= 1) {
    if ((seconds[hour] ?? 0) > 0) {
      return true;
    }
  }
  return false;
}
