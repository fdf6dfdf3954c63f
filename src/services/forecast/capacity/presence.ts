import type { Random } from '../../platform/random.js';
import { type CommonWeeks, commonWeeks, drawWeek, togetherOf } from './common-weeks.js';
import { between, HOURS_A_WEEK, type Known, knownOf } from './known.js';
import { mean, variance } from './variance.js';

/** A time, in hours since the hour began in which we are. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is known of when an expert works. */
export interface ExpertSupply {
  /** Classes of work that the expert may do. */
  readonly classes: readonly number[];
  /**
   * Seconds worked in each past hour, oldest first, at most eight weeks; the last entry is the hour that has just ended. Shorter:
   * could be there only since. An array that is given again is taken to be unchanged.
   */
  readonly seconds: ArrayLike<number>;
  /** Who is not there yet, and will work these hours for certain. */
  readonly isPromised?: boolean;
  /** When they are elsewhere for certain, in order and apart: at jobs that they have accepted, and on the way there. */
  readonly elsewhere?: readonly Span[] | undefined;
}

/** What one future is drawn by. */
interface Chance {
  readonly random: Random;
  /** Weeks of the past that all take of whom those say something, one for each week to come. */
  readonly common: CommonWeeks | undefined;
}

/** Draws when experts will work: whole weeks of their own past, so that what goes together stays together. */
export interface Presence {
  /**
   * Adds to `into` the hours that one expert has by each moment, in one possible future.
   */
  draw(expert: number, by: Chance, into: Float64Array): void;
  /** Weeks of the past that all take at once, for a future; drawn anew each time. */
  common(random: Random): CommonWeeks;
  /** Weeks that say something of an expert. */
  weeksOf(expert: number): number;
  /** Weeks up to now without work of an expert, whatever the reason. */
  quietOf(expert: number): number;
}

interface Asked {
  readonly moments: Float64Array;
  readonly since: number;
  readonly openWeeks?: (workClass: number) => number;
}

/**
 * @param experts in any order; their places are their names
 * @param moments in hours since the hour began in which we are, ascending, the first not before now
 * @param since how much of that hour has passed
 * @param openWeeks for how long there has been work of a class that still is to be done
 */
export function presenceOf(experts: readonly ExpertSupply[], { moments, since, openWeeks }: Asked): Presence {
  const known = knownOf(experts, openWeeks ?? (() => 0));
  const peers = peersOf(experts, known);
  // Newcomers have no past that would say how those behave who are there.
  const past = known.filter((_, place) => experts[place]?.isPromised !== true);
  const leaving = hazardOf(past);
  const comes = comesOf(past);
  const strength = priorStrength(past);
  const times = timesOf(moments, since);
  const share = togetherOf(past);
  const gone = new Float64Array(known.length).fill(Number.NaN);
  const goneOf = (expert: number, own: Known) => {
    const found = gone[expert] ?? Number.NaN;
    const chance = Number.isNaN(found) ? chanceGone(own, leaving, comes) : found;
    gone[expert] = chance;
    return chance;
  };
  const weeksKnown = Math.max(0, ...known.map(({ open }) => (open.at(-1) ?? -1) + 1));
  return {
    common: (random) => commonWeeks({ weeks: times.weeks.length, share, most: weeksKnown }, random),
    draw(expert, { random, common }, into) {
      const own = known[expert];
      const isPromised = experts[expert]?.isPromised === true;
      const donor =
        own === undefined || isPromised ? own : sourceOf(own, { strength, peers: peers(expert), random });
      if (own === undefined || donor === undefined || (!isPromised && random() < goneOf(expert, own))) {
        return;
      }
      const leavesAt = isPromised ? Number.POSITIVE_INFINITY : Math.log(1 - random()) / Math.log(1 - leaving);
      const { elsewhere = [] } = experts[expert] ?? {};
      addFuture(donor, { times, until: since + leavesAt * HOURS_A_WEEK, elsewhere, random, common }, into);
    },
    weeksOf: (expert) => known[expert]?.open.length ?? 0,
    quietOf: (expert) => known[expert]?.quiet ?? 0,
  };
}

