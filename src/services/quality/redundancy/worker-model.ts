import { accuracyOfAnswer, type ConfidenceMap, isUsable } from '../confidence/calibration.js';
import { confusionMatrix } from '../scores/confusion.js';
import { dimensionAccuracy } from '../scores/dimensions.js';
import type { Prior } from '../scores/estimate.js';
import type { ScoreState } from '../scores/score.js';
import type { WorkerModel } from './posterior.js';

/** An expert, as the answers of one nominal dimension are to be weighed. */
export interface WeighedExpert {
  /** Without the facts of the item judged (`foldScore` of the others), if it has any: nothing may vouch for itself. */
  readonly score: ScoreState;
  readonly prior: Prior;
  readonly dimension: string;
  readonly labels: readonly string[];
  /** Of the dimension, or the skill. */
  readonly calibration: ConfidenceMap | null;
}

/**
 * How an expert's answer is weighed: where the stated confidence is usable by their accuracy moved by how much surer than usual
 * they are, else by their matrix where there is enough gold for one, else by their accuracy in the dimension, shrunk to that of
 * their answers and that to the skill. `app.task_votes` weighs the same way.
 */
export function workerModel(expert: WeighedExpert, stated: number | null = null): WorkerModel {
  const { score, prior, labels, dimension, calibration } = expert;
  const accuracy = dimensionAccuracy(score, prior, dimension);
  if (isUsable(calibration, stated)) {
    return { accuracy: accuracyOfAnswer(accuracy, calibration, stated), confusion: null };
  }
  const known = score.confusions.find((state) => state.dimension === dimension);
  return { accuracy, confusion: confusionMatrix(known, { labels, accuracy }) };
}
