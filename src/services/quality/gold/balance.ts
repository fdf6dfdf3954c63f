/** A class of answers as gold knows it: what its key says. */
export interface GoldClass {
  readonly label: string;
  /** Gold of this class that the expert has been shown. */
  readonly shown: number;
  /** Gold of this class that could be shown to them now. */
  readonly available: number;
  /** The share of the class among the project's tasks, if known. */
  readonly prevalence?: number;
}

/**
 * The class of the next gold, or null when none is available.
 *
 * The one furthest behind its target among the gold this expert has been shown, so that somebody who answers always the
 * same fails; ties are decided by `drawn`, a uniform number. The target is half way between equal shares and the classes'
 * prevalence: equal shares alone would make a task of a rare class more likely gold than not, which can be learnt.
 */
export function nextGoldClass(classes: readonly GoldClass[], drawn: number): string | null {
  const targets = targetsOf(classes);
  const shown = classes.reduce((sum, gold) => sum + gold.shown, 0);
  const behind = classes
    .map((gold, i) => ({ ...gold, lag: (targets[i] ?? 0) * (shown + 1) - gold.shown }))
    .filter(({ available }) => available > 0);
  const most = Math.max(...behind.map(({ lag }) => lag));
  const candidates = behind.filter(({ lag }) => lag > most - TIE);
  return candidates[Math.min(candidates.length - 1, Math.floor(drawn * candidates.length))]?.label ?? null;
}

/** Lags this near are the same: the next class must not be foreseen from rounding. */
const TIE = 1e-9;

/** What {@link nextGoldClass} aims at: the share of each class among the gold that an expert is shown; they sum to one. */
export function targetsOf(classes: readonly Pick<GoldClass, 'prevalence'>[]): number[] {
  const known = classes.reduce((sum, { prevalence = 0 }) => sum + prevalence, 0);
  return classes.map(({ prevalence = 0 }) => {
    const even = 1 / classes.length;
    return known > 0 ? (even + prevalence / known) / 2 : even;
  });
}
