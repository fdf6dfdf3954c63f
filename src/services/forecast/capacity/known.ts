import type { ExpertSupply } from './presence.js';

export const HOURS_A_WEEK = 168;
/** Of a week that is one week older so much less is thought. */
export const FRESHNESS = 0.85;
/** More weeks are not known of anybody. */
export const WEEKS_MAX = 8;

/** An expert as drawn from. */
export interface Known {
  /** Seconds worked before each hour of the past. */
  readonly sums: Int32Array;
  /** Weeks that say something, the last one first: as weeks back. In all others there was nothing to do, or the expert had not begun. */
  readonly open: readonly number[];
  /** Weeks up to now. */
  readonly quiet: number;
  /** Weeks without work up to now, of those that say something. */
  readonly silent: number;
  readonly active: number;
  readonly meanSeconds: number;
}

const summed = new WeakMap<object, Worked>();

/** What an expert has worked, whatever there was to do. */
interface Worked {
  readonly sums: Int32Array;
  /** By whole weeks back. */
  readonly ofWeek: readonly number[];
  /** Hours since the first one worked; 0 where none was. */
  readonly since: number;
}

function workedOf({ seconds }: ExpertSupply): Worked {
  const found = summed.get(seconds);
  if (found !== undefined) {
    return found;
  }
  const sums = new Int32Array(seconds.length + 1);
  // Of what is promised an hour may have a fraction of a second, of which none is lost.
  let exactly = 0;
  for (let hour = 0; hour < seconds.length; hour += 1) {
    exactly += seconds[hour] ?? 0;
    sums[hour + 1] = Math.round(exactly);
  }
  const first = sums.findIndex((sum) => sum > 0);
  const weeks = Math.floor(seconds.length / HOURS_A_WEEK);
  const worked = {
    sums,
    ofWeek: Array.from({ length: weeks }, (_, back) => between(sums, -back - 1, -back)),
    since: first === -1 ? 0 : sums.length - first,
  };
  summed.set(seconds, worked);
  return worked;
}

/**
 * A week in which nobody worked on anything that an expert may do, and of which no work is left, says nothing: there was nothing to do. Nor does
 * the time before the first hour of theirs; of who never worked, before the first of anybody's. What newcomers promise is all known, and says
 * nothing of whether there was something to do for others.
 * @param openWeeks for how long there has been work of a class that still is to be done
 */
export function knownOf(experts: readonly ExpertSupply[], openWeeks: (workClass: number) => number): Known[] {
  const worked = experts.map(workedOf);
  const classes = new Map<number, { weeks: Set<number>; since: number }>();
  for (const [place, expert] of experts.entries()) {
    for (const of of expert.isPromised === true ? [] : expert.classes) {
      const one = classes.get(of) ?? { weeks: weeksFrom(openWeeks(of)), since: openWeeks(of) * HOURS_A_WEEK };
      classes.set(of, one);
      for (const [back, seconds] of (worked[place]?.ofWeek ?? []).entries()) {
        if (seconds > 0) {
          one.weeks.add(back);
        }
      }
      one.since = Math.max(one.since, worked[place]?.since ?? 0);
    }
  }
  return experts.map((expert) => {
    const own = workedOf(expert);
    if (expert.isPromised === true) {
      return asKnown(own, () => true);
    }
    const able = expert.classes.flatMap((of) => classes.get(of) ?? []);
    const anybody = Math.max(0, ...able.map(({ since }) => since));
    return asKnown(
      own,
      (back) =>
        (back + 1) * HOURS_A_WEEK <= (own.since > 0 ? own.since : anybody) &&
        able.some(({ weeks }) => weeks.has(back)),
    );
  });
}

const weeksFrom = (weeks: number): Set<number> =>
  new Set(Array.from({ length: Math.min(WEEKS_MAX, Math.floor(weeks)) }, (_, back) => back));

function asKnown({ sums, ofWeek }: Worked, says: (back: number) => boolean): Known {
  const open = Array.from(ofWeek.keys()).filter(says);
  const seconds = open.map((back) => ofWeek[back] ?? 0);
  const silent = seconds.findIndex((of) => of > 0);
  const last = open[silent];
  return {
    sums,
    open,
    quiet: last ?? ofWeek.length,
    silent: silent === -1 ? open.length : silent,
    active: seconds.filter((of) => of > 0).length,
    meanSeconds: weightedMean(seconds),
  };
}

/** Seconds worked between two moments in weeks from now. */
export function between(sums: Int32Array, from: number, to: number): number {
  const last = sums.length - 1;
  const at = (weeks: number) => sums[Math.max(0, last + weeks * HOURS_A_WEEK)] ?? 0;
  return at(to) - at(from);
}

function weightedMean(ofWeek: readonly number[]): number {
  const weights = ofWeek.map((_, back) => FRESHNESS ** back);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return whole === 0 ? 0 : ofWeek.reduce((sum, of, back) => sum + of * (weights[back] ?? 0), 0) / whole;
}
