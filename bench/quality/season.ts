import { nextGoldClass } from '../../src/services/quality/gold/balance.js';
import { isProbationOver } from '../../src/services/quality/gold/probation.js';
import { drawGold, goldRate } from '../../src/services/quality/gold/rate.js';
import { NOT_PAUSED, type PauseState, stepPause } from '../../src/services/quality/pausing/pause.js';
import { PRIOR_STRENGTH } from '../../src/services/quality/scores/estimate.js';
import { addFact, NO_SCORE, type ScoreState } from '../../src/services/quality/scores/score.js';
import type { TimedGold } from '../../src/services/quality/watch/gold-time.js';
import { type Random, randomOf } from '../../test/soak/random.js';
import {
  Answering,
  CLASSES,
  makeFleet,
  makeTask,
  type SimulatedExpert,
  type SimulatedTask,
} from './fleet.js';

/** One expert's season: what the service would know of them. */
export interface Career {
  readonly expert: SimulatedExpert;
  score: ScoreState;
  pause: PauseState;
  tasksSinceMiss: number | null;
  readonly gold: TimedGold[];
  readonly ordinarySeconds: number[];
  readonly seen: Set<string>;
}

export interface OrdinaryAnswer {
  readonly item: string;
  readonly expert: string;
  readonly label: string;
}

export interface Season {
  readonly careers: readonly Career[];
  readonly ordinary: readonly OrdinaryAnswer[];
  readonly gold: readonly SimulatedTask[];
}

const GOLD = 400;
const LEAKED_SHARE = 0.7;
const ANSWERS_PER_TASK = 5;

/** Lets a fleet answer so many tasks of five answers, with gold sprinkled into its claims and pauses as they come. */
export function playSeason(seed: number, tasks: number): Season {
  const random = randomOf(seed);
  const gold = Array.from({ length: GOLD }, (_, n) => makeTask(random, `gold ${n}`, n < GOLD * LEAKED_SHARE));
  const careers = makeFleet(random).map(begin);
  const answering = new Answering(random);
  const ordinary: OrdinaryAnswer[] = [];
  for (let n = 0; n < tasks; n++) {
    const task = makeTask(random, `task ${n}`, false);
    for (const career of someOf(working(careers), random)) {
      giveGold(career, { gold, answering, random, atMs: n });
      const { label, seconds } = answering.answer(career.expert, task);
      career.ordinarySeconds.push(seconds);
      career.tasksSinceMiss = career.tasksSinceMiss === null ? null : career.tasksSinceMiss + 1;
      ordinary.push({ item: task.id, expert: career.expert.id, label });
    }
  }
  return { careers, ordinary, gold };
}

function begin(expert: SimulatedExpert): Career {
  return {
    expert,
    score: NO_SCORE,
    pause: NOT_PAUSED,
    tasksSinceMiss: null,
    gold: [],
    ordinarySeconds: [],
    seen: new Set(),
  };
}

const working = (careers: readonly Career[]) => careers.filter(({ pause }) => pause.phase !== 'PAUSED');

function someOf(careers: readonly Career[], random: Random): Set<Career> {
  const some = new Set<Career>();
  while (some.size < Math.min(ANSWERS_PER_TASK, careers.length)) {
    some.add(careers[Math.floor(random() * careers.length)] as Career);
  }
  return some;
}

interface Moment {
  readonly gold: readonly SimulatedTask[];
  readonly answering: Answering;
  readonly random: Random;
  readonly atMs: number;
}

const PRIOR = { mean: 0.8, strength: PRIOR_STRENGTH };
const BAR = 0.7;

/** Draws whether the claim is gold, and if so grades the answer. */
function giveGold(career: Career, { gold, answering, random, atMs }: Moment): void {
  const rate = goldRate({
    standing: isProbationOver(career.score, PRIOR, BAR) ? 'ACTIVE' : 'PROBATION',
    seen: career.score.seen,
    recent: career.score.recent,
    tasksSinceMiss: career.tasksSinceMiss,
    tasksSinceAbsence: null,
    tasksSinceInstructions: null,
  });
  if (!drawGold(rate, random()).isGold) {
    return;
  }
  const task = chooseGold(career, gold, random);
  if (task === null) {
    return;
  }
  career.seen.add(task.id);
  const { label, seconds } = answering.answer(career.expert, task);
  const credit = label === task.truth ? 1 : 0;
  career.gold.push({ gold: task.id, credit, seconds });
  career.tasksSinceMiss = credit === 1 ? career.tasksSinceMiss : 0;
  const outcomes = [{ dimension: '', truth: task.truth, answer: label }];
  career.score = addFact(career.score, {
    id: task.id,
    source: 'GOLD',
    atMs,
    credit,
    weight: 1,
    outcomes,
    dimensions: [],
  });
  career.pause = stepPause(career.pause, { kind: 'RESULT', id: task.id, credit, atMs }).state;
}

function chooseGold(career: Career, gold: readonly SimulatedTask[], random: Random): SimulatedTask | null {
  const unseen = gold.filter(({ id }) => !career.seen.has(id));
  const classes = CLASSES.map((label) => ({
    label,
    shown: gold.filter(({ id, truth }) => truth === label && career.seen.has(id)).length,
    available: unseen.filter(({ truth }) => truth === label).length,
  }));
  const label = nextGoldClass(classes, random());
  const ofClass = unseen.filter(({ truth }) => truth === label);
  return ofClass[Math.floor(random() * ofClass.length)] ?? null;
}
