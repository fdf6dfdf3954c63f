import { strict as assert } from 'node:assert';
import type { Counts } from '../scores/estimate.js';

/** A result as it speaks of an accuracy. */
export interface TrustedResult {
  /** How right it was graded, 0 to 1. */
  readonly credit: number;
  /** How often whoever graded it is right, above 0 to 1; not given: it was graded by a key. */
  readonly trust?: number | undefined;
  /** How often a wrong answer is graded right, because whoever graded it erred as the expert did; not given: as with two classes. */
  readonly chance?: number | undefined;
}

/**
 * How often a wrong answer is graded right by an adjudicator who is right in a share `trust`: their errors fall on each other class alike. Where
 * nobody knows how many classes there are it is as with two, the most that it can be: so nobody who guesses is taken for better than they are.
 */
export const chanceOf = (trust: number, classes: number | null): number =>
  (1 - trust) / Math.max(1, (classes ?? 2) - 1);

/**
 * Right and wrong of some results, for a posterior of their expert's accuracy near a bar.
 *
 * An adjudicator who is right in a share w of cases, and who with a wrong answer agrees in a share u, grades somebody of accuracy a right in
 * w a + u (1 - a) of them: of an expert who is always right one in ten would be a miss by an adjudicator of .9, and with two classes
 * one who is always wrong would be right in one of ten. So a credit c says (c - u) / (w - u) of the expert, which is their accuracy on
 * average, and counts as far as it tells: by the information that it has of an accuracy at the bar beside that of a key. Keys' results
 * are the plain sum, and what adjudicators' say beyond "always right" or "always wrong" is no more than that: it makes up for no key.
 */
export function trustedCounts(results: readonly TrustedResult[], bar: number): Counts {
  const keys = { right: 0, all: 0 };
  const audits = { right: 0, all: 0 };
  for (const { credit, trust = 1, chance = chanceOf(trust, null) } of results) {
    // The words are made where they are wanted only: they would take longer than the rest.
    if (!(trust > 0 && trust <= 1 && chance >= 0 && chance <= 1)) {
      assert.fail(`trust ${trust} is not above 0 and at most 1, or chance ${chance} not within 0 and 1`);
    }
    const tells = trust - chance;
    // Whoever is right no more often by far than chance says nothing.
    if (tells > 0.01) {
      const graded = chance + tells * bar;
      const worth = trust === 1 ? 1 : (tells * tells * bar * (1 - bar)) / (graded * (1 - graded));
      const side = trust === 1 ? keys : audits;
      side.right += (worth * (credit - chance)) / tells;
      side.all += worth;
    }
  }
  const right = keys.right + Math.min(Math.max(0, audits.right), audits.all);
  return { right, wrong: keys.all + audits.all - right };
}
