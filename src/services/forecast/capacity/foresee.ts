import { createHash } from 'node:crypto';
import type { Queryable } from '../../platform/rows.js';
import { after, type Computed, computeForecast, confidenceOf, isFew, medianOf } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import { type History, NO_HISTORY } from '../history/history.js';
import { chanceWithin, keptOf } from '../quantiles.js';
import { evenly, type Sample, sampleOf } from '../sample.js';
import { isCalibrated, ratiosOf } from './calibrate.js';
import { classesOf } from './classes.js';
import { figuresOf } from './figures.js';
import { capacityOf, type SkillOutlook } from './kept.js';
import { type Left, leftOf } from './left.js';
import type { Work } from './one-future.js';
import { outlook, type Prepared, prepareInTurns, type WorkOutlook } from './outlook.js';
import type { ExpertSupply } from './presence.js';
import type { StoredCapacity } from './stored.js';
import type { Supply, Worker } from './supply.js';
import { type StoredWork, workOf } from './supply.sql.js';

/** The forecast of a batch, and what it was made of. */
export interface Foreseen extends Computed {
  readonly left: Left;
  readonly capacity: StoredCapacity | null;
  /** Seconds until it is done in each possible future, the same ones for all batches of a call; null where experts' hours are not known. */
  readonly worlds: Float64Array | null;
}

/** What is otherwise than it is. */
export interface Change {
  /** Experts more, who can do these batches. */
  readonly experts: readonly { readonly seconds: ArrayLike<number> }[];
  /** The share of the tasks that is left, 0 to 1. */
  readonly keep: number;
  readonly deadline: Date | null;
}

/** What forecasts are made from. */
export interface Sources {
  /** The system, or the service scope of the one tenant. */
  readonly db: Queryable;
  readonly supply: Supply;
  readonly histories: ReadonlyMap<bigint, History>;
}

const HOURS_A_WEEK = 168;

/**
 * Forecasts batches by the hours that experts have for them, beside all other work of their tenants, calibrated on what finished batches
 * took; where it is not known when experts work, by the finished batches or the present rate alone.
 */
export async function foresee(
  { db, supply, histories }: Sources,
  demands: readonly Demand[],
  change?: (workers: readonly Worker[]) => Change,
): Promise<Map<bigint, Foreseen>> {
  const found = new Map<bigint, Foreseen>();
  for (const [tenantId, own] of byTenant(demands)) {
    const now = own[0]?.now ?? new Date(0);
    const workers = await supply.workersOf(db, tenantId, now);
    const known = {
      stored: await workOf(db, tenantId),
      workers,
      histories,
      change: change?.(workers),
      drawn: (key: string, draw: () => Promise<Prepared>) => supply.prepared(tenantId, { key, now }, draw),
    };
    for (const [batchId, one] of await ofTenant(own, known)) {
      found.set(batchId, one);
    }
  }
  return found;
}

function byTenant(demands: readonly Demand[]): Map<bigint, Demand[]> {
  const found = new Map<bigint, Demand[]>();
  for (const demand of demands) {
    found.set(demand.tenantId, [...(found.get(demand.tenantId) ?? []), demand]);
  }
  return found;
}

interface Known {
  readonly stored: readonly StoredWork[];
  readonly workers: readonly Worker[];
  readonly histories: ReadonlyMap<bigint, History>;
  readonly change: Change | undefined;
  /** What was drawn lately, else what is drawn now. */
  drawn(key: string, draw: () => Promise<Prepared>): Promise<Prepared>;
}

async function ofTenant(demands: readonly Demand[], known: Known): Promise<Map<bigint, Foreseen>> {
  const changed = demands.map((demand) => changedBy(demand, known.change));
  const lefts = new Map(changed.map(({ demand, left }) => [demand.batchId, left]));
  const outlooks = await outlooksOf(
    changed.map(({ demand }) => demand),
    { ...known, lefts },
  );
  return new Map(
    changed.map(({ demand, left }) => {
      const history = known.histories.get(demand.batchId) ?? NO_HISTORY;
      const base = computeForecast(demand, history);
      const one = outlooks.get(demand.batchId);
      const by =
        one === undefined
          ? { ...base, capacity: null, worlds: null }
          : combined(demand, { base, one, history });
      return [demand.batchId, { ...by, left }];
    }),
  );
}

function changedBy(demand: Demand, change: Change | undefined): { demand: Demand; left: Left } {
  const left = leftOf(demand);
  if (change === undefined) {
    return { demand, left };
  }
  const { keep } = change;
  return {
    demand: {
      ...demand,
      remaining: Math.round(demand.remaining * keep),
      deadline: change.deadline ?? demand.deadline,
    },
    left: { ...left, seconds: left.seconds * keep, items: Math.round(left.items * keep) },
  };
}

