import type { Place } from './ports.js';

/** Mean radius of the earth (IUGG), metres. */
const EARTH_METRES = 6_371_008.8;

/** The great-circle distance of two places, in metres (haversine). */
function metresBetween(a: Place, b: Place): number {
  const [latitudeA, latitudeB] = [radians(a.latitude), radians(b.latitude)];
  const half = (x: number) => Math.sin(x / 2) ** 2;
  const h =
    half(latitudeB - latitudeA) +
    Math.cos(latitudeA) * Math.cos(latitudeB) * half(radians(b.longitude - a.longitude));
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(h)));
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** How much longer roads are than the straight line, where nothing was learned yet. */
const ROAD_FACTOR = 1.4;
/** Of cars in towns, metres a second. */
const SPEED = 9;

/** What a way will take at a guess, in seconds: for what is looked at before anybody asks the router. */
export const guessSeconds = (from: Place, to: Place): number =>
  (metresBetween(from, to) * ROAD_FACTOR) / SPEED;
