import { type Around, type Found, METRES_MAX, type Nearby, type Place, type Seen } from '../ports.js';
import { type Fix, FRESH_MS } from './fix.js';

/**
 * Where every worker of every tenant was seen last, apart from everything that assigns: in Redis, or in this process where there
 * is none and one node only. Both keep the same rules:
 *
 *   1. Of a worker's fixes the one with the strictly newer device time stays, in whatever order they come.
 *   2. Whoever has said nothing for five minutes is gone.
 *   3. What was lost is built again from the fixes that PostgreSQL has.
 */
export interface HotIndex extends Nearby {
  /** Takes fixes of one tenant, of which several may be one worker's. @throws HotIndexUnavailableError */
  apply(tenantId: bigint, fixes: readonly Fix[]): Promise<Applied>;
  /** Takes out who is gone. @returns how many that were */
  sweep(): Promise<number>;
  /** Workers in it, of the tenants that this process has heard of, and how many of them have been silent for half a minute to a minute. */
  counts(): Promise<{ readonly workers: number; readonly silent: number }>;
}

/** What became of a batch. */
export interface Applied {
  readonly newer: number;
  /** Those that were not newer than what was there. */
  readonly older: number;
}

/** What an index is built from, and its clock. */
export interface HotIndexParts {
  readonly nowMs: () => number;
  /** The latest fixes of a tenant's workers that are not gone, where the index has lost them. */
  readonly latest: (tenantId: bigint) => Promise<readonly Fix[]>;
}

/**
 * How far to look, step by step: one large circle over a city costs sixty times what the first steps do (7.8 ms against
 * 0.14 ms at 50,000 workers).
 */
export function radii(metres: number): number[] {
  const most = Math.min(METRES_MAX, metres);
  const steps = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000].filter((step) => step < most);
  return [...steps, most];
}

/** A fix as far as it says where somebody was seen. */
export type LastFix = Pick<Fix, 'expertId' | 'lat' | 'lng' | 'cell' | 'deviceMs' | 'receivedMs'>;

/** As it is told of a fix. */
export function seenOf(fix: LastFix, nowMs: number): Seen {
  const { expertId, lat, lng, cell, deviceMs, receivedMs } = fix;
  const ageMs = Math.max(0, nowMs - Math.min(deviceMs, receivedMs));
  return {
    expertId,
    place: { latitude: lat, longitude: lng },
    cell,
    deviceAt: new Date(deviceMs),
    receivedAt: new Date(receivedMs),
    ageSeconds: ageMs / 1_000,
    isFresh: ageMs <= FRESH_MS,
  };
}

/** Whether a fix is fresh by both clocks. */
export const isFresh = ({ deviceMs, receivedMs }: LastFix, nowMs: number): boolean =>
  Math.min(deviceMs, receivedMs) >= nowMs - FRESH_MS;

/** Of those at a distance the nearest, nearest first: up to `limit` fresh ones, all who are nearer than the last of them, `atMost` in all. */
export function nearest(
  found: readonly { readonly fix: LastFix; readonly metres: number }[],
  { limit, atMost }: Pick<Around, 'limit' | 'atMost'>,
  nowMs: number,
): Found {
  const sorted = found.toSorted((a, b) => a.metres - b.metres);
  let fresh = 0;
  const last = sorted.findIndex(({ fix }) => isFresh(fix, nowMs) && ++fresh === limit);
  const kept = sorted.slice(0, Math.min(atMost, last === -1 ? sorted.length : last + 1));
  return { seen: kept.map(({ fix }) => seenOf(fix, nowMs)), isAll: kept.length === sorted.length };
}

/** The latitude and longitude of a fix as a place. */
export const placeOf = ({ lat, lng }: Pick<Fix, 'lat' | 'lng'>): Place => ({ latitude: lat, longitude: lng });
