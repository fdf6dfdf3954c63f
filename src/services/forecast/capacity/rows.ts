import type { Demand } from '../forecast.sql.js';
import type { Sample } from '../sample.js';
import type { Left } from './left.js';
import type { Work } from './one-future.js';
import type { StoredWork } from './supply.sql.js';

/** What is left of a batch's tasks, or of its adjudications; of what is asked about in answers too. */
export type Row = StoredWork & Partial<Pick<Left, 'answers' | 'answersEach' | 'goldShare'>>;

/** Of a batch its tasks go by its id, its adjudications by less than nought. */
export const idOf = ({ batchId, kind }: StoredWork): bigint => (kind === 'WORK' ? batchId : -batchId);
export const batchOf = (id: bigint): bigint => (id < 0n ? -id : id);

/** All work there is; of what is asked about as it is now, or would be. */
export function rowsOf(
  demands: readonly Demand[],
  { stored, lefts }: { stored: readonly StoredWork[]; lefts: ReadonlyMap<bigint, Left> },
): Row[] {
  const asked = new Map(demands.map((demand) => [demand.batchId, demand]));
  return stored
    .map((row): Row => {
      const [demand, left] = [asked.get(row.batchId), lefts.get(row.batchId)];
      if (demand === undefined || left === undefined) {
        return row;
      }
      const { adjudication } = left;
      const of =
        row.kind === 'WORK'
          ? left
          : { ...left, ...adjudication, answers: adjudication.items, answersEach: 1, goldShare: 0 };
      return { ...row, ...of, deadline: demand.deadline };
    })
    .filter(({ kind, seconds }) => kind === 'WORK' || seconds > 0);
}

/** As it is looked at in possible futures. */
export function workFrom(
  row: Row,
  { workClass, ratios, answered }: { workClass: number; ratios: Sample | null; answered?: Work['answered'] },
): Work {
  const { projectId, seconds, spread, items, handlingSeconds, leaseSeconds, deadline, now, openSeconds } =
    row;
  return {
    id: idOf(row),
    projectId,
    workClass,
    seconds,
    spread,
    items,
    answers: row.answers,
    answersEach: row.answersEach,
    goldShare: row.goldShare,
    redundancy: row.redundancy,
    handlingSeconds,
    leaseSeconds,
    deadlineSeconds: deadline === null ? null : (deadline.getTime() - now.getTime()) / 1000,
    openSeconds,
    ratios,
    answered,
  };
}
