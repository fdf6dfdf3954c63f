import type { Random } from '../../soak/random.js';

/** Box and Muller's normal variate. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
