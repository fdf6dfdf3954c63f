import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { Queryable } from '../../platform/rows.js';
import { calibrateConfidence } from '../confidence/calibration.js';
import { applyEffect } from '../pausing/effects.sql.js';
import { evidenceOf } from '../pausing/pause.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { estimate } from '../scores/estimate.js';
import { type Grading, gradedAnswers, resultOf, statedOnGold } from '../scores/facts-of.js';
import { beliefOf, gradingsOf, lockExpert, type Pair, priorOfSkill } from '../scores/keep.sql.js';
import { foldScore } from '../scores/score.js';
import { priorOf } from '../scores/vouched.js';
import * as sql from './show.sql.js';
import { ANSWERS_BETWEEN, rounded, showingDays } from './spacing.js';

/**
 * Shows experts what became of their figures up to days that are over, wherever so many answers lie behind the last state that
 * they were shown; at most `limit` pairs of expert and skill, a transaction each. Any number of nodes may do it.
 * @returns how many were looked at
 */
export async function showDays(db: Database, limit: number): Promise<number> {
  for (let looked = 0; looked < limit; looked++) {
    if (!(await retrying(() => withSystem(db, showNext)))) {
      return looked;
    }
  }
  return limit;
}

async function showNext(tx: Queryable): Promise<boolean> {
  const pair = await sql.hiddenPair(tx);
  if (pair === null) {
    return false;
  }
  await lockExpert(tx, pair);
  const mark = await sql.takeLook(tx, pair);
  if (mark !== null) {
    await (pair.skillId === 0n ? showCalibration(tx, pair, mark) : showScore(tx, pair, mark));
  }
  return true;
}

async function showScore(tx: Queryable, pair: Pair, mark: sql.Mark): Promise<void> {
  const shown = showingDays(await sql.answerDays(tx, pair, mark));
  const last = shown.at(-1);
  if (last === undefined) {
    return;
  }
  const gradings = await gradingsOfSkill(tx, pair);
  for (const { until } of shown) {
    await showStateAt(tx, pair, { gradings, asOf: until });
  }
  const hidden = gradings.some(({ gradedAt }) => gradedAt > last.until);
  await sql.moveMark(tx, pair, { asOf: last.until, afterAssignment: last.lastAssignment, hidden });
  // What was decided by then is in effect with the state that says why; what was decided since would be told by it.
  if (!hidden) {
    await applyEffect(tx, pair);
  }
}

/**
 * Shows an expert their state in a skill as it is now, before what was decided comes into effect, so that they see what it rests
 * on; nothing where fewer answers lie behind the last one shown. The caller holds the expert's lock.
 */
export async function showNow(tx: Queryable, pair: Pair): Promise<void> {
  const since = await sql.answersSinceShown(tx, pair, ANSWERS_BETWEEN);
  if (since === null || since.answers < ANSWERS_BETWEEN) {
    return;
  }
  const { now: asOf, lastAssignment: afterAssignment } = since;
  await showStateAt(tx, pair, { gradings: await gradingsOfSkill(tx, pair), asOf });
  await sql.moveMark(tx, pair, { asOf, afterAssignment, hidden: false });
}

const gradingsOfSkill = async (tx: Queryable, pair: Pair) =>
  (await gradingsOf(tx, pair)).filter(({ skillId }) => skillId === pair.skillId);

async function showStateAt(
  tx: Queryable,
  pair: Pair,
  { gradings, asOf }: { gradings: readonly Grading[]; asOf: Date },
): Promise<void> {
  const answers = gradedAnswers(gradings.filter(({ gradedAt }) => gradedAt <= asOf));
  const belief = await beliefOf(tx, pair);
  if (answers.length === 0 || belief === null) {
    return;
  }
  const vouched =
    belief.vouchedMean === null ? null : { mean: belief.vouchedMean, lower: belief.vouchedLower ?? 0 };
  const prior = priorOf(vouched, await priorOfSkill(tx, pair));
  const state = foldScore(answers.map(({ fact }) => fact));
  const { mean, lower, upper } = estimate(state, prior);
  const { right, of, probabilityBelow } = evidenceOf(
    answers.slice(-PAUSE_POLICY.window).map(resultOf),
    PAUSE_POLICY,
  );
  await sql.showState(tx, pair, {
    asOf,
    seen: state.seen,
    mean: rounded(mean),
    lower: rounded(lower),
    upper: rounded(upper),
    lastRight: rounded(right),
    lastOf: of,
    probabilityBelow: rounded(probabilityBelow),
  });
}

/** Only what is right on gold is told, and how many: what was stated is of all answers since the last state shown. */
async function showCalibration(tx: Queryable, pair: Pair, mark: sql.Mark): Promise<void> {
  const days = await sql.answerDays(tx, pair, mark);
  const last = showingDays(days).at(-1);
  if (last === undefined) {
    return;
  }
  const gradings = await gradingsOf(tx, pair);
  const pairs = statedOnGold(gradings.filter(({ gradedAt }) => gradedAt <= last.until));
  if (pairs.length > 0) {
    const { pairs: count, actual, use } = calibrateConfidence(pairs);
    const until = days.filter((day) => day.until <= last.until);
    const answers = until.reduce((sum, day) => sum + day.answers, 0);
    const stated = until.reduce((sum, day) => sum + day.stated, 0) / answers;
    const error = rounded(Math.abs(stated - actual));
    const told = { pairs: count, stated: rounded(stated), actual: rounded(actual), error, use };
    await sql.showCalibration(tx, pair, { asOf: last.until, ...told });
  }
  const hidden = gradings.some(({ gradedAt }) => gradedAt > last.until);
  await sql.moveMark(tx, pair, { asOf: last.until, afterAssignment: last.lastAssignment, hidden });
}
