import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { Queryable } from '../../platform/rows.js';
import type { Dimension } from '../../tasks/task-types.js';
import { calibrateConfidence } from '../confidence/calibration.js';
import * as confidence from '../confidence/keep.sql.js';
import { skillCalibrations } from '../confidence/skills.js';
import { type OnFailure, succeeds } from '../failures.js';
import { letWait } from '../pausing/effects.js';
import { historyOf, keepStanding } from '../pausing/keep.js';
import { beginRetests } from '../pausing/standings.sql.js';
import { noteHidden } from '../showing/show.sql.js';
import * as checkpoints from './checkpoints.sql.js';
import { confusionMatrix } from './confusion.js';
import { dimensionAccuracy } from './dimensions.js';
import * as dues from './dues.sql.js';
import { estimate, type Prior, skillPrior, typePrior } from './estimate.js';
import { type GradedAnswer, gradedAnswers } from './facts-of.js';
import { checkpointAt, type Folded, foldOn, type History, lastGrading, told } from './fold.js';
import * as sql from './keep.sql.js';
import { keepNewcomer } from './newcomers.js';
import { NO_SCORE, type ScoreState } from './score.js';
import { noteNewcomers } from './sleepers.sql.js';
import { latestStated } from './stated.js';
import { priorOf } from './vouched.js';

/** Re-tests that one round begins. */
const RETESTS_A_ROUND = 100;
/** Newcomers that one round makes due for their first door. */
const NEWCOMERS_A_ROUND = 100;

/** Experts that a skill's prior rests on: those whose results came last. Their mean is known to within some thousandths. */
const EXPERTS_OF_A_PRIOR = 500;
/** Gradings of one transaction: what is more is folded into a checkpoint first, a page a transaction. */
const GRADINGS_A_PAGE = 2_000;
/** With so many answers since the last checkpoint the next one is kept. */
const ANSWERS_SINCE_MAX = 800;

/**
 * Folds what is due, at most `limit` pairs of expert and skill, a transaction each: scores, the figures that claims are
 * filtered by, calibration, standing, and how newcomers are taken. A fold is one from the first fact: it goes on from a checkpoint of
 * its own, and begins anew where something was taken back. A pair whose fold throws is left for later.
 * @returns how many pairs were folded or left; fewer than `limit` means that nothing more was due
 */
export async function keepScores(
  db: Database,
  limit: number,
  onFailure: OnFailure = () => undefined,
): Promise<number> {
  await withSystem(db, async (tx) => {
    await beginRetests(tx, RETESTS_A_ROUND);
    await noteNewcomers(tx, NEWCOMERS_A_ROUND);
  });
  for (let folded = 0; folded < limit; folded++) {
    if (!(await foldOne(db, onFailure))) {
      return folded;
    }
  }
  return limit;
}

async function foldOne(db: Database, onFailure: OnFailure): Promise<boolean> {
  let taken: dues.DuePair | null = null;
  const fold = () =>
    retrying(() =>
      withSystem(db, async (tx) => {
        taken = await dues.takeDue(tx);
        await (taken === null ? null : foldPair(tx, taken));
      }),
    );
  const subject = () => (taken === null ? null : { ...subjectOf(taken), job: 'scores' as const });
  const isDone = await succeeds(db, fold, { subject, onFailure });
  const left = isDone ? null : (taken as dues.DuePair | null);
  if (left !== null) {
    // What else is due of it must not be passed by each look for another pair until it is tried again.
    await withSystem(db, (tx) => dues.gatherDues(tx, left));
  }
  return !isDone || taken !== null;
}

const subjectOf = ({ tenantId, expertId, skillId }: sql.Pair) => ({ tenantId, subjectId: expertId, skillId });

async function foldPair(tx: Queryable, pair: dues.DuePair): Promise<void> {
  await sql.lockExpert(tx, pair);
  const belief = await sql.beliefOf(tx, pair);
  if (belief === null) {
    return;
  }
  const from = pair.anew
    ? await checkpoints.dropCheckpoint(tx, pair)
    : await checkpoints.checkpointOf(tx, pair);
  await foldPage(tx, pair, { from, belief, limit: GRADINGS_A_PAGE });
}

interface PageStart {
  readonly from: checkpoints.Checkpoint;
  readonly belief: Belief;
  readonly limit: number;
}

async function foldPage(
  tx: Queryable,
  pair: dues.DuePair,
  { from, belief, limit }: PageStart,
): Promise<void> {
  const gradings = await sql.gradingsAfter(tx, pair, { after: from.gradingId, limit });
  const page = { from: from.folded, latest: gradedAnswers(gradings), history: await historyOf(tx, pair) };
  if (gradings.length < limit) {
    await decide(tx, pair, { ...page, belief, anew: from.anew });
    await (from.anew ? checkpoints.noteFolded(tx, pair) : null);
    const next = page.latest.length > ANSWERS_SINCE_MAX ? checkpointOf(page) : null;
    await (next && checkpoints.saveCheckpoint(tx, pair, { ...next, folded: told(next.folded), anew: false }));
    return;
  }
  const next = checkpointOf(page);
  if (next === null) {
    await foldPage(tx, pair, { from, belief, limit: 2 * limit });
    return;
  }
  await checkpoints.saveCheckpoint(tx, pair, { ...next, anew: from.anew });
  await dues.noteDue(tx, pair);
}

