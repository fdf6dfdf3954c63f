import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { Queryable } from '../../platform/rows.js';
import type { Dimension } from '../../tasks/task-types.js';
import { calibrateConfidence } from '../confidence/calibration.js';
import { letWait } from '../pausing/effects.js';
import { keepStanding } from '../pausing/keep.js';
import { beginRetests } from '../pausing/standings.sql.js';
import { noteHidden } from '../showing/show.sql.js';
import { confusionMatrix } from './confusion.js';
import { estimate, type Prior, skillPrior, typePrior } from './estimate.js';
import { type GradedAnswer, type Grading, gradedAnswers, statedOnGold } from './facts-of.js';
import * as sql from './keep.sql.js';
import { keepNewcomer } from './newcomers.js';
import { noteNewcomers } from './newcomers.sql.js';
import { foldScore, NO_SCORE, type ScoreState } from './score.js';
import { priorOf } from './vouched.js';

/** Re-tests that one round begins. */
const RETESTS_A_ROUND = 100;
/** Newcomers that one round makes due for their first door. */
const NEWCOMERS_A_ROUND = 100;

/**
 * Folds what is due, at most `limit` pairs of expert and skill, a transaction each: scores, the figures that claims are
 * filtered by, calibration, standing, and how newcomers are taken. Folds run from the first fact, so that what was taken back needs no care.
 * @returns how many pairs were folded; fewer than `limit` means that nothing more was due
 */
export async function keepScores(db: Database, limit: number): Promise<number> {
  await withSystem(db, async (tx) => {
    await beginRetests(tx, RETESTS_A_ROUND);
    await noteNewcomers(tx, NEWCOMERS_A_ROUND);
  });
  for (let folded = 0; folded < limit; folded++) {
    if (!(await retrying(() => withSystem(db, foldNext)))) {
      return folded;
    }
  }
  return limit;
}

async function foldNext(tx: Queryable): Promise<boolean> {
  const pair = await sql.takeDue(tx);
  if (pair === null) {
    return false;
  }
  await sql.lockExpert(tx, pair);
  const belief = await sql.beliefOf(tx, pair);
  if (belief === null) {
    return true;
  }
  const gradings = await sql.gradingsOf(tx, pair);
  const answers = gradedAnswers(gradings.filter(({ skillId }) => skillId === pair.skillId));
  const vouched =
    belief.vouchedMean === null ? null : { mean: belief.vouchedMean, lower: belief.vouchedLower ?? 0 };
  const skill = priorOf(vouched, await keepPrior(tx, pair));
  await keepTypes(tx, pair, { answers, skill });
  if (answers.length > 0) {
    const state = foldOf(answers);
    await sql.saveQuality(tx, pair, { seen: state.seen, estimate: estimate(state, skill) });
    await noteHidden(tx, pair);
  }
  await keepCalibration(tx, pair, gradings);
  const standing = await keepStanding(tx, pair, answers);
  await keepNewcomer(tx, pair, { answers, prior: skill, standing });
  await letWait(tx, pair, standing);
  return true;
}

/** The skill's prior: what is kept of the others in it. */
async function keepPrior(tx: Queryable, pair: sql.Pair): Promise<Prior> {
  const states = await sql.statesOfSkill(tx, pair);
  const others = states.filter(({ expertId }) => expertId !== pair.expertId);
  const prior = skillPrior(others.map((counts) => ({ ...NO_SCORE, ...counts })));
  await sql.savePrior(tx, pair, prior);
  return prior;
}

async function keepTypes(
  tx: Queryable,
  pair: sql.Pair,
  { answers, skill }: { answers: readonly GradedAnswer[]; skill: Prior },
): Promise<void> {
  const types = [...new Set(answers.map(({ taskTypeId }) => taskTypeId))];
  const states = types.map((type) => foldOf(answers.filter(({ taskTypeId }) => taskTypeId === type)));
  const declared = await sql.dimensionsOf(tx, pair.tenantId, types);
  for (const [index, taskTypeId] of types.entries()) {
    const state = states[index] ?? NO_SCORE;
    const others = sumOf(states.filter((_, other) => other !== index));
    const score = estimate(state, types.length > 1 ? typePrior(skill, others) : skill);
    const dimensions = declared.find(({ id }) => id === taskTypeId)?.dimensions ?? '[]';
    const matrices = matricesOf(state, JSON.parse(dimensions), score.mean);
    await sql.saveScore(tx, pair, { taskTypeId, state, estimate: score, matrices });
  }
  await sql.dropScores(tx, pair, types);
}

const foldOf = (answers: readonly GradedAnswer[]) => foldScore(answers.map(({ fact }) => fact));

const sumOf = (states: readonly ScoreState[]) => ({
  right: states.reduce((sum, { right }) => sum + right, 0),
  wrong: states.reduce((sum, { wrong }) => sum + wrong, 0),
});

/** P(answer | truth) by dimension, of those nominal dimensions whose classes are declared and met often enough. */
function matricesOf(
  state: ScoreState,
  dimensions: readonly Dimension[],
  accuracy: number,
): Record<string, Record<string, Record<string, number>>> {
  const found: Record<string, Record<string, Record<string, number>>> = {};
  for (const { name, scale, values } of dimensions) {
    const labels = scale === 'nominal' ? (values ?? []).map(String) : [];
    const known = state.confusions.find(({ dimension }) => dimension === name);
    const rows = confusionMatrix(known, { labels, accuracy });
    if (rows !== null) {
      found[name] = byLabels(labels, (truth) => byLabels(labels, (answer) => rows[truth]?.[answer] ?? 0));
    }
  }
  return found;
}

const byLabels = <T>(labels: readonly string[], of: (index: number) => T): Record<string, T> =>
  Object.fromEntries(labels.map((label, index) => [label, of(index)]));

async function keepCalibration(tx: Queryable, pair: sql.Pair, gradings: readonly Grading[]): Promise<void> {
  const pairs = statedOnGold(gradings);
  if (pairs.length === 0) {
    await sql.dropCalibration(tx, pair);
    return;
  }
  await sql.saveCalibration(tx, pair, calibrateConfidence(pairs));
  await noteHidden(tx, { ...pair, skillId: 0n });
}
