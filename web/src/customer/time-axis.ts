const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** How instants along an axis read, in the viewer's zone: no finer than the span has use for. */
export function tickText(spanMs: number): (at: Date) => string {
  const format = new Intl.DateTimeFormat(undefined, partsFor(spanMs));
  return (at) => format.format(at);
}

function partsFor(spanMs: number): Intl.DateTimeFormatOptions {
  if (spanMs < 5 * MINUTE_MS) {
    return { ...TIME, second: '2-digit' };
  }
  if (spanMs < 20 * HOUR_MS) {
    return TIME;
  }
  return spanMs < 8 * 24 * HOUR_MS ? { weekday: 'short', ...TIME } : DAY;
}
