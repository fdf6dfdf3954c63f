import { metresBetween } from '../../../src/services/dispatch/eta/distance.js';
import type { Place } from '../../../src/services/dispatch/ports.js';

/** A stretch of road from one junction to another. */
export interface Arc<Id> {
  readonly from: Id;
  readonly to: Id;
  readonly metres: number;
  readonly seconds: number;
}

/** Roads by numbers, arcs sorted by where they begin. */
export interface Network {
  readonly places: readonly Place[];
  /** Where the arcs of a junction begin; one more than there are junctions. */
  readonly starts: Int32Array;
  readonly to: Int32Array;
  readonly seconds: Float64Array;
  readonly metres: Float64Array;
  /** Junctions that a place may be put onto, by squares of {@link SQUARE} degrees. */
  readonly squares: ReadonlyMap<string, readonly number[]>;
}

/** What a place was put onto. */
export interface Snapped {
  readonly junction: number;
  readonly metres: number;
}

/** Parts of a degree: some half a kilometre. */
const SQUARES_A_DEGREE = 200;
const RINGS_MAX = 4;

/**
 * Numbers junctions and sorts arcs. With `core`, places are put only onto junctions that can be left and come back to, as a
 * router that knows of small components does.
 */
export function buildNetwork<Id>(
  arcs: readonly Arc<Id>[],
  placeOf: (id: Id) => Place,
  { core }: { core: boolean },
): Network {
  const numbers = new Map<Id, number>();
  const places: Place[] = [];
  const numberOf = (id: Id): number => {
    const known = numbers.get(id);
    if (known !== undefined) {
      return known;
    }
    const { latitude, longitude } = placeOf(id);
    numbers.set(id, places.length);
    return places.push({ latitude, longitude }) - 1;
  };
  const numbered = arcs.map((arc) => ({ ...arc, from: numberOf(arc.from), to: numberOf(arc.to) }));
  numbered.sort((a, b) => a.from - b.from);
  const starts = new Int32Array(places.length + 1);
  for (const { from } of numbered) {
    starts[from + 1] = (starts[from + 1] ?? 0) + 1;
  }
  for (let at = 0; at < places.length; at++) {
    starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0);
  }
  const roads = {
    places,
    starts,
    to: Int32Array.from(numbered, ({ to }) => to),
    seconds: Float64Array.from(numbered, ({ seconds }) => seconds),
    metres: Float64Array.from(numbered, ({ metres }) => metres),
  };
  return { ...roads, squares: squaresOf(places, core ? coreOf(roads) : () => true) };
}

/** The junction nearest to a place, however far it is. */
export function snap({ places, squares }: Network, place: Place): Snapped {
  const y = Math.floor(place.latitude * SQUARES_A_DEGREE);
  const x = Math.floor(place.longitude * SQUARES_A_DEGREE);
  for (let rings = 1; rings <= RINGS_MAX; rings++) {
    const near: number[] = [];
    for (let row = y - rings; row <= y + rings; row++) {
      for (let column = x - rings; column <= x + rings; column++) {
        near.push(...(squares.get(`${row}:${column}`) ?? []));
      }
    }
    const found = nearestOf(near, places, place);
    // What is nearer than the ring is wide cannot be beaten by what lies outside of it.
    if (found !== null && found.metres < rings * 400) {
      return found;
    }
  }
  return nearestOf([...squares.values()].flat(), places, place) ?? { junction: 0, metres: 0 };
}

function nearestOf(junctions: readonly number[], places: readonly Place[], to: Place): Snapped | null {
  let best: Snapped | null = null;
  for (const junction of junctions) {
    const at = places[junction];
    const metres = at === undefined ? Number.POSITIVE_INFINITY : metresBetween(at, to);
    if (best === null || metres < best.metres) {
      best = { junction, metres };
    }
  }
  return best;
}

function squaresOf(places: readonly Place[], mayBe: (junction: number) => boolean): Map<string, number[]> {
  const squares = new Map<string, number[]>();
  for (const [junction, { latitude, longitude }] of places.entries()) {
    if (mayBe(junction)) {
      const key = `${Math.floor(latitude * SQUARES_A_DEGREE)}:${Math.floor(longitude * SQUARES_A_DEGREE)}`;
      const square = squares.get(key) ?? [];
      square.push(junction);
      squares.set(key, square);
    }
  }
  return squares;
}

/** The largest set of junctions each of which leads to all others: those that the busiest one reaches and is reached from. */
function coreOf({
  places,
  starts,
  to,
}: Pick<Network, 'places' | 'starts' | 'to'>): (junction: number) => boolean {
  const forward: number[][] = places.map((_, at) => [...to.subarray(starts[at], starts[at + 1])]);
  const back: number[][] = places.map(() => []);
  for (const [from, next] of forward.entries()) {
    for (const junction of next) {
      back[junction]?.push(from);
    }
  }
  let best = new Set<number>();
  const seen = new Set<number>();
  for (const start of places.keys()) {
    if (!seen.has(start) && best.size < places.length / 2) {
      const reached = spread(forward, start);
      const both = new Set([...spread(back, start)].filter((junction) => reached.has(junction)));
      for (const junction of both) {
        seen.add(junction);
      }
      best = both.size > best.size ? both : best;
    }
  }
  return (junction) => best.has(junction);
}

function spread(next: readonly (readonly number[])[], start: number): Set<number> {
  const reached = new Set([start]);
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const junction of next[at] ?? []) {
      if (!reached.has(junction)) {
        reached.add(junction);
        open.push(junction);
      }
    }
  }
  return reached;
}
