import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { Queryable } from '../../platform/rows.js';
import { calibrateConfidence } from '../confidence/calibration.js';
import { type OnFailure, succeeds } from '../failures.js';
import { clearFailure } from '../failures.sql.js';
import { applyEffect } from '../pausing/effects.sql.js';
import { evidenceOf, type Result } from '../pausing/pause.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { checkpointOf } from '../scores/checkpoints.sql.js';
import { estimate } from '../scores/estimate.js';
import { type GradedAnswer, gradedAnswers } from '../scores/facts-of.js';
import { checkpointAt, lastGrading } from '../scores/fold.js';
import {
  beliefOf,
  gradingsAfter,
  lockExpert,
  type Pair,
  priorOfSkill,
  statedGradings,
} from '../scores/keep.sql.js';
import { addFact, lastResults, NO_SCORE, type ScoreState } from '../scores/score.js';
import { latestStated } from '../scores/stated.js';
import { figuresOf, priorOf } from '../scores/vouched.js';
import * as sql from './show.sql.js';
import { ANSWERS_BETWEEN, rounded, showingDays } from './spacing.js';

/**
 * Shows experts what became of their figures up to days that are over, wherever so many answers lie behind the last state that
 * they were shown; at most `limit` pairs of expert and skill, a transaction each. A pair whose look throws is left for later. Any
 * number of nodes may do it.
 * @returns how many were looked at or left
 */
export async function showDays(
  db: Database,
  limit: number,
  onFailure: OnFailure = () => undefined,
): Promise<number> {
  for (let looked = 0; looked < limit; looked++) {
    if (!(await showNext(db, onFailure))) {
      return looked;
    }
  }
  return limit;
}

async function showNext(db: Database, onFailure: OnFailure): Promise<boolean> {
  let taken: Pair | null = null;
  const show = () =>
    retrying(() =>
      withSystem(db, async (tx) => {
        taken = await sql.hiddenPair(tx);
        await (taken === null ? null : showPair(tx, taken));
      }),
    );
  const subject = () => (taken === null ? null : subjectOf(taken));
  const isDone = await succeeds(db, show, { subject, onFailure });
  return !isDone || taken !== null;
}

const subjectOf = ({ tenantId, expertId: subjectId, skillId }: Pair) =>
  ({ job: 'showing', tenantId, subjectId, skillId }) as const;

async function showPair(tx: Queryable, pair: Pair): Promise<void> {
  await lockExpert(tx, pair);
  const mark = await sql.takeLook(tx, pair);
  if (mark !== null) {
    await (pair.skillId === 0n ? showCalibration(tx, pair, mark) : showScore(tx, pair, mark));
    await clearFailure(tx, subjectOf(pair));
  }
}

async function showScore(tx: Queryable, pair: Pair, mark: sql.Mark): Promise<void> {
  const shown = showingDays(await sql.answerDays(tx, pair, mark));
  const last = shown.at(-1);
  if (last === undefined) {
    return;
  }
  const known = await knownSince(tx, pair, shown[0]?.until ?? last.until);
  for (const { until } of shown) {
    await showStateAt(tx, pair, { known, asOf: until });
  }
  const hidden = known.answers.some(({ fact }) => fact.atMs > last.until.getTime());
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
  await showStateAt(tx, pair, { known: await knownSince(tx, pair, asOf), asOf });
  await sql.moveMark(tx, pair, { asOf, afterAssignment, hidden: false });
}

/** Results that are folded, and all that follow. */
interface Known {
  readonly before: ScoreState;
  readonly answers: readonly GradedAnswer[];
}

/** Gradings that are read at once. */
const GRADINGS_A_PAGE = 2_000;

/** An expert's results in a skill, those before an instant folded as far as the checkpoint has them, or a page can take them in. */
async function knownSince(tx: Queryable, pair: Pair, since: Date): Promise<Known> {
  const { gradingId, folded } = await checkpointOf(tx, pair);
  const isPast = (folded.skill.lastAtMs ?? 0) <= since.getTime();
  let { before, after } = isPast
    ? { before: folded.skill, after: gradingId }
    : { before: NO_SCORE, after: 0n };
  for (let limit = GRADINGS_A_PAGE; ; ) {
    const gradings = await gradingsAfter(tx, pair, { after, limit });
    const answers = gradedAnswers(gradings);
    if (gradings.length < limit) {
      return { before, answers };
    }
    const taken = answers.slice(0, checkpointAt(answers));
    if (taken.length > 0 && taken.every(({ fact }) => fact.atMs <= since.getTime())) {
      before = taken.reduce((score, { fact }) => addFact(score, fact), before);
      after = lastGrading(taken);
    } else {
      limit *= 2;
    }
  }
}

async function showStateAt(
  tx: Queryable,
  pair: Pair,
  { known, asOf }: { known: Known; asOf: Date },
): Promise<void> {
  const answers = known.answers.filter(({ fact }) => fact.atMs <= asOf.getTime());
  const state = answers.reduce((score, { fact }) => addFact(score, fact), known.before);
  const belief = await beliefOf(tx, pair);
  if (belief === null || (state.seen === 0 && !(await sql.wasShown(tx, pair)))) {
    return;
  }
  const vouched =
    belief.vouchedMean === null ? null : { mean: belief.vouchedMean, lower: belief.vouchedLower ?? 0 };
  const prior = priorOf(vouched, await priorOfSkill(tx, pair));
  const { mean, lower, upper } = state.seen === 0 ? figuresOf(vouched) : estimate(state, prior);
  const { right, of, probabilityBelow } = evidenceOf(looked(state), PAUSE_POLICY);
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

/** The results that a standing looks at, which the score keeps as they came, checkpoint or not; nobody asks which they were. */
const looked = (state: ScoreState): Result[] =>
  lastResults(state)
    .slice(-PAUSE_POLICY.window)
    .map((result) => ({ id: '', ...result }));

/** Only what is right on gold is told, and how many: what was stated is of all answers since the last state shown. */
async function showCalibration(tx: Queryable, pair: Pair, mark: sql.Mark): Promise<void> {
  const days = await sql.answerDays(tx, pair, mark);
  const last = showingDays(days).at(-1);
  if (last === undefined) {
    return;
  }
  const { pairs } = await latestStated(tx, pair, last.until);
  if (pairs.length > 0) {
    const { pairs: count, actual, use } = calibrateConfidence(pairs);
    const until = days.filter((day) => day.until <= last.until);
    const answers = until.reduce((sum, day) => sum + day.answers, 0);
    const stated = until.reduce((sum, day) => sum + day.stated, 0) / answers;
    const error = rounded(Math.abs(stated - actual));
    const told = { pairs: count, stated: rounded(stated), actual: rounded(actual), error, use };
    await sql.showCalibration(tx, pair, { asOf: last.until, ...told });
  }
  const latest = (await statedGradings(tx, pair, { until: null, limit: 1 })).at(-1);
  const hidden = latest !== undefined && latest.gradedAt > last.until;
  await sql.moveMark(tx, pair, { asOf: last.until, afterAssignment: last.lastAssignment, hidden });
}
