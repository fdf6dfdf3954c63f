import { type AnswerTable, answersOfWorkers } from './answers.js';
import { calibrate } from './calibration.js';
import { choose, type Known, type Trial, tryOnGold } from './choose.js';
import { dawidSkene } from './dawid-skene.js';
import {
  calibratedModel,
  dawidSkeneModel,
  type ItemModel,
  majorityModel,
  oneCoinModel,
} from './item-model.js';
import { judgeByGold } from './judge-by-gold.js';
import { voteShares } from './majority.js';
import { oneCoin } from './one-coin.js';
import { nearness, ordinalFit, ordinalModel } from './ordinal.js';
import { credit, type Posterior } from './posterior.js';

/** In the order in which ties are broken. `hybrid` is Dawid and Skene's model with one coin for workers of few answers. */
export const METHODS = ['majority', 'goldBayes', 'oneCoin', 'dawidSkene', 'hybrid'] as const;
export type Method = (typeof METHODS)[number];

/** Where classes have an order there is one method more. */
export const ORDINAL_METHODS = [...METHODS, 'ordinal'] as const;
export type OrdinalMethod = (typeof ORDINAL_METHODS)[number];

/** What a method makes of the answers. */
export interface Judgement<M extends string = Method> {
  /** As the method states it, items of gold as if their truth were not known. */
  readonly posterior: Posterior;
  readonly trial: Trial<M>;
  /** Judges an item with an answer more, or a new one, by the workers' models as they are now; calibrated. */
  readonly model: ItemModel;
}

export interface Inference<M extends string = Method> {
  /**
   * dawidSkene and hybrid are missing where matrices would not fit into memory (MATRICES_MAX), and hybrid where every worker
   * gave enough answers for a matrix: it would say the same as dawidSkene.
   */
  readonly judgements: ReadonlyMap<M, Judgement<M>>;
  readonly chosen: M;
}

/**
 * The truth of each item of one nominal dimension by every method, and which of them to use: by how they do on `gold`, items
 * whose truth is known, and by no other truth. Only goldBayes learns from gold at all; it is tried on each gold item
 * with that item left out. Decide by `likeliest`.
 */
export function infer(table: AnswerTable, gold: readonly Known[]): Inference {
  return inferBy(METHODS, { table, gold, creditOf: credit });
}

/**
 * The same where classes have an order: with the ordinal model beside the others, and judged by how near the least costly class
 * is to the truth. Decide by `leastLoss`.
 */
export function inferOrdinal(table: AnswerTable, gold: readonly Known[]): Inference<OrdinalMethod> {
  return inferBy(ORDINAL_METHODS, { table, gold, creditOf: nearness });
}

/** The posterior of a method, calibrated on gold. */
export function calibrated({ posterior, trial, model }: Judgement<string>): Posterior {
  return calibrate(posterior, model.classes, trial.calibration);
}

interface Case {
  readonly table: AnswerTable;
  readonly gold: readonly Known[];
  readonly creditOf: typeof credit;
}

/** A method's posterior of every item, and what it keeps to judge others by. */
interface Fit {
  readonly posterior: Posterior;
  readonly model: ItemModel;
}

function inferBy<M extends OrdinalMethod>(methods: readonly M[], given: Case): Inference<M> {
  const judgements = new Map<M, Judgement<M>>();
  for (const method of methods) {
    const fit = FITS[method](given.table, given.gold);
    if (fit !== null) {
      judgements.set(method, judgementOf(method, fit, given));
    }
  }
  return { judgements, chosen: choose([...judgements.values()].map(({ trial }) => trial)) };
}

/** Three arrays of so many numbers are kept: 64 MiB each. 2,000 workers may have 64 classes, 160 workers 229. */
const MATRICES_MAX = 2 ** 23;

const FITS: Record<OrdinalMethod, (table: AnswerTable, gold: readonly Known[]) => Fit | null> = {
  majority: (table) => ({ posterior: voteShares(table), model: majorityModel(table.classes) }),
  goldBayes: judgeByGold,
  oneCoin: (table) => {
    const fit = oneCoin(table);
    return { posterior: fit.posterior, model: oneCoinModel(fit, table.classes) };
  },
  dawidSkene: (table) => matrixFit(table, 0),
  hybrid: (table) => {
    const enough = table.classes ** 2;
    return answersOfWorkers(table).some((answers) => answers > 0 && answers < enough)
      ? matrixFit(table, enough)
      : null;
  },
  ordinal: (table) => {
    const fit = ordinalFit(table);
    return { posterior: fit.posterior, model: ordinalModel(fit, table.classes) };
  },
};

function matrixFit(table: AnswerTable, matrixFrom: number): Fit | null {
  if (table.workers * table.classes ** 2 > MATRICES_MAX) {
    return null;
  }
  const fit = dawidSkene(table, { matrixFrom });
  return { posterior: fit.posterior, model: dawidSkeneModel(fit) };
}

/**
 * How much surer than it says a method may be made. Shares of votes are no probabilities: of ten votes seven are often as
 * good as certain. What goldBayes knows of workers is shrunk to their mean. The others are only ever too sure.
 */
const TEMPER_MAX: Record<OrdinalMethod, number> = {
  majority: 4,
  goldBayes: 2,
  oneCoin: 1,
  dawidSkene: 1,
  hybrid: 1,
  ordinal: 1,
};

function judgementOf<M extends OrdinalMethod>(
  method: M,
  { posterior, model }: Fit,
  { gold, creditOf }: Case,
): Judgement<M> {
  const highest = TEMPER_MAX[method];
  const trial = tryOnGold({ method, posterior, classes: model.classes, gold, highest, creditOf });
  return { posterior, trial, model: calibratedModel(model, trial.calibration) };
}
