import type { StoredCapacity, StoredFixes } from './stored.js';

/** What a forecast hangs on, as far as customers may know: of who can do their work, and nothing of what else those do. */
export interface CustomersCapacity {
  readonly skillId: string;
  /** Who can do it. */
  readonly experts: number;
  readonly hoursAWeek: number;
  /** Of theirs. */
  readonly workHours: number;
  /** Hours by the deadline that are left for it. */
  readonly availableHours: number;
  readonly fixes: StoredFixes | null;
}

/** Of each power of ten these are told: from figures to the hour one could read off, deadline by deadline, what others have to do. */
const STEPS = [1, 1.5, 2, 3, 5, 7, 10] as const;

/**
 * A forecast's hours as a customer is told them (decision 0092): those of the experts of their own work, rounded to coarse steps. Null
 * where that was not stored.
 */
export function forCustomers({
  own,
  total,
  availableHours,
  fixes,
}: StoredCapacity): CustomersCapacity | null {
  return own === undefined
    ? null
    : {
        skillId: own.skillId,
        experts: own.experts,
        hoursAWeek: coarsely(own.hoursAWeek),
        workHours: own.workHours ?? total.workHours,
        availableHours: coarsely(availableHours),
        fixes: fixes === null ? null : fixesForCustomers(fixes),
      };
}

/** What would make a deadline, rounded to what surely does; of no skill but that of the work. */
export const fixesForCustomers = ({ expertHours, dropTasks, safeDeadline }: StoredFixes): StoredFixes => ({
  expertHours: expertHours.map(({ skillId, hours }) => ({ skillId, hours: amply(hours) })),
  dropTasks: dropTasks === null ? null : amply(dropTasks),
  safeDeadline,
});

const exponentOf = (value: number): number => 10 ** Math.floor(Math.log10(value));

/** The nearest step. */
function coarsely(value: number): number {
  if (value < 0.5) {
    return 0;
  }
  const unit = exponentOf(value);
  const distance = (step: number) => Math.abs(Math.log(value / (step * unit)));
  return unit * STEPS.reduce((best, step) => (distance(step) < distance(best) ? step : best));
}

/** The next step above. */
function amply(value: number): number {
  if (value <= 0) {
    return 0;
  }
  const unit = exponentOf(value);
  return Math.ceil(unit * (STEPS.find((step) => step * unit >= value) ?? 10));
}
