import { strict as assert } from 'node:assert';
import type { Counts } from '../scores/estimate.js';

/** A result as it speaks of an accuracy. */
export interface TrustedResult {
  /** How right it was graded, 0 to 1. */
  readonly credit: number;
  /** How often whoever graded it is right, above 0 to 1; not given: it was graded by a key. */
  readonly trust?: number | undefined;
}

/**
 * Right and wrong of some results, for a posterior of their expert's accuracy near a bar.
 *
 * An adjudicator who is right in a share w of cases grades somebody of accuracy a right in w a of them, since whoever errs seldom errs as
 * somebody else did: of an expert who is always right one in ten would be a miss by an adjudicator of .9. So a credit c says c / w of
 * the expert, which is their accuracy on average, and counts as far as it tells: by the information that it has of an accuracy at the
 * bar beside that of a key, w (1 - bar) / (1 - w bar). With a key's results it is the plain sum.
 */
export function trustedCounts(results: readonly TrustedResult[], bar: number): Counts {
  let right = 0;
  let all = 0;
  for (const { credit, trust = 1 } of results) {
    assert(trust > 0 && trust <= 1, `trust ${trust} is not above 0 and at most 1`);
    const worth = (trust * (1 - bar)) / (1 - trust * bar);
    right += (worth * credit) / trust;
    all += worth;
  }
  // A run of hits says more than "always right", and that is what it is taken for.
  const capped = Math.min(right, all);
  return { right: capped, wrong: all - capped };
}
