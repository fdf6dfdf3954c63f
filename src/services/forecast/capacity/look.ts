import { isFew } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import { type History, NO_HISTORY } from '../history/history.js';
import type { Paced } from '../pace.js';
import type { Sample } from '../sample.js';
import { type Able, ableOf } from './able.js';
import { answeredOf } from './answered.js';
import type { Barred, OpenTasks } from './answered.sql.js';
import { ratiosOf } from './calibrate.js';
import { type Classes, classesOf } from './classes.js';
import { figuresOf } from './figures.js';
import type { Left } from './left.js';
import type { Work } from './one-future.js';
import { outlookInTurns, type Prepared, prepareInTurns } from './outlook.js';
import type { ExpertSupply } from './presence.js';
import { batchOf, idOf, type Row, rowsOf, workFrom } from './rows.js';
import type { Worker } from './supply.js';
import type { StoredWork } from './supply.sql.js';
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
  barred(open: readonly OpenTasks[]): Promise<ReadonlyMap<bigint, Barred>>;
}

/** What is foreseen of some work, in terms of skills. */
export interface SkillOutlook extends WorkOutlook {
  readonly skillId: bigint;
  /** Of the experts of its own work. */
  readonly hoursAWeek: number;
  /** Of them who have not been silent for weeks, newcomers among them. */
  readonly awake: number;
}

/** What is foreseen of a batch: of its tasks (done where only decisions are left), and of decisions where their answers disagree; null where there are none. */
export interface BatchOutlook {
  readonly own: SkillOutlook;
  readonly adjudication: SkillOutlook | null;
  /** Of newcomers only: when those work who are there is not known. */
  readonly isAlone: boolean;
}

/** What is seen of some batches. */
export interface Looked {
  readonly outlooks: ReadonlyMap<bigint, BatchOutlook>;
  /** On how many experts each hangs, whether it is known when they work or not: of its tasks or its decisions the fewer. */
  readonly awake: ReadonlyMap<bigint, number>;
}

const HOURS_A_WEEK = 168;

/** Looks ahead by the hours of experts. Nothing where it is not known when anybody works, but of work that nobody can do. */
export async function outlooksOf(
  demands: readonly Demand[],
  known: Known & { readonly lefts: ReadonlyMap<bigint, Left> },
): Promise<Looked> {
  const { workers, change } = known;
  const rows = rowsOf(demands, known);
  const people = workers.map(({ person }) => person);
  const classes = classesOf(rows, people);
  const asked = new Map(demands.map((demand) => [demand.batchId, demand]));
  const own = rows.filter(({ batchId }) => asked.has(batchId));
  const more = newcomersOf(change, new Set(own.map(classes.of)));
  const there = workers.map(({ person, seconds, elsewhere }) => ({
    seconds,
    elsewhere,
    classes: classes.ableOf(person),
  }));
  const able = ableOf([...there, ...more]);
  const awake = leastOf(
    own.filter(({ seconds }) => seconds > 0),
    (row) => able.awake(classes.of(row)),
  );
  const isHopeless = own.some((row) => able.count(classes.of(row)) === 0);
  if (!able.isAnyKnown && !isHopeless && more.length === 0) {
    return { outlooks: new Map(), awake };
  }
  const alone = new Set(own.map(classes.of).filter((of) => isAlone(of, able, more)));
  const experts =
    alone.size === 0
      ? there
      : there.map((one) => ({ ...one, classes: one.classes.filter((of) => !alone.has(of)) }));
  const told = await lookedAt(rows, { ...known, classes, experts, more, asked, able });
  const isTelling = ({ knownWeeks, ownExperts }: SkillOutlook): boolean =>
    ownExperts === 0 || more.length > 0 || (able.isAnyKnown && knownWeeks > 0);
  const isAloneIn = ({ work }: SkillOutlook) => alone.has(work.workClass);
  return { outlooks: byBatch(withTasks(told.filter(isTelling), own), isAloneIn), awake };
}

function newcomersOf(change: Change | undefined, wanted: ReadonlySet<number>): ExpertSupply[] {
  return (change?.experts ?? []).map(({ seconds }) => ({ seconds, classes: [...wanted], isPromised: true }));
}

/** Of whoever can do it and is there it is not known when they work: newcomers are looked at without them. */
const isAlone = (of: number, able: Able, more: readonly ExpertSupply[]): boolean =>
  more.length > 0 && able.count(of) > 0 && !able.isKnown(of);

