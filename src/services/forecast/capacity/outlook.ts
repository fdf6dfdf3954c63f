import { setImmediate } from 'node:timers/promises';
import { CancelledError } from '../../platform/errors.js';
import { randomOf } from '../../platform/random.js';
import { type Part, partsOf } from './cuts.js';
import { type Futures, futuresOf } from './futures.js';
import { momentsFor } from './moments.js';
import { normalOf } from './normal.js';
import { type Drawn, drawnOf, type Work } from './one-future.js';
import { type Flow, Flows, flowOf } from './potential.js';
import type { ExpertSupply } from './presence.js';
import { tell, type WorkOutlook } from './tell.js';

/** All that experts share. */
export interface World {
  readonly now: Date;
  /** The skill of each class; without it each class is its own. */
  readonly skills?: readonly bigint[];
  readonly experts: readonly ExpertSupply[];
  readonly works: readonly Work[];
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
const HOURS_A_WEEK = 168;
/** How much more or less everybody works than their past weeks say: seasons, holidays, better pay elsewhere. */
const TOGETHER = 0.1;

/**
 * When work will be done by the hours that experts have for it.
 *
 * Experts' hours to come are drawn from their own past weeks (./presence.ts), and are shared by all work, what is due first before what
 * is due later, as far as each expert can do it. A batch is done as soon as what its experts can do without taking anything from what is
 * due before it is as much as its work: the difference of two maximum flows, each a minimum over cuts (./cuts.ts, ./potential.ts).
 * The same seed says the same.
 */
export function outlook(world: World, options: OutlookOptions = {}): WorkOutlook[] {
  return atOnce(
    looking(world, { ...options, prepared: options.prepared ?? atOnce(preparing(world, options)) }),
  );
}

/** The same, letting others have their turn in between. @throws CancelledError once the signal has been aborted */
export const outlookInTurns = (
  world: World,
  options: OutlookOptions & { prepared: Prepared },
  signal?: AbortSignal,
): Promise<WorkOutlook[]> => inTurns(looking(world, options), signal);

function* looking(
  world: World,
  options: OutlookOptions & { prepared: Prepared },
): Generator<void, WorkOutlook[]> {
  const { futures, parts } = options.prepared;
  const random = randomOf(options.seed ?? 1, 'outlook');
  const queue = related(inOrder(world.works, options.only), parts, options.only);
  const told = new Map(
    queue
      .filter(({ id }) => options.only?.has(id) ?? true)
      .map((work) => [work.id, { work, drawn: [] as Drawn[] }]),
  );
  const flows = flowsOf(queue, parts);
  const hours = new Float64Array(queue.length);
  const worlds = told.size > MANY ? Math.min(WORLDS_OF_MANY, futures.worlds) : futures.worlds;
  for (let at = 0; at < worlds; at += 1) {
    // Batches of a project are the same work, and take alike what nobody knew of it: about the median of each and of all of them.
    const slowness = new Map<bigint, number>();
    for (const [place, { projectId, seconds, spread }] of queue.entries()) {
      const slow = slowness.get(projectId) ?? normalOf(random);
      slowness.set(projectId, slow);
      hours[place] = (seconds / HOUR) * Math.exp(spread * slow);
    }
    const future = new Flows({ moments: futures.moments, parts, world: at });
    for (const [place, { id }] of queue.entries()) {
      const [flow, own] = [flows[place] as Flow, hours[place] ?? 0];
      const one = told.get(id);
      if (one !== undefined) {
        const potential = future.potential(flow);
        one.drawn.push(drawnOf(one.work, own, { potential, futures, world: at, random }));
      }
      future.take(flow, own);
    }
    yield;
  }
  const found: WorkOutlook[] = [];
  for (const { work, drawn } of told.values()) {
    found.push(tell(work, drawn, { futures, parts, queue, skills: world.skills }));
    yield;
  }
  return found;
}

/** The hours that experts may have, drawn once for many questions; good as long as nothing but the amounts of work changes. */
export interface Prepared {
  readonly futures: Futures;
  readonly parts: readonly Part[];
}

type PrepareOptions = Pick<OutlookOptions, 'worlds' | 'seed'>;

function atOnce<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value;
}

/** So long the process may be kept from all else at once. */
const AT_ONCE_MS = 5;

/**
 * What of an outlook does not hang on what is asked, letting others have their turn in between: with thousands of experts it takes a while.
 * @throws CancelledError once the signal has been aborted
 */
export const prepareInTurns = (
  world: World,
  options: PrepareOptions = {},
  signal?: AbortSignal,
): Promise<Prepared> => inTurns(preparing(world, options), signal);

async function inTurns<T>(steps: Generator<void, T>, signal: AbortSignal | undefined): Promise<T> {
  let begunMs = performance.now();
  let step = steps.next();
  while (step.done !== true) {
    if (performance.now() - begunMs > AT_ONCE_MS) {
      await setImmediate();
      begunMs = performance.now();
    }
    if (signal?.aborted === true) {
      throw new CancelledError();
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
    openWeeks: openWeeksOf(works),
    answersOf: mostOf(works, ({ redundancy }) => redundancy ?? 0),
  });
  return { futures, parts: yield* partsOf(futures, demands) };
}

/** For how long there has been work of a class that is not done, in weeks. */
const openWeeksOf = (works: readonly Work[]) =>
  mostOf(works, ({ seconds, openSeconds }) => (seconds > 0 ? (openSeconds ?? 0) / HOUR / HOURS_A_WEEK : 0));

/** The most of the works of a class, 0 of those of which there is none. */
function mostOf(works: readonly Work[], of: (work: Work) => number): (workClass: number) => number {
  const most = new Map<number, number>();
  for (const work of works) {
    most.set(work.workClass, Math.max(of(work), most.get(work.workClass) ?? 0));
  }
  return (workClass) => most.get(workClass) ?? 0;
}

/** Earliest deadline first, up to the last that is asked for. */
function inOrder(works: readonly Work[], only?: ReadonlySet<bigint>): Work[] {
  const due = ({ deadlineSeconds }: Work) => deadlineSeconds ?? Number.MAX_VALUE;
  const queue = works.toSorted((one, other) => due(one) - due(other) || Number(one.id - other.id));
  return only === undefined ? queue : queue.slice(0, 1 + queue.findLastIndex(({ id }) => only.has(id)));
}

/** What is left to do of the parts of which anything is asked. */
function related(queue: readonly Work[], parts: readonly Part[], only?: ReadonlySet<bigint>): Work[] {
  const left = queue.filter(({ seconds }) => seconds > 0);
  const asked = new Set(left.filter(({ id }) => only?.has(id) ?? true).map(({ workClass }) => workClass));
  const near = parts.filter(({ classes }) => [...classes].some((of) => asked.has(of)));
  return left.filter(({ workClass }) => near.some(({ classes }) => classes.has(workClass)));
}

/** How each piece of work flows: of a class all alike. */
function flowsOf(queue: readonly Work[], parts: readonly Part[]): Flow[] {
  const byClass = new Map<number, Flow>();
  return queue.map(({ workClass }) => {
    const flow = byClass.get(workClass) ?? flowOf(parts, workClass);
    byClass.set(workClass, flow);
    return flow;
  });
}
