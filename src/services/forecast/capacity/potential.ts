import type { Cut, Demand } from './cuts.js';

/** What can be done of one batch in one future, after all that goes before it. */
export interface Potential {
  /** Hours by a moment. */
  at(moment: number): number;
  /** The place of the cut that binds at a time, in hours from now. */
  cutAt(hours: number): number;
}

/** What flows in one future is bounded by. */
interface Bounds {
  /** In hours from now. */
  readonly moments: Float64Array;
  readonly cuts: readonly Cut[];
  readonly world: number;
}

/**
 * How much of each demand could be served by each moment once those before it have been: the most that flows with it, less what flows
 * without, each the minimum over cuts of the hours of who can do the cut and the demands outside of it. It grows with the
 * moment: hours and demands are complements (Gale & Politof 1981).
 */
export function* potentialOf(
  { moments, cuts, world }: Bounds,
  demands: readonly (Demand & { readonly cuts: readonly boolean[] })[],
): Generator<Potential> {
  const capacity = cuts.map(({ hours }) => hours.in(world));
  const outside = new Float64Array(cuts.length);
  let before = 0;
  for (const { hours, cuts: own } of demands) {
    yield oneOf(own, { moments, capacity, outside, before });
    before += hours;
    for (let cut = 0; cut < own.length; cut += 1) {
      outside[cut] = (outside[cut] ?? 0) + (own[cut] === true ? 0 : hours);
    }
  }
}

interface Standing {
  readonly moments: Float64Array;
  /** Hours of each cut's experts by each moment. */
  readonly capacity: readonly ReturnType<Cut['hours']['in']>[];
  /** Hours that go before, of classes outside of each cut; as long as nobody goes on to the next. */
  readonly outside: Float64Array;
  /** Hours that go before. */
  readonly before: number;
}

function oneOf(own: readonly boolean[], { moments, capacity, outside, before }: Standing): Potential {
  const boundAt = (cut: number, moment: number) => {
    const of = capacity[cut];
    return of === undefined
      ? Number.POSITIVE_INFINITY
      : (of.unscaled[moment] ?? 0) * of.scale + (outside[cut] ?? 0);
  };
  return {
    at(moment) {
      let least = before;
      let most = Number.POSITIVE_INFINITY;
      for (let cut = 0; cut < own.length; cut += 1) {
        const bound = boundAt(cut, moment);
        least = Math.min(least, bound);
        most = own[cut] === true ? Math.min(most, bound) : most;
      }
      return Math.max(0, most - least);
    },
    cutAt: (hours) => {
      const moment = Math.min(
        moments.length - 1,
        firstOf(moments, (one) => (moments[one] ?? 0) >= hours),
      );
      return bindingCut(own, (cut) => boundAt(cut, moment));
    },
  };
}

/** The first of those that bound alike: smaller sets come first. */
function bindingCut(own: readonly boolean[], boundOf: (cut: number) => number): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let cut = 0; cut < own.length; cut += 1) {
    const bound = own[cut] === true ? boundOf(cut) : Number.POSITIVE_INFINITY;
    if (bound < least) {
      best = cut;
      least = bound;
    }
  }
  return best;
}

/** Something that grows from nothing, known at moments in hours from now. */
interface Growth {
  readonly moments: Float64Array;
  at(moment: number): number;
}

/** The first moment for which something holds that holds from then on; their number where there is none. */
function firstOf(moments: Float64Array, holds: (moment: number) => boolean): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** What it has grown to by a time, evenly between two moments; as at the last one beyond it. */
export function valueAt({ moments, at }: Growth, hours: number): number {
  const next = firstOf(moments, (moment) => (moments[moment] ?? 0) >= hours);
  if (next === moments.length) {
    return at(next - 1);
  }
  const low = next === 0 ? 0 : at(next - 1);
  const from = moments[next - 1] ?? 0;
  return low + ((at(next) - low) * (hours - from)) / ((moments[next] ?? 0) - from);
}

/** When it has grown to so much, in hours. Beyond the last moment it goes on as in the last third; infinity where that is not at all. */
export function timeUntil({ moments, at }: Growth, amount: number): number {
  const next = firstOf(moments, (moment) => at(moment) >= amount);
  if (next === moments.length) {
    return beyond({ moments, at }, amount);
  }
  const [from, to] = [moments[next - 1] ?? 0, moments[next] ?? 0];
  const [low, high] = [next === 0 ? 0 : at(next - 1), at(next)];
  return high <= low ? to : from + ((to - from) * (amount - low)) / (high - low);
}

function beyond({ moments, at }: Growth, amount: number): number {
  const last = moments.length - 1;
  const to = moments[last] ?? 0;
  const from = firstOf(moments, (moment) => (moments[moment] ?? 0) >= (2 / 3) * to);
  const speed = (at(last) - at(from)) / (to - (moments[from] ?? 0));
  return speed > 0 ? to + (amount - at(last)) / speed : Number.POSITIVE_INFINITY;
}
