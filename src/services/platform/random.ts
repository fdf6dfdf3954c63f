/** A stream of numbers in [0, 1) that a seed repeats (splitmix32 over a hash of the name). */
export type Random = () => number;

/** A stream of its own for each name under a seed, so that what one client draws never shifts another's. */
export function randomOf(seed: number, name: string): Random {
  let state = seed >>> 0;
  for (const character of name) {
    state = mix(state ^ (character.codePointAt(0) ?? 0));
  }
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix(state) / 2 ** 32;
  };
}

/** The names in an order of chance. */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
