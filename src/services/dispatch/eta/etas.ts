import type { Counter } from 'prom-client';
import { Recent } from '../../platform/recent.js';
import { cellOf } from '../fixes/fix.js';
import type { Eta, Etas, Origin, Place } from '../ports.js';
import { banded } from './band.js';
import { metresBetween } from './distance.js';
import type { GuardedRouter } from './guarded-router.js';
import type { Known, RoadMemory } from './road-memory.js';
import type { Way } from './router.js';
import type { Spreads } from './spreads.js';

export interface EtasParts {
  /** Null: there is none, and every way is estimated. */
  readonly router: GuardedRouter | null;
  readonly memory: RoadMemory;
  readonly spreads: Spreads;
  readonly told: Counter<'source'>;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonicMs?: () => number;
}

/** What the router said of a pair of cells is true for that long. */
const KEPT_MS = 120_000;
const KEPT_MAX = 50_000;
/**
 * Seconds a metre of the straight line where nothing is known of the region: a road 1.4 times as long at 9 m/s. Two towns in
 * mountains had 2.0 and 2.1: it is for the first trips only.
 */
const COLD_SECONDS_A_METRE = 1.4 / 9;
/** Nobody is anywhere sooner. */
const SECONDS_MIN = 30;
/** Of ways shorter than that, nothing is learnt: the last steps are not on the road. */
const LEARNT_METRES_MIN = 100;

interface Trip {
  readonly origin: Origin;
  readonly to: Place;
  readonly cells: { readonly from: string; readonly to: string };
  readonly metres: number;
}

/** How long workers take: by the router, by what it said a moment ago, or by distance and what is remembered. */
export function createEtas(parts: EtasParts): Etas {
  const ways = createWays(parts);
  return {
    async etas(tenantId, { from, to }) {
      const trips = from.map((origin) => tripOf(origin, to));
      const cached = trips.map(ways.kept);
      const missing = trips.filter((_, index) => cached[index] === undefined);
      const answers = await ways.ask(tenantId, missing);
      const unknown = missing.filter((_, index) => answers[index] === null);
      const known = await parts.memory.know(
        tenantId,
        unknown.map(({ cells }) => cells),
      );
      return trips.map((trip, index) => {
        const seconds = cached[index];
        const way = seconds === undefined ? (answers[missing.indexOf(trip)] ?? null) : { seconds };
        if (way === null) {
          return estimated(parts, { tenantId, trip, known: known[unknown.indexOf(trip)] ?? NOTHING });
        }
        const source = seconds === undefined ? 'ROUTER' : 'CACHE';
        return typeof way === 'string' ? null : byRoad(parts, { tenantId, trip, ...way, source });
      });
    },
  };
}

/** What the router says, what it said, and what is learnt of it. */
function createWays({ router, memory, spreads, monotonicMs = () => performance.now() }: EtasParts) {
  /** By cells and two-minute bucket. Roads are no tenant's secret. */
  const cache = new Recent<string, number>(KEPT_MAX);
  const keyOf = ({ cells }: Trip) => `${cells.from}/${cells.to}/${Math.floor(monotonicMs() / KEPT_MS)}`;

  function learn(tenantId: bigint, { cells, metres }: Trip, way: Way | null): void {
    if (way === null || way === 'OFF_MAP' || metres < LEARNT_METRES_MIN) {
      return;
    }
    if (way !== 'NO_ROUTE') {
      const estimate = estimateOf(metres, memory.recall(tenantId, cells));
      if (estimate !== null) {
        spreads.compare(tenantId, way.seconds / estimate.seconds);
      }
    }
    const secondsAMetre = way === 'NO_ROUTE' ? null : way.seconds / metres;
    memory.note(tenantId, [{ ...cells, secondsAMetre }]);
  }

  return {
    kept: (trip: Trip): number | undefined => cache.get(keyOf(trip)),
    async ask(tenantId: bigint, trips: readonly Trip[]): Promise<(Way | null)[]> {
      const [first] = trips;
      if (router === null || first === undefined) {
        return trips.map(() => null);
      }
      const places = trips.map(({ origin }) => origin.place);
      const ways = await router.ways(places, first.to);
      for (const [index, trip] of trips.entries()) {
        const way = ways[index] ?? null;
        if (typeof way === 'object' && way !== null) {
          cache.keep(keyOf(trip), way.seconds);
        }
        learn(tenantId, trip, way);
      }
      return trips.map((_, index) => ways[index] ?? null);
    },
  };
}

type Told = Pick<EtasParts, 'told' | 'spreads'>;

function byRoad(
  { told, spreads }: Told,
  { tenantId, trip, ...road }: { tenantId: bigint; trip: Trip; seconds: number; source: 'ROUTER' | 'CACHE' },
): Eta {
  told.inc({ source: road.source });
  const { ageSeconds } = trip.origin;
  const seconds = Math.max(SECONDS_MIN, road.seconds);
  return banded(
    { seconds, spread: spreads.of(tenantId, 'HIGH'), ageSeconds },
    { confidence: 'HIGH', source: road.source },
  );
}

function estimated(
  { told, spreads }: Told,
  { tenantId, trip, known }: { tenantId: bigint; trip: Trip; known: Known },
): Eta | null {
  told.inc({ source: 'FALLBACK' });
  const estimate = estimateOf(trip.metres, known);
  if (estimate === null) {
    return null;
  }
  const { ageSeconds } = trip.origin;
  const eta = banded(
    { seconds: estimate.seconds, spread: spreads.of(tenantId, 'LOW'), ageSeconds },
    { confidence: 'LOW', source: 'FALLBACK' },
  );
  return { ...eta, highSeconds: Math.max(eta.highSeconds, Math.ceil(estimate.worstSeconds)) };
}

const NOTHING: Known = { cells: null, around: null, region: null };

function tripOf(origin: Origin, to: Place): Trip {
  const { latitude, longitude } = origin.place;
  const cells = { from: cellOf(latitude, longitude), to: cellOf(to.latitude, to.longitude) };
  return { origin, to, cells, metres: metresBetween(origin.place, to) };
}

/**
 * By distance and what is remembered; null where there was no way. Around a pair of cells that was gone through, which side of
 * the river somebody is on is not known: the slowest way of late is taken for theirs.
 */
function estimateOf(
  metres: number,
  { cells, around, region }: Known,
): { seconds: number; worstSeconds: number } | null {
  if (cells?.isBarrier === true || (cells === null && around?.isBarrier === true)) {
    return null;
  }
  const ratio = cells?.mean ?? around?.worst ?? region?.mean ?? COLD_SECONDS_A_METRE;
  const worst = cells?.worst ?? around?.worst ?? ratio;
  const seconds = Math.max(SECONDS_MIN, metres * ratio);
  return { seconds, worstSeconds: Math.max(seconds, metres * worst) };
}
