import { z } from 'zod';

/** A list of words in its one canonical form (lower case, sorted, each once), or what is wrong with it. */
export type Words = { readonly words: string[] } | { readonly fault: string };

const WORDS_MAX = 20;
const TAG = /^[a-z0-9][a-z0-9_.:-]{0,49}$/;

/** Language tags as BCP 47 has them: `de`, `pt-br`. */
export function languages(given: readonly string[]): Words {
  return canonical(given, canonicalLanguage, 'Give language tags (BCP 47) such as "de" or "pt-BR"');
}

/** Tags of our customers' own making. */
export function tags(given: readonly string[]): Words {
  const tagOf = (word: string) => (TAG.test(word.toLowerCase()) ? word.toLowerCase() : null);
  return canonical(given, tagOf, 'Give tags of 1 to 50 letters a-z, digits and _ . : -');
}

function canonical(given: readonly string[], one: (word: string) => string | null, expected: string): Words {
  const words = given.length > WORDS_MAX ? [null] : given.map(one);
  return words.includes(null)
    ? { fault: `${expected}, at most ${WORDS_MAX}.` }
    : { words: [...new Set(z.array(z.string()).parse(words))].sort() };
}

function canonicalLanguage(tag: string): string | null {
  try {
    return tag.length > 35 ? null : (Intl.getCanonicalLocales(tag)[0]?.toLowerCase() ?? null);
  } catch {
    return null; // RangeError: no language tag
  }
}
