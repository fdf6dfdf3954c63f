import { setImmediate } from 'node:timers/promises';
import { type Random, randomOf } from '../../platform/random.js';
import { type Cut, cutsOf } from './cuts.js';
import { type Figures, figuresOf } from './figures.js';
import { type Futures, futuresOf } from './futures.js';
import { momentsFor } from './moments.js';
import { normalOf } from './normal.js';
import { type Potential, potentialOf, timeUntil, valueAt } from './potential.js';
import type { ExpertSupply } from './presence.js';

/** What is left of one batch. */
export interface Work {
  readonly id: bigint;
  readonly projectId: bigint;
  /** What is asked of who does it: a place among the classes. */
  readonly workClass: number;
  /** Seconds of experts' work that are expected to be left. */
  readonly seconds: number;
  /** Standard deviation of the logarithm of what it really takes. */
  readonly spread: number;
  /** Tasks that are open: each expert answers one once. */
  readonly items: number;
  /** Of one answer. */
  readonly handlingSeconds: number;
  readonly leaseSeconds: number;
  /** From now; null: after all that have one. */
  readonly deadlineSeconds: number | null;
  /** By how much longer than it says such work has taken, equally likely numbers; null: nothing is known of that. */
  readonly ratios?: ArrayLike<number> | null;
}

/** All that experts share. */
export interface World {
  readonly now: Date;
  /** The skill of each class; without it each class is its own. */
  readonly skills?: readonly bigint[];
  readonly experts: readonly ExpertSupply[];
  readonly works: readonly Work[];
}

/** When a batch will be done, and what that hangs on. */
export interface WorkOutlook {
  readonly id: bigint;
  readonly work: Work;
  /** Experts who can do it. */
  readonly ownExperts: number;
  /** Seconds until it is done in each possible future, the same one for all of a call; twenty years: never. */
  readonly worlds: Float64Array;
  /** The classes whose experts are not enough, by the deadline or, without one, until it is done. */
  readonly binding: readonly number[];
  /** What there is for these classes together, each hour once. */
  readonly total: Figures;
  /** And for each skill of them by itself. */
  readonly skills: readonly (Figures & { readonly skillId: bigint })[];
  /** Hours that are left for it by the deadline, after what is served before it: the mean. */
  readonly availableHours: number;
  /** Hours more, of who can do it, with which nine futures of ten make the deadline; null without one. */
  readonly missingHours: number | null;
  /** Weeks that are known of its experts, by the median. */
  readonly knownWeeks: number;
}

export interface OutlookOptions {
  readonly worlds?: number;
  readonly seed?: number;
  /** For the same experts and classes. */
  readonly prepared?: Prepared;
  /** Only these batches; all others still take their hours. */
  readonly only?: ReadonlySet<bigint>;
}

const WORLDS = 199;
/** Where more batches are asked for at once, fewer futures do. */
const WORLDS_OF_MANY = 99;
const MANY = 20;
const HOUR = 3_600;
/** What is never done is done in twenty years: beyond what anybody is told. */
const NEVER = 20 * 365 * 24 * HOUR;
/** How much more or less everybody works than their past weeks say: seasons, holidays, better pay elsewhere. */
const TOGETHER = 0.1;
/** Where nothing is known of how such forecasts went. */
const RATIO_SPREAD = 0.15;

/**
 * When work will be done by the hours that experts have for it.
 *
 * Experts' hours to come are drawn from their own past weeks (./presence.ts), and are shared by all work, what is due first before what
 * is due later, as far as each expert can do it. A batch is done as soon as what its experts can do without taking anything from what is
 * due before it is as much as its work: the difference of two maximum flows, each a minimum over cuts (./cuts.ts, ./potential.ts).
 * The same seed says the same.
 */
