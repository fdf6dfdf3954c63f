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
  /** Work in the order in which it is served; the last is the one that is asked about. */
  readonly due: readonly { readonly workClass: number; readonly seconds: number }[];
  /** In hours from now. */
  readonly until: number;
}

const HOURS_A_WEEK = 168;
const HOUR = 3_600;

export function figuresOf({ groups, meanOf, moments }: Futures, { classes, due, until }: Asked): Figures {
  const able = Array.from(groups.keys()).filter((place) =>
    groups[place]?.classes.some((workClass) => classes.has(workClass)),
  );
  const hoursBy = (time: number) =>
    able.reduce((sum, place) => {
      const own = meanOf(place);
      return sum + valueAt({ moments, at: (moment) => own[moment] ?? 0 }, time);
    }, 0);
  const hoursOf = (some: Asked['due']) =>
    some.reduce((sum, { workClass, seconds }) => sum + (classes.has(workClass) ? seconds / HOUR : 0), 0);
  return {
    experts: able.reduce((sum, place) => sum + (groups[place]?.experts.length ?? 0), 0),
    hoursAWeek: hoursBy(HOURS_A_WEEK),
    hoursByDeadline: hoursBy(Math.max(0, until)),
    workHours: hoursOf(due.slice(-1)),
    othersHours: hoursOf(due.slice(0, -1)),
  };
}
