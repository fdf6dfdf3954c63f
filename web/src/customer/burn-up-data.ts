/** Answers that were in at a moment (milliseconds since 1970). */
export interface Point {
  readonly at: number;
  readonly answers: number;
}

/** A part of the chart whose way is known: one batch. */
export interface Way {
  readonly startedAt: number;
  readonly wanted: number;
  readonly counted: number;
  /** When it was done; null while it is not. */
  readonly doneAt: number | null;
  readonly points: readonly Point[];
}

/** When the work will be done with a probability; a moment beyond ten years is none. */
export interface Quantile {
  readonly probability: number;
  readonly at: number | null;
}

/** A range of moments by which all answers will be in. */
export interface Band {
  /** How likely it holds the moment, 0 to 1. */
  readonly share: number;
  readonly from: number;
  readonly to: number;
}

export interface BurnUp {
  /** How it came to where it is; oldest first, the present one last. */
  readonly past: readonly Point[];
  readonly wanted: number;
  readonly median: number | null;
  /** The widest first. */
  readonly bands: readonly Band[];
}

/** The whole way of several batches: at each moment that one of them moved, what all of them had. */
export function wayOfAll(ways: readonly Way[], now: number): Point[] {
  const moves = ways
    .flatMap((way, index) => pointsOf(way, now).map((point) => ({ ...point, index })))
    .toSorted((a, b) => a.at - b.at);
  const held = new Map<number, number>();
  let sum = 0;
  const points: Point[] = [];
  for (const { at, answers, index } of moves) {
    sum += Math.max(0, answers - (held.get(index) ?? 0));
    held.set(index, Math.max(answers, held.get(index) ?? 0));
    if (points.at(-1)?.at === at) {
      points.pop();
    }
    points.push({ at, answers: sum });
  }
  return points;
}

function pointsOf({ startedAt, counted, doneAt, points }: Way, now: number): Point[] {
  const last = { at: Math.min(doneAt ?? now, now), answers: counted };
  return [{ at: startedAt, answers: 0 }, ...points.filter(({ at }) => at < last.at), last];
}

/** The bands that a forecast's quantiles make: that of half of all futures, and that of nine in ten. */
export function bandsOf(quantiles: readonly Quantile[]): Band[] {
  const at = (probability: number) =>
    quantiles.find((one) => Math.abs(one.probability - probability) < 1e-6)?.at ?? null;
  return [[0.9, at(0.05), at(0.95)] as const, [0.5, at(0.25), at(0.75)] as const].flatMap(
    ([share, from, to]) => (from === null || to === null ? [] : [{ share, from, to }]),
  );
}

/** As likely before as after; null where nothing is known. */
export function medianOf(quantiles: readonly Quantile[]): number | null {
  return quantiles.find(({ probability }) => Math.abs(probability - 0.5) < 1e-6)?.at ?? null;
}

/** Points that can be seen apart in so many pixels; the first and the last stay. */
export function thinned(points: readonly Point[], max: number): Point[] {
  const step = (points.length - 1) / Math.max(1, max - 1);
  if (step <= 1) {
    return [...points];
  }
  return Array.from({ length: max }, (_, n) => points[Math.round(n * step)]).flatMap((point) => point ?? []);
}
