import type { Random } from '../../platform/random.js';
import { normalOf } from './normal.js';
import { type ExpertSupply, presenceOf } from './presence.js';

/** Experts who can do the same of what there is to do. */
interface Group {
  readonly classes: readonly number[];
  readonly experts: readonly number[];
}

/** Hours that experts have together by each moment. */
export interface Hours {
  /** In one world they are `scaleIn` times as many as these. */
  unscaledIn(world: number): Float64Array;
  scaleIn(world: number): number;
  /** After so many worlds what is not scaled comes again. */
  readonly period: number;
}

/** Hours that experts have by some moments, in possible futures. */
export interface Futures {
  readonly groups: readonly Group[];
  readonly worlds: number;
  /** In hours from now. */
  readonly moments: Float64Array;
  /** The hours of some groups together. */
  of(groups: readonly number[]): Hours;
  /** The mean of one group's hours by each moment. */
  meanOf(group: number): Float64Array;
  /** Of a class of few experts: the hours of each by each moment in a world. Null where there are more. */
  single(world: number, workClass: number): readonly Alone[] | null;
  /** Who can do a class. */
  expertsOf(workClass: number): readonly number[];
  /** Weeks that are known of the experts of a class, by the median: of those who are there, if any; 0 where there is nobody. */
  knownWeeks(workClass: number): number;
  /** Weeks up to now in which none of them worked; 0 where there are none. */
  quietWeeks(workClass: number): number;
}

/** One expert, by the place given, and the hours of theirs by each moment. */
export interface Alone {
  readonly who: number;
  readonly hours: Float64Array;
}

export interface FuturesOptions {
  readonly moments: Float64Array;
  /** How much of the present hour has passed. */
  readonly since: number;
  readonly worlds: number;
  readonly random: Random;
  /** How much more or less all work together than their past weeks say: standard deviation of its logarithm. */
  readonly together: number;
  /** For how many weeks there has been work of a class that still is to be done. */
  openWeeks(workClass: number): number;
  /** How many answers a task of a class may want, each from somebody else: where that takes half of its experts they are looked at one by one. */
  answersOf?(workClass: number): number;
}

/** Experts of classes that have no more are drawn in each world, and looked at one by one; as long as they are not too many. */
const FEW = 12;
const SINGLE_MAX = 300;
/** The others are drawn this often, for what one of many does makes no difference, and are the same in every so manieth world. */
const CROWDS = 24;
const CROWDS_LEAST = 12;
const GROUPS_MANY = 500;

/** Draws futures of experts, as far as they can do any class that is wanted; step by step, for it may take a while. */
export function* futuresOf(
  experts: readonly ExpertSupply[],
  wanted: ReadonlySet<number>,
  { worlds, moments, random, ...options }: FuturesOptions,
): Generator<void, Futures> {
  const groups = groupsOf(experts, wanted);
  const able = ableOf(groups, wanted);
  const presence = presenceOf(experts, {
    moments: moments.map((hours) => hours + options.since),
    since: options.since,
    openWeeks: options.openWeeks,
  });
  const rare = rareOf(able, options.answersOf ?? (() => 0));
  const isCrowded = groups.some(({ experts: of }) => of.some((who) => !rare.has(who)));
  const many = Math.min(worlds, groups.length > GROUPS_MANY ? CROWDS_LEAST : CROWDS);
  const common = Array.from({ length: isCrowded ? many : worlds }, () => presence.common(random));
  const alone = (who: number, world: number) => {
    const hours = new Float64Array(moments.length);
    presence.draw(who, { random, common: common[world % common.length] }, hours);
    return hours;
  };
  const singles = new Map<number, readonly Float64Array[]>();
  for (const who of rare) {
    singles.set(
      who,
      Array.from({ length: worlds }, (_, world) => alone(who, world)),
    );
    yield;
  }
  const crowds: Crowds = { count: many, ofGroup: groups.map(() => new Float64Array(many * moments.length)) };
  for (let crowd = 0; crowd < many; crowd += 1) {
    const by = { random, common: common[crowd] };
    for (const [place, { experts: of }] of groups.entries()) {
      const hours = partAt(crowds.ofGroup[place], crowd, moments.length);
      for (const who of of) {
        if (!singles.has(who)) {
          presence.draw(who, by, hours);
        }
      }
    }
    yield;
  }
  const all = sumOf(crowds.ofGroup, many * moments.length);
  const means = groups.map((group, place) =>
    meanOfGroup(group, { place, singles, crowds, length: moments.length }),
  );
  const scales = Array.from({ length: worlds }, () => Math.exp(options.together * normalOf(random)));
  const few = new Map([...able].filter(([, who]) => who.every((one) => singles.has(one))));
  return {
    groups,
    worlds,
    moments,
    of: (some) => hoursOf(some, { groups, singles, crowds, all, scales, length: moments.length }),
    meanOf: (group) => means[group] ?? new Float64Array(moments.length),
    single: (world, workClass) =>
      few
        .get(workClass)
        ?.map((who) => ({ who, hours: singles.get(who)?.[world] ?? new Float64Array(moments.length) })) ??
      null,
    expertsOf: (workClass) => able.get(workClass) ?? [],
    knownWeeks: (workClass) => middleOf(thereOf(able.get(workClass) ?? [], experts).map(presence.weeksOf)),
    quietWeeks: (workClass) => leastOf((able.get(workClass) ?? []).map(presence.quietOf)),
  };
}

