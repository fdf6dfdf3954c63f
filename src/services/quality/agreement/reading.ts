import type { Coincidence } from './coincidences.js';
import { alphaAgainst, alphaOf } from './krippendorff.js';
import type { Scale } from './scales.js';

/** What is kept of the answers of one dimension, of everybody or of some (app.agreement_form says which form it has). */
export interface Reading {
  readonly scale: Scale;
  readonly form: 'CLASSES' | 'VALUES' | 'NUMBERS';
  /** CLASSES: what was said and heard. VALUES: SAME or OTHER in place of what was said. */
  readonly cells: readonly (readonly [size: number, said: string, heard: string, pairs: number])[];
  /** VALUES: the chance that two answers differ. */
  readonly expected: number | null;
  /** NUMBERS: observed over expected squared difference; null where nothing differs. */
  readonly ratio: number | null;
}

/**
 * Krippendorff's alpha of everybody's answers (agreement/krippendorff.ts), from what is kept.
 * @returns null where no task has two answers
 */
export function alphaOfReading(all: Reading): number | null {
  return all.form === 'CLASSES' ? alphaOf(coincidencesOf(all), all.scale) : alphaOfPart(all, all);
}

/** How the pairs of one expert with their peers, or of two experts, agree by the chance of all: {@link alphaAgainst}. */
export function alphaOfPart(part: Reading, all: Reading): number | null {
  switch (part.form) {
    case 'CLASSES':
      return alphaAgainst(coincidencesOf(part), coincidencesOf(all), all.scale);
    case 'VALUES': {
      const agreed = agreedOf(part);
      return agreed === null ? null : (all.expected ?? 0) > 0 ? 1 - (1 - agreed) / (all.expected ?? 1) : 1;
    }
    case 'NUMBERS':
      return part.ratio === null ? 1 : 1 - part.ratio;
  }
}

/** The share of pairs that say the same, each weighted as in alpha; null where values are numbers, or without pairs. */
export function agreedOf({ form, cells }: Reading): number | null {
  if (form === 'NUMBERS') {
    return null;
  }
  const weigh = (of: Reading['cells']) => of.reduce((sum, [size, , , pairs]) => sum + pairs / (size - 1), 0);
  const all = weigh(cells);
  return all === 0 ? null : weigh(cells.filter(([, said, heard]) => said === heard)) / all;
}

/** On a scale with an order values are numbers; kept as text, they come back to the last bit. */
function coincidencesOf({ scale, cells }: Reading): Coincidence[] {
  const readValue = scale === 'NOMINAL' ? (text: string) => text : Number;
  return cells.map(([size, said, heard, pairs]) => ({
    size,
    one: readValue(said),
    other: readValue(heard),
    pairs,
  }));
}
