import type { Futures, Hours } from './futures.js';
import { type Sharing, sharersOf } from './sharing.js';

/** Work of one class, served in the order in which it stands. */
export interface Demand {
  readonly workClass: number;
  readonly hours: number;
}

/** A set of classes that all who can do any of it may not suffice for. */
export interface Cut {
  readonly classes: ReadonlySet<number>;
  /** Of the experts who can do any of it. */
  readonly hours: Hours;
}

/** Classes that have no expert in common with any other: what is to be done elsewhere is nothing to them. */
export interface Part {
  readonly classes: ReadonlySet<number>;
  /** Smaller sets first. */
  readonly cuts: readonly Cut[];
  /** The hours of each cut's experts in one future, by moment and then by cut: `scale` times as many as these. Kept once asked for. */
  in(world: number): { readonly hours: Float64Array; readonly scale: number };
}

/** Of a part of so many classes all sets are looked at, and nothing is left out. */
const ALL_OF = 6;
/** Of a larger one so many moments are looked at by flow, in the mean of all futures. */
const LOOKED_AT = 14;
/** Of each class it is asked what would bind it, at all of them as long as that is so often; of many classes by turns, each at some. */
const ASKED_MAX = 192;
/** And so many sets that bind there are kept, those found most often, beside each class alone and the whole. */
const BINDING_MAX = 96;

/**
 * The parts that share no expert, and of each the sets of classes that may bind: of a small part all there are, of a larger one the minimum
 * cuts of flows at some moments of the mean future, in unions too. With them whatever else is to be known of any future is a minimum
 * over the cuts of one part (max-flow is min-cut), which costs additions instead of a flow: exactly so in small parts. In larger ones a set
 * that binds nowhere where it was looked is left out.
 */
export function* partsOf(futures: Futures, demands: readonly Demand[]): Generator<void, Part[]> {
  const wanted = new Set(demands.map(({ workClass }) => workClass));
  const parts: Part[] = [];
  for (const classes of apart(futures, wanted)) {
    const sets = classes.length <= ALL_OF ? allOf(classes) : yield* found(futures, { classes, demands });
    const cuts: Cut[] = [];
    for (const set of sets.sort((one, other) => one.length - other.length)) {
      cuts.push({ classes: new Set(set), hours: futures.of(groupsWith(futures, new Set(set))) });
      yield;
    }
    parts.push({ classes: new Set(classes), cuts, in: hoursIn(cuts, futures.moments.length) });
  }
  return parts;
}

/** Side by side what is compared: thousands of times a future the least of all cuts is looked for at some moment. */
function hoursIn(cuts: readonly Cut[], moments: number): Part['in'] {
  const period = cuts.reduce((most, { hours }) => Math.max(most, hours.period), 1);
  const known: (Float64Array | undefined)[] = [];
  return (world) => {
    const hours = known[world % period] ?? new Float64Array(moments * cuts.length);
    if (known[world % period] === undefined) {
      known[world % period] = hours;
      for (const [cut, { hours: own }] of cuts.entries()) {
        const of = own.unscaledIn(world);
        for (let moment = 0; moment < moments; moment += 1) {
          hours[moment * cuts.length + cut] = of[moment] ?? 0;
        }
      }
    }
    return { hours, scale: cuts[0]?.hours.scaleIn(world) ?? 1 };
  };
}

/** What of a set of classes shares experts with one of them, directly or by others of the set: the rest binds by itself. */
export function sharedWith(workClass: number, set: ReadonlySet<number>, futures: Futures): number[] {
  const found = sets.get(futures) ?? new WeakMap<ReadonlySet<number>, number[][]>();
  sets.set(futures, found);
  const parts = found.get(set) ?? apart(futures, set);
  found.set(set, parts);
  return parts.find((classes) => classes.includes(workClass)) ?? [workClass];
}

/** The same few cuts bind many batches. */
const sets = new WeakMap<Futures, WeakMap<ReadonlySet<number>, number[][]>>();

/** The groups that can do any of some classes, ascending. */
export function groupsWith(futures: Futures, set: ReadonlySet<number>): number[] {
  const byClass = groupsByClass(futures);
  const isIn = new Uint8Array(futures.groups.length);
  for (const of of set) {
    for (const group of byClass.get(of) ?? []) {
      isIn[group] = 1;
    }
  }
  return Array.from(isIn.keys()).filter((group) => isIn[group] === 1);
}

const byClasses = new WeakMap<Futures, ReadonlyMap<number, readonly number[]>>();

