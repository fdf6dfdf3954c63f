/** What keeps a worker from a job, in the order in which it is told: of several the first counts. */
export const FILTERS = [
  'INACTIVE',
  'STALE',
  'SKILL',
  'QUALITY',
  'CONFLICT',
  'AREA',
  'SHIFT',
  'OVERLAP',
  'LIVE_OFFER',
  'COOLDOWN',
  'NO_WAY',
  'LATE',
  'FARTHER',
] as const;
export type Filter = (typeof FILTERS)[number];

const WORDS: Readonly<Record<Filter, string>> = {
  INACTIVE: 'not at work',
  STALE: 'stale',
  SKILL: 'without the skill',
  QUALITY: 'below the quality',
  CONFLICT: 'kept from this customer',
  AREA: 'outside their area',
  SHIFT: 'outside their shift',
  OVERLAP: 'overlapping',
  LIVE_OFFER: 'with another offer',
  COOLDOWN: 'resting after a no',
  NO_WAY: 'without a way there',
  LATE: 'too far to be in time',
  FARTHER: 'farther than those who were asked',
};

/** The first of the filters that keep somebody from a job; null: none does. */
export const firstOf = (failed: readonly string[]): Filter | null =>
  FILTERS.find((filter) => failed.includes(filter)) ?? null;

/** Why nobody can be asked, in words: of how many, how many by which filter. Not all: more stand there who were not looked at. */
export function reasonOf(
  removed: readonly Filter[],
  { where, isAll }: { readonly where: string; readonly isAll: boolean },
): string {
  if (removed.length === 0) {
    return `Nobody is ${where}.`;
  }
  const told = FILTERS.flatMap((filter) => {
    const count = removed.filter((one) => one === filter).length;
    return count === 0 ? [] : [`${count} ${WORDS[filter]}`];
  });
  return `${removed.length}${isAll ? '' : ' and more'} ${where}: ${told.join(', ')}.`;
}
