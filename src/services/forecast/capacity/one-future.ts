import type { Random } from '../../platform/random.js';
import type { Alone, Futures } from './futures.js';
import { normalOf } from './normal.js';
import { type Growth, type Potential, timeUntil, valueAt } from './potential.js';

/** What is left of one batch. */
export interface Work {
  readonly id: bigint;
  readonly projectId: bigint;
  /** What is asked of who does it: a place among the classes. */
  readonly workClass: number;
  /** Seconds of experts' work that are left, by the median. */
  readonly seconds: number;
  /** Standard deviation of the logarithm of what it really takes. */
  readonly spread: number;
  /** Tasks that are open: each expert answers one once. */
  readonly items: number;
  /** Answers that are expected of them; not given: as many as there is time for. */
  readonly answers?: number | undefined;
  /** How many answers one of them may want in all, and how many one wants still, at most: so many experts it takes. */
  readonly redundancy?: number;
  readonly answersEach?: number | undefined;
  /** How many of them experts have answered already, by their places. */
  readonly answered?: ReadonlyMap<number, number> | undefined;
  /** Of one answer. */
  readonly handlingSeconds: number;
  /** How often gold takes the place of a task, which then waits; not given: never. */
  readonly goldShare?: number | undefined;
  readonly leaseSeconds: number;
  /** From now; null: after all that have one. */
  readonly deadlineSeconds: number | null;
  /** For how long it has been there to be done; not given: since now. */
  readonly openSeconds?: number;
  /** By how much longer than it says such work has taken, equally likely numbers; null: nothing is known of that. */
  readonly ratios?: ArrayLike<number> | null;
}

/** One future of one batch. */
export interface Drawn {
  /** Until it is done. */
  readonly seconds: number;
  /** The same by the hours of experts alone, without what such work has taken beyond them and without the last answer. */
  readonly rawSeconds: number;
  readonly availableHours: number;
  /** What it takes of experts, and by when in hours from now that would have to be there. */
  readonly hours: number;
  readonly looked: number;
  /** Hours that would have to come more until the deadline, evenly, of who can do nothing else. */
  readonly missingHours: number;
  /** The share of its work with which the deadline is missed. */
  readonly missingShare: number;
  /** The place of the cut that binds. */
  readonly cut: number;
}

interface Drawing {
  readonly potential: Potential;
  readonly futures: Futures;
  readonly world: number;
  readonly random: Random;
}

const HOUR = 3_600;
/** What is never done is done in twenty years: beyond what anybody is told. */
export const NEVER = 20 * 365 * 24 * HOUR;
/** Where nothing is known of how such forecasts went. */
const RATIO_SPREAD = 0.15;

/** @param hours that it takes in this future */
export function drawnOf(work: Work, hours: number, drawing: Drawing): Drawn {
  const { potential, futures, world, random } = drawing;
  const ratio = ratioOf(work, random);
  const tail = tailOf(work, random);
  const once = onceEach(work, { hours, single: futures.single(world, work.workClass), futures });
  const can = once === null ? potential : new Least(potential, once);
  const isEver = (work.answersEach ?? 0) <= futures.expertsOf(work.workClass).length;
  const until = isEver ? timeUntil(can, hours) : Number.POSITIVE_INFINITY;
  const rawSeconds = Math.min(NEVER, until * HOUR);
  const deadline = work.deadlineSeconds === null ? null : work.deadlineSeconds / HOUR;
  const looked = Math.max(0, deadline === null ? rawSeconds / HOUR : (deadline - tail / HOUR) / ratio);
  const availableHours = isEver ? Math.max(0, valueAt(can, looked)) : 0;
  const balance = valueAt(potential.balance, looked);
  const most = once === null ? balance : Math.min(balance, valueAt(once, looked));
  const short = Math.max(0, hours - most);
  // Without a deadline it is looked at when it is done, and what is there by then is what it takes, but for rounding.
  const isEnough = availableHours >= hours * (1 - ROUNDING);
  return {
    seconds: Math.min(NEVER, until * HOUR * ratio + tail),
    rawSeconds,
    availableHours,
    hours,
    looked,
    missingHours: isEnough ? 0 : short * untilThen(deadline, looked),
    missingShare: isEnough ? 0 : Math.max(0, 1 - availableHours / hours),
    cut: potential.cutAt(looked),
  };
}

