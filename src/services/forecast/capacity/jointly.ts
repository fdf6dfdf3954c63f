import { after } from '../forecast.js';
import { keptOf } from '../quantiles.js';
import { quantileOf, type Sample, sampleOf } from '../sample.js';
import type { StoredCapacity, StoredFixes } from './stored.js';
import { hoursAsked, SURE, shareOf } from './tell.js';

/** What a batch comes to in each possible future, beside when it is done. */
export interface BatchFutures {
  /** By skill when what is asked of it is done, in seconds. */
  readonly done: ReadonlyMap<bigint, Float64Array>;
  /** Hours that lack until the deadline, of its tasks and then of its adjudications where there are any. */
  readonly lacking: readonly Lacking[];
  /** The share of its work that is too much. */
  readonly shares: Float64Array;
  /** Its tasks. */
  readonly items: number;
}

/** Hours of a skill that lack in each future, with those that lack for what is served before. */
interface Lacking {
  readonly skillId: bigint;
  readonly hours: Float64Array;
  /** That it takes. */
  readonly workHours: number;
}

/** A batch in all possible futures. */
export interface InFutures {
  /** Seconds until it is done; null where that is not known future by future. */
  readonly worlds: Float64Array | null;
  /** Null without a deadline. */
  readonly secondsLeft: number | null;
  readonly futures: BatchFutures | null;
}

/** Several batches at once. */
export interface Joint {
  /** When the last is done, in seconds. */
  readonly last: Sample;
  /** That all make their deadlines; null where none has one. */
  readonly chance: number | null;
  /** By skill when what all ask of it is done, in seconds. */
  readonly done: ReadonlyMap<bigint, Sample>;
  /** Hours more by skill, and the tasks less of all alike, with which nine futures of ten make all deadlines. */
  readonly hours: ReadonlyMap<bigint, number>;
  readonly dropTasks: number | null;
}

/** In each possible future done when the last is, in time when all are. Null where one of them is not known so. @param all in any order */
export function jointly(all: readonly InFutures[]): Joint | null {
  const known = inOrder(all).flatMap(({ worlds, futures, secondsLeft }) =>
    worlds === null || futures === null ? [] : [{ worlds, secondsLeft, ...futures }],
  );
  const [first] = known;
  if (first === undefined || known.length < all.length) {
    return null;
  }
  const last = first.worlds.map((_, world) => Math.max(...known.map(({ worlds }) => worlds[world] ?? 0)));
  const isInTime = (world: number) =>
    known.every(({ secondsLeft, worlds }) => secondsLeft === null || (worlds[world] ?? 0) <= secondsLeft);
  const inTime = last.filter((_, world) => isInTime(world)).length;
  const isPast = known.some(({ secondsLeft }) => secondsLeft !== null && secondsLeft <= 0);
  const chance = isPast ? 0 : (inTime + 0.5) / (last.length + 1);
  return {
    last: sampleOf(last),
    chance: known.every(({ secondsLeft }) => secondsLeft === null) ? null : chance,
    done: doneOf(known, last),
    hours: hoursOf(known.filter(isDue)),
    dropTasks: dropOf(known),
  };
}

type Known = BatchFutures & {
  readonly worlds: Float64Array;
  readonly secondsLeft: number | null;
};
type Due = Known & { readonly secondsLeft: number };

/** Only what has a deadline can miss one; what has none comes after all of it, and takes nothing from it. */
const isDue = (one: Known): one is Due => one.secondsLeft !== null;

/** As they are served: earliest deadline first. */
const inOrder = (all: readonly InFutures[]): InFutures[] =>
  all.toSorted(
    (one, other) => (one.secondsLeft ?? Number.MAX_VALUE) - (other.secondsLeft ?? Number.MAX_VALUE),
  );

function doneOf(all: readonly Known[], last: Float64Array): Map<bigint, Sample> {
  const skills = new Set(all.flatMap(({ done }) => [...done.keys()]));
  return new Map(
    [...skills].map((skill) => {
      const of = all.flatMap(({ done }) => done.get(skill) ?? []);
      return [skill, sampleOf(last.map((_, world) => Math.max(...of.map((worlds) => worlds[world] ?? 0))))];
    }),
  );
}

/** Of more than so many times the hours nobody is told. */
const HOURS_MOST = 10;

/**
 * Hours more by skill, evenly until the last deadline. Those that lack for one batch are in those that lack for the next, so that the
 * most of them is asked for, at the pace at which it is needed.
 */
function hoursOf(all: readonly Due[]): Map<bigint, number> {
  const until = Math.max(0, ...all.map(({ secondsLeft }) => secondsLeft));
  const found = new Map<bigint, number>();
  for (const place of [0, 1]) {
    const some = all.flatMap(({ lacking, secondsLeft }) => {
      const one = lacking[place];
      const pace = secondsLeft <= 0 ? 1 : Math.min(HOURS_MOST, until / secondsLeft);
      return one === undefined ? [] : [{ one, pace }];
    });
    const [first] = some;
    if (first !== undefined) {
      const { skillId } = first.one;
      found.set(skillId, (found.get(skillId) ?? 0) + hoursAsked(lackingOf(some, all[0]?.worlds.length ?? 0)));
    }
  }
  return found;
}

const lackingOf = (some: readonly { one: Lacking; pace: number }[], worlds: number): Float64Array =>
  Float64Array.from({ length: worlds }, (_, world) =>
    Math.max(...some.map(({ one, pace }) => pace * (one.hours[world] ?? 0))),
  );

/** How many tasks less would do, of all batches alike: what lacks for one is of all that is served up to it. Null for all of them. */
function dropOf(all: readonly Known[]): number | null {
  const items = all.reduce((sum, one) => sum + one.items, 0);
  const shares = Float64Array.from({ length: all[0]?.worlds.length ?? 0 }, (_, world) => {
    let most = 0;
    const before = [0, 0];
    for (const { shares: own, lacking } of all.filter(isDue)) {
      const ofAll = lacking.map(({ hours, workHours }, place) => {
        before[place] = (before[place] ?? 0) + workHours;
        return (hours[world] ?? 0) / Math.max(Number.EPSILON, before[place]);
      });
      most = Math.max(most, Math.min(own[world] ?? 0, Math.max(...ofAll)));
    }
    return most;
  });
  const drop = Math.ceil(shareOf(shares, SURE) * items);
  return drop > 0 && drop < items ? drop : null;
}

/** What is kept of some batches at once; fixes where their deadlines are not all made nine times in ten. */
export function storedJoint(
  { last, chance, done, hours, dropTasks }: Joint,
  batches: readonly { readonly now: Date }[],
): NonNullable<StoredCapacity['together']> {
  const [{ now } = { now: new Date(0) }] = batches;
  const fixes: StoredFixes = {
    expertHours: [...hours]
      .filter(([, of]) => of > 0)
      .map(([skillId, of]) => ({ skillId: String(skillId), hours: of })),
    dropTasks,
    safeDeadline: after(now, quantileOf(last, SURE))?.toISOString() ?? null,
  };
  return {
    batches: batches.length,
    seconds: Array.from(keptOf(last)),
    chance,
    work: [...done].map(([skillId, of]) => ({
      skillId: String(skillId),
      seconds: Array.from(keptOf(of), Math.round),
    })),
    fixes: chance !== null && chance < SURE ? fixes : null,
  };
}
