import { gridDisk } from 'h3-js';
import type { Logger } from 'pino';
import { type RedisConnection, RedisUnavailableError } from '../../platform/redis.js';
import { metresBetween } from '../eta/distance.js';
import { HotIndexUnavailableError } from './errors.js';
import { cellOf, type Fix, FRESH_MS, GONE_MS, regionOf } from './fix.js';
import { type HotIndex, type HotIndexParts, nearest, placeOf, radii, seenOf } from './hot-index.js';
import { APPLY, BUILT, COUNTS, LAST, NEARBY, SWEEP } from './hot-index-scripts.js';

export interface SharedHotIndexParts extends HotIndexParts {
  readonly redis: RedisConnection;
  readonly log: Logger;
}

/** Fixes of one script call: it holds up everybody else by some two milliseconds. */
const BATCH_MAX = 500;
const BUCKET_MS = 30_000;
/** The times of silence are moved on once in thirty seconds. */
const SILENT_MS = FRESH_MS + BUCKET_MS;

/** The index of all nodes together. */
export function createSharedHotIndex(parts: SharedHotIndexParts): HotIndex {
  const { nowMs } = parts;
  const store = createStore(parts);
  const { scripts, key } = store;
  return {
    apply: store.apply,
    async nearby(tenantId, { place, metres, limit }) {
      const { latitude, longitude } = place;
      const regions = gridDisk(regionOf(cellOf(latitude, longitude)), 1);
      const keys = store.keys(tenantId, 'last', 'built');
      keys.push(...regions.map((region) => key(tenantId, 'near', region)));
      const args = [longitude, latitude, nowMs() - FRESH_MS, limit, ...radii(metres)].map(String);
      const stored = await store.read(tenantId, () => scripts.nearby(keys, args));
      const found = stored.map((fix) => ({
        seen: seenOf(fix, nowMs()),
        metres: metresBetween(place, placeOf(fix)),
      }));
      return nearest(found, limit);
    },
    async lastSeen(tenantId, expertIds) {
      if (expertIds.length === 0) {
        return [];
      }
      const keys = store.keys(tenantId, 'last', 'built');
      const stored = await store.read(tenantId, () => scripts.last(keys, expertIds.map(String)));
      return stored.map((fix) => seenOf(fix, nowMs()));
    },
    async sweep() {
      let gone = 0;
      for (const tenantId of store.heardOf) {
        const args = [`${key(tenantId, 'near')}:`, String(nowMs() - GONE_MS)];
        gone += Number(await scripts.sweep(store.keys(tenantId, 'last', 'seen'), args));
      }
      return gone;
    },
    async counts() {
      const silentSince = String(nowMs() - SILENT_MS);
      const count = (tenantId: bigint) => scripts.counts(store.keys(tenantId, 'seen'), [silentSince]);
      const all = (await Promise.all([...store.heardOf].map(count))) as [workers: number, silent: number][];
      return {
        workers: all.reduce((sum, [workers]) => sum + workers, 0),
        silent: all.reduce((sum, [, silent]) => sum + silent, 0),
      };
    },
  };
}

function scriptsOf(redis: RedisConnection) {
  return {
    apply: asked(redis.script('fixesApply', APPLY)),
    built: asked(redis.script('fixesBuilt', BUILT)),
    nearby: asked(redis.script('fixesNearby', NEARBY)),
    last: asked(redis.script('fixesLast', LAST)),
    sweep: asked(redis.script('fixesSweep', SWEEP)),
    counts: asked(redis.script('fixesCounts', COUNTS)),
  };
}

/** What is stored, and how it is built again. */
function createStore({ redis, nowMs, latest, log }: SharedHotIndexParts) {
  const scripts = scriptsOf(redis);
  const heardOf = new Set<bigint>();
  const key = (tenantId: bigint, ...rest: string[]) => redis.key(`fixes/${tenantId}`, ...rest);
  const keys = (tenantId: bigint, ...names: string[]) => names.map((name) => key(tenantId, name));

  async function applyBatch(tenantId: bigint, fixes: readonly Fix[]) {
    const now = nowMs();
    const args = [`${key(tenantId, 'near')}:`, String(now - (now % BUCKET_MS))];
    for (const fix of fixes) {
      args.push(String(fix.expertId), textOf(fix), fix.lng.toFixed(6), fix.lat.toFixed(6));
    }
    const answer = await scripts.apply(keys(tenantId, 'last', 'seen', 'built'), args);
    return answer as [newer: number, older: number, isLost: number];
  }

  async function apply(tenantId: bigint, fixes: readonly Fix[]) {
    heardOf.add(tenantId);
    let [newer, older] = [0, 0];
    for (let at = 0; at < fixes.length; at += BATCH_MAX) {
      const answer = await applyBatch(tenantId, fixes.slice(at, at + BATCH_MAX));
      newer += answer[0];
      older += answer[1];
      if (answer[2] === 1) {
        void rebuild(tenantId);
      }
    }
    return { newer, older };
  }

  /** From what PostgreSQL has; the fixes that come meanwhile are newer, and win. */
  async function rebuild(tenantId: bigint): Promise<void> {
    try {
      const fixes = await latest(tenantId);
      await apply(tenantId, fixes);
      await scripts.built(keys(tenantId, 'built'), []);
      log.info({ tenantId: String(tenantId), workers: fixes.length }, 'fixes.index_built');
    } catch (error) {
      log.warn({ err: error, tenantId: String(tenantId) }, 'fixes.index_not_built');
    }
  }

  /** What a script answers about workers; where the index had been lost, once more after it was built. */
  async function read(tenantId: bigint, ask: () => Promise<unknown>): Promise<Stored[]> {
    heardOf.add(tenantId);
    const answer = (await ask()) as string[];
    if (answer[0] !== '1') {
      return storedOf(answer, nowMs());
    }
    await rebuild(tenantId);
    return storedOf((await ask()) as string[], nowMs());
  }

  return { scripts, heardOf, key, keys, apply, read };
}

type Script = ReturnType<RedisConnection['script']>;

/** Says it in our words where Redis is away. */
const asked =
  (script: Script): ((keys: readonly string[], args: readonly string[]) => Promise<unknown>) =>
  async (keys, args) => {
    try {
      return await script(keys, args);
    } catch (error) {
      throw error instanceof RedisUnavailableError ? new HotIndexUnavailableError() : error;
    }
  };

type Stored = Pick<Fix, 'expertId' | 'lat' | 'lng' | 'cell' | 'deviceMs' | 'receivedMs'>;

/** Six decimals are eleven centimetres. */
const textOf = ({ deviceMs, receivedMs, cell, lat, lng }: Fix): string =>
  `${deviceMs}${receivedMs}${regionOf(cell)}${lat.toFixed(6)}|${lng.toFixed(6)}#${cell}`;

/** Of an answer of workers, each before its value, those who are not gone. */
function storedOf(answer: readonly string[], nowMs: number): Stored[] {
  const all: Stored[] = [];
  for (let at = 1; at + 1 < answer.length; at += 2) {
    const value = answer[at + 1] ?? '';
    const [lat = '', lng = ''] = value.slice(41, value.indexOf('#')).split('|');
    const receivedMs = Number(value.slice(13, 26));
    if (receivedMs >= nowMs - GONE_MS) {
      all.push({
        expertId: BigInt(answer[at] ?? ''),
        lat: Number(lat),
        lng: Number(lng),
        cell: value.slice(value.indexOf('#') + 1),
        deviceMs: Number(value.slice(0, 13)),
        receivedMs,
      });
    }
  }
  return all;
}
