import { gridDisk } from 'h3-js';
import { metresBetween } from '../eta/distance.js';
import { METRES_MAX } from '../ports.js';
import { cellOf, FRESH_MS, GONE_MS, regionOf } from './fix.js';
import { type HotIndex, nearest, placeOf, radii, seenOf } from './hot-index.js';
import { createHotIndexStore, type HotIndexStore, type SharedHotIndexParts } from './hot-index-store.js';

/** The times of silence are moved on once in thirty seconds. */
const SILENT_MS = FRESH_MS + 30_000;
/** Steps of a sweep, of a thousand workers each: the end of a shift of a whole city. */
const SWEEPS_MAX = 100;

/** The index of all nodes together. */
export function createSharedHotIndex(parts: SharedHotIndexParts): HotIndex {
  const { nowMs } = parts;
  const store = createHotIndexStore(parts);
  const { scripts, key, heardOf } = store;
  return {
    apply: store.apply,
    async nearby(tenantId, { place, metres, limit, atMost }) {
      const { latitude, longitude } = place;
      const regions = gridDisk(regionOf(cellOf(latitude, longitude)), 1);
      const keys = [key(tenantId, 'last'), ...regions.map((region) => store.regionsOf(tenantId) + region)];
      const args = [longitude, latitude, nowMs() - FRESH_MS, limit, atMost, ...radii(metres)].map(String);
      const { fixes, isAll } = await store.read(tenantId, (token) => scripts.nearby(keys, [token, ...args]));
      const found = fixes.map((fix) => ({ fix, metres: metresBetween(place, placeOf(fix)) }));
      const near = nearest(found, { limit, atMost }, nowMs());
      return { ...near, isAll: near.isAll && isAll && metres <= METRES_MAX };
    },
    async lastSeen(tenantId, expertIds) {
      if (expertIds.length === 0) {
        return [];
      }
      const keys = [key(tenantId, 'last')];
      const ids = expertIds.map(String);
      const { fixes } = await store.read(tenantId, (token) => scripts.last(keys, [token, ...ids]));
      return fixes.map((fix) => seenOf(fix, nowMs()));
    },
    async sweep() {
      let gone = 0;
      for (const tenantId of heardOf) {
        gone += await sweepAll(store, tenantId, nowMs() - GONE_MS);
      }
      return gone;
    },
    async counts() {
      const silentSince = String(nowMs() - SILENT_MS);
      const count = (tenantId: bigint) => scripts.counts([key(tenantId, 'seen')], [silentSince]);
      const all = (await Promise.all([...heardOf].map(count))) as [workers: number, silent: number][];
      return {
        workers: all.reduce((sum, [workers]) => sum + workers, 0),
        silent: all.reduce((sum, [, silent]) => sum + silent, 0),
      };
    },
  };
}

async function sweepAll(
  { scripts, key, regionsOf }: HotIndexStore,
  tenantId: bigint,
  goneMs: number,
): Promise<number> {
  const keys = [key(tenantId, 'last'), key(tenantId, 'seen')];
  let gone = 0;
  for (let step = 0; step < SWEEPS_MAX; step++) {
    const answer = await scripts.sweep(keys, [regionsOf(tenantId), String(goneMs)]);
    const [some, isMore] = answer as [gone: number, isMore: number];
    gone += some;
    if (isMore === 0) {
      break;
    }
  }
  return gone;
}