/** Of more than so many times the hours nobody is told. */
const HOURS_MOST = 10;

/** Hours that come evenly until the deadline for each that is there by when it is looked: work that takes longer than it says must be done with sooner. */
function untilThen(deadline: number | null, looked: number): number {
  return deadline === null || deadline <= 0 ? 1 : Math.min(HOURS_MOST, deadline / looked);
}

/** Sums of fractions are a little off. */
const ROUNDING = 1e-9;

/**
 * What its experts can do by each moment where each answers each item once: of the last items most have answered. Null for many: no bound.
 * @param hours that all answers take
 */
function onceEach(
  { items, answered, answers, seconds, handlingSeconds }: Work,
  { hours, single, futures }: { hours: number; single: readonly Alone[] | null; futures: Futures },
): Once | null {
  if (single === null) {
    return null;
  }
  const each = (hours / Math.max(1, answers ?? seconds / handlingSeconds)) * (1 + ROUNDING);
  const most = single.map(({ who }) => Math.max(0, items - (answered?.get(who) ?? 0)) * each);
  return new Once(futures.moments, single, most);
}

class Once implements Growth {
  constructor(
    readonly moments: Float64Array,
    private readonly single: readonly Alone[],
    /** Hours that each may spend. */
    private readonly most: readonly number[],
  ) {}

  at(moment: number): number {
    let sum = 0;
    for (let place = 0; place < this.single.length; place += 1) {
      sum += Math.min(this.most[place] ?? 0, this.single[place]?.hours[moment] ?? 0);
    }
    return sum;
  }
}

class Least implements Growth {
  readonly moments: Float64Array;

  constructor(
    private readonly one: Growth,
    private readonly other: Growth,
  ) {
    this.moments = one.moments;
  }

  at(moment: number): number {
    return Math.min(this.one.at(moment), this.other.at(moment));
  }
}

/** How often a lease is lost, and then its work only goes on when it has run out. */
const LOST = 0.05;
/** Answers that are under way at the end, at most. */
const AT_THE_END = 8;

/** The last answers: somebody is at each of them, and one of them may be left lying. */
function tailOf(work: Work, random: Random): number {
  const { items, handlingSeconds, leaseSeconds } = work;
  const under = Math.max(1, Math.min(items, AT_THE_END));
  const lost = random() < 1 - (1 - LOST) ** under ? leaseSeconds : 0;
  return handlingSeconds * lognormal(0.5, random) + lost * random() + behindGold(work, { under, random });
}

/** A task waits for the answer to the gold in its place and then for a tick, which are so far apart (app.tick_before); at most twice. */
const TICK_SECONDS = 320;
const HIDINGS_MOST = 2;

/** How much later than all others those of the last tasks come that gold has the place of. */
function behindGold(
  { goldShare = 0, handlingSeconds, leaseSeconds }: Work,
  { under, random }: { under: number; random: Random },
): number {
  const tick = Math.min(TICK_SECONDS, 2 * leaseSeconds);
  let seconds = 0;
  let hidden = goldShare === 0 ? 0 : under;
  for (let times = 0; times < HIDINGS_MOST && hidden > 0; times++) {
    hidden = random() < 1 - (1 - goldShare) ** hidden ? Math.max(1, Math.round(goldShare * hidden)) : 0;
    seconds += hidden === 0 ? 0 : handlingSeconds * lognormal(0.5, random) + tick * random();
  }
  return seconds;
}

function ratioOf({ ratios }: Work, random: Random): number {
  return ratios === null || ratios === undefined || ratios.length === 0
    ? Math.exp(RATIO_SPREAD * normalOf(random))
    : (ratios[Math.floor(random() * ratios.length)] ?? 1);
}

/** Of mean 1. */
const lognormal = (spread: number, random: Random): number =>
  Math.exp(spread * normalOf(random) - (spread * spread) / 2);
