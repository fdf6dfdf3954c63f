/** An amount in its currency, such as €0.35. `minorUnits` are cents where the currency has them. */
export function money({ minorUnits, currency }: { minorUnits: string; currency: string }): string {
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(Number(minorUnits) / 10 ** digits);
}

const DATE_TIME = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
});
const ZONE = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' });

/** An instant in the viewer's zone; the page says once which that is (`zone`). */
export const instant = (iso: string): string => DATE_TIME.format(new Date(iso));

/** The viewer's zone, such as CET. */
export const zone = (): string =>
  ZONE.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';

/**
 * How likely something is thought to be, 0 to 1: "31%". Never told as certain either way, "> 99%" or "< 1%", for it is reckoned from
 * what was seen so far.
 */
export function chance(probability: number, digits = 0): string {
  const least = 10 ** -(digits + 2);
  if (probability > 1 - least) {
    return `> ${percent(1 - least, digits)}`;
  }
  return probability < least ? `< ${percent(least, digits)}` : percent(probability, digits);
}

/** How much of a whole is there: "100%" only where all of it is, "0%" where nothing is. */
export function partOf(count: number, whole: number): string {
  if (count >= whole) {
    return percent(1);
  }
  return count > 0 ? chance(count / whole) : percent(0);
}

/** A share, 0 to 1. */
export const percent = (share: number, digits = 0): string =>
  new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: digits }).format(share);

/** A duration that may be rough: 45 s, 12 min, 3 h 20 min. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 90) {
    return `${whole} s`;
  }
  const minutes = Math.round(whole / 60);
  if (minutes < 90) {
    return `${minutes} min`;
  }
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(count / 1000 ** step)} ${units[step]}`;
}
