import type { Stated } from '../../../src/services/quality/confidence/platt.js';
import { randomOf } from '../../soak/random.js';

export interface Speaker {
  readonly pairs: number;
  readonly seed: number;
  /** What is said by whoever is right with this probability. */
  readonly stated: (probability: number, uniform: number) => number;
}

/** Answers whose probability to be right is .5 to 1, and what their expert says of it. */
export function statedOf({ pairs, seed, stated }: Speaker): Stated[] {
  const random = randomOf(seed);
  return Array.from({ length: pairs }, () => {
    const probability = 0.5 + 0.49 * random();
    return { probability: stated(probability, random()), isRight: random() < probability };
  });
}
