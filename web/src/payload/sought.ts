import { createContext, useContext } from 'react';
import { small } from './blocks.js';
import { isPicture, LONG_TEXT } from './embedded.js';
import { spaced } from './findable.js';

/** What is being sought in the payload; empty: nothing. What is folded up unfolds where it has it. */
export const Sought = createContext('');

export const useSought = (): string => useContext(Sought);

/** Whether something stands in a value of JSON as the tree shows it: names, and what they stand for. */
export function has(value: unknown, sought: string, name = ''): boolean {
  const needle = small(spaced(sought));
  const within = (part: unknown, called: string): boolean => {
    const label = called === '' ? '' : `${called}: `;
    if (typeof part === 'object' && part !== null) {
      return shows(label, needle) || Object.entries(part).some(([key, inner]) => within(inner, key));
    }
    if (typeof part !== 'string') {
      return shows(label + JSON.stringify(part), needle);
    }
    if (isPicture(part)) {
      return shows(label, needle);
    }
    return part.length > LONG_TEXT
      ? shows(label, needle) || shows(part, needle)
      : shows(label + JSON.stringify(part), needle);
  };
  return needle !== '' && within(value, name);
}

const shows = (text: string, needle: string): boolean => small(spaced(text)).includes(needle);
