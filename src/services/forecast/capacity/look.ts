import { isFew } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import { type History, NO_HISTORY } from '../history/history.js';
import type { Paced } from '../pace.js';
import type { Sample } from '../sample.js';
import { ratiosOf } from './calibrate.js';
import { type Classes, classesOf } from './classes.js';
import { figuresOf } from './figures.js';
import type { Left } from './left.js';
import type { Work } from './one-future.js';
import { outlookInTurns, type Prepared, prepareInTurns } from './outlook.js';
import type { ExpertSupply } from './presence.js';
import type { Worker } from './supply.js';
import type { Barred, StoredWork } from './supply.sql.js';
import type { WorkOutlook } from './tell.js';

/** What is otherwise than it is. */
export interface Change {
  /** Experts more, who can do these batches. */
  readonly experts: readonly { readonly seconds: ArrayLike<number> }[];
  /** The share of the tasks that is left, 0 to 1. */
  readonly keep: number;
  readonly deadline: Date | null;
}

/** What is known of a tenant. */
export interface Known {
  readonly stored: readonly StoredWork[];
  readonly workers: readonly Worker[];
  readonly histories: ReadonlyMap<bigint, History>;
  readonly rest?: readonly Paced[] | undefined;
  readonly change?: Change | undefined;
  /** Ends it where nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
  /** What was drawn lately of the same people for the same classes, which the key names; else what is drawn now. */
  drawn(key: string, draw: () => Promise<Prepared>): Promise<Prepared>;
  /** By batch how many of its open tasks each expert may not do any more. */
  barred(batchIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Barred>>;
}

/** What is foreseen of some work, in terms of skills. */
export interface SkillOutlook extends WorkOutlook {
  readonly skillId: bigint;
  /** Of the experts of its own work. */
  readonly hoursAWeek: number;
}

/** What is foreseen of a batch: of its tasks, and of decisions where their answers disagree; null where there are none. */
export interface BatchOutlook {
  readonly own: SkillOutlook;
  readonly adjudication: SkillOutlook | null;
}

const HOURS_A_WEEK = 168;

/** Looks ahead by the hours of experts. None where it is not known when anybody works. */
export async function outlooksOf(
  demands: readonly Demand[],
  known: Known & { readonly lefts: ReadonlyMap<bigint, Left> },
): Promise<Map<bigint, BatchOutlook>> {
  const { workers } = known;
  if (!workers.some(({ seconds }) => seconds.length >= HOURS_A_WEEK && seconds.some((one) => one > 0))) {
    return new Map();
  }
  const rows = rowsOf(demands, known);
  const classes = classesOf(
    rows,
    workers.map(({ person }) => person),
  );
  const experts = workers.map(
    ({ person, seconds }): ExpertSupply => ({ seconds, classes: classes.ableOf(person) }),
  );
  const asked = new Map(demands.map((demand) => [demand.batchId, demand]));
  const able = ableCounts(experts);
  const answered = await answeredOf(rows, { classes, experts, asked, able, ...known });
  const works = rows.map((row) =>
    workFrom(row, {
      workClass: classes.of(row),
      ratios: asked.has(row.batchId)
        ? ratiosFor(row, { able: able.get(classes.of(row)) ?? 0, ...known })
        : null,
      answered: answered.get(idOf(row)),
    }),
  );
  const now = rows[0]?.now ?? demands[0]?.now ?? new Date(0);
  const world = { now, works, skills: Array.from({ length: classes.count }, (_, of) => classes.skillOf(of)) };
  const prepared = await preparedFor(world, { experts, classes, rows, asked, able, ...known });
  const only = new Set(works.flatMap(({ id }) => (asked.has(batchOf(id)) ? [id] : [])));
  const told = await outlookInTurns({ ...world, experts: [] }, { only, prepared }, known.signal);
  const skillOf = new Map(rows.map((row) => [idOf(row), row.skillId]));
  return byBatch(
    told.map((one) => ({
      ...one,
      skillId: skillOf.get(one.id) ?? 0n,
      hoursAWeek: ownWeek(prepared, one),
    })),
  );
}

/** What is left of a batch's tasks, or of its adjudications; of what is asked about in answers too. */
type Row = StoredWork & Partial<Pick<Left, 'answers' | 'answersEach' | 'goldShare'>>;

/** Of a batch its tasks go by its id, its adjudications by less than nought. */
const idOf = ({ batchId, kind }: StoredWork): bigint => (kind === 'WORK' ? batchId : -batchId);
const batchOf = (id: bigint): bigint => (id < 0n ? -id : id);

/** All work there is; of what is asked about as it is now, or would be. */
function rowsOf(
  demands: readonly Demand[],
  { stored, lefts }: Known & { readonly lefts: ReadonlyMap<bigint, Left> },
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

interface Asked extends Known {
  readonly classes: Classes;
  readonly experts: readonly ExpertSupply[];
  readonly asked: ReadonlyMap<bigint, Demand>;
  /** How many experts may do each class. */
  readonly able: ReadonlyMap<number, number>;
}

/** Of more tasks nobody has answered so many that it decides. */
const LOOKED_THROUGH = 5_000;

/**
 * How many of the open tasks of a piece of work (of those that would be left) each expert may not do any more, by place; of work that has
 * few experts for what its tasks want.
 */
async function answeredOf(
  rows: readonly Row[],
  { classes, able, asked, workers, barred, change }: Asked,
): Promise<Map<bigint, Map<number, number>>> {
  const few = rows.filter((row) => {
    const count = able.get(classes.of(row)) ?? 0;
    const isTold = (asked.get(row.batchId)?.answers ?? 0) > 0;
    return isTold && row.items <= LOOKED_THROUGH && (count <= FEW || 2 * row.redundancy > count);
  });
  if (few.length === 0) {
    return new Map();
  }
  const places = new Map(workers.map(({ person }, place) => [person.expertId, place]));
  const found = await barred([...new Set(few.map(({ batchId }) => batchId))]);
  return new Map(
    few.map((row) => [
      idOf(row),
      new Map(
        [...barredFrom(row, { of: found.get(row.batchId), demand: asked.get(row.batchId) })].flatMap(
          ([expertId, count]) => {
            const place = places.get(expertId);
            return place === undefined ? [] : [[place, count * (change?.keep ?? 1)] as const];
          },
        ),
      ),
    ]),
  );
}

/** Of adjudications that are still to come whoever answers tasks of the batch will be barred from as large a share as of those that are begun. */
function barredFrom(
  { kind, items }: Row,
  { of, demand }: { of: Barred | undefined; demand: Demand | undefined },
): ReadonlyMap<bigint, number> {
  if (of === undefined || kind === 'WORK') {
    return of?.work ?? new Map();
  }
  const open = (demand?.tally ?? []).filter(([, state]) => state === 'OPEN');
  const count = (some: typeof open) => some.reduce((sum, [, , , , tasks]) => sum + tasks, 0);
  const begun = count(open.filter(([one, , , counted]) => one === 'WORK' && counted > 0));
  const coming = Math.max(0, items - count(open.filter(([one]) => one === 'ADJUDICATION')));
  return new Map(
    [...new Set([...of.adjudication.keys(), ...of.work.keys()])].map((expertId) => [
      expertId,
      (of.adjudication.get(expertId) ?? 0) +
        coming * Math.min(1, (of.work.get(expertId) ?? 0) / Math.max(1, begun)),
    ]),
  );
}

/** Classes of no more experts are looked at one by one (./futures.ts). */
const FEW = 12;

function ableCounts(experts: readonly ExpertSupply[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { classes } of experts) {
    for (const of of classes) {
      counts.set(of, (counts.get(of) ?? 0) + 1);
    }
  }
  return counts;
}

const ratiosFor = (
  { batchId }: StoredWork,
  { histories, able }: Pick<Known, 'histories'> & { able: number },
): Sample => ratiosOf(histories.get(batchId) ?? NO_HISTORY, { isFew: isFew(able) });

/** What experts may have; kept for others as long as it is drawn of what there is, and not of what somebody asks would be. */
function preparedFor(
  world: { now: Date; works: readonly Work[]; skills: readonly bigint[] },
  { experts, classes, rows, asked, change, drawn, stored, signal }: Asked & { rows: readonly StoredWork[] },
): Promise<Prepared> {
  const wanted = rows.filter(({ batchId }) => asked.has(batchId)).map((row) => classes.of(row));
  const more = (change?.experts ?? []).map(
    ({ seconds }): ExpertSupply => ({ seconds, classes: [...new Set(wanted)], isPromised: true }),
  );
  if (more.length > 0) {
    return prepareInTurns({ ...world, experts: [...experts, ...more] }, {}, signal);
  }
  const ids = new Set(rows.map(idOf));
  const asStored = stored
    .filter((row) => ids.has(idOf(row)))
    .map((row) => workFrom(row, { workClass: classes.of(row), ratios: null }));
  return drawn(classes.key, () => prepareInTurns({ ...world, works: asStored, experts }));
}

const ownWeek = ({ futures }: Prepared, { work }: WorkOutlook): number =>
  figuresOf(futures, { classes: new Set([work.workClass]), until: HOURS_A_WEEK }).hoursAWeek;

function workFrom(
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

/** Experts of whom no week is known say nothing; that there are none says much. */
const isTelling = ({ knownWeeks, ownExperts }: SkillOutlook): boolean => knownWeeks > 0 || ownExperts === 0;

function byBatch(told: readonly SkillOutlook[]): Map<bigint, BatchOutlook> {
  const telling = told.filter(isTelling);
  const adjudications = new Map(telling.filter(({ id }) => id < 0n).map((one) => [-one.id, one]));
  return new Map(
    telling
      .filter(({ id }) => id > 0n)
      .map((own) => [own.id, { own, adjudication: adjudications.get(own.id) ?? null }]),
  );
}
