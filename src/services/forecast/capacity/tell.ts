import { type Part, sharedWith } from './cuts.js';
import { type Figures, figuresOf } from './figures.js';
import type { Futures } from './futures.js';
import { HORIZON_HOURS } from './moments.js';
import { type Drawn, NEVER, type Work } from './one-future.js';
import { type Growth, placeOf, valueAt } from './potential.js';

/** When a batch will be done, and what that hangs on. */
export interface WorkOutlook {
  readonly id: bigint;
  readonly work: Work;
  /** Experts who can do it. */
  readonly ownExperts: number;
  /** Seconds until it is done in each possible future, the same one for all of a call; twenty years: never. */
  readonly worlds: Float64Array;
  /** The median of the same by the hours of experts alone, before what finished batches took against that; null beyond the horizon. */
  readonly rawSeconds: number | null;
  /** How much the futures differ in that: standard deviation of the logarithm, by the middle four fifths. */
  readonly rawSpread: number;
  /** The classes whose experts are not enough, by the deadline or, without one, until it is done. */
  readonly binding: readonly number[];
  /** What there is for these classes together, each hour once. */
  readonly total: Figures;
  /** And for each skill of them by itself, with how likely those suffice for it by the deadline; null without one. */
  readonly skills: readonly (Figures & { readonly skillId: bigint; readonly chance: number | null })[];
  /** And for its own class alone. */
  readonly alone: Figures & { readonly chance: number | null };
  /** Hours that are left for it by the deadline, after what is served before it: the mean. */
  readonly availableHours: number;
  /** In each future hours that would have to come more until the deadline, and the share of its work that is too much. */
  readonly short: { readonly hours: Float64Array; readonly shares: Float64Array };
  /** Hours more, of who can do it, with which nine futures of ten make the deadline; null without one. */
  readonly missingHours: number | null;
  /** The share of its work without which nine futures of ten make the deadline. */
  readonly missingShare: number;
  /** Weeks that are known of its experts, by the median. */
  readonly knownWeeks: number;
  /** Weeks up to now in which none of them worked. */
  readonly quietWeeks: number;
}

interface Known {
  readonly futures: Futures;
  readonly parts: readonly Part[];
  readonly queue: readonly Work[];
  /** The skill of each class; without it each class is its own. */
  readonly skills?: readonly bigint[] | undefined;
}

const HOUR = 3_600;
/** Between its quantiles at .1 and .9 a normal distribution has so many standard deviations. */
const FOUR_FIFTHS = 2.563;
/** With so many of all futures a deadline counts as made. */
export const SURE = 0.9;
/** Of hours that are promised some do not come either: so much more is asked for. */
const ASKED = 1.15;

/** What all futures of a batch come to. */
export function tell(work: Work, drawn: readonly Drawn[], known: Known): WorkOutlook {
  const worlds = Float64Array.from(drawn, ({ seconds }) => seconds);
  const classes = bindingOf(work, drawn, known);
  const median = worlds.toSorted()[worlds.length >> 1] ?? NEVER;
  const until = (work.deadlineSeconds ?? median) / HOUR;
  const before = beforeOf(work, known.queue);
  const raw = Float64Array.from(drawn, ({ rawSeconds }) => rawSeconds);
  const short = {
    hours: Float64Array.from(drawn, ({ missingHours }) => missingHours),
    shares: Float64Array.from(drawn, ({ missingShare }) => missingShare),
  };
  const figures = (of: readonly number[]) =>
    figuresOf(known.futures, { classes: new Set(of), work, before, until });
  const withChance = (of: readonly number[]) => ({
    ...figures(of),
    chance: work.deadlineSeconds === null ? null : chanceOf(new Set(of), { work, drawn, before, ...known }),
  });
  const alone = withChance([work.workClass]);
  return {
    id: work.id,
    work,
    ownExperts: alone.experts,
    worlds,
    rawSeconds: within(shareOf(raw, 0.5), HORIZON_HOURS * HOUR),
    rawSpread: Math.log(Math.max(1, shareOf(raw, 0.9)) / Math.max(1, shareOf(raw, 0.1))) / FOUR_FIFTHS,
    binding: classes,
    total: figures(classes),
    skills: bySkill(classes, known.skills).map(([skillId, of]) => ({ skillId, ...withChance(of) })),
    alone,
    availableHours: drawn.reduce((sum, one) => sum + one.availableHours, 0) / drawn.length,
    short,
    missingHours: work.deadlineSeconds === null ? null : hoursAsked(short.hours),
    missingShare: shareOf(short.shares, SURE),
    knownWeeks: known.futures.knownWeeks(work.workClass),
    quietWeeks: known.futures.quietWeeks(work.workClass),
  };
}

