import type { Random } from '../../platform/random.js';

/** A standard normal number (Box & Muller 1958). */
export const normalOf = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
