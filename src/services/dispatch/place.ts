import { metresBetween } from './eta/distance.js';
import type { Place } from './ports.js';

/** How much longer roads are than the straight line, where nothing was learned yet. */
const ROAD_FACTOR = 1.4;
/** Of cars in towns, metres a second. */
const SPEED = 9;

/** What a way will take at a guess, in seconds: for what is looked at before anybody asks the router. */
export const guessSeconds = (from: Place, to: Place): number =>
  (metresBetween(from, to) * ROAD_FACTOR) / SPEED;
