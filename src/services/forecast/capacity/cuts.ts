import type { Futures, Hours } from './futures.js';
import { type Pool, shareOut } from './sharing.js';

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

/** Of all moments so many are looked at by flow, in the mean of all futures. */
const LOOKED_AT = 14;
const CUTS_MAX = 96;

/**
 * The sets of classes that bind at some moment in the mean of all futures, and each class alone: the minimum cuts of flows. With them whatever else is to be known of
 * any future is a minimum over cuts (max-flow is min-cut), which costs additions instead of a flow. Cuts that bind nowhere where
 * it was looked are left out, so hours can only seem too many, and little.
 */
export function* cutsOf(futures: Futures, demands: readonly Demand[]): Generator<void, Cut[]> {
  const found = new Map<string, ReadonlySet<number>>();
  const keep = (classes: readonly number[]) => void found.set(classes.join(), new Set(classes));
  for (const { workClass } of demands) {
    keep([workClass]);
  }
  keep([...new Set(demands.map(({ workClass }) => workClass))].sort((one, other) => one - other));
  for (const hours of lookedAt(futures)) {
    for (const set of bindingSets(futures, demands, hours)) {
      if (found.size < CUTS_MAX) {
        keep(set);
      }
    }
    yield;
  }
  const cuts: Cut[] = [];
  for (const classes of found.values()) {
    const groups = Array.from(futures.groups.keys()).filter((group) =>
      futures.groups[group]?.classes.some((of) => classes.has(of)),
    );
    cuts.push({ classes, hours: futures.of(groups) });
    yield;
  }
  return cuts;
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

function bindingSets({ groups }: Futures, demands: readonly Demand[], hoursOf: HoursOf): number[][] {
  const pools: Pool[] = groups.map(({ classes }, group) => ({ classes, hours: hoursOf(group) }));
  const classes = 1 + Math.max(0, ...demands.map(({ workClass }) => workClass));
  const sharing = shareOut(pools, classes);
  const short = new Set<number>();
  const sets: number[][] = [];
  for (const { workClass, hours } of demands) {
    // What cannot be served of a class now is not served later: nothing is given back.
    if (!short.has(workClass) && sharing.add(workClass, hours) < hours * (1 - 1e-9)) {
      short.add(workClass);
      sets.push(sharing.reach(workClass));
    }
  }
  return sets;
}
