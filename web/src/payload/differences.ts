import canonicalize from 'canonicalize';
import { diffArrays } from 'diff';

/** One place in which two pieces of data differ; undefined: there is nothing in that place. */
export interface Difference {
  /** Names and places (from 1) on the way there. */
  readonly path: readonly string[];
  readonly left: unknown;
  readonly right: unknown;
}

/** Comparing lists takes longer with the square of what differs: past this they are compared place by place. */
const LIMIT_MS = 200;

/**
 * What differs between two pieces of data, place by place. In what order fields stand says nothing; an entry that was put
 * into a list, or taken out of it, does not make those behind it differ.
 */
export function differencesOf(left: unknown, right: unknown, path: readonly string[] = []): Difference[] {
  if (isSame(left, right)) {
    return [];
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return alignedOf(left, right).flatMap(({ place, pair: [one, other] }) =>
      differencesOf(one, other, [...path, String(place)]),
    );
  }
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].flatMap((name) => differencesOf(own(left, name), own(right, name), [...path, name]));
  }
  return [{ path, left, right }];
}

interface Aligned {
  readonly place: number;
  readonly pair: readonly [left: unknown, right: unknown];
}

/** Entries of two lists that stand for each other: the same ones, and between them those in the same place. */
function alignedOf(left: readonly unknown[], right: readonly unknown[]): Aligned[] {
  const runs = diffArrays(left.map(keyOf), right.map(keyOf), { timeout: LIMIT_MS });
  if (runs === undefined) {
    return paired(left, right, 1);
  }
  const aligned: Aligned[] = [];
  let [atLeft, atRight] = [0, 0];
  for (let run = 0; run < runs.length; run++) {
    const { removed = false, added = false, count = 0 } = runs[run] ?? {};
    if (!removed && !added) {
      atLeft += count;
      atRight += count;
      continue;
    }
    const gone = removed ? count : 0;
    const next = removed && runs[run + 1]?.added ? (runs[run + 1]?.count ?? 0) : added ? count : 0;
    run += removed && next > 0 ? 1 : 0;
    const ones = left.slice(atLeft, atLeft + gone);
    const others = right.slice(atRight, atRight + next);
    aligned.push(...paired(ones, others, (gone > 0 ? atLeft : atRight) + 1));
    atLeft += gone;
    atRight += next;
  }
  return aligned;
}

const paired = (left: readonly unknown[], right: readonly unknown[], from: number): Aligned[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, n) => ({
    place: from + n,
    pair: [left[n], right[n]],
  }));

/** Its types say that it has a default member; it is the function itself. */
const canonical = canonicalize as unknown as (value: unknown) => string | undefined;

const keyOf = (value: unknown): string => canonical(value) ?? '';

const isSame = (left: unknown, right: unknown): boolean => left === right || keyOf(left) === keyOf(right);

const own = (value: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
