/** Texts to look for are no shorter. */
export const LENGTH_MIN = 8;

/**
 * What finds which of many texts stand in another one, in one pass over it: there are a thousand of them, and a walk reads megabytes.
 * @param texts by names, each at least LENGTH_MIN long
 */
export function finderOf(
  texts: readonly (readonly [name: string, text: string])[],
): (within: string) => string[] {
  const byBeginning = new Map<string, (readonly [name: string, text: string])[]>();
  for (const one of texts) {
    const beginning = one[1].slice(0, LENGTH_MIN);
    byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), one]);
  }
  return (within) => {
    const found = new Set<string>();
    for (let at = 0; at + LENGTH_MIN <= within.length; at++) {
      for (const [name, text] of byBeginning.get(within.slice(at, at + LENGTH_MIN)) ?? []) {
        if (!found.has(name) && within.startsWith(text, at)) {
          found.add(name);
        }
      }
    }
    return [...found];
  };
}
