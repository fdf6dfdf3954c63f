import { type Prior, probabilityBelow } from '../scores/estimate.js';
import type { ScoreState } from '../scores/score.js';

/** Results a newcomer needs: five to eight are usual, and eight are what a re-test asks too. */
const RESULTS_MIN = 8;

/**
 * Whether a newcomer is on probation no longer: eight results, and more likely above the bar than below it. Who is not
 * stays on probation until they are, or until results pause them.
 */
export function isProbationOver(score: ScoreState, prior: Prior, bar: number): boolean {
  return score.seen >= RESULTS_MIN && probabilityBelow(score, bar, prior) < 0.5;
}