function groupsByClass(futures: Futures): ReadonlyMap<number, readonly number[]> {
  const known = byClasses.get(futures);
  if (known !== undefined) {
    return known;
  }
  const found = new Map<number, number[]>();
  for (const [group, { classes }] of futures.groups.entries()) {
    for (const of of classes) {
      const own = found.get(of) ?? [];
      own.push(group);
      found.set(of, own);
    }
  }
  byClasses.set(futures, found);
  return found;
}

/** Classes that share experts, together; each ascending. */
function apart({ groups }: Pick<Futures, 'groups'>, wanted: ReadonlySet<number>): number[][] {
  const partOf = new Map([...wanted].map((of) => [of, [of]]));
  for (const { classes } of groups) {
    const [first, ...others] = classes.filter((of) => wanted.has(of));
    for (const other of others) {
      join(partOf, first ?? other, other);
    }
  }
  return [...new Set(partOf.values())].map((part) => part.sort((one, other) => one - other));
}

function join(partOf: Map<number, number[]>, one: number, other: number): void {
  const [to, from] = [partOf.get(one) ?? [], partOf.get(other) ?? []];
  if (to !== from) {
    for (const of of from) {
      to.push(of);
      partOf.set(of, to);
    }
  }
}

/** All sets of some of them, but for none. */
const allOf = (classes: readonly number[]): number[][] =>
  Array.from({ length: 2 ** classes.length - 1 }, (_, set) =>
    classes.filter((_class, place) => ((set + 1) >> place) & 1),
  );

interface Large {
  readonly classes: readonly number[];
  readonly demands: readonly Demand[];
}

/** Of so many classes each is asked about in its turn. */
interface Turn {
  readonly turn: number;
  readonly every: number;
}

function* found(futures: Futures, { classes, demands }: Large): Generator<void, number[][]> {
  const isIn = new Set(classes);
  const own = demands.filter(({ workClass }) => isIn.has(workClass));
  const binding = new Map<string, { set: number[]; times: number }>();
  const every = Math.ceil((classes.length * LOOKED_AT) / ASKED_MAX);
  const pools = groupsWith(futures, isIn);
  const places = new Map(classes.map((of, place) => [of, place]));
  const share = sharersOf(
    pools.map((group) => (futures.groups[group]?.classes ?? []).flatMap((of) => places.get(of) ?? [])),
    classes.length,
  );
  for (const [turn, hoursOf] of lookedAt(futures).entries()) {
    for (const set of bindingSets(share(pools.map(hoursOf)), { classes, demands: own, turn, every })) {
      const key = set.join();
      binding.set(key, { set, times: 1 + (binding.get(key)?.times ?? 0) });
    }
    yield;
  }
  const often = [...binding.values()].sort((one, other) => other.times - one.times).slice(0, BINDING_MAX);
  const simple = [...classes.map((of) => [of]), [...classes]];
  return [...new Map([...simple, ...often.map(({ set }) => set)].map((set) => [set.join(), set])).values()];
}

type HoursOf = (group: number) => number;

function lookedAt({ moments, groups, meanOf }: Futures): HoursOf[] {
  const own = Array.from(groups.keys(), meanOf);
  const some = Array.from({ length: LOOKED_AT }, (_, n) =>
    Math.floor(((n + 0.5) / LOOKED_AT) * moments.length),
  );
  return some.map(
    (moment): HoursOf =>
      (group) =>
        own[group]?.[moment] ?? 0,
  );
}

/** What binds as work is added: by itself, all that is short so far, and at last what would bind each other class beside it. */
function bindingSets(sharing: Sharing, { classes, demands, turn, every }: Large & Turn): number[][] {
  const places = new Map(classes.map((of, place) => [of, place]));
  const short = new Set<number>();
  const sets: number[][] = [];
  for (const { workClass, hours } of demands) {
    // What cannot be served of a class now is not served later: nothing is given back.
    const place = places.get(workClass) ?? 0;
    if (!short.has(place) && sharing.add(place, hours) < hours * (1 - 1e-9)) {
      short.add(place);
      sets.push(sharing.reach(place), sharing.reachOfAll(short));
    }
  }
  const tight = sharing.reachOfAll(short);
  for (let place = turn % every; place < classes.length; place += every) {
    sets.push(union(tight, sharing.reachIfShort(place)));
  }
  return sets.map((set) => set.map((place) => classes[place] ?? 0));
}

const union = (one: readonly number[], other: readonly number[]): number[] =>
  [...new Set([...one, ...other])].sort((a, b) => a - b);
