import type { Queryable } from '../../platform/rows.js';
import { cohenKappa } from '../agreement/cohen.js';
import { contingencyOf } from '../agreement/contingency.js';
import { type ChanceCorrected, chanceCorrectedOf } from '../agreement/from-counts.js';
import { agreedOf, alphaOfPart, alphaOfReading } from '../agreement/reading.js';
import type { Scale } from '../agreement/scales.js';
import { type AgreementReading, agreementReadings } from './agreement.sql.js';

/** Bounds of one answer: dimensions of a project (a task type has at most 50) or a skill, experts and pairs of most tasks. */
const DIMENSIONS_MAX = 200;
const EXPERTS_MAX = 500;
const PAIRS_MAX = 100;

/** How everybody's answers agree in one dimension, over all finished tasks. */
export interface DimensionAgreement extends ChanceCorrected {
  readonly taskTypeId: bigint;
  readonly dimension: string;
  /** The scale that it is measured on: ordinal ones of more than 50 values, or of none declared, count as INTERVAL. */
  readonly scale: Scale;
  /** Tasks with two answers or more. */
  readonly tasks: number;
  /** Krippendorff's alpha; null where no task has two answers. */
  readonly alpha: number | null;
}

/** How an expert agrees with their peers in one dimension. */
export interface ExpertAgreement {
  readonly expertId: bigint;
  /** Their tasks that others have answered too. */
  readonly tasks: number;
  /** 1 where all peers say the same, 0 at the chance of all answers: the weighted mean over experts is the dimension's alpha. */
  readonly alpha: number | null;
  /** The share of peers' answers that say the same; null where values are numbers. */
  readonly agreed: number | null;
}

export interface SkillAgreement extends DimensionAgreement {
  readonly experts: readonly ExpertAgreement[];
}

export interface PairAgreement {
  readonly dimension: string;
  readonly one: bigint;
  readonly other: bigint;
  /** Tasks that both have answered. */
  readonly tasks: number;
  readonly alpha: number | null;
  readonly agreed: number | null;
  /** Cohen's kappa: 1 where they always agree, 0 at chance; null where values are too many to count in classes. */
  readonly kappa: number | null;
  /** kappa ± 1.96 standard errors; null where there is nothing to correct for. */
  readonly interval: readonly [number, number] | null;
  /** Fleiss' kappa of two, which is Scott's pi: chance by the values of both together; null as kappa. */
  readonly scottPi: number | null;
  /** Gwet's AC1 of the two, over the values that are declared; null as kappa. */
  readonly gwetAc1: number | null;
}

/** How the answers of a project agree, dimension by dimension. */
export async function projectAgreement(db: Queryable, projectId: bigint): Promise<DimensionAgreement[]> {
  const all = await agreementReadings(db, { projectId }, { level: 'ALL', limit: DIMENSIONS_MAX });
  return all.map(agreementOf).sort(byName);
}

/** How the answers of a skill agree over all projects, a task type and dimension each, and each expert with their peers. */
export async function skillAgreement(db: Queryable, skillId: bigint): Promise<SkillAgreement[]> {
  const all = await agreementReadings(db, { skillId }, { level: 'ALL', limit: DIMENSIONS_MAX });
  const experts = await agreementReadings(db, { skillId }, { level: 'EXPERTS', limit: EXPERTS_MAX });
  return all
    .map((one) => ({
      ...agreementOf(one),
      experts: experts
        .filter((of) => isSameDimension(of, one))
        .map((of) => ({ expertId: of.expertId, tasks: of.tasks, ...sharesOf(of, one) })),
    }))
    .sort(byName);
}

/** How far pairs of experts agree beyond chance in a project: those with the most tasks in common. */
export async function pairAgreement(db: Queryable, projectId: bigint): Promise<PairAgreement[]> {
  const all = await agreementReadings(db, { projectId }, { level: 'ALL', limit: DIMENSIONS_MAX });
  const pairs = await agreementReadings(db, { projectId }, { level: 'PAIRS', limit: PAIRS_MAX });
  return pairs.flatMap((pair) => {
    const whole = all.find((one) => isSameDimension(one, pair));
    return whole === undefined ? [] : [pairOf(pair, whole)];
  });
}

function pairOf(pair: AgreementReading, whole: AgreementReading): PairAgreement {
  const { dimension, expertId: one, peerId: other, tasks } = pair;
  const table = contingencyOf(pair.cells.map(([, said, heard, count]) => [said, heard, count]));
  const found = pair.form === 'CLASSES' ? cohenKappa(table) : null;
  const kappa = { kappa: found?.kappa ?? null, interval: found?.interval ?? null };
  const { fleissKappa: scottPi, gwetAc1 } = chanceCorrectedOf(pair, pair.classes);
  return { dimension, one, other, tasks, ...sharesOf(pair, whole), ...kappa, scottPi, gwetAc1 };
}

const agreementOf = (all: AgreementReading): DimensionAgreement => ({
  taskTypeId: all.taskTypeId,
  dimension: all.dimension,
  scale: all.scale,
  tasks: all.tasks,
  alpha: alphaOfReading(all),
  ...chanceCorrectedOf(all, all.classes),
});

const sharesOf = (part: AgreementReading, whole: AgreementReading) => ({
  alpha: alphaOfPart(part, whole),
  agreed: agreedOf(part),
});

const isSameDimension = (one: AgreementReading, other: AgreementReading): boolean =>
  one.taskTypeId === other.taskTypeId && one.dimension === other.dimension;

function byName(one: DimensionAgreement, other: DimensionAgreement): number {
  const [left, right] = [`${one.taskTypeId} ${one.dimension}`, `${other.taskTypeId} ${other.dimension}`];
  return left < right ? -1 : Number(left > right);
}
