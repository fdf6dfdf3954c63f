import { cellToParent, gridDiskDistances } from 'h3-js';
import { metresBetween } from '../eta/distance.js';
import { type Around, METRES_MAX } from '../ports.js';
import { CELL_RESOLUTION, cellOf, type Fix, FRESH_MS, GONE_MS } from './fix.js';
import { type HotIndex, type HotIndexParts, isFresh, nearest, placeOf, radii, seenOf } from './hot-index.js';

/** Far circles are looked through by larger cells: 817 small ones reach 8 km. */
const COARSE_RESOLUTION = 6;
const FINE_METRES_MAX = 4_000;
/** Mean edges of cells of both resolutions, in metres (h3geo.org). */
const EDGE_METRES = { [CELL_RESOLUTION]: 531.4, [COARSE_RESOLUTION]: 3_724.5 } as const;
/**
 * A ring of cells reaches at least that part of their mean edge further: one and a half edges in its worst direction, of cells
 * that may be as small as .65 of the mean.
 */
const REACH = 0.9;

/** So many times those who are wanted at most are looked at, to find the nearest: one event loop also takes the fixes. */
const WALKED_TIMES = 10;

interface Entry {
  fix: Fix;
  coarse: string;
}

/** The workers of one tenant, by number and by cell. */
class TenantIndex {
  readonly #entries = new Map<bigint, Entry>();
  readonly #cells = new Map<string, Set<Entry>>();

  /** @returns whether it was newer */
  apply(fix: Fix): boolean {
    const entry = this.#entries.get(fix.expertId);
    if (entry === undefined) {
      this.#add({ fix, coarse: cellToParent(fix.cell, COARSE_RESOLUTION) });
      return true;
    }
    if (fix.deviceMs <= entry.fix.deviceMs) {
      return false;
    }
    if (fix.cell === entry.fix.cell) {
      entry.fix = fix;
    } else {
      this.#remove(entry);
      this.#add({ fix, coarse: cellToParent(fix.cell, COARSE_RESOLUTION) });
    }
    return true;
  }

  get(expertId: bigint): Fix | undefined {
    return this.#entries.get(expertId)?.fix;
  }

  /** Whoever may be within a circle, by cells from its middle outwards. */
  *around(place: Around['place'], metres: number): Generator<Fix> {
    const resolution = metres <= FINE_METRES_MAX ? CELL_RESOLUTION : COARSE_RESOLUTION;
    const centre = cellOf(place.latitude, place.longitude);
    const rings = Math.ceil(metres / (REACH * EDGE_METRES[resolution]));
    const middle = resolution === CELL_RESOLUTION ? centre : cellToParent(centre, COARSE_RESOLUTION);
    for (const cell of gridDiskDistances(middle, rings).flat()) {
      for (const { fix } of this.#cells.get(cell) ?? []) {
        yield fix;
      }
    }
  }

  sweep(goneMs: number): number {
    const gone = [...this.#entries.values()].filter(({ fix }) => fix.receivedMs < goneMs);
    for (const entry of gone) {
      this.#remove(entry);
    }
    return gone.length;
  }

  counts(silentMs: number): { workers: number; silent: number } {
    let silent = 0;
    for (const { fix } of this.#entries.values()) {
      silent += fix.receivedMs < silentMs ? 1 : 0;
    }
    return { workers: this.#entries.size, silent };
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.fix.expertId, entry);
    for (const cell of [entry.fix.cell, entry.coarse]) {
      const there = this.#cells.get(cell) ?? new Set();
      this.#cells.set(cell, there.add(entry));
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.fix.expertId);
    for (const cell of [entry.fix.cell, entry.coarse]) {
      const there = this.#cells.get(cell);
      there?.delete(entry);
      if (there?.size === 0) {
        this.#cells.delete(cell);
      }
    }
  }
}

const alive = (fix: Fix | undefined, now: number): fix is Fix =>
  fix !== undefined && fix.receivedMs >= now - GONE_MS;

/** Everybody in one circle, or a part of them, those in the nearest cells, where there are too many. */
function look(index: TenantIndex, { place, metres, atMost }: Around, now: number) {
  const found: { fix: Fix; metres: number }[] = [];
  let [fresh, walked] = [0, 0];
  for (const fix of index.around(place, metres)) {
    walked += 1;
    if (walked > WALKED_TIMES * atMost) {
      return { found, fresh, isCut: true };
    }
    const away = metresBetween(place, placeOf(fix));
    if (away <= metres && alive(fix, now)) {
      found.push({ fix, metres: away });
      fresh += isFresh(fix, now) ? 1 : 0;
    }
  }
  return { found, fresh, isCut: false };
}

/** The index of an installation with one node: gone with the process, and built again by the next one. */
export function createLocalHotIndex({ nowMs, latest }: HotIndexParts): HotIndex {
  const tenants = new Map<bigint, Promise<TenantIndex>>();

  async function built(tenantId: bigint): Promise<TenantIndex> {
    const index = new TenantIndex();
    for (const fix of await latest(tenantId)) {
      index.apply(fix);
    }
    return index;
  }
  const of = (tenantId: bigint): Promise<TenantIndex> => {
    const index = tenants.get(tenantId) ?? built(tenantId);
    tenants.set(tenantId, index);
    index.catch(() => tenants.delete(tenantId));
    return index;
  };
  return {
    async apply(tenantId, fixes) {
      const index = await of(tenantId);
      const newer = fixes.filter((fix) => index.apply(fix)).length;
      return { newer, older: fixes.length - newer };
    },
    async nearby(tenantId, { place, metres, limit, atMost }) {
      const index = await of(tenantId);
      const now = nowMs();
      const circles = radii(metres);
      for (const [n, radius] of circles.entries()) {
        const { found, fresh, isCut } = look(index, { place, metres: radius, limit, atMost }, now);
        const isLast = n === circles.length - 1;
        if (isLast || fresh >= limit || found.length > atMost || isCut) {
          const near = nearest(found, { limit, atMost }, now);
          return { ...near, isAll: near.isAll && isLast && !isCut && metres <= METRES_MAX };
        }
      }
      return { seen: [], isAll: false };
    },
    async lastSeen(tenantId, expertIds) {
      const index = await of(tenantId);
      const now = nowMs();
      return expertIds
        .map((expertId) => index.get(expertId))
        .filter((fix) => alive(fix, now))
        .map((fix) => seenOf(fix, now));
    },
    async sweep() {
      const all = await Promise.all(tenants.values());
      return all.reduce((sum, index) => sum + index.sweep(nowMs() - GONE_MS), 0);
    },
    async counts() {
      const all = await Promise.all(tenants.values());
      const counts = all.map((index) => index.counts(nowMs() - FRESH_MS));
      return {
        workers: counts.reduce((sum, { workers }) => sum + workers, 0),
        silent: counts.reduce((sum, { silent }) => sum + silent, 0),
      };
    },
  };
}
