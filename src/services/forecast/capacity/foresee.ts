import type { Queryable } from '../../platform/rows.js';
import { type Computed, computeForecast } from '../forecast.js';
import type { Demand } from '../forecast.sql.js';
import { type History, NO_HISTORY } from '../history/history.js';
import { type Paced, pacesOf } from '../pace.js';
import { combined } from './combine.js';
import { jointly } from './jointly.js';
import { type Left, leftOf } from './left.js';
import { type Change, type Known, outlooksOf } from './look.js';
import type { Prepared } from './outlook.js';
import type { StoredCapacity } from './stored.js';
import type { Supply, Worker } from './supply.js';
import { barredOf, workOf } from './supply.sql.js';

/** The forecast of a batch, and what it was made of. */
export interface Foreseen extends Computed {
  readonly left: Left;
  readonly capacity: StoredCapacity | null;
  /** Seconds until it is done in each possible future, the same ones for all batches of a call; null where experts' hours are not known. */
  readonly worlds: Float64Array | null;
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
    const known = {
      stored: await workOf(db, tenantId, open),
      workers,
      histories,
      rest,
      change: change?.(workers),
      signal,
      drawn: (classes: string, draw: () => Promise<Prepared>) =>
        supply.prepared(tenantId, { key: `${version} ${classes}`, now }, draw),
      barred: (batchIds: readonly bigint[]) => barredOf(db, tenantId, batchIds),
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

/** Forecasts batches of one tenant. */
export async function ofTenant(demands: readonly Demand[], known: Known): Promise<Map<bigint, Foreseen>> {
  const changed = demands.map((demand) => changedBy(demand, known.change));
  const lefts = new Map(changed.map(({ demand, left }) => [demand.batchId, left]));
  const outlooks = await outlooksOf(
    changed.map(({ demand }) => demand),
    { ...known, lefts },
  );
  const paces = pacesOf([...changed.map(({ demand }) => demand), ...(known.rest ?? [])]);
  return withProjects(
    changed.map(({ demand, left }) => {
      const history = known.histories.get(demand.batchId) ?? NO_HISTORY;
      const base = computeForecast(demand, history, paces.get(demand.batchId));
      const one = outlooks.get(demand.batchId);
      const by =
        one === undefined
          ? { ...base, capacity: null, worlds: null }
          : combined(demand, { base, one, history });
      return { demand, ...by, left };
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
    of.map(({ worlds, demand: { deadline, now } }) => ({
      worlds,
      secondsLeft: deadline === null ? null : (deadline.getTime() - now.getTime()) / 1000,
    })),
  );
  return joint === null
    ? null
    : { batches: of.length, seconds: Array.from(joint.seconds), chance: joint.chance };
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
