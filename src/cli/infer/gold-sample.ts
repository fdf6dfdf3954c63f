import { randomOf } from '../../services/platform/random.js';

export interface SampleOptions<K> {
  /** Of all known truths, rounded. */
  readonly share: number;
  readonly seed: number;
  /** Whether a truth can be gold (default: each): one that nobody gave as an answer has no class. */
  readonly isUsable?: (known: K) => boolean;
}

/**
 * The truths that are given as gold. Each item draws by its own name, so that the order of rows changes nothing.
 * @param items the number of each item, in the order of the numbers
 */
export function sampleGold<K extends { readonly item: number }>(
  items: ReadonlyMap<string, number>,
  known: readonly K[],
  { share, seed, isUsable = () => true }: SampleOptions<K>,
): K[] {
  const names = [...items.keys()];
  return known
    .filter(isUsable)
    .map((truth) => ({ truth, name: names[truth.item] ?? '' }))
    .map(({ truth, name }) => ({ truth, name, at: randomOf(seed, `gold ${name}`)() }))
    .sort((one, other) => one.at - other.at || (one.name < other.name ? -1 : 1))
    .slice(0, Math.round(known.length * share))
    .map(({ truth }) => truth);
}
