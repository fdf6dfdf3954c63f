import type { Place } from '../../../src/services/dispatch/ports.js';
import { type Arc, buildNetwork, type Network } from './graph.js';

// A town of straight streets for tests that need no real map: a river through its middle with one bridge at its western end,
// and beyond a strait an island that no road leads to.

/** Junctions along a side of the town, and metres between them. */
export const SIDE = 40;
export const BLOCK_METRES = 250;
/** The river runs between this row and the next. */
export const RIVER_ROW = 19;
const METRES_A_SECOND = 30 / 3.6;
const SOUTH_WEST: Place = { latitude: 52.4, longitude: 13.2 };
const METRES_A_DEGREE = 111_195;
const ISLAND_COLUMNS = [SIDE + 8, SIDE + 9, SIDE + 10];

/** A junction of the town. Columns from the west, rows from the south. */
export function junctionAt(column: number, row: number): Place {
  return {
    latitude: SOUTH_WEST.latitude + (row * BLOCK_METRES) / METRES_A_DEGREE,
    longitude:
      SOUTH_WEST.longitude +
      (column * BLOCK_METRES) / (METRES_A_DEGREE * Math.cos((SOUTH_WEST.latitude * Math.PI) / 180)),
  };
}

/** A place on the island. */
export const ISLAND: Place = junctionAt(SIDE + 9, 10);

/** The roads of the town. */
export function gridNetwork(): Network {
  const all = Array.from({ length: SIDE }, (_, index) => index);
  const streets = all.flatMap((row) =>
    all.flatMap((column) => [
      ...(column < SIDE - 1 ? both([column, row], [column + 1, row]) : []),
      ...(row < SIDE - 1 && isPassable(column, row) ? both([column, row], [column, row + 1]) : []),
    ]),
  );
  const island = ISLAND_COLUMNS.slice(1).flatMap((column) => both([column - 1, 10], [column, 10]));
  return buildNetwork([...streets, ...island], placeOf, { core: false });
}

const isPassable = (column: number, row: number): boolean => row !== RIVER_ROW || column === 0;

type Spot = readonly [column: number, row: number];

const nameOf = ([column, row]: Spot): string => `${column}:${row}`;

function placeOf(name: string): Place {
  const [column = 0, row = 0] = name.split(':').map(Number);
  return junctionAt(column, row);
}

function both(from: Spot, to: Spot): Arc<string>[] {
  const road = { metres: BLOCK_METRES, seconds: BLOCK_METRES / METRES_A_SECOND };
  return [
    { from: nameOf(from), to: nameOf(to), ...road },
    { from: nameOf(to), to: nameOf(from), ...road },
  ];
}
