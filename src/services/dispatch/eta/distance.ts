import type { Place } from '../ports.js';

/** Mean radius of the Earth, in metres (IUGG). */
const EARTH_METRES = 6_371_008.8;
const RADIANS = Math.PI / 180;

/** The great-circle distance in metres (haversine: exact enough for metres as well as for continents). */
export function metresBetween(from: Place, to: Place): number {
  const north = (to.latitude - from.latitude) * RADIANS;
  const east = (to.longitude - from.longitude) * RADIANS;
  const h =
    Math.sin(north / 2) ** 2 +
    Math.cos(from.latitude * RADIANS) * Math.cos(to.latitude * RADIANS) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(h)));
}
