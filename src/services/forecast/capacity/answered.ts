import type { Demand } from '../forecast.sql.js';
import type { Able } from './able.js';
import type { Barred, OpenTasks } from './answered.sql.js';
import type { Classes } from './classes.js';
import { idOf, type Row } from './rows.js';
import type { Worker } from './supply.js';

interface Asked {
  readonly classes: Classes;
  readonly able: Able;
  readonly workers: readonly Worker[];
  readonly asked: ReadonlyMap<bigint, Demand>;
  /** The share of the tasks that is left, 0 to 1. */
  readonly keep: number;
  /** By batch how many of its open tasks each expert may not do any more. */
  barred(open: readonly OpenTasks[]): Promise<ReadonlyMap<bigint, Barred>>;
}

/** Classes of no more experts are looked at one by one (./futures.ts). */
const FEW = 12;

/**
 * How many of the open tasks of a piece of work (of those that would be left) each expert may not do any more, by place; of work that has
 * few experts for what its tasks want.
 */
export async function answeredOf(
  rows: readonly Row[],
  { classes, able, asked, workers, keep, barred }: Asked,
): Promise<Map<bigint, Map<number, number>>> {
  const few = rows.filter((row) => {
    const count = able.count(classes.of(row));
    const isTold = (asked.get(row.batchId)?.answers ?? 0) > 0;
    return isTold && (count <= FEW || 2 * row.redundancy > count);
  });
  if (few.length === 0) {
    return new Map();
  }
  const places = new Map(workers.map(({ person }, place) => [person.expertId, place]));
  const batches = [...new Set(few.map(({ batchId }) => batchId))];
  const found = await barred(
    batches.map((batchId) => ({
      batchId,
      tasks: countOf(openOf(asked.get(batchId), 'WORK')),
      adjudications: countOf(openOf(asked.get(batchId), 'ADJUDICATION')),
    })),
  );
  return new Map(
    few.map((row) => [
      idOf(row),
      new Map(
        [...barredFrom(row, { of: found.get(row.batchId), demand: asked.get(row.batchId) })].flatMap(
          ([expertId, count]) => {
            const place = places.get(expertId);
            return place === undefined ? [] : [[place, count * keep] as const];
          },
        ),
      ),
    ]),
  );
}

const openOf = (demand: Demand | undefined, of: 'WORK' | 'ADJUDICATION'): Demand['tally'] =>
  (demand?.tally ?? []).filter(([kind, state]) => kind === of && state === 'OPEN');

const countOf = (some: Demand['tally']): number => some.reduce((sum, [, , , , tasks]) => sum + tasks, 0);

/** Of adjudications that are still to come whoever answers tasks of the batch will be barred from as large a share as of those that are begun. */
function barredFrom(
  { kind, items }: Row,
  { of, demand }: { of: Barred | undefined; demand: Demand | undefined },
): ReadonlyMap<bigint, number> {
  if (of === undefined || kind === 'WORK') {
    return of?.work ?? new Map();
  }
  const begun = countOf(openOf(demand, 'WORK').filter(([, , , counted]) => counted > 0));
  const coming = Math.max(0, items - countOf(openOf(demand, 'ADJUDICATION')));
  return new Map(
    [...new Set([...of.adjudication.keys(), ...of.work.keys()])].map((expertId) => [
      expertId,
      (of.adjudication.get(expertId) ?? 0) +
        coming * Math.min(1, (of.work.get(expertId) ?? 0) / Math.max(1, begun)),
    ]),
  );
}
