import { strict as assert } from 'node:assert';
import { errorModels, type KeyedAnswer } from './error-models.js';

/** What two experts answered alike. */
export interface PairCounts {
  readonly experts: readonly [string, string];
  /** Items both answered whose key is known. */
  readonly common: number;
  /** The same wrong answer: how often, and how often it was to be expected of experts who err independently. */
  readonly same: number;
  readonly expected: number;
}

/** With fewer items in common a pair is not looked at. */
const COMMON_MIN = 8;

/** Counts, for every pair with enough items in common, the same wrong answers and their expectation. */
export function comparePairs(answers: readonly KeyedAnswer[]): PairCounts[] {
  const models = errorModels(answers);
  const { items, indexOf, size } = indexed(answers);
  const common = commonItems(items, { indexOf, size });
  const pairs = new Map<
    number,
    { experts: [string, string]; common: number; same: number; expected: number }
  >();
  for (const [one, other] of pairsOfAll(items)) {
    const id = indexOf(one.expert) * size + indexOf(other.expert);
    const count = common[id] ?? 0;
    if (count < COMMON_MIN) {
      continue;
    }
    const experts: [string, string] = [one.expert, other.expert];
    const pair = pairs.get(id) ?? { experts, common: count, same: 0, expected: 0 };
    pair.same += one.label === other.label && one.label !== one.key ? 1 : 0;
    pair.expected += models.sameError(one, other);
    pairs.set(id, pair);
  }
  return [...pairs.values()];
}

/** More experts than this would take more than 50 MB to count; a project has fewer. */
const EXPERTS_MAX = 5_000;

interface Indexed {
  readonly indexOf: (expert: string) => number;
  readonly size: number;
}

/** Items with their answers in the order of experts, and a number for each expert. */
function indexed(answers: readonly KeyedAnswer[]): Indexed & { readonly items: readonly KeyedAnswer[][] } {
  const experts = [...new Set(answers.map(({ expert }) => expert))].sort();
  assert(experts.length <= EXPERTS_MAX, `${experts.length} experts are too many to compare with each other`);
  const index = new Map(experts.map((expert, n) => [expert, n]));
  const indexOf = (expert: string) => index.get(expert) ?? 0;
  const items = [...byItem(answers)].map((ofItem) =>
    ofItem.sort((a, b) => indexOf(a.expert) - indexOf(b.expert)),
  );
  return { items, indexOf, size: experts.length };
}

/** How many items each pair has in common, at the first's number x size + the second's. */
function commonItems(items: readonly KeyedAnswer[][], { indexOf, size }: Indexed): Uint16Array {
  const common = new Uint16Array(size * size);
  for (const [one, other] of pairsOfAll(items)) {
    const id = indexOf(one.expert) * size + indexOf(other.expert);
    common[id] = Math.min(COUNT_MAX, (common[id] ?? 0) + 1);
  }
  return common;
}

const COUNT_MAX = 65_535;

function byItem(answers: readonly KeyedAnswer[]): Iterable<KeyedAnswer[]> {
  const items = new Map<string, KeyedAnswer[]>();
  for (const answer of answers) {
    const known = items.get(answer.item);
    if (known) {
      known.push(answer);
    } else {
      items.set(answer.item, [answer]);
    }
  }
  return items.values();
}

function* pairsOfAll(items: readonly KeyedAnswer[][]): Iterable<[KeyedAnswer, KeyedAnswer]> {
  for (const ofItem of items) {
    yield* pairsOf(ofItem);
  }
}

/** An item's answers two by two, in their order. */
function* pairsOf(answers: readonly KeyedAnswer[]): Iterable<[KeyedAnswer, KeyedAnswer]> {
  for (const [i, one] of answers.entries()) {
    for (const other of answers.slice(i + 1)) {
      yield [one, other];
    }
  }
}