/** Experts who are there, can do the same first thing and of whom something is known; others where there are none. */
function peersOf(
  experts: readonly ExpertSupply[],
  known: readonly Known[],
): (expert: number) => readonly Known[] {
  const tells = (place: number) =>
    experts[place]?.isPromised !== true && (known[place]?.open.length ?? 0) > 0;
  const everybody = known.filter((_, place) => tells(place));
  const byClass = new Map<number, Known[]>();
  for (const [place, { classes }] of experts.entries()) {
    const one = known[place];
    for (const of of classes) {
      const able = byClass.get(of) ?? [];
      byClass.set(of, able);
      if (one !== undefined && tells(place)) {
        able.push(one);
      }
    }
  }
  return (expert) => {
    const able = byClass.get(experts[expert]?.classes[0] ?? -1) ?? [];
    return able.length > 1 ? able : everybody;
  };
}

/** Own weeks, or those of somebody else with the odds of n own weeks to the strength of the prior: an expert of two weeks may be like anybody. */
function sourceOf(
  own: Known,
  { strength, peers, random }: { strength: number; peers: readonly Known[]; random: Random },
): Known | undefined {
  const isOwn = random() < own.open.length / (own.open.length + strength);
  return isOwn || peers.length === 0
    ? own.open.length > 0
      ? own
      : undefined
    : peers[Math.floor(random() * peers.length)];
}

const STRENGTH = { least: 0.25, most: 4, unknown: 1 } as const;
/** With fewer of them nothing is known of how much experts differ. */
const COMPARED_MIN = 4;

/**
 * How many weeks of their own it takes to know an expert as well as from others: the variance from week to week by that from expert
 * to expert (the credibility of Bühlmann 1967), within limits.
 */
function priorStrength(known: readonly Known[]): number {
  const compared = known.filter(({ open }) => open.length > 1);
  if (compared.length < COMPARED_MIN) {
    return STRENGTH.unknown;
  }
  const within = mean(compared.map(varianceWithin));
  const chance = mean(compared.map((one) => varianceWithin(one) / one.open.length));
  const differ = variance(compared.map(({ meanSeconds }) => meanSeconds)) - chance;
  return differ <= 0 ? STRENGTH.most : Math.min(STRENGTH.most, Math.max(STRENGTH.least, within / differ));
}

const varianceWithin = ({ sums, open }: Known): number =>
  variance(open.map((back) => between(sums, -back - 1, -back)));

/** Weeks without any work after which an expert counts as one who left, where it is asked how many do. */
const LEFT_AFTER = 2;
/** As if this many had left in so many weeks of work: about one in a hundred a week. */
const LEAVING_PRIOR = { left: 0.25, weeks: 25 } as const;
const LEAVING = { least: 0.001, most: 0.3 } as const;

/** The share of experts who leave in a week: of those who could be seen to, for whoever has just left cannot yet. */
function hazardOf(known: readonly Known[]): number {
  const ever = known.filter(({ active }) => active > 0);
  const left = ever.filter(({ silent }) => silent >= LEFT_AFTER).length;
  const weeks = ever.reduce(
    (sum, { open, silent }) => sum + Math.max(0, open.length - Math.max(silent, LEFT_AFTER)),
    0,
  );
  const share = (LEAVING_PRIOR.left + left) / (LEAVING_PRIOR.weeks + weeks);
  return Math.min(LEAVING.most, Math.max(LEAVING.least, share));
}

/** As if two weeks of each were like those of all. */
const LIKE_ALL = 2;

/** In which share of their weeks experts work before they are silent for good; of half of two weeks more it is taken to be even. */
function comesOf(known: readonly Known[]): number {
  const sum = (of: (one: Known) => number) => known.reduce((whole, one) => whole + of(one), 0);
  return (
    (sum(({ active }) => active) + 1) /
    (sum(({ open, silent, active }) => (active > 0 ? open.length - silent : 0)) + 2)
  );
}

