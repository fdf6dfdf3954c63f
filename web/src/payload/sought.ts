import { createContext, useContext } from 'react';
import { small } from './blocks.js';
import { isPicture, LONG_TEXT } from './embedded.js';
import { spaced } from './findable.js';

/** What is being sought in the payload; empty: nothing. What is folded up unfolds where it has it. */
export const Sought = createContext('');

export const useSought = (): string => useContext(Sought);

/** What was found of each part for the words that are sought just now: the parts above it ask for the same. */
let found = { needle: '', parts: new WeakMap<object, boolean>() };

/** Whether something stands in a value of JSON as the tree shows it: names, and what they stand for. */
export function has(value: unknown, sought: string, name = ''): boolean {
  const needle = small(spaced(sought));
  if (found.needle !== needle) {
    found = { needle, parts: new WeakMap() };
  }
  return needle !== '' && within(value, name);
}

function within(part: unknown, called: string): boolean {
  const label = called === '' ? '' : `${called}: `;
  if (typeof part === 'object' && part !== null) {
    return shows(label) || inside(part);
  }
  if (typeof part !== 'string') {
    return shows(label + JSON.stringify(part));
  }
  if (isPicture(part)) {
    return shows(label);
  }
  return part.length > LONG_TEXT ? shows(label) || shows(part) : shows(label + JSON.stringify(part));
}

function inside(part: object): boolean {
  const known = found.parts.get(part);
  if (known !== undefined) {
    return known;
  }
  const isThere = Object.entries(part).some(([key, inner]) => within(inner, key));
  found.parts.set(part, isThere);
  return isThere;
}

const shows = (text: string): boolean => small(spaced(text)).includes(found.needle);