export function outlook(world: World, options: OutlookOptions = {}): WorkOutlook[] {
  const { futures, cuts } = options.prepared ?? prepare(world, options);
  const random = randomOf(options.seed ?? 1, 'outlook');
  const queue = inOrder(world.works, options.only);
  const asked = queue.filter(({ id, seconds }) => seconds > 0 && (options.only?.has(id) ?? true));
  const isIn = membership(queue, cuts);
  const told = asked.map((work) => ({ work, drawn: [] as Drawn[] }));
  const byId = new Map(told.map((one) => [one.work.id, one]));
  const worlds = asked.length > MANY ? Math.min(WORLDS_OF_MANY, futures.worlds) : futures.worlds;
  for (let at = 0; at < worlds; at += 1) {
    const drawn = queue.map(({ workClass, seconds, spread }, place) => ({
      workClass,
      hours: (seconds / HOUR) * lognormal(spread, random),
      cuts: isIn[place] ?? [],
    }));
    let place = 0;
    for (const potential of potentialOf({ moments: futures.moments, cuts, world: at }, drawn)) {
      const one = byId.get(queue[place]?.id ?? -1n);
      one?.drawn.push(drawnOf(one.work, drawn[place]?.hours ?? 0, { potential, futures, world: at, random }));
      place += 1;
    }
  }
  return told.map(({ work, drawn }) => tell(work, drawn, { futures, cuts, queue, skills: world.skills }));
}

/** The hours that experts may have, drawn once for many questions; good as long as nothing but the amounts of work changes. */
export interface Prepared {
  readonly futures: Futures;
  readonly cuts: readonly Cut[];
}

type PrepareOptions = Pick<OutlookOptions, 'worlds' | 'seed'>;

/** What of an outlook does not hang on what is asked. */
function prepare(world: World, options: PrepareOptions): Prepared {
  const steps = preparing(world, options);
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value;
}

/** So long the process may be kept from all else at once. */
const AT_ONCE_MS = 5;

/** The same, letting others have their turn in between: with thousands of experts it takes a while. */
export async function prepareInTurns(world: World, options: PrepareOptions = {}): Promise<Prepared> {
  const steps = preparing(world, options);
  let begunMs = performance.now();
  let step = steps.next();
  while (step.done !== true) {
    if (performance.now() - begunMs > AT_ONCE_MS) {
      await setImmediate();
      begunMs = performance.now();
    }
    step = steps.next();
  }
  return step.value;
}

function* preparing(
  { now, experts, works }: World,
  { worlds, seed }: PrepareOptions,
): Generator<void, Prepared> {
  const demands = inOrder(works).map(({ workClass, seconds }) => ({ workClass, hours: seconds / HOUR }));
  const futures = yield* futuresOf(experts, new Set(demands.map(({ workClass }) => workClass)), {
    moments: momentsFor(
      works.flatMap(({ deadlineSeconds }) => (deadlineSeconds === null ? [] : [deadlineSeconds / HOUR])),
    ),
    since: (now.getTime() / 1_000 / HOUR) % 1,
    worlds: worlds ?? WORLDS,
    random: randomOf(seed ?? 1, 'futures'),
    together: TOGETHER,
  });
  return { futures, cuts: yield* cutsOf(futures, demands) };
}

/** Earliest deadline first, up to the last that is asked for. */
function inOrder(works: readonly Work[], only?: ReadonlySet<bigint>): Work[] {
  const due = ({ deadlineSeconds }: Work) => deadlineSeconds ?? Number.MAX_VALUE;
  const queue = works.toSorted((one, other) => due(one) - due(other) || Number(one.id - other.id));
  return only === undefined ? queue : queue.slice(0, 1 + queue.findLastIndex(({ id }) => only.has(id)));
}

/** Which of the cuts each piece of work is in. */
function membership(queue: readonly Work[], cuts: readonly Cut[]): (readonly boolean[])[] {
  const byClass = new Map(
    queue.map(({ workClass }) => [workClass, cuts.map(({ classes }) => classes.has(workClass))]),
  );
  return queue.map(({ workClass }) => byClass.get(workClass) ?? []);
}

/** One future of one batch. */
interface Drawn {
  readonly seconds: number;
  readonly availableHours: number;
  readonly missingHours: number;
  readonly cut: number;
}

interface Drawing {
  readonly potential: Potential;
  readonly futures: Futures;
  readonly world: number;
  readonly random: Random;
}

function drawnOf(work: Work, hours: number, { potential, futures, world, random }: Drawing): Drawn {
  const ratio = ratioOf(work, random);
  const tail = tailOf(work, random);
  const can = {
    moments: futures.moments,
    at: onceEach(work, potential, futures.single(world, work.workClass)),
  };
  const until = timeUntil(can, hours);
  const seconds = Math.min(NEVER, until * HOUR * ratio + tail);
  const looked = work.deadlineSeconds === null ? until : (work.deadlineSeconds - tail) / HOUR / ratio;
  const availableHours = valueAt(can, Math.max(0, looked));
  return {
    seconds,
    availableHours,
    missingHours: Math.max(0, hours - availableHours),
    cut: potential.cutAt(looked),
  };
}