interface Page {
  readonly from: Folded;
  readonly latest: readonly GradedAnswer[];
  readonly history: History;
}

/** What a checkpoint takes in, and up to which grading; null: nothing can be taken in yet, where the clock went back among the answers. */
function checkpointOf({ from, latest, history }: Page): { folded: Folded; gradingId: bigint } | null {
  const taken = latest.slice(0, checkpointAt(latest));
  if (taken.length === 0) {
    return null;
  }
  const untilMs = taken.at(-1)?.fact.atMs ?? 0;
  return { folded: foldOn(from, taken, { ...history, untilMs }), gradingId: lastGrading(taken) };
}

type Belief = NonNullable<Awaited<ReturnType<typeof sql.beliefOf>>>;

async function decide(
  tx: Queryable,
  pair: sql.Pair,
  { from, latest, history, belief, anew }: Page & { belief: Belief; anew: boolean },
): Promise<void> {
  const folded = foldOn(from, latest, history);
  const vouched =
    belief.vouchedMean === null ? null : { mean: belief.vouchedMean, lower: belief.vouchedLower ?? 0 };
  const prior = priorOf(vouched, await keepPrior(tx, pair));
  await keepTypes(tx, pair, { types: folded.types, prior });
  if (folded.skill.seen > 0) {
    await sql.saveQuality(tx, pair, { seen: folded.skill.seen, estimate: estimate(folded.skill, prior) });
  }
  const rested = await sql.restFigures(tx, pair, folded.skill.seen === 0);
  if (folded.skill.seen > 0 || rested.length > 0) {
    await noteHidden(tx, pair);
  }
  await keepCalibration(tx, pair);
  const { standing: state, untold: notices, begins } = folded;
  await keepStanding(tx, pair, { state, notices, begins });
  await keepNewcomer(tx, pair, { folded, before: from.skill, latest, prior, anew });
  await letWait(tx, pair, folded.standing);
}

/** The skill's prior: what is kept of the others in it. */
async function keepPrior(tx: Queryable, pair: sql.Pair): Promise<Prior> {
  const states = await sql.statesOfSkill(tx, pair, EXPERTS_OF_A_PRIOR);
  const others = states.filter(({ expertId }) => expertId !== pair.expertId);
  const prior = skillPrior(others.map((counts) => ({ ...NO_SCORE, ...counts })));
  await sql.savePrior(tx, pair, prior);
  return prior;
}

async function keepTypes(
  tx: Queryable,
  pair: sql.Pair,
  { types, prior }: { types: Folded['types']; prior: Prior },
): Promise<void> {
  const ids = Object.keys(types).map(BigInt);
  const declared = await sql.dimensionsOf(tx, pair.tenantId, ids);
  for (const taskTypeId of ids) {
    const state = types[String(taskTypeId)] ?? NO_SCORE;
    const others = sumOf(ids.filter((id) => id !== taskTypeId).map((id) => types[String(id)] ?? NO_SCORE));
    const own = ids.length > 1 ? typePrior(prior, others) : prior;
    const dimensions = declared.find(({ id }) => id === taskTypeId)?.dimensions ?? '[]';
    const accuracies = Object.fromEntries(
      state.dimensions.map(({ dimension }) => [dimension, dimensionAccuracy(state, own, dimension)]),
    );
    const matrices = matricesOf(state, JSON.parse(dimensions), (name) => dimensionAccuracy(state, own, name));
    const kept = { taskTypeId, state, estimate: estimate(state, own), prior: own, accuracies, matrices };
    await sql.saveScore(tx, pair, kept);
  }
  await sql.dropScores(tx, pair, ids);
}

const sumOf = (states: readonly ScoreState[]) => ({
  right: states.reduce((sum, { right }) => sum + right, 0),
  wrong: states.reduce((sum, { wrong }) => sum + wrong, 0),
});

/** P(answer | truth) by dimension, of those nominal dimensions whose classes are declared and met often enough. */
function matricesOf(
  state: ScoreState,
  dimensions: readonly Dimension[],
  accuracyOf: (dimension: string) => number,
): Record<string, Record<string, Record<string, number>>> {
  const found: Record<string, Record<string, Record<string, number>>> = {};
  for (const { name, scale, values } of dimensions) {
    const labels = scale === 'nominal' ? (values ?? []).map(String) : [];
    const known = state.confusions.find(({ dimension }) => dimension === name);
    const rows = confusionMatrix(known, { labels, accuracy: accuracyOf(name) });
    if (rows !== null) {
      found[name] = byLabels(labels, (truth) => byLabels(labels, (answer) => rows[truth]?.[answer] ?? 0));
    }
  }
  return found;
}

const byLabels = <T>(labels: readonly string[], of: (index: number) => T): Record<string, T> =>
  Object.fromEntries(labels.map((label, index) => [label, of(index)]));

async function keepCalibration(tx: Queryable, pair: sql.Pair): Promise<void> {
  const { pairs, gradings } = await latestStated(tx, pair, null);
  const general = calibrateConfidence(pairs);
  await confidence.saveSkillCalibrations(tx, pair, skillCalibrations(gradings, general));
  if (pairs.length === 0) {
    await confidence.dropCalibration(tx, pair);
    return;
  }
  await confidence.saveCalibration(tx, pair, general);
  await noteHidden(tx, { ...pair, skillId: 0n });
}
