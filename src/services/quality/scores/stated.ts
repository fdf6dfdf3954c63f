import type { Queryable } from '../../platform/rows.js';
import { PAIRS_MAX } from '../confidence/calibration.js';
import type { Stated } from '../confidence/platt.js';
import type { StatedGrading } from '../confidence/skills.js';
import { statedOnGold } from './facts-of.js';
import { type Pair, statedGradings } from './keep.sql.js';

/** Answers that are read at first: what a calibration takes, and one that may be cut. */
const AT_FIRST = PAIRS_MAX + 1;

/** What an expert stated with their latest answers on gold, as many as a calibration takes, oldest first: of all skills, and each skill's gradings. */
export interface LatestStated {
  readonly pairs: readonly Stated[];
  readonly gradings: readonly StatedGrading[];
}

/**
 * What an expert stated, and whether they were right. An answer has a grading for each of its dimensions: where those of so many answers
 * are more, as many again are read.
 * @param until none graded after this instant; null: up to now
 */
export async function latestStated(tx: Queryable, pair: Pair, until: Date | null): Promise<LatestStated> {
  for (let limit = AT_FIRST; ; limit *= 2) {
    const gradings = await statedGradings(tx, pair, { until, limit });
    if (skillsOf(gradings).every((of) => statedOnGold(of).length > PAIRS_MAX || of.length < limit)) {
      return { pairs: statedOnGold(gradings).slice(-PAIRS_MAX), gradings };
    }
  }
}

const skillsOf = (gradings: readonly StatedGrading[]) =>
  [...new Set(gradings.map(({ skillId }) => skillId))].map((skillId) =>
    gradings.filter((grading) => grading.skillId === skillId),
  );
