import { applyPlatt, fitPlatt, IDENTITY, type PlattMap, type Stated } from '../confidence/platt.js';
import { numberConsensus, scatterOf } from '../redundancy/numbers.js';
import { type GoldAnswer, type GoldItem, goldItems } from './gold-items.js';
import { GOLD_ITEMS_MIN, GOLD_TASKS_MIN } from './project-method.js';

/** The answers of one dimension of a project that are numbers. */
export interface ProjectNumbers {
  readonly tolerance: number;
  /** How many answers a task has. */
  readonly answersAnItem: number;
  readonly gold: readonly GoldAnswer[];
}

/** What gold says of the probabilities of numbers. */
export interface NumbersChoice {
  readonly goldTasks: number;
  readonly goldItems: number;
  /** Share of items whose truth is within the tolerance of the consensus; null where there is too little gold. */
  readonly accuracy: number | null;
  /** Mean of what was stated of them, mapped. */
  readonly stated: number | null;
  /** What a probability means; null where there is too little gold. */
  readonly map: PlattMap | null;
}

/** Items as good as seen that say the model is right: as in redundancy/stopping.ts. */
const MAP_STRENGTH = 4;

/**
 * What the stated probabilities of numbers mean, on items made of gold as chooseMethod makes them. There is one method for numbers
 * (redundancy/numbers.ts), each answer by its expert's score, what the gold itself said of it taken out.
 */
export function calibrateNumbers({ tolerance, answersAnItem, gold }: ProjectNumbers): NumbersChoice {
  const known = gold.filter(({ truth, answered }) => isNumber(truth) && isNumber(answered));
  const items = goldItems(known, answersAnItem);
  const evidence = { goldTasks: new Set(known.map(({ taskId }) => taskId)).size, goldItems: items.length };
  if (evidence.goldTasks < GOLD_TASKS_MIN || evidence.goldItems < GOLD_ITEMS_MIN) {
    return { ...evidence, accuracy: null, stated: null, map: null };
  }
  const pairs = items.map((item) => pairOf(item, tolerance));
  const map = fitPlatt(pairs, { centre: IDENTITY, strength: MAP_STRENGTH });
  const shareOf = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    ...evidence,
    accuracy: shareOf(pairs.map(({ isRight }) => Number(isRight))),
    stated: shareOf(pairs.map(({ probability }) => applyPlatt(map, probability))),
    map,
  };
}

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

function pairOf({ truth, answers }: GoldItem, tolerance: number): Stated {
  const votes = answers.map((answer) => ({
    value: Number(answer.answered),
    scatter: scatterOf(answer.model.accuracy, tolerance),
  }));
  const { value, probability } = numberConsensus(votes, tolerance);
  return { probability, isRight: Math.abs(value - Number(truth)) <= tolerance * (1 + 1e-9) };
}
