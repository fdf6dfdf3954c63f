import type { Forecast } from '../forecast.js';
import type { StoredCapacity } from './stored.js';

type Known = Forecast & {
  readonly capacity: StoredCapacity & { readonly work: NonNullable<StoredCapacity['work']> };
};

/**
 * What several open batches of a project hang on: the experts of the one that holds it up, by its deadline, with the work of all that are
 * due no later; what they have to do for others is told apart from that. Dates, and what would have all of them in time, are of all
 * at once. Null where that was not stored of each.
 * @param all open batches, by age
 * @param joint what was said of all of them at once; null where they were not forecast so
 */
export function ofProject(
  all: readonly Forecast[],
  { holding, joint }: { holding: Forecast; joint: StoredCapacity['together'] | null },
): StoredCapacity | null {
  if (all.length === 1) {
    return holding.capacity;
  }
  const known = all.filter(isKnown);
  const last = known.find((one) => one === holding);
  if (last === undefined || known.length < all.length) {
    return null;
  }
  const { capacity } = last;
  const upTo = known.filter((one) => timeOf(one) <= timeOf(last));
  // As they are served: of those that are due at the same time the oldest first.
  const before = upTo.filter((one) => timeOf(one) < timeOf(last) || known.indexOf(one) < known.indexOf(last));
  const together = <F extends Figures>(figures: F, skills: ReadonlySet<string>): F => {
    const others = workIn([...before, last], skills) - figures.workHours;
    return {
      ...figures,
      workHours: workIn(upTo, skills),
      othersHours: Math.max(0, figures.othersHours - others),
    };
  };
  return {
    ...capacity,
    total: together(capacity.total, new Set(capacity.skills.map(({ skillId }) => skillId))),
    skills: capacity.skills.map((one) => together(one, new Set([one.skillId]))),
    work: capacity.work.map((one) => ({
      ...together(one, new Set([one.skillId])),
      seconds: secondsOf(one.skillId, { known, joint }),
    })),
    ...(capacity.own === undefined
      ? {}
      : { own: { ...capacity.own, workHours: sumOf(upTo, (one) => one.capacity.own?.workHours ?? 0) } }),
    availableHours:
      capacity.availableHours +
      sumOf(before, (one) => Math.min(one.capacity.availableHours, one.capacity.own?.workHours ?? 0)),
    fixes: joint?.fixes ?? null,
  };
}

type Figures = Pick<StoredCapacity['total'], 'workHours' | 'othersHours'>;

const isKnown = (one: Forecast): one is Known => one.capacity?.work !== undefined;

/** Work without a deadline comes after all that has one. */
const timeOf = ({ deadline }: Forecast): number => deadline?.getTime() ?? Number.POSITIVE_INFINITY;

const sumOf = (of: readonly Known[], value: (one: Known) => number): number =>
  of.reduce((sum, one) => sum + value(one), 0);

/** Hours that some batches ask of some skills. */
const workIn = (of: readonly Known[], skills: ReadonlySet<string>): number =>
  sumOf(of, ({ capacity }) =>
    capacity.work.reduce((sum, one) => sum + (skills.has(one.skillId) ? one.workHours : 0), 0),
  );

/** When what all ask of a skill is done. Where they were not forecast at once, quantile by quantile the latest, for they are late together. */
function secondsOf(
  skillId: string,
  { known, joint }: { known: readonly Known[]; joint: StoredCapacity['together'] | null },
): number[] {
  const isOf = (one: { readonly skillId: string }) => one.skillId === skillId;
  const each = known.flatMap(({ capacity }) => capacity.work.filter(isOf).map(({ seconds }) => seconds));
  return (
    joint?.work?.find(isOf)?.seconds ??
    (each[0] ?? []).map((_, place) => Math.max(...each.map((seconds) => seconds[place] ?? 0)))
  );
}
