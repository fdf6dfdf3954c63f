import { heldQuality, trialWaitMs } from '../../src/services/quality/gold/hold.js';
import { estimate, PRIOR_STRENGTH } from '../../src/services/quality/scores/estimate.js';
import { addFact, NO_SCORE, type ScoreState } from '../../src/services/quality/scores/score.js';
import { type Random, randomOf } from '../../test/soak/random.js';

/** What becomes of experts of one accuracy at a bar that they had reached, over a season of days. */
export interface BarShares {
  /** Of all days of all experts, those without work. */
  readonly daysOut: number;
  /** Experts who were given nothing from some day to the end, a week or more. */
  readonly shutOut: number;
  /** Those by the lower bound alone, as it was before bars were held. */
  readonly shutOutByBound: number;
}

const DAYS = 120;
/** Gold that an expert meets on a day of work. */
const GOLD_A_DAY = 3;
/** Results that all were right, by which the bar was reached. */
const REACHED_BY = 40;
const WEEK = 7;
const DAY_MS = 86_400_000;
const PRIOR = { mean: 0.8, strength: PRIOR_STRENGTH };

interface Working {
  readonly bar: number;
  readonly accuracy: number;
  readonly random: Random;
  readonly isHeld: boolean;
}

/** Only days with work have results: the filter is simulated, and not the measurement alone. */
export function simulateBars(
  accuracy: number,
  bar: number,
  { experts, seed }: { experts: number; seed: number },
): BarShares {
  const random = randomOf(seed);
  const play = (isHeld: boolean) =>
    Array.from({ length: experts }, () => daysOf({ bar, accuracy, random, isHeld }));
  const held = play(true);
  const isOut = (days: readonly boolean[]) => days.slice(-WEEK).every((isGiven) => !isGiven);
  const out = held.flat().filter((isGiven) => !isGiven).length;
  return {
    daysOut: out / (experts * DAYS),
    shutOut: held.filter(isOut).length / experts,
    shutOutByBound: play(false).filter(isOut).length / experts,
  };
}

/** Which days had work. */
function daysOf({ bar, accuracy, random, isHeld }: Working): boolean[] {
  let score: ScoreState = Array.from({ length: REACHED_BY }).reduce<ScoreState>(
    (state) => withResult(state, 1),
    NO_SCORE,
  );
  let credits = score.recent.map((credit) => ({ credit }));
  let reached = estimate(score, PRIOR).lower;
  let trials: number[] = [];
  let outSince = 0;
  const given: boolean[] = [];
  for (let day = 0; day < DAYS; day++) {
    const { lower } = estimate(score, PRIOR);
    reached = isHeld ? heldQuality({ reached, lower, results: credits }) : lower;
    const recent = trials.filter((at) => day - at < 90).length;
    if (isHeld && reached < bar && day - outSince >= trialWaitMs(recent) / DAY_MS) {
      trials = [...trials, day];
      credits = [];
      reached = bar;
    }
    given.push(reached >= bar);
    if (reached < bar) {
      continue;
    }
    outSince = day + 1;
    for (let n = 0; n < GOLD_A_DAY; n++) {
      const credit = random() < accuracy ? 1 : 0;
      score = withResult(score, credit);
      credits = [...credits, { credit }].slice(-30);
    }
  }
  return given;
}

const withResult = (state: ScoreState, credit: number): ScoreState =>
  addFact(state, {
    id: String(state.seen).padStart(6, '0'),
    source: 'GOLD',
    atMs: state.seen,
    credit,
    weight: 1,
    outcomes: [],
    dimensions: [],
  });