/** Those who are there, and newcomers where there is nobody else. */
function thereOf(able: readonly number[], experts: readonly ExpertSupply[]): readonly number[] {
  const there = able.filter((who) => experts[who]?.isPromised !== true);
  return there.length > 0 ? there : able;
}

type Singles = ReadonlyMap<number, readonly Float64Array[]>;

/** Hours of those who are not looked at one by one: of each group those of all draws, one after the other. */
interface Crowds {
  /** Draws. */
  readonly count: number;
  readonly ofGroup: readonly Float64Array[];
}

const partAt = (hours: Float64Array | undefined, crowd: number, length: number): Float64Array =>
  hours?.subarray(crowd * length, (crowd + 1) * length) ?? new Float64Array(length);

interface Drawn {
  readonly groups: readonly Group[];
  readonly singles: Singles;
  readonly crowds: Crowds;
  /** Of all groups together. */
  readonly all: Float64Array;
  readonly scales: readonly number[];
  readonly length: number;
}

function hoursOf(some: readonly number[], { groups, singles, crowds, all, scales, length }: Drawn): Hours {
  const alone = some
    .flatMap((group) => groups[group]?.experts ?? [])
    .flatMap((who) => [singles.get(who)].filter((own) => own !== undefined));
  const together = partOf(crowds, some, all);
  return {
    period: alone.length === 0 ? Math.max(1, crowds.count) : scales.length,
    scaleIn: (world) => scales[world] ?? 1,
    unscaledIn(world) {
      const crowd = partAt(together, crowds.count === 0 ? 0 : world % crowds.count, length);
      const own = alone.flatMap((one) => one[world] ?? []);
      return own.length === 0 ? crowd : sumOf([crowd, ...own], length);
    },
  };
}

function meanOfGroup(
  { experts }: Group,
  { place, singles, crowds, length }: Pick<Drawn, 'singles' | 'crowds' | 'length'> & { place: number },
): Float64Array {
  const alone = experts.flatMap((who) => [singles.get(who)].filter((own) => own !== undefined));
  const crowd = Array.from({ length: crowds.count }, (_, draw) =>
    partAt(crowds.ofGroup[place], draw, length),
  );
  return sumOf([meanOf(crowd, length), ...alone.map((own) => meanOf(own, length))], length);
}

/** Of many groups it is quicker to say which are left out. */
function partOf({ ofGroup }: Crowds, some: readonly number[], all: Float64Array): Float64Array {
  const ofSome = (groups: readonly number[]) =>
    sumOf(
      groups.flatMap((group) => ofGroup[group] ?? []),
      all.length,
    );
  if (some.length <= ofGroup.length / 2) {
    return ofSome(some);
  }
  const isIn = new Set(some);
  const others = ofSome([...ofGroup.keys()].filter((group) => !isIn.has(group)));
  // Differences of sums may fall below nought by a rounding.
  return all.map((hours, place) => Math.max(0, hours - (others[place] ?? 0)));
}

function sumOf(parts: readonly Float64Array[], length: number): Float64Array {
  const sum = new Float64Array(length);
  for (const part of parts) {
    addTo(sum, part);
  }
  return sum;
}

function addTo(sum: Float64Array, part: Float64Array): void {
  for (let place = 0; place < sum.length; place += 1) {
    sum[place] = (sum[place] ?? 0) + (part[place] ?? 0);
  }
}

const meanOf = (parts: readonly Float64Array[], length: number): Float64Array =>
  sumOf(parts, length).map((value) => value / Math.max(1, parts.length));

function groupsOf(experts: readonly ExpertSupply[], wanted: ReadonlySet<number>): Group[] {
  const groups = new Map<string, { classes: number[]; experts: number[] }>();
  for (const [place, expert] of experts.entries()) {
    const classes = [...new Set(expert.classes)]
      .filter((of) => wanted.has(of))
      .sort((one, other) => one - other);
    const key = classes.join();
    const group = groups.get(key) ?? { classes, experts: [] };
    group.experts.push(place);
    groups.set(key, group);
  }
  groups.delete('');
  return [...groups.values()];
}

/** The experts of each class. */
function ableOf(groups: readonly Group[], wanted: ReadonlySet<number>): Map<number, readonly number[]> {
  const able = new Map([...wanted].map((of) => [of, [] as number[]]));
  for (const { classes, experts } of groups) {
    for (const of of classes) {
      able.get(of)?.push(...experts);
    }
  }
  return able;
}

/** Experts of the rarest classes, whole classes. */
function rareOf(
  able: ReadonlyMap<number, readonly number[]>,
  answersOf: (workClass: number) => number,
): Set<number> {
  const rare = new Set<number>();
  for (const [workClass, who] of [...able].sort(([, one], [, other]) => one.length - other.length)) {
    const isFew = who.length <= FEW || 2 * answersOf(workClass) > who.length;
    if (isFew && rare.size + who.length <= SINGLE_MAX) {
      for (const one of who) {
        rare.add(one);
      }
    }
  }
  return rare;
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}

const leastOf = (values: readonly number[]): number =>
  values.reduce((least, one) => Math.min(least, one), values[0] ?? 0);
