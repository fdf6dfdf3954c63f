import { cellToParent } from 'h3-js';
import type { Logger } from 'pino';
import type { Database } from '../../platform/database.js';
import { pgQueryable } from '../../platform/pg-queryable.js';
import { Recent } from '../../platform/recent.js';
import * as sql from './road-memory.sql.js';

/** What is remembered of the ways between two cells. */
export interface PairMemory {
  /** Seconds a metre of the straight line: a moving mean, and the slowest of late. */
  readonly mean: number;
  readonly worst: number;
  /** No way was ever found, or none when it was last looked for: a river without a bridge. */
  readonly isBarrier: boolean;
}

/** One end to the other, by cells of resolution 8. */
export interface CellPair {
  readonly from: string;
  readonly to: string;
}

/** What the router has said of a way: seconds a metre, or null where there is none. */
export interface Experience extends CellPair {
  readonly secondsAMetre: number | null;
}

/** What is known of a pair where no router can be asked; null of what nobody has been through. */
export interface Known {
  /** The very cells. */
  readonly cells: PairMemory | null;
  /** Those around them, 1.4 km wide. */
  readonly around: PairMemory | null;
  /** The region, 26 km wide. */
  readonly region: PairMemory | null;
}

/** What a tenant's ways have been like, so that a river stays a river when the router is away. */
export interface RoadMemory {
  note(tenantId: bigint, experience: readonly Experience[]): void;
  /** In the order asked. Without the database: what this process has seen itself. */
  know(tenantId: bigint, pairs: readonly CellPair[]): Promise<readonly Known[]>;
  /** What this process remembers by itself, at once. */
  recall(tenantId: bigint, pair: CellPair): Known;
  /** Writes what is not written yet. */
  flush(): Promise<void>;
}

const AROUND_RESOLUTION = 7;
const REGION_RESOLUTION = 4;
/** Pairs that a process keeps: some 20 MB. */
const PAIRS_MAX = 100_000;
/** What was learnt and cannot be written is dropped beyond that: the next answer teaches it again. */
const UNWRITTEN_MAX = 20_000;
/** Weight of the latest answer in the mean, and what a worst one keeps when a better one comes. */
const LATEST_WEIGHT = 0.2;
const WORST_KEPT = 0.99;

/** Remembers in this process at once, in PostgreSQL when it is flushed. */
export function createRoadMemory({ db, log }: { db: Pick<Database, 'systemPool'>; log: Logger }): RoadMemory {
  const kept = new Recent<string, PairMemory>(PAIRS_MAX);
  let unwritten = new Map<string, sql.PairRow>();

  const recall = (tenantId: bigint, pair: CellPair): Known => {
    const [cells, around, region] = levelsOf(pair).map((level) => kept.get(keyOf(tenantId, level)) ?? null);
    return { cells: cells ?? null, around: around ?? null, region: region ?? null };
  };

  return {
    recall,
    note(tenantId, experience) {
      for (const { secondsAMetre, ...pair } of experience) {
        // Who is at the place already is there in no time: that says nothing of the way, and a mean of nothing is none.
        if (secondsAMetre !== null && !(secondsAMetre > 0 && Number.isFinite(secondsAMetre))) {
          continue;
        }
        for (const [place, level] of levelsOf(pair).entries()) {
          const key = keyOf(tenantId, level);
          const known = kept.get(key);
          // One place that cannot be reached makes nothing around it unreachable that was reached once, and no region at all.
          if (
            secondsAMetre === null &&
            (place === 2 || (place === 1 && known !== undefined && known.mean > 0))
          ) {
            continue;
          }
          const memory = kept.keep(key, learnt(known, secondsAMetre));
          if (unwritten.size < UNWRITTEN_MAX) {
            unwritten.set(key, { tenantId, ...level, ...memory });
          }
        }
      }
    },
    async know(tenantId, pairs) {
      const levels = pairs
        .flatMap(levelsOf)
        .filter((level) => kept.get(keyOf(tenantId, level)) === undefined);
      if (levels.length > 0) {
        const rows = await sql
          .pairsOf(pgQueryable(db.systemPool), tenantId, levels)
          .catch((error: unknown) => {
            log.warn({ err: error }, 'eta.memory_not_read');
            return [];
          });
        for (const { from, to, ...memory } of rows) {
          kept.keep(keyOf(tenantId, { from, to }), memory);
        }
      }
      return pairs.map((pair) => recall(tenantId, pair));
    },
    async flush() {
      const rows = [...unwritten.values()];
      unwritten = new Map();
      if (rows.length > 0) {
        await sql.keepPairs(pgQueryable(db.systemPool), rows).catch((error: unknown) => {
          for (const row of rows) {
            const key = keyOf(row.tenantId, row);
            if (!unwritten.has(key) && unwritten.size < UNWRITTEN_MAX) {
              unwritten.set(key, row);
            }
          }
          throw error;
        });
      }
    },
  };
}

/** From the finest to the coarsest. */
function levelsOf({ from, to }: CellPair): CellPair[] {
  return [
    { from, to },
    { from: cellToParent(from, AROUND_RESOLUTION), to: cellToParent(to, AROUND_RESOLUTION) },
    { from: cellToParent(from, REGION_RESOLUTION), to: cellToParent(to, REGION_RESOLUTION) },
  ];
}

const keyOf = (tenantId: bigint, { from, to }: CellPair): string => `${tenantId}/${from}/${to}`;

/** A way that was found takes a barrier away; one that is not found where there was one makes a barrier of it. */
function learnt(known: PairMemory | undefined, ratio: number | null): PairMemory {
  if (ratio === null) {
    return { mean: known?.mean ?? 0, worst: known?.worst ?? 0, isBarrier: true };
  }
  if (known === undefined || known.mean === 0) {
    return { mean: ratio, worst: ratio, isBarrier: false };
  }
  return {
    mean: known.mean + LATEST_WEIGHT * (ratio - known.mean),
    worst: Math.max(ratio, known.worst * WORST_KEPT),
    isBarrier: false,
  };
}
