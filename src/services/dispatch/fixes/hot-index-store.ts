import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RedisConnection } from '../../platform/redis.js';
import { RedisUnavailableError } from '../../platform/redis-errors.js';
import { HotIndexUnavailableError } from './errors.js';
import { type Fix, GONE_MS, regionOf } from './fix.js';
import type { Applied, HotIndexParts, LastFix } from './hot-index.js';
import { APPLY, BUILDING, BUILT, COUNTS, LAST, NEARBY, PLACE, SWEEP } from './hot-index-scripts.js';

export interface SharedHotIndexParts extends HotIndexParts {
  readonly redis: RedisConnection;
  readonly log: Logger;
  /** How long whoever asks waits for an index that is being built (default 1 s). */
  readonly waitMs?: number;
}

/** Fixes of one script call: it holds up everybody else by some two milliseconds. */
const BATCH_MAX = 500;
const BUCKET_MS = 30_000;
const WAIT_MS = 1_000;
const LOOK_AGAIN_MS = 20;

/** Workers as Redis has them, and whether those are all that were looked for. */
export interface Stored {
  readonly fixes: readonly LastFix[];
  readonly isAll: boolean;
}

/** What is stored in Redis, and how it is built again: see hot-index-scripts.ts. */
export type HotIndexStore = ReturnType<typeof createHotIndexStore>;

/** Connects nothing: scripts are sent with their first use. */
export function createHotIndexStore({ redis, nowMs, latest, log, waitMs = WAIT_MS }: SharedHotIndexParts) {
  const scripts = scriptsOf(redis);
  const heardOf = new Set<bigint>();
  const key = (tenantId: bigint, ...rest: string[]) => redis.key(`fixes/${tenantId}`, ...rest);
  const regionsOf = (tenantId: bigint) => `${key(tenantId, 'near')}:`;
  const newToken = tokens();

  async function applyBatch(tenantId: bigint, fixes: readonly Fix[], token: string) {
    const now = nowMs();
    const args = [regionsOf(tenantId), String(now - (now % BUCKET_MS)), token];
    for (const fix of fixes) {
      const [lng, lat] = [fix.lng.toFixed(6), fix.lat.toFixed(6)];
      args.push(String(fix.expertId), textOf(fix, lat, lng), lng, lat);
    }
    const answer = await scripts.apply([key(tenantId, 'last'), key(tenantId, 'seen')], args);
    return answer as [newer: number, older: number, isLost: number];
  }

  async function apply(tenantId: bigint, fixes: readonly Fix[]): Promise<Applied> {
    heardOf.add(tenantId);
    let [newer, older] = [0, 0];
    for (let at = 0; at < fixes.length; at += BATCH_MAX) {
      const token = newToken();
      const answer = await applyBatch(tenantId, fixes.slice(at, at + BATCH_MAX), token);
      newer += answer[0];
      older += answer[1];
      if (answer[2] === 1) {
        void rebuild(tenantId, token);
      }
    }
    return { newer, older };
  }

  /**
   * From what PostgreSQL has; the fixes that come meanwhile are newer, and win. Then everybody is put into their region again,
   * for of what is there these may have been lost alone. Ends early where all of it has been lost again: whoever found that
   * begins anew.
   */
  async function build(tenantId: bigint, token: string): Promise<boolean> {
    const last = [key(tenantId, 'last')];
    const isMine = async () => (await scripts.building(last, [token])) === 1;
    const fixes = await latest(tenantId);
    for (let at = 0; at < fixes.length; at += BATCH_MAX) {
      await apply(tenantId, fixes.slice(at, at + BATCH_MAX));
      if (!(await isMine())) {
        return false;
      }
    }
    const regions = new Set<string>();
    for (let cursor = ''; cursor !== '0'; ) {
      const answer = await scripts.place(last, [regionsOf(tenantId), cursor === '' ? '0' : cursor]);
      const [next, ...some] = answer as string[];
      cursor = next ?? '0';
      for (const region of some) {
        regions.add(region);
      }
      if (!(await isMine())) {
        return false;
      }
    }
    return (await scripts.built(last, [regionsOf(tenantId), token, ...regions])) === 1;
  }

  async function rebuild(tenantId: bigint, token: string): Promise<void> {
    try {
      const isWhole = await build(tenantId, token);
      log.info({ tenantId: String(tenantId), isWhole }, 'fixes.index_built');
    } catch (error) {
      log.warn({ err: error, tenantId: String(tenantId) }, 'fixes.index_not_built');
    }
  }

  /**
   * What a script answers about workers of the whole index. One that was lost is built first; for one that somebody else builds it
   * waits, for what is there of it looks like the whole and is not.
   * @throws HotIndexUnavailableError where it takes too long
   */
  async function read(tenantId: bigint, ask: (token: string) => Promise<unknown>): Promise<Stored> {
    heardOf.add(tenantId);
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const token = newToken();
      const answer = (await ask(token)) as string[];
      if (answer[0] === 'WHOLE') {
        return { fixes: fixesOf(answer, nowMs()), isAll: answer[1] === '1' };
      }
      if (performance.now() >= untilMs) {
        throw new HotIndexUnavailableError('BUILDING');
      }
      await (answer[0] === 'MINE' ? rebuild(tenantId, token) : delay(LOOK_AGAIN_MS));
    }
  }

  return { scripts, heardOf, key, regionsOf, apply, read };
}

/** A build is told from every other, of this process and of others. */
function tokens(): () => string {
  const prefix = randomUUID();
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}/${count}`;
  };
}

function scriptsOf(redis: RedisConnection) {
  return {
    apply: asked(redis.script('fixesApply', APPLY)),
    building: asked(redis.script('fixesBuilding', BUILDING)),
    place: asked(redis.script('fixesPlace', PLACE)),
    built: asked(redis.script('fixesBuilt', BUILT)),
    nearby: asked(redis.script('fixesNearby', NEARBY)),
    last: asked(redis.script('fixesLast', LAST)),
    sweep: asked(redis.script('fixesSweep', SWEEP)),
    counts: asked(redis.script('fixesCounts', COUNTS)),
  };
}

type Script = ReturnType<RedisConnection['script']>;

/** Says in our words that Redis did not do it, and why. */
const asked =
  (script: Script): ((keys: readonly string[], args: readonly string[]) => Promise<unknown>) =>
  async (keys, args) => {
    try {
      return await script(keys, args);
    } catch (error) {
      throw error instanceof RedisUnavailableError ? new HotIndexUnavailableError(error.fault) : error;
    }
  };

/** Places have six decimals: eleven centimetres. */
const textOf = ({ deviceMs, receivedMs, cell }: Fix, lat: string, lng: string): string =>
  `${deviceMs}${receivedMs}${regionOf(cell)}${lat}|${lng}#${cell}`;

/** Of an answer of workers, each before its value, those who are not gone. */
function fixesOf(answer: readonly string[], nowMs: number): LastFix[] {
  const all: LastFix[] = [];
  for (let at = 2; at + 1 < answer.length; at += 2) {
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
