import { posterior, type Vote, type WorkerModel } from '../redundancy/posterior.js';
import { type AnswerTable, tableOf } from './answers.js';
import { type Calibration, calibrate, UNCALIBRATED } from './calibration.js';
import { choose, type Known, type Trial, tryOnGold } from './choose.js';
import { type FrozenMethod, type FrozenModel, freeze } from './frozen.js';
import { type GoldAnswer, type GoldItem, goldItems } from './gold-items.js';
import { confidences, credit, likeliest, type Posterior } from './posterior.js';

/** GOLD_BAYES: each answer by its expert's score, as it is when a task is judged. It is what holds where gold cannot tell. */
export type ClassMethod = 'GOLD_BAYES' | FrozenMethod;

/** The answers of one dimension of a project, whose classes are known. */
export interface ProjectAnswers {
  /** The classes as answers have them, in their order. */
  readonly labels: readonly string[];
  readonly isOrdered: boolean;
  /** To tasks that are no gold, an adjudication's to the task that it is about; in any order. */
  readonly work: readonly { readonly taskId: bigint; readonly expertId: bigint; readonly label: string }[];
  readonly gold: readonly GoldAnswer[];
}

/** How a method did on gold. */
export interface TrialOutcome<M extends string = ClassMethod> {
  readonly method: M;
  /** Share of items whose most probable class is right; on ordered classes by how near it is. */
  readonly accuracy: number;
  /** Mean calibrated probability of the most probable class: near `accuracy` where classes have no order. */
  readonly stated: number;
  readonly loss: number;
  readonly temper: number;
  readonly doubt: number;
}

/** What gold says of the methods. */
export interface MethodChoice {
  readonly method: ClassMethod;
  readonly reason: 'CHOSEN_ON_GOLD' | 'TOO_LITTLE_GOLD';
  readonly goldTasks: number;
  readonly goldAnswers: number;
  readonly goldItems: number;
  readonly answersAnItem: number;
  readonly answers: number;
  readonly trials: readonly TrialOutcome[];
  readonly calibration: Calibration;
  /** Of GOLD_BAYES, chosen or not. */
  readonly scoresCalibration: Calibration;
  /** Of the method; null of GOLD_BAYES: scores weigh. */
  readonly model: { readonly frozen: FrozenModel; readonly expertIds: readonly bigint[] } | null;
}

/** Fewer gold, or fewer items made of it, say nothing: the default holds, and no probability is calibrated. */
export const GOLD_TASKS_MIN = 10;
export const GOLD_ITEMS_MIN = 50;
/** A task of more answers is no longer than this for the trial. */
const ANSWERS_AN_ITEM_MAX = 10;

/** How much surer than it says a method may be made: as in infer.ts. */
const TEMPER_MAX: Record<ClassMethod, number> = {
  GOLD_BAYES: 2,
  MAJORITY: 4,
  ONE_COIN: 1,
  DAWID_SKENE: 1,
  HYBRID: 1,
  ORDINAL: 1,
};

/**
 * Which method a dimension of a project is judged by: the choice of choose.ts on items made of the project's gold, each judged
 * exactly as a task would be. Of methods that gold cannot tell apart and ties the first: GOLD_BAYES, which is tried with the very
 * weights that judge tasks, each answer's own grading taken out. The others learn from answers and never look at gold's truth; what they
 * learnt is part of the choice. Deterministic: the same answers in any order are the same choice.
 */
export function chooseMethod(given: ProjectAnswers): MethodChoice {
  const known = comparable(given);
  const items = goldItems(known.gold, known.answersAnItem);
  const evidence = {
    goldTasks: new Set(known.gold.map(({ taskId }) => taskId)).size,
    goldAnswers: known.gold.length,
    goldItems: items.length,
    answersAnItem: known.answersAnItem,
    answers: known.work.length,
  };
  if (evidence.goldTasks < GOLD_TASKS_MIN || evidence.goldItems < GOLD_ITEMS_MIN) {
    return { ...evidence, ...DEFAULT };
  }
  const { table, expertIds, truths } = tableWith(known, items);
  const frozen = freeze({ table, isOrdered: given.isOrdered, meanAccuracy: meanOn(known.gold) });
  const judged = new Map<ClassMethod, Posterior>([['GOLD_BAYES', byScores(known, items)]]);
  for (const [method, model] of frozen) {
    judged.set(method, byModel(model, { known, items, expertIds }));
  }
  const trials = [...judged].map(([method, p]) => trialOf({ method, posterior: p, truths, given: known }));
  const method = choose(trials.map(({ trial }) => trial));
  const calibrationOf = (of: ClassMethod) =>
    trials.find(({ trial }) => trial.method === of)?.trial.calibration ?? UNCALIBRATED;
  const model = method === 'GOLD_BAYES' ? undefined : frozen.get(method);
  return {
    ...evidence,
    method,
    reason: 'CHOSEN_ON_GOLD',
    trials: trials.map(({ outcome }) => outcome),
    calibration: calibrationOf(method),
    scoresCalibration: calibrationOf('GOLD_BAYES'),
    model: model === undefined ? null : { frozen: model, expertIds },
  };
}

const DEFAULT = {
  method: 'GOLD_BAYES',
  reason: 'TOO_LITTLE_GOLD',
  trials: [],
  calibration: UNCALIBRATED,
  scoresCalibration: UNCALIBRATED,
  model: null,
} as const;

