import type { Dimension } from '../../tasks/task-types.js';
import { accuracyOfAnswer, type ConfidenceMap } from '../confidence/calibration.js';
import type { WorkerModel } from '../redundancy/posterior.js';
import { workerModel } from '../redundancy/worker-model.js';
import { PRIOR_STRENGTH, type Prior } from '../scores/estimate.js';
import { withoutResult } from '../scores/left-out.js';
import { NO_SCORE, type ScoreState } from '../scores/score.js';
import { byScore } from './frozen.js';
import type { expertRecords, goldAnswers } from './gold-answers.sql.js';
import type { GoldAnswer } from './gold-items.js';
import { labelsOf } from './labels.js';

export type KeptRecord = Awaited<ReturnType<typeof expertRecords>>[number];
export type KeptAnswer = Awaited<ReturnType<typeof goldAnswers>>[number];

/** Of somebody of whom nothing is kept, as in app.task_votes. */
const UNKNOWN = 0.8;

/**
 * Answers on gold, each with what it weighs in app.task_votes while scores weigh: its expert's score in the dimension over all projects of
 * the task type, discounted and shrunk, their matrix, what they stated with it. What the gold itself said of the answer is taken out.
 */
export function weighed(
  answers: readonly KeptAnswer[],
  { dimension, records }: { dimension: Dimension; records: readonly KeptRecord[] },
): GoldAnswer[] {
  const labels = labelsOf(dimension);
  const known = new Map(records.map((record) => [record.expertId, recordOf(record, dimension.name)]));
  const scale = { name: dimension.name, labels, isOrdered: dimension.scale === 'ordinal' };
  return answers.map((answer) => ({
    taskId: answer.taskId,
    expertId: answer.expertId,
    truth: answer.truth,
    answered: answer.answered,
    isRight: answer.isRight,
    isWork: answer.isWork,
    model: modelOf(answer, { ...scale, record: known.get(answer.expertId) ?? NOBODY }),
  }));
}

interface Known {
  /** Null: no result is folded. */
  readonly score: ScoreState | null;
  readonly prior: Prior;
  /** What is taken of them where there is no score. */
  readonly accuracy: number;
  readonly calibration: ConfidenceMap | null;
}

const NOBODY: Known = {
  score: null,
  prior: { mean: UNKNOWN, strength: PRIOR_STRENGTH },
  accuracy: UNKNOWN,
  calibration: null,
};

function recordOf(
  { state, priorMean, priorStrength, qualityMean, calibrations }: KeptRecord,
  dimension: string,
): Known {
  const mapOf = (name: string) => calibrations.find((one) => one.dimension === name);
  return {
    score: state === null ? null : { ...NO_SCORE, ...(JSON.parse(state) as Partial<ScoreState>) },
    prior: { mean: priorMean ?? UNKNOWN, strength: priorStrength ?? PRIOR_STRENGTH },
    accuracy: qualityMean ?? UNKNOWN,
    calibration: mapOf(dimension) ?? mapOf('') ?? null,
  };
}

interface Of {
  readonly name: string;
  readonly labels: readonly string[];
  readonly isOrdered: boolean;
  readonly record: Known;
}

function modelOf(answer: KeptAnswer, { name, labels, isOrdered, record }: Of): WorkerModel {
  const { score, prior, accuracy, calibration } = record;
  if (score === null) {
    return byScore(accuracyOfAnswer(accuracy, calibration, answer.stated), labels.length, isOrdered);
  }
  const left = answer.later === null ? score : withoutResult(score, { ...answer, later: answer.later });
  // Matrices are of nominal classes only.
  const expert = { score: left, prior, dimension: name, labels: isOrdered ? [] : labels, calibration };
  const model = workerModel(expert, answer.stated);
  return model.confusion === null ? byScore(model.accuracy, labels.length, isOrdered) : model;
}