/** How likely an expert has left, by Bayes: who worked each week and has been silent for three has, who comes now and then perhaps not. */
function chanceGone({ open, quiet, silent, active }: Known, leaving: number, usual: number): number {
  const comes = (active + LIKE_ALL * usual) / (open.length - silent + LIKE_ALL);
  const stayed = (1 - leaving) ** quiet * (1 - comes) ** silent;
  const left = 1 - (1 - leaving) ** quiet;
  return left / (left + stayed);
}

interface Future {
  readonly times: Times;
  /** The hour at which the expert leaves. */
  readonly until: number;
  readonly elsewhere: readonly Span[];
  readonly random: Random;
  readonly common: CommonWeeks | undefined;
}

/** A week to come, and the places of the moments in it: from the first on, before the end. */
interface WeekOfMoments {
  readonly from: number;
  readonly to: number;
  readonly first: number;
  readonly end: number;
}

interface Times {
  readonly weeks: readonly WeekOfMoments[];
  readonly moments: Float64Array;
}

function timesOf(moments: Float64Array, since: number): Times {
  const weeks = Math.ceil((moments.at(-1) ?? 0) / HOURS_A_WEEK);
  const placeAfter = (hours: number) => {
    const place = moments.findIndex((at) => at > hours);
    return place === -1 ? moments.length : place;
  };
  return {
    moments,
    weeks: Array.from({ length: weeks }, (_, week) => {
      const [from, to] = [week * HOURS_A_WEEK, (week + 1) * HOURS_A_WEEK];
      return { from: Math.max(since, from), to, first: placeAfter(from), end: placeAfter(to) };
    }),
  };
}

/**
 * Adds the hours worked by each moment: each week to come is one of those of the source's past, rather a late one; with the odds of the
 * common one that of everybody, where it says something of the source. What would be worked while the expert is elsewhere is not.
 */
function addFuture(
  source: Known,
  { times, until, elsewhere, random, common }: Future,
  into: Float64Array,
): void {
  const { sums, open } = source;
  const { weeks, moments } = times;
  let before = 0;
  for (let week = 0; week < weeks.length; week += 1) {
    const { from, to, first, end } = weeks[week] as WeekOfMoments;
    const of = common !== undefined && random() < common.share ? (common.weeks[week] ?? -1) : -1;
    const back = open.includes(of) ? of : (open[drawWeek(open.length, random)] ?? 0);
    const shift = (week + 1 + back) * HOURS_A_WEEK;
    const isThere = from < until;
    const start = isThere ? before - secondsBefore(sums, from - shift) : before;
    const away = elsewhere.length === 0 ? elsewhere : within(elsewhere, from, Math.min(to, until));
    const workedBy = (hours: number) =>
      start + secondsBefore(sums, hours - shift) - lostBefore(away, { sums, shift, hours });
    for (let place = first; place < end; place += 1) {
      const at = moments[place] ?? 0;
      const worked = isThere ? workedBy(at < until ? at : until) : before;
      into[place] = (into[place] ?? 0) + worked / 3_600;
    }
    before = isThere ? workedBy(Math.min(to, until)) : before;
  }
}

/** As far as they are between two moments. */
const within = (spans: readonly Span[], from: number, to: number): Span[] =>
  spans
    .filter((span) => span.from < to && span.to > from)
    .map((span) => ({ from: Math.max(from, span.from), to: Math.min(to, span.to) }));

/** Seconds that would have been worked in some times before a moment, in a week that is like one of the past. */
function lostBefore(
  away: readonly Span[],
  { sums, shift, hours }: { sums: Int32Array; shift: number; hours: number },
): number {
  let lost = 0;
  for (const { from, to } of away) {
    if (from < hours) {
      lost += secondsBefore(sums, Math.min(to, hours) - shift) - secondsBefore(sums, from - shift);
    }
  }
  return lost;
}

/** Seconds worked before a moment of the past, in hours before the hour in which we are; even within an hour. */
function secondsBefore(sums: Int32Array, hours: number): number {
  const at = sums.length - 1 + hours;
  const whole = Math.floor(at);
  if (whole < 0) {
    return sums[0] ?? 0;
  }
  const low = sums[whole] ?? 0;
  return at === whole ? low : low + ((sums[whole + 1] ?? low) - low) * (at - whole);
}
