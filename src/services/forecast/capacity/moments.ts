const HOURS_A_WEEK = 168;
/** Steps between moments, in hours, up to so many hours from now: fine where nights matter, coarse where weeks do. */
const STEPS = [
  { every: 1, until: 12 },
  { every: 2, until: 48 },
  { every: 6, until: HOURS_A_WEEK },
  { every: 24, until: 3 * HOURS_A_WEEK },
  { every: HOURS_A_WEEK / 2, until: 8 * HOURS_A_WEEK },
  { every: 2 * HOURS_A_WEEK, until: 12 * HOURS_A_WEEK },
] as const;

/** So many deadlines are moments themselves; others lie between two. */
const DEADLINES_MAX = 40;

/** What is not done by then goes on as it went in the last third of it. */
export const HORIZON_HOURS = 12 * HOURS_A_WEEK;

/**
 * The moments at which hours and work are compared, in hours from now, ascending; between two, both grow evenly.
 * @param deadlines in hours from now
 */
export function momentsFor(deadlines: readonly number[]): Float64Array {
  const ahead = [...new Set(deadlines)]
    .filter((hours) => hours > 0 && hours < HORIZON_HOURS)
    .sort((a, b) => a - b);
  const few = Math.min(1, DEADLINES_MAX / Math.max(1, ahead.length));
  const kept = ahead.filter((_, place) => Math.floor((place + 1) * few) > Math.floor(place * few));
  return Float64Array.from(new Set([...regular(), ...kept])).sort();
}

function regular(): number[] {
  const moments: number[] = [];
  let at = 0;
  for (const { every, until } of STEPS) {
    while (at + every <= until) {
      at += every;
      moments.push(at);
    }
  }
  return moments;
}
