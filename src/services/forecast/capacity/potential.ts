import type { Part } from './cuts.js';

/** What can be done of one batch in one future, after all that goes before it. */
export interface Potential {
  /** Hours by a moment. */
  at(moment: number): number;
  /** The same, and below nought by as much as would have to come before any came to it. */
  balanceAt(moment: number): number;
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

/** Work as it flows: of one part, and in some of its cuts. */
export interface Flowing {
  readonly hours: number;
  /** Its place. */
  readonly part: number;
  readonly isIn: readonly boolean[];
}

/**
 * How much of each demand could be served by each moment once those before it have been: the most that flows with it, less what flows
 * without, each the minimum over cuts of the hours of who can do the cut and the demands outside of it. Only what shares experts
 * counts, by however many others. It grows with the moment: hours and demands are complements (Gale & Politof 1981).
 */
export function* potentialOf(
  { moments, parts, world }: Bounds,
  demands: readonly Flowing[],
): Generator<Potential> {
  const standings = new Map<number, Standing>();
  for (const { hours, part, isIn } of demands) {
    const standing = standings.get(part) ?? newStanding(moments, parts[part], world);
    standings.set(part, standing);
    yield oneOf(isIn, standing);
    standing.before += hours;
    for (let cut = 0; cut < isIn.length; cut += 1) {
      standing.outside[cut] = (standing.outside[cut] ?? 0) + (isIn[cut] === true ? 0 : hours);
    }
  }
}

interface Standing {
  readonly moments: Float64Array;
  /** Hours of each cut's experts by each moment. */
  readonly capacity: readonly ReturnType<Part['cuts'][number]['hours']['in']>[];
  /** Hours that go before, of classes outside of each cut; as long as nobody goes on to the next. */
  readonly outside: Float64Array;
  /** Hours that go before. */
  before: number;
}

function newStanding(moments: Float64Array, part: Part | undefined, world: number): Standing {
  const capacity = (part?.cuts ?? []).map(({ hours }) => hours.in(world));
  return { moments, capacity, outside: new Float64Array(capacity.length), before: 0 };
}

function oneOf(own: readonly boolean[], { moments, capacity, outside, before }: Standing): Potential {
  const boundAt = (cut: number, moment: number) => {
    const of = capacity[cut];
    return of === undefined
      ? Number.POSITIVE_INFINITY
      : (of.unscaled[moment] ?? 0) * of.scale + (outside[cut] ?? 0);
  };
  const balanceAt = (moment: number) => {
    let others = before;
    let most = Number.POSITIVE_INFINITY;
    for (let cut = 0; cut < own.length; cut += 1) {
      const bound = boundAt(cut, moment);
      most = own[cut] === true ? Math.min(most, bound) : most;
      others = own[cut] === true ? others : Math.min(others, bound);
    }
    // What flows without it is the lesser of both: where that is `most`, nothing is left.
    return most - others;
  };
  return {
    at: (moment) => Math.max(0, balanceAt(moment)),
    balanceAt,
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
    if (bound < least * (1 - 1e-9)) {
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

/** What it has grown to by a time, evenly between two moments. Beyond the last one it goes on as in the last third. */
export function valueAt({ moments, at }: Growth, hours: number): number {
  const next = firstOf(moments, (moment) => (moments[moment] ?? 0) >= hours);
  if (next === moments.length) {
    return at(next - 1) + speedBeyond({ moments, at }) * (hours - (moments[next - 1] ?? 0));
  }
  const low = next === 0 ? 0 : at(next - 1);
  const from = moments[next - 1] ?? 0;
  return low + ((at(next) - low) * (hours - from)) / ((moments[next] ?? 0) - from);
}

/** When it has grown to so much, in hours. Beyond the last moment it goes on as in the last third; infinity where that is not at all. */
export function timeUntil({ moments, at }: Growth, amount: number): number {
  const next = firstOf(moments, (moment) => at(moment) >= amount);
  if (next === moments.length) {
    const speed = speedBeyond({ moments, at });
    const left = amount - at(next - 1);
    return speed > 0 ? (moments[next - 1] ?? 0) + left / speed : Number.POSITIVE_INFINITY;
  }
  const [from, to] = [moments[next - 1] ?? 0, moments[next] ?? 0];
  const [low, high] = [next === 0 ? 0 : at(next - 1), at(next)];
  return high <= low ? to : from + ((to - from) * (amount - low)) / (high - low);
}

/** Per hour, after the last moment. */
function speedBeyond({ moments, at }: Growth): number {
  const last = moments.length - 1;
  const to = moments[last] ?? 0;
  const from = firstOf(moments, (moment) => (moments[moment] ?? 0) >= (2 / 3) * to);
  return (at(last) - at(from)) / (to - (moments[from] ?? 0));
}