interface KnownAnswers extends ProjectAnswers {
  readonly answersAnItem: number;
}

/** Without what is of no declared class, in one order whatever came first. */
function comparable(given: ProjectAnswers): KnownAnswers {
  const { labels } = given;
  const work = given.work
    .filter(({ label }) => labels.includes(label))
    .sort((a, b) => order(a.taskId, b.taskId) || order(a.expertId, b.expertId));
  const gold = given.gold.filter(
    ({ truth, answered }) => labels.includes(truth) && labels.includes(answered),
  );
  const tasks = new Set(work.map(({ taskId }) => taskId)).size;
  const answersAnItem = Math.min(
    ANSWERS_AN_ITEM_MAX,
    Math.max(1, Math.round(work.length / Math.max(1, tasks))),
  );
  return { ...given, work, gold, answersAnItem };
}

const order = (a: bigint, b: bigint) => Number(a > b) - Number(a < b);

/** All answers, each gold's as the items that were made of it; items first, so that gold's are numbered like `items`. */
function tableWith(
  { work, labels }: KnownAnswers,
  items: readonly GoldItem[],
): { table: AnswerTable; expertIds: bigint[]; truths: number[] } {
  const tasks = numbered(work.map(({ taskId }) => taskId));
  const given = [
    ...items.flatMap(({ answers }, item) =>
      answers.map(({ expertId, answered }) => ({ item, expertId, label: answered })),
    ),
    ...work.map(({ taskId, ...rest }) => ({ ...rest, item: items.length + (tasks.get(taskId) ?? 0) })),
  ];
  const experts = numbered(given.map(({ expertId }) => expertId).sort(order));
  const classes = new Map(labels.map((label, at) => [label, at]));
  const table = tableOf(
    {
      item: Int32Array.from(given, ({ item }) => item),
      worker: Int32Array.from(given, ({ expertId }) => experts.get(expertId) ?? 0),
      label: Int32Array.from(given, ({ label }) => classes.get(label) ?? 0),
    },
    { items: items.length + tasks.size, workers: experts.size, classes: labels.length },
  );
  return { table, expertIds: [...experts.keys()], truths: items.map(({ truth }) => classes.get(truth) ?? 0) };
}

function numbered(ids: readonly bigint[]): Map<bigint, number> {
  const numbers = new Map<bigint, number>();
  for (const id of ids) {
    numbers.set(id, numbers.get(id) ?? numbers.size);
  }
  return numbers;
}

/** The accuracy of all on gold, with a little of what is assumed of people (gold-bayes.ts). */
function meanOn(gold: readonly GoldAnswer[]): number {
  return (gold.filter(({ isRight }) => isRight).length + 4 * 0.8) / (gold.length + 4);
}

const byScores = ({ labels }: KnownAnswers, items: readonly GoldItem[]): Posterior =>
  judgedItems({ labels, items, prior: null, modelOf: ({ model }) => model });

function byModel(
  { prior, workers, average }: FrozenModel,
  {
    known,
    items,
    expertIds,
  }: { known: KnownAnswers; items: readonly GoldItem[]; expertIds: readonly bigint[] },
): Posterior {
  const numbers = numbered(expertIds);
  const modelOf = ({ expertId }: GoldAnswer) => workers[numbers.get(expertId) ?? -1] ?? average;
  return judgedItems({ labels: known.labels, items, prior, modelOf });
}

interface Judged {
  readonly labels: readonly string[];
  readonly items: readonly GoldItem[];
  readonly prior: readonly number[] | null;
  readonly modelOf: (answer: GoldAnswer) => WorkerModel;
}

function judgedItems({ labels, items, prior, modelOf }: Judged): Posterior {
  const before = prior ?? labels.map(() => 1 / labels.length);
  const voteOf = (answer: GoldAnswer): Vote => ({
    label: labels.indexOf(answer.answered),
    model: modelOf(answer),
  });
  return Float64Array.from(items.flatMap(({ answers }) => posterior(answers.map(voteOf), before)));
}

interface Tried {
  readonly method: ClassMethod;
  readonly posterior: Posterior;
  readonly truths: readonly number[];
  readonly given: ProjectAnswers;
}

function trialOf({ method, posterior: p, truths, given }: Tried): {
  trial: Trial<ClassMethod>;
  outcome: TrialOutcome;
} {
  const classes = given.labels.length;
  const gold: Known[] = truths.map((truth, item) => ({ item, truth }));
  const creditOf = given.isOrdered ? nearnessOfLikeliest : credit;
  const trial = tryOnGold({ method, posterior: p, classes, gold, highest: TEMPER_MAX[method], creditOf });
  const sure = confidences(calibrate(p, classes, trial.calibration), classes);
  return {
    trial,
    outcome: {
      method,
      accuracy: trial.accuracy ?? 0,
      stated: sure.reduce((sum, one) => sum + one, 0) / Math.max(1, sure.length),
      loss: trial.loss,
      ...trial.calibration,
    },
  };
}

/** How near the class that would be taken is to the truth: 1 where it is the truth, 0 at the other end of the scale. */
function nearnessOfLikeliest(p: Posterior, classes: number, { item, truth }: Known): number {
  const [taken = 0] = likeliest(p.subarray(item * classes, (item + 1) * classes), classes);
  return classes < 2 ? 1 : 1 - Math.abs(taken - truth) / (classes - 1);
}
