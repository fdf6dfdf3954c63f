import type { Change } from './look.js';
import type { Worker } from './supply.js';

const HOURS_A_WEEK = 168;
const WEEKS = 8;
/** Nobody works more than a whole hour in an hour. */
const HOUR = 3_600;
/** Of experts who are not there yet, where there are none to be like. */
const HOURS_USUAL = 20;

/**
 * Experts who are not there yet, and work as those work who are and can do the same: in the same hours of the week, as far as these hold it,
 * and so many hours a week.
 * @param hoursPerWeek null: as many as those, by the median
 * @param workers who can do it
 */
export function newcomers(
  { count, hoursPerWeek }: { readonly count: number; readonly hoursPerWeek: number | null },
  workers: readonly Worker[],
): Change['experts'] {
  const known = workers.filter(({ seconds }) => seconds.length >= HOURS_A_WEEK);
  const week = weekOf((hoursPerWeek ?? usualHours(known)) * HOUR, patternOf(known));
  const seconds = Float64Array.from(
    { length: WEEKS * HOURS_A_WEEK },
    (_, hour) => week[hour % HOURS_A_WEEK] ?? 0,
  );
  return Array.from({ length: count }, () => ({ seconds }));
}

/** So many seconds in the hours of a week by how much falls to each of them; what an hour does not hold falls to the others alike. */
export function weekOf(seconds: number, pattern: readonly number[]): number[] {
  const week = pattern.map(() => 0);
  let left = Math.min(seconds, HOUR * pattern.length);
  let open = pattern.map((_, hour) => hour);
  while (left > 0 && open.length > 0) {
    const whole = open.reduce((sum, hour) => sum + (pattern[hour] ?? 0), 0);
    const each = left / whole;
    const full = open.filter((hour) => (pattern[hour] ?? 0) * each >= HOUR);
    // Where none is full all of it finds its place; else the full ones are, and the rest is shared anew.
    const filled = full.length > 0 ? full : open;
    for (const hour of filled) {
      week[hour] = Math.min(HOUR, (pattern[hour] ?? 0) * each);
      left -= week[hour] ?? 0;
    }
    open = full.length > 0 ? open.filter((hour) => (week[hour] ?? 0) === 0) : [];
  }
  return week;
}

/** How the hours of a week share the work, the last one being the one that has just ended; evenly where nobody works. */
function patternOf(workers: readonly Worker[]): number[] {
  const pattern = new Array<number>(HOURS_A_WEEK).fill(1);
  for (const { seconds } of workers) {
    for (let back = 1; back <= HOURS_A_WEEK; back += 1) {
      const place = HOURS_A_WEEK - back;
      pattern[place] = (pattern[place] ?? 0) + (seconds[seconds.length - back] ?? 0);
    }
  }
  return pattern;
}

function usualHours(workers: readonly Worker[]): number {
  const hours = workers
    .map(({ seconds }) => seconds.reduce((sum, one) => sum + one, 0) / HOUR / (seconds.length / HOURS_A_WEEK))
    .filter((one) => one > 0)
    .sort((one, other) => one - other);
  return hours[hours.length >> 1] ?? HOURS_USUAL;
}
