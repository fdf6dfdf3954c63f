/** A project that shares a skill's capacity with others. */
export interface Contender {
  readonly weight: number;
  /** Answers that are still open. */
  readonly openAnswers: number;
  /** Until its deadline; null: it has none; negative: it is late. */
  readonly hoursLeft: number | null;
  /** What it is lifted by in any case, 1 to 8: its policy says so of a deadline at risk. */
  readonly atLeast?: number;
}

export const LIFT_MAX = 8;
/** A deadline that is near or past is as if it were a quarter of an hour away. */
const HOURS_MIN = 0.25;
/** However many are lifted by policy, the others keep this part of what their weights give them: as where one of two alike is lifted by eight. */
const KEPT = 2 / 9;
/** One lift takes from the others, so that they may need one: a few rounds settle it. */
const ROUNDS = 40;

/**
 * By how much each project's weight is lifted (1 to 8), so that those with a deadline get the share of the capacity that
 * they need, as far as there is enough. A project that makes its deadline with its own weight is not lifted, nor is one
 * without a deadline, unless it is lifted in any case.
 */
export function liftsOf(projects: readonly Contender[], capacityPerHour: number): number[] {
  const needs = projects.map(({ hoursLeft, openAnswers }) =>
    hoursLeft === null ? 0 : openAnswers / Math.max(hoursLeft, HOURS_MIN),
  );
  const most = mostByPolicy(projects);
  let lifts = projects.map(({ atLeast = 1 }) => Math.min(atLeast, most));
  for (let round = 0; round < ROUNDS && capacityPerHour > 0; round++) {
    const total = projects.reduce((sum, { weight }, n) => sum + weight * (lifts[n] ?? 1), 0);
    lifts = projects.map(({ weight }, n) => {
      const fair = (capacityPerHour * weight) / total;
      return Math.min(LIFT_MAX, Math.max(lifts[n] ?? 1, (needs[n] ?? 0) / fair));
    });
  }
  return lifts.map((lift) => Math.round(lift * 100) / 100);
}

/** The lift that all who are lifted by policy may have at once. */
function mostByPolicy(projects: readonly Contender[]): number {
  const sum = (of: readonly Contender[]) => of.reduce((whole, { weight }) => whole + weight, 0);
  const lifted = sum(projects.filter(({ atLeast = 1 }) => atLeast > 1));
  const others = sum(projects) - lifted;
  return lifted === 0 || others === 0 ? LIFT_MAX : ((lifted + others) / KEPT - others) / lifted;
}
