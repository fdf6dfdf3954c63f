import type { Part } from './cuts.js';

/** Something that grows from nothing, known at moments in hours from now. */
export interface Growth {
  readonly moments: Float64Array;
  at(moment: number): number;
}

/** What can be done of one batch in one future, after all that goes before it: hours by each moment. */
export interface Potential extends Growth {
  /** The same, and below nought by as much as would have to come before any came to it. */
  readonly balance: Growth;
  /** The place of the cut of its part that binds at a time, in hours from now. */
  cutAt(hours: number): number;
}

/** What flows in one future is bounded by. */
interface Bounds {
  /** In hours from now. */
  readonly moments: Float64Array;
  readonly parts: readonly Part[];
  readonly world: number;
}

/** Where work flows: the place of its part, and of those of its cuts that it is in and that it is not in. */
export interface Flow {
  readonly part: number;
  readonly inside: Uint16Array;
  readonly outside: Uint16Array;
}

/** How work of a class flows. */
export function flowOf(parts: readonly Part[], workClass: number): Flow {
  const part = parts.findIndex(({ classes }) => classes.has(workClass));
  const cuts = [...(parts[part]?.cuts.entries() ?? [])];
  const placesOf = (isIn: boolean) =>
    Uint16Array.from(
      cuts.filter(([, { classes }]) => classes.has(workClass) === isIn),
      ([place]) => place,
    );
  return { part, inside: placesOf(true), outside: placesOf(false) };
}

/**
 * How much of each piece of work could be served by each moment once those before it have been, in one future: the most that flows with it,
 * less what flows without, each the minimum over cuts of the hours of who can do the cut and the demands outside of it. Only what shares
 * experts counts, by however many others. It grows with the moment: hours and demands are complements (Gale & Politof 1981).
 */
export class Flows {
  private readonly standings: (Standing | undefined)[] = [];
  private readonly nothing: Standing;

  constructor(private readonly bounds: Bounds) {
    this.nothing = new Standing(undefined, bounds);
  }

  /** What can be done of what comes next; good until something is taken. */
  potential(flow: Flow): Potential {
    const standing = this.of(flow.part);
    standing.ask(flow);
    return standing;
  }

  /** Serves so many hours. */
  take({ part, inside }: Flow, hours: number): void {
    const standing = this.of(part);
    standing.before += hours;
    const of = standing.taken;
    for (let n = 0; n < inside.length; n += 1) {
      const cut = inside[n] ?? 0;
      of[cut] = (of[cut] ?? 0) + hours;
    }
  }

  private of(part: number): Standing {
    if (part < 0) {
      return this.nothing;
    }
    let standing = this.standings[part];
    if (standing === undefined) {
      standing = new Standing(this.bounds.parts[part], this.bounds);
      this.standings[part] = standing;
    }
    return standing;
  }
}

/** How far a part is, and what comes next of it. One for each part and future: thousands of looks a forecast make nothing new. */
class Standing implements Potential {
  /** Hours that go before, of classes of each cut; the rest of those that go before is outside of it. */
  readonly taken: Float64Array;
  /** Hours that go before. */
  before = 0;
  /** Hours of each cut's experts: by moment, then by cut; to be multiplied. */
  private readonly capacity: Float64Array;
  private readonly scale: number;
  readonly moments: Float64Array;
  readonly balance: Growth;
  private own: Omit<Flow, 'part'> = { inside: new Uint16Array(), outside: new Uint16Array() };
  /** What was found of it at each moment. */
  private readonly known: Float64Array;

  constructor(part: Part | undefined, { moments, world }: Bounds) {
    const { hours, scale } = part?.in(world) ?? { hours: new Float64Array(), scale: 1 };
    this.capacity = hours;
    this.scale = scale;
    this.moments = moments;
    this.balance = { moments, at: (moment) => this.balanceAt(moment) };
    this.taken = new Float64Array(part?.cuts.length ?? 0);
    this.known = new Float64Array(moments.length);
  }

  ask(own: Flow): void {
    this.own = own;
    this.known.fill(Number.NaN);
  }

  at(moment: number): number {
    const balance = this.balanceAt(moment);
    return balance > 0 ? balance : 0;
  }

  /** The least that binds what it is in, less what flows without it. */
  private balanceAt(moment: number): number {
    const found = this.known[moment] ?? Number.NaN;
    if (!Number.isNaN(found)) {
      return found;
    }
    const most = this.least(this.own.inside, moment);
    const others = Math.min(this.before, this.least(this.own.outside, moment));
    // What flows without it is the lesser of both: where that is `most`, nothing is left.
    this.known[moment] = most - others;
    return most - others;
  }

  /** The first of those that bound alike: smaller sets come first. */
  cutAt(hours: number): number {
    const moment = Math.min(this.moments.length - 1, placeOf(this.moments, hours));
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const cut of this.own.inside) {
      const bound = this.bound(cut, moment);
      if (bound < least * (1 - 1e-9)) {
        best = cut;
        least = bound;
      }
    }
    return best;
  }

  private bound(cut: number, moment: number): number {
    const hours = this.capacity[moment * this.taken.length + cut] ?? 0;
    return hours * this.scale + this.before - (this.taken[cut] ?? 0);
  }

  private least(cuts: Uint16Array, moment: number): number {
    const { capacity, taken, scale } = this;
    const from = moment * taken.length;
    let least = Number.POSITIVE_INFINITY;
    for (let n = 0; n < cuts.length; n += 1) {
      const cut = cuts[n] ?? 0;
      const bound = (capacity[from + cut] ?? 0) * scale - (taken[cut] ?? 0);
      least = Math.min(bound, least);
    }
    return least + this.before;
  }
}

/** The place of the first moment that is not before a time; their number where there is none. */
export function placeOf(moments: Float64Array, hours: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle] ?? 0) >= hours) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** The first moment by which so much has grown; their number where there is none. */
function firstWith(growth: Growth, amount: number): number {
  let low = 0;
  let high = growth.moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (growth.at(middle) >= amount) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** What it has grown to by a time, evenly between two moments. Beyond the last one it goes on as in the last third. */
export function valueAt(growth: Growth, hours: number): number {
  const { moments } = growth;
  const next = placeOf(moments, hours);
  if (next === moments.length) {
    return growth.at(next - 1) + speedBeyond(growth) * (hours - (moments[next - 1] ?? 0));
  }
  const low = next === 0 ? 0 : growth.at(next - 1);
  const from = moments[next - 1] ?? 0;
  return low + ((growth.at(next) - low) * (hours - from)) / ((moments[next] ?? 0) - from);
}

/** When it has grown to so much, in hours. Beyond the last moment it goes on as in the last third; infinity where that is not at all. */
export function timeUntil(growth: Growth, amount: number): number {
  const { moments } = growth;
  const next = firstWith(growth, amount);
  if (next === moments.length) {
    const speed = speedBeyond(growth);
    const left = amount - growth.at(next - 1);
    return speed > 0 ? (moments[next - 1] ?? 0) + left / speed : Number.POSITIVE_INFINITY;
  }
  const [from, to] = [moments[next - 1] ?? 0, moments[next] ?? 0];
  const [low, high] = [next === 0 ? 0 : growth.at(next - 1), growth.at(next)];
  return high <= low ? to : from + ((to - from) * (amount - low)) / (high - low);
}

/** Per hour, after the last moment. */
function speedBeyond(growth: Growth): number {
  const { moments } = growth;
  const last = moments.length - 1;
  const to = moments[last] ?? 0;
  const from = placeOf(moments, (2 / 3) * to);
  return (growth.at(last) - growth.at(from)) / (to - (moments[from] ?? 0));
}
