import { type Part, sharedWith } from './cuts.js';
import { type Figures, figuresOf } from './figures.js';
import type { Futures } from './futures.js';
import { HORIZON_HOURS } from './moments.js';
import { type Drawn, NEVER, type Work } from './one-future.js';
import { valueAt } from './potential.js';

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
  /** The classes whose experts are not enough, by the deadline or, without one, until it is done. */
  readonly binding: readonly number[];
  /** What there is for these classes together, each hour once. */
  readonly total: Figures;
  /** And for each skill of them by itself, with how likely those suffice for it by the deadline; null without one. */
  readonly skills: readonly (Figures & { readonly skillId: bigint; readonly chance: number | null })[];
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
  const due = known.queue.slice(0, 1 + known.queue.indexOf(work));
  const short = {
    hours: Float64Array.from(drawn, ({ missingHours }) => missingHours),
    shares: Float64Array.from(drawn, ({ missingShare }) => missingShare),
  };
  const figures = (of: readonly number[]) => figuresOf(known.futures, { classes: new Set(of), due, until });
  return {
    id: work.id,
    work,
    ownExperts: figures([work.workClass]).experts,
    worlds,
    rawSeconds: within(
      shareOf(
        Float64Array.from(drawn, ({ rawSeconds }) => rawSeconds),
        0.5,
      ),
      HORIZON_HOURS * HOUR,
    ),
    binding: classes,
    total: figures(classes),
    skills: bySkill(classes, known.skills).map(([skillId, of]) => ({
      skillId,
      ...figures(of),
      chance: work.deadlineSeconds === null ? null : chanceOf(new Set(of), { work, drawn, due, ...known }),
    })),
    availableHours: drawn.reduce((sum, one) => sum + one.availableHours, 0) / drawn.length,
    short,
    missingHours: work.deadlineSeconds === null ? null : hoursAsked(short.hours),
    missingShare: shareOf(short.shares, SURE),
    knownWeeks: known.futures.knownWeeks(work.workClass),
    quietWeeks: known.futures.quietWeeks(work.workClass),
  };
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
  /** What is served up to the work, in this order; the work is the last. */
  readonly due: readonly Work[];
  readonly futures: Futures;
  readonly parts: readonly Part[];
}

/** In which share of all futures the experts of some classes suffice by themselves for what is due of those (Hall 1935), whoever else wants them. */
function chanceOf(classes: ReadonlySet<number>, { work, drawn, due, futures, parts }: OfSkill): number {
  const part = parts.find((one) => [...classes].some((of) => one.classes.has(of)));
  const cuts = (part?.cuts ?? []).filter((cut) => [...cut.classes].every((of) => classes.has(of)));
  const others = cuts.map((cut) =>
    due.slice(0, -1).reduce((sum, one) => sum + (cut.classes.has(one.workClass) ? one.seconds / HOUR : 0), 0),
  );
  const { moments } = futures;
  const suffices = ({ hours, looked }: Drawn, world: number) =>
    cuts.every((cut, place) => {
      const { unscaled, scale } = cut.hours.in(world);
      const own = cut.classes.has(work.workClass) ? hours : 0;
      return (
        valueAt({ moments, at: (moment) => (unscaled[moment] ?? 0) * scale }, looked) >=
        own + (others[place] ?? 0)
      );
    });
  return (drawn.filter(suffices).length + 0.5) / (drawn.length + 1);
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