/** Seconds of what is served before a piece of work, by class. */
function beforeOf(work: Work, queue: readonly Work[]): Map<number, number> {
  const before = new Map<number, number>();
  for (const one of queue) {
    if (one === work) {
      break;
    }
    before.set(one.workClass, one.seconds + (before.get(one.workClass) ?? 0));
  }
  return before;
}

/** Hours more with which nine futures of ten make a deadline. @param short those that are missing in each */
export const hoursAsked = (short: Float64Array): number => ASKED * shareOf(short, SURE);

/** What is not exceeded in so many of all futures. */
export function shareOf(of: Float64Array, share: number): number {
  const values = of.toSorted();
  return values[Math.min(values.length - 1, Math.ceil(share * values.length))] ?? 0;
}

interface OfSkill {
  readonly work: Work;
  readonly drawn: readonly Drawn[];
  /** Seconds of what is served before the work, by class. */
  readonly before: ReadonlyMap<number, number>;
  readonly futures: Futures;
  readonly parts: readonly Part[];
}

/** In which share of all futures the experts of some classes suffice by themselves for what is due of those (Hall 1935), whoever else wants them. */
function chanceOf(classes: ReadonlySet<number>, { work, drawn, before, futures, parts }: OfSkill): number {
  const [own] = classes;
  const part = parts.find((one) => own !== undefined && one.classes.has(own));
  const cuts = (part?.cuts ?? []).flatMap((cut, place) =>
    isWithin(cut.classes, classes) ? [{ place, of: cut.classes, others: 0 }] : [],
  );
  for (const cut of cuts) {
    for (const of of cut.of) {
      cut.others += (before.get(of) ?? 0) / HOUR;
    }
  }
  let sufficing = 0;
  for (const [world, { hours, looked }] of drawn.entries()) {
    const column = new Column(futures.moments, part, world);
    const isEnough = cuts.every(
      ({ place, of, others }) =>
        column.valueOf(place, looked) >= (of.has(work.workClass) ? hours : 0) + others,
    );
    sufficing += isEnough ? 1 : 0;
  }
  return (sufficing + 0.5) / (drawn.length + 1);
}

/** The hours of the cuts of a part in one future. */
class Column implements Growth {
  private place = 0;
  private readonly hours: Float64Array;
  private readonly scale: number;
  private readonly count: number;
  /** The time that was asked about last, and the first moment that is not before it. */
  private asked = Number.NaN;
  private next = 0;

  constructor(
    readonly moments: Float64Array,
    part: Part | undefined,
    world: number,
  ) {
    const { hours, scale } = part?.in(world) ?? { hours: new Float64Array(), scale: 1 };
    this.hours = hours;
    this.scale = scale;
    this.count = part?.cuts.length ?? 0;
  }

  at(moment: number): number {
    return (this.hours[moment * this.count + this.place] ?? 0) * this.scale;
  }

  /** What a cut has come to by a time. */
  valueOf(place: number, looked: number): number {
    this.place = place;
    if (looked !== this.asked) {
      this.asked = looked;
      this.next = placeOf(this.moments, looked);
    }
    const { moments, next } = this;
    if (next === 0 || next === moments.length) {
      return valueAt(this, looked);
    }
    const [from, to] = [moments[next - 1] ?? 0, moments[next] ?? 0];
    const low = this.at(next - 1);
    return low + ((this.at(next) - low) * (looked - from)) / (to - from);
  }
}

function isWithin(some: ReadonlySet<number>, all: ReadonlySet<number>): boolean {
  if (some.size > all.size) {
    return false;
  }
  for (const one of some) {
    if (!all.has(one)) {
      return false;
    }
  }
  return true;
}

const within = (value: number, most: number): number | null => (value <= most ? value : null);

function bySkill(classes: readonly number[], skills: Known['skills']): [bigint, number[]][] {
  const found = new Map<bigint, number[]>();
  for (const workClass of classes) {
    const skill = skills?.[workClass] ?? BigInt(workClass);
    found.set(skill, [...(found.get(skill) ?? []), workClass]);
  }
  return [...found];
}

/** The classes of the cut that binds in most futures in which hours are missing, in most of all where they are missing in none: as far as they share experts. */
function bindingOf({ workClass }: Work, drawn: readonly Drawn[], { parts, futures }: Known): number[] {
  const short = drawn.filter(({ missingHours }) => missingHours > 0);
  const counts = new Map<number, number>();
  for (const { cut } of short.length > 0 ? short : drawn) {
    counts.set(cut, (counts.get(cut) ?? 0) + 1);
  }
  const [most] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [-1, 0]);
  const part = parts.find(({ classes }) => classes.has(workClass));
  return sharedWith(workClass, part?.cuts[most ?? -1]?.classes ?? new Set(), futures);
}