function leastOf(rows: readonly Row[], of: (row: Row) => number): Map<bigint, number> {
  const least = new Map<bigint, number>();
  for (const row of rows) {
    least.set(row.batchId, Math.min(of(row), least.get(row.batchId) ?? Number.POSITIVE_INFINITY));
  }
  return least;
}

interface Asked extends Known {
  readonly classes: Classes;
  readonly experts: readonly ExpertSupply[];
  /** Newcomers. */
  readonly more: readonly ExpertSupply[];
  readonly asked: ReadonlyMap<bigint, Demand>;
  readonly able: Able;
}

/** What is foreseen of what is asked about, tasks and decisions. */
async function lookedAt(rows: readonly Row[], known: Asked): Promise<SkillOutlook[]> {
  const { classes, asked, able, change, histories } = known;
  const answered = await answeredOf(rows, { ...known, keep: change?.keep ?? 1 });
  const ratiosFor = (row: Row): Sample | null =>
    asked.has(row.batchId)
      ? ratiosOf(histories.get(row.batchId) ?? NO_HISTORY, { isFew: isFew(able.awake(classes.of(row))) })
      : null;
  const works = rows.map((row) =>
    workFrom(row, {
      workClass: classes.of(row),
      ratios: ratiosFor(row),
      answered: answered.get(idOf(row)),
    }),
  );
  const now = rows[0]?.now ?? asked.values().next().value?.now ?? new Date(0);
  const world = { now, works, skills: Array.from({ length: classes.count }, (_, of) => classes.skillOf(of)) };
  const prepared = await preparedFor(world, rows, known);
  const only = new Set(works.flatMap(({ id }) => (asked.has(batchOf(id)) ? [id] : [])));
  const told = await outlookInTurns({ ...world, experts: [] }, { only, prepared }, known.signal);
  const skillOf = new Map(rows.map((row) => [idOf(row), row.skillId]));
  return told.map((one) => ({
    ...one,
    skillId: skillOf.get(one.id) ?? 0n,
    hoursAWeek: ownWeek(prepared, one),
    awake: able.awake(one.work.workClass),
  }));
}

/** What experts may have; kept for others as long as it is drawn of what there is, and not of what somebody asks would be. */
function preparedFor(
  world: { now: Date; works: readonly Work[]; skills: readonly bigint[] },
  rows: readonly Row[],
  { experts, more, classes, drawn, stored, signal }: Asked,
): Promise<Prepared> {
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

/** Of a batch of which only decisions are left its tasks as well: they are done, and nothing is short for them. */
function withTasks(told: readonly SkillOutlook[], rows: readonly Row[]): SkillOutlook[] {
  const skills = new Map(
    rows.flatMap((row) => (row.kind === 'WORK' ? [[row.batchId, row.skillId] as const] : [])),
  );
  const begun = new Set(told.map(({ id }) => id));
  const done = told.flatMap((decisions): SkillOutlook[] => {
    const { id, work, worlds, alone, missingHours } = decisions;
    const skillId = skills.get(batchOf(id));
    if (skillId === undefined || begun.has(batchOf(id))) {
      return [];
    }
    const none = new Float64Array(worlds.length);
    return [
      {
        ...decisions,
        id: batchOf(id),
        skillId,
        work: { ...work, id: batchOf(id), seconds: 0, items: 0 },
        ...{ worlds: none, rawSeconds: 0, rawSpread: 0, availableHours: 0, missingShare: 0 },
        alone: { ...alone, workHours: 0 },
        short: { hours: none, shares: none },
        missingHours: missingHours === null ? null : 0,
      },
    ];
  });
  return [...told, ...done];
}

/** Experts of whom no week is known say nothing of a batch, that there are none says much; decisions go by newcomers only where its tasks do. */
function byBatch(
  told: readonly SkillOutlook[],
  isAlone: (one: SkillOutlook) => boolean,
): Map<bigint, BatchOutlook> {
  const adjudications = new Map(told.filter(({ id }) => id < 0n).map((one) => [-one.id, one]));
  return new Map(
    told
      .filter(({ id }) => id > 0n)
      .map((own) => {
        const decisions = adjudications.get(own.id);
        const counts = decisions !== undefined && (isAlone(own) || !isAlone(decisions));
        return [own.id, { own, adjudication: counts ? decisions : null, isAlone: isAlone(own) }];
      }),
  );
}
