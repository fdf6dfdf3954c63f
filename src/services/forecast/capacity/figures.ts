import { groupsWith } from './cuts.js';
import type { Futures } from './futures.js';
import { valueAt } from './potential.js';

/** What there is for some classes of work together, each hour counted once: means over all futures. */
export interface Figures {
  /** Who can do any of it. */
  readonly experts: number;
  /** Of all of them together. */
  readonly hoursAWeek: number;
  /** That they have by then. */
  readonly hoursByDeadline: number;
  /** Of the work that is asked about. */
  readonly workHours: number;
  /** Of work that is served before it. */
  readonly othersHours: number;
}

interface Asked {
  readonly classes: ReadonlySet<number>;
  /** What is asked about; without it only who can do it. */
  readonly work?: { readonly workClass: number; readonly seconds: number };
  /** Seconds of what is served before, by class. */
  readonly before?: ReadonlyMap<number, number>;
  /** In hours from now. */
  readonly until: number;
}

const HOURS_A_WEEK = 168;
const HOUR = 3_600;

export function figuresOf(futures: Futures, { classes, work, before, until }: Asked): Figures {
  const { experts, hours } = togetherOf(futures, classes);
  const growth = { moments: futures.moments, at: (moment: number) => hours[moment] ?? 0 };
  let others = 0;
  for (const of of classes) {
    others += before?.get(of) ?? 0;
  }
  return {
    experts,
    hoursAWeek: valueAt(growth, HOURS_A_WEEK),
    hoursByDeadline: valueAt(growth, Math.max(0, until)),
    workHours: work !== undefined && classes.has(work.workClass) ? work.seconds / HOUR : 0,
    othersHours: others / HOUR,
  };
}

/** Who can do any of some classes, and the mean of their hours by each moment. */
interface Together {
  readonly experts: number;
  readonly hours: Float64Array;
}

/** Many batches are of the same few sets of classes. */
const known = new WeakMap<Futures, Map<string, Together>>();

function togetherOf(futures: Futures, classes: ReadonlySet<number>): Together {
  const found = known.get(futures) ?? new Map<string, Together>();
  known.set(futures, found);
  const key = [...classes].sort((one, other) => one - other).join();
  const together = found.get(key) ?? sumOf(futures, classes);
  found.set(key, together);
  return together;
}

function sumOf(futures: Futures, classes: ReadonlySet<number>): Together {
  const hours = new Float64Array(futures.moments.length);
  let experts = 0;
  for (const group of groupsWith(futures, classes)) {
    experts += futures.groups[group]?.experts.length ?? 0;
    const own = futures.meanOf(group);
    for (let moment = 0; moment < hours.length; moment += 1) {
      hours[moment] = (hours[moment] ?? 0) + (own[moment] ?? 0);
    }
  }
  return { experts, hours };
}