/** None where it is not known when anybody works. */
async function outlooksOf(
  demands: readonly Demand[],
  { stored, workers, histories, lefts, change, drawn }: Known & { lefts: ReadonlyMap<bigint, Left> },
): Promise<Map<bigint, SkillOutlook>> {
  if (!workers.some(({ seconds }) => seconds.length >= HOURS_A_WEEK && seconds.some((one) => one > 0))) {
    return new Map();
  }
  const classes = classesOf(
    stored,
    workers.map(({ person }) => person),
  );
  const asked = new Map(demands.map((demand) => [demand.batchId, demand]));
  const works = stored.map((one) => {
    const demand = asked.get(one.batchId);
    const history = histories.get(one.batchId) ?? NO_HISTORY;
    return workFrom(
      demand === undefined ? one : { ...one, deadline: demand.deadline, ...lefts.get(one.batchId) },
      {
        workClass: classes.of(one),
        ratios: demand === undefined ? null : ratiosOf(history),
      },
    );
  });
  // What is kept for others is drawn of what there is, not of what somebody asks would be.
  const asStored = stored.map((one) => workFrom(one, { workClass: classes.of(one), ratios: null }));
  const skills = Array.from({ length: classes.count }, (_, of) => classes.skillOf(of));
  const now = stored[0]?.now ?? demands[0]?.now ?? new Date(0);
  const more = (change?.experts ?? []).map(
    ({ seconds }): ExpertSupply => ({
      seconds,
      classes: [...new Set(works.filter(({ id }) => asked.has(id)).map(({ workClass }) => workClass))],
    }),
  );
  const all = () =>
    workers.map(({ person, seconds }): ExpertSupply => ({ seconds, classes: classes.ableOf(person) }));
  const world = { now, works, skills };
  const prepared =
    more.length > 0
      ? await prepareInTurns({ ...world, experts: [...all(), ...more] })
      : await drawn(
          digestOf([classes.key, ...workers.map(({ person }) => person.expertId)].join(), all()),
          () => prepareInTurns({ ...world, works: asStored, experts: all() }),
        );
  const told = outlook({ ...world, experts: [] }, { only: new Set(asked.keys()), prepared });
  const skillOf = new Map(stored.map((one) => [one.batchId, one.skillId]));
  return new Map(
    told
      // Experts of whom no week is known say nothing; that there are none says much.
      .filter(({ knownWeeks, ownExperts }) => knownWeeks > 0 || ownExperts === 0)
      .map((one) => [
        one.id,
        { ...one, skillId: skillOf.get(one.id) ?? 0n, hoursAWeek: ownWeek(prepared, one) },
      ]),
  );
}

/** Who can do what: which experts there are in which classes. */
function digestOf(key: string, experts: readonly ExpertSupply[]): string {
  const digest = createHash('sha256').update(key);
  for (const { classes } of experts) {
    digest.update(`;${classes.join()}`);
  }
  return digest.digest('base64');
}

const ownWeek = ({ futures }: Prepared, { work }: WorkOutlook): number =>
  figuresOf(futures, { classes: new Set([work.workClass]), due: [], until: HOURS_A_WEEK }).hoursAWeek;

function workFrom(
  one: StoredWork,
  { workClass, ratios }: { workClass: number; ratios: Sample | null },
): Work {
  const {
    batchId,
    projectId,
    seconds,
    spread,
    items,
    handlingSeconds,
    leaseSeconds,
    deadline,
    now,
    openSeconds,
  } = one;
  const deadlineSeconds = deadline === null ? null : (deadline.getTime() - now.getTime()) / 1000;
  return {
    id: batchId,
    projectId,
    workClass,
    seconds,
    spread,
    items,
    handlingSeconds,
    leaseSeconds,
    deadlineSeconds,
    openSeconds,
    ratios,
  };
}

/** Nothing is certain where none of them has worked for so many weeks, though there may have been nothing to do. */
const WEEKS_QUIET = 2;
const SIZE = 199;

function combined(
  demand: Demand,
  { base, one, history }: { base: Computed; one: SkillOutlook; history: History },
): Omit<Foreseen, 'left'> {
  const hours = sampleOf(one.worlds);
  const isLearned = base.forecast.finished > 0 && base.seconds !== null;
  const sample = isLearned && !isCalibrated(history) ? both(hours, base.seconds) : hours;
  const seconds = keptOf(sample);
  const doneBy = Array.from(seconds, (of) => after(demand.now, of));
  const secondsLeft =
    demand.deadline === null ? null : (demand.deadline.getTime() - demand.now.getTime()) / 1000;
  const capacity = capacityOf(demand, one, {
    sample,
    isShort: secondsLeft !== null && (one.missingHours ?? 0) > 0,
  });
  return {
    seconds,
    worlds: one.worlds,
    capacity,
    forecast: {
      ...base.forecast,
      confidence: isDoubtful(one) ? 'LOW' : confidenceOf(base.forecast.finished),
      doneBy,
      expectedDoneAt: medianOf(doneBy),
      probabilityOnTime: secondsLeft === null ? null : chanceWithin(sample, secondsLeft),
      capacity,
    },
  };
}

const isDoubtful = ({ ownExperts, quietWeeks }: SkillOutlook): boolean =>
  isFew(ownExperts) || quietWeeks >= WEEKS_QUIET;

/** Each as likely as the other: nothing is known yet of which is right more often. */
function both(hours: Sample, learned: Sample | null): Sample {
  const equally = (sample: Sample) => Array.from(sample, (value) => ({ value, weight: 1 / sample.length }));
  return evenly([...equally(hours), ...equally(learned ?? hours)], SIZE);
}
