import type { Known } from '../../services/quality/inference/choose.js';
import { randomOf } from '../replay/random.js';
import type { AnswerSet } from './answer-set.js';

export interface SampleOptions {
  /** Of all known truths, rounded. */
  readonly share: number;
  readonly seed: number;
}

/**
 * The truths that are given as gold. Each item draws by its own name, so that the order of rows changes nothing. A truth that
 * nobody gave as an answer cannot be gold: there is no class for it.
 */
export function sampleGold(set: AnswerSet, known: readonly Known[], { share, seed }: SampleOptions): Known[] {
  const names = [...set.items.keys()];
  return known
    .filter(({ truth }) => truth >= 0)
    .map((truth) => ({ truth, name: names[truth.item] ?? '' }))
    .map(({ truth, name }) => ({ truth, name, at: randomOf(seed, `gold ${name}`)() }))
    .sort((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1))
    .slice(0, Math.round(known.length * share))
    .map(({ truth }) => truth);
}