/** What can be done by each moment, where each expert answers each item once: of the last items most have answered. */
function onceEach(
  { items, handlingSeconds }: Work,
  potential: Potential,
  single: readonly Float64Array[] | null,
): (moment: number) => number {
  const most = (items * handlingSeconds) / HOUR;
  return single === null
    ? potential.at
    : (moment) =>
        Math.min(
          potential.at(moment),
          single.reduce((sum, own) => sum + Math.min(most, own[moment] ?? 0), 0),
        );
}

/** How often a lease is lost, and then its work only goes on when it has run out. */
const LOST = 0.05;
/** Answers that are under way at the end, at most. */
const AT_THE_END = 8;

/** The last answers: somebody is at each of them, and one of them may be left lying. */
function tailOf({ items, handlingSeconds, leaseSeconds }: Work, random: Random): number {
  const under = Math.max(1, Math.min(items, AT_THE_END));
  const lost = random() < 1 - (1 - LOST) ** under ? leaseSeconds : 0;
  return handlingSeconds * lognormal(0.5, random) + lost * random();
}

function ratioOf({ ratios }: Work, random: Random): number {
  return ratios === null || ratios === undefined || ratios.length === 0
    ? Math.exp(RATIO_SPREAD * normalOf(random))
    : (ratios[Math.floor(random() * ratios.length)] ?? 1);
}

/** Of mean 1. */
const lognormal = (spread: number, random: Random): number =>
  Math.exp(spread * normalOf(random) - (spread * spread) / 2);

interface Known {
  readonly futures: Futures;
  readonly cuts: readonly Cut[];
  readonly queue: readonly Work[];
  readonly skills: World['skills'];
}

/** With so many of all futures a deadline counts as made. */
const SURE = 0.9;
/** Of hours that are promised some do not come either: so much more is asked for. */
const ASKED = 1.15;

function tell(work: Work, drawn: readonly Drawn[], known: Known): WorkOutlook {
  const worlds = Float64Array.from(drawn, ({ seconds }) => seconds);
  const classes = [...(known.cuts[bindingOf(drawn)]?.classes ?? [])].sort((one, other) => one - other);
  const median = worlds.toSorted()[worlds.length >> 1] ?? NEVER;
  const until = (work.deadlineSeconds ?? median) / HOUR;
  const due = known.queue.slice(0, 1 + known.queue.indexOf(work));
  const figures = (of: readonly number[]) => figuresOf(known.futures, { classes: new Set(of), due, until });
  return {
    id: work.id,
    work,
    ownExperts: figures([work.workClass]).experts,
    worlds,
    binding: classes,
    total: figures(classes),
    skills: bySkill(classes, known.skills).map(([skillId, of]) => ({ skillId, ...figures(of) })),
    availableHours: drawn.reduce((sum, one) => sum + one.availableHours, 0) / drawn.length,
    missingHours: work.deadlineSeconds === null ? null : missingOf(drawn),
    knownWeeks: known.futures.knownWeeks(work.workClass),
  };
}

function bySkill(classes: readonly number[], skills: World['skills']): [bigint, number[]][] {
  const found = new Map<bigint, number[]>();
  for (const workClass of classes) {
    const skill = skills?.[workClass] ?? BigInt(workClass);
    found.set(skill, [...(found.get(skill) ?? []), workClass]);
  }
  return [...found];
}

function missingOf(drawn: readonly Drawn[]): number {
  const missing = Float64Array.from(drawn, ({ missingHours }) => missingHours).sort();
  return ASKED * (missing[Math.min(missing.length - 1, Math.ceil(SURE * missing.length))] ?? 0);
}

/** The cut that binds in most futures in which hours are missing; in most of all where they are missing in none. */
function bindingOf(drawn: readonly Drawn[]): number {
  const short = drawn.filter(({ missingHours }) => missingHours > 0);
  const counts = new Map<number, number>();
  for (const { cut } of short.length > 0 ? short : drawn) {
    counts.set(cut, (counts.get(cut) ?? 0) + 1);
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [-1, 0] as [number, number])[0];
}
