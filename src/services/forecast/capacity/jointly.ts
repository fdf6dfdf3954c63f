import { keptOf } from '../quantiles.js';
import { type Sample, sampleOf } from '../sample.js';

/** A batch in all possible futures. */
export interface InFutures {
  /** Seconds until it is done; null where that is not known future by future. */
  readonly worlds: Float64Array | null;
  /** Null without a deadline. */
  readonly secondsLeft: number | null;
}

/** Several batches at once. */
export interface Joint {
  /** Quantiles of when the last is done, in seconds. */
  readonly seconds: Sample;
  /** That all make their deadlines; null where none has one. */
  readonly chance: number | null;
}

/** In each possible future done when the last is, in time when all are. Null where one of them is not known so. */
export function jointly(all: readonly InFutures[]): Joint | null {
  const worlds = all.flatMap((one) => one.worlds ?? []);
  const [first] = worlds;
  if (first === undefined || worlds.length < all.length) {
    return null;
  }
  const last = first.map((_, world) => Math.max(...worlds.map((of) => of[world] ?? 0)));
  const isInTime = (world: number) =>
    all.every(
      ({ secondsLeft }, place) => secondsLeft === null || (worlds[place]?.[world] ?? 0) <= secondsLeft,
    );
  const inTime = last.filter((_, world) => isInTime(world)).length;
  const isPast = all.some(({ secondsLeft }) => secondsLeft !== null && secondsLeft <= 0);
  return {
    seconds: keptOf(sampleOf(last)),
    chance: all.every(({ secondsLeft }) => secondsLeft === null)
      ? null
      : isPast
        ? 0
        : (inTime + 0.5) / (last.length + 1),
  };
}
