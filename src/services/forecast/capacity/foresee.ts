import type { Queryable } from '../../platform/rows.js';
import { type Computed, computeForecast, isFew } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import { FINISHED_MIN } from '../history/completion-model.js';
import { type History, NO_HISTORY } from '../history/history.js';
import { type Paced, pacesOf } from '../pace.js';
import { barredOf, type OpenTasks } from './answered.sql.js';
import { classesOf } from './classes.js';
import { besides, combined, learnedFor } from './combine.js';
import { type BatchFutures, jointly, storedJoint } from './jointly.js';
import { type Left, leftOf } from './left.js';
import { type BatchOutlook, type Change, type Known, outlooksOf } from './look.js';
import type { Prepared } from './outlook.js';
import type { StoredCapacity } from './stored.js';
import type { Supply, Worker } from './supply.js';
import { type StoredWork, workOf } from './supply.sql.js';

/** The forecast of a batch, and what it was made of. */
export interface Foreseen extends Computed {
  readonly left: Left;
  readonly capacity: StoredCapacity | null;
  /** Seconds until it is done in each possible future, the same ones for all batches of a call; null where experts' hours are not known. */
  readonly worlds: Float64Array | null;
  /** And what else it comes to in them. */
  readonly futures: BatchFutures | null;
}

/** What forecasts are made from. */
export interface Sources {
  /** The system, or the service scope of the one tenant. */
  readonly db: Queryable;
  readonly supply: Supply;
  readonly histories: ReadonlyMap<bigint, History>;
  /** What else tells how work goes on in the projects of batches that nobody answers: ../pace.ts. */
  readonly rest?: readonly Paced[] | undefined;
  /** Ends it where nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Forecasts batches by the hours that experts have for them, beside all other work of their tenants, calibrated on what finished batches
 * took; where it is not known when experts work, by the finished batches or the present rate alone.
 * @param change what is to be otherwise, given those who can do any of it
 * @throws CancelledError once the signal has been aborted
 */
export async function foresee(
  { db, supply, histories, rest, signal }: Sources,
  demands: readonly Demand[],
  change?: (workers: readonly Worker[]) => Change,
): Promise<Map<bigint, Foreseen>> {
  const found = new Map<bigint, Foreseen>();
  for (const [tenantId, own] of byTenant(demands)) {
    const now = own[0]?.now ?? new Date(0);
    const { workers, version } = await supply.workersOf(db, tenantId, now);
    const open = own.flatMap(({ batchId, remaining }) => (remaining > 0 ? [batchId] : []));
    const stored = await workOf(db, tenantId, open);
    const known = {
      stored,
      workers,
      histories,
      rest,
      change: change?.(whoCan(stored, { open, workers })),
      signal,
      drawn: (classes: string, draw: () => Promise<Prepared>) =>
        supply.prepared(tenantId, { key: `${version} ${classes}`, now }, draw),
      barred: (tasks: readonly OpenTasks[]) => barredOf(db, tenantId, tasks),
    };
    for (const [batchId, one] of await ofTenant(own, known)) {
      found.set(batchId, one);
    }
  }
  return found;
}

/** Who can do anything of some batches. */
function whoCan(
  stored: readonly StoredWork[],
  { open, workers }: { open: readonly bigint[]; workers: readonly Worker[] },
): Worker[] {
  const own = stored.filter(({ batchId }) => open.includes(batchId));
  const classes = classesOf(
    own,
    workers.map(({ person }) => person),
  );
  return workers.filter(({ person }) => classes.ableOf(person).length > 0);
}

function byTenant(demands: readonly Demand[]): Map<bigint, Demand[]> {
  const found = new Map<bigint, Demand[]>();
  for (const demand of demands) {
    found.set(demand.tenantId, [...(found.get(demand.tenantId) ?? []), demand]);
  }
  return found;
}

/** Forecasts batches of one tenant. */
export async function ofTenant(demands: readonly Demand[], known: Known): Promise<Map<bigint, Foreseen>> {
  const { changed, outlooks, awake } = await lookAt(demands, known);
  const before = await beforeChange(demands, known);
  const paces = pacesOf([...changed.map(({ demand }) => demand), ...(known.rest ?? [])]);
  return withProjects(
    changed.map(({ demand, left }) => {
      const history = known.histories.get(demand.batchId) ?? NO_HISTORY;
      const isOfFew = isFew(awake.get(demand.batchId));
      const base = computeForecast({ ...demand, isOfFew }, history, paces.get(demand.batchId));
      const one = outlooks.get(demand.batchId);
      if (one === undefined) {
        return { demand, ...base, capacity: null, worlds: null, futures: null, left };
      }
      if (one.isAlone) {
        return { demand, ...besides(demand, { base, one }), capacity: null, futures: null, left };
      }
      const was = before?.get(demand.batchId);
      const learned = learnedFor(
        one,
        before === null ? { base } : { base: was?.base ?? null, one: was?.one },
      );
      return { demand, ...combined(demand, { base, one, history, learned }), left };
    }),
  );
}

/** Looks at batches as they would be. */
async function lookAt(demands: readonly Demand[], known: Known) {
  const changed = demands.map((demand) => changedBy(demand, known.change));
  const lefts = new Map(changed.map(({ demand, left }) => [demand.batchId, left]));
  const looked = await outlooksOf(
    changed.map(({ demand }) => demand),
    { ...known, lefts },
  );
  return { changed, ...looked };
}

interface Before {
  /** What is learned without regard to hours. */
  readonly base: Computed;
  readonly one: BatchOutlook | undefined;
}

/**
 * The same batches with the same deadlines without experts more or tasks less, as far as something is learned of them without regard to
 * hours. Null where that is what is asked about.
 */
async function beforeChange(
  demands: readonly Demand[],
  known: Known,
): Promise<ReadonlyMap<bigint, Before> | null> {
  const { change, histories } = known;
  if (change === undefined || (change.experts.length === 0 && change.keep === 1)) {
    return null;
  }
  const taught = demands.filter(
    ({ batchId }) => (histories.get(batchId)?.finished.length ?? 0) >= FINISHED_MIN,
  );
  if (taught.length === 0) {
    return new Map();
  }
  const { changed, outlooks, awake } = await lookAt(taught, {
    ...known,
    change: { ...change, experts: [], keep: 1 },
  });
  return new Map(
    changed.map(({ demand }) => {
      const { batchId } = demand;
      const isOfFew = isFew(awake.get(batchId));
      const base = computeForecast({ ...demand, isOfFew }, histories.get(batchId));
      return [batchId, { base, one: outlooks.get(batchId) }];
    }),
  );
}

/** With each what its project's batches come to at once, where there are several. */
function withProjects(all: readonly (Foreseen & { readonly demand: Demand })[]): Map<bigint, Foreseen> {
  const byProject = new Map<bigint, (typeof all)[number][]>();
  for (const one of all.filter(({ demand }) => demand.remaining > 0)) {
    byProject.set(one.demand.projectId, [...(byProject.get(one.demand.projectId) ?? []), one]);
  }
  const joints = new Map([...byProject].map(([id, of]) => [id, of.length > 1 ? jointOf(of) : null]));
  return new Map(
    all.map(({ demand, ...one }) => {
      const joint = joints.get(demand.projectId) ?? null;
      const capacity =
        one.capacity === null || joint === null ? one.capacity : { ...one.capacity, together: joint };
      return [demand.batchId, { ...one, capacity, forecast: { ...one.forecast, capacity } }];
    }),
  );
}

function jointOf(of: readonly (Foreseen & { readonly demand: Demand })[]): StoredCapacity['together'] | null {
  const joint = jointly(
    of.map(({ worlds, futures, demand: { deadline, now } }) => ({
      worlds,
      futures,
      secondsLeft: deadline === null ? null : (deadline.getTime() - now.getTime()) / 1000,
    })),
  );
  return joint === null
    ? null
    : storedJoint(
        joint,
        of.map(({ demand }) => demand),
      );
}

/** Of what there is something stays. */
const keptOf = (count: number, keep: number): number =>
  Math.max(Math.min(1, count), Math.round(count * keep));

function changedBy(demand: Demand, change: Change | undefined): { demand: Demand; left: Left } {
  const left = leftOf(demand);
  if (change === undefined) {
    return { demand, left };
  }
  const { keep } = change;
  return {
    demand: {
      ...demand,
      remaining: keptOf(demand.remaining, keep),
      deadline: change.deadline ?? demand.deadline,
    },
    left: {
      ...left,
      seconds: left.seconds * keep,
      items: keptOf(left.items, keep),
      answers: left.answers * keep,
      adjudication: {
        seconds: left.adjudication.seconds * keep,
        items: keptOf(left.adjudication.items, keep),
      },
    },
  };
}
