import { scopeOf, type Viewer } from '../access/viewer.js';
import { poolOfSkill } from '../events/streams.js';
import { type Database, withScope } from '../platform/database.js';
import type { Queryable } from '../platform/rows.js';
import * as sql from './pools.sql.js';

/** How long an answer takes before any was given, and how many answers that belief is worth. */
const PRIOR = { seconds: 300, answers: 5 } as const;
/** Nobody is there: as if somebody came by for a tenth of the time. Keeps hours for each expert finite, and in order. */
const SHARE_MIN = 0.1;
const PRESSURE_MAX = 1_000_000;

/** A skill of a tenant as measured now, with what was made of it before. */
export interface MeasuredSkill {
  readonly tenantId: bigint;
  readonly pool: sql.StoredSkillPool;
}

/**
 * Measures every pool of every tenant: what waits, who is there, how fast. Stores it, writes the pressure of lanes that
 * claims go by, and tells subscribers what changed much. For one node at a time.
 */
export async function measurePools(db: Queryable): Promise<{ skills: MeasuredSkill[]; told: number }> {
  const found = new Map<bigint, sql.Depth[]>();
  for (const { tenantId } of await sql.tenantsWithPools(db)) {
    found.set(tenantId, []);
  }
  for (const depth of await sql.depths(db)) {
    found.set(depth.tenantId, [...(found.get(depth.tenantId) ?? []), depth]);
  }
  const skills: MeasuredSkill[] = [];
  let told = 0;
  for (const [tenantId, depths] of found) {
    const pools = await measureTenant(db, tenantId, depths);
    for (const pool of pools.filter(isNews)) {
      await sql.tellPool(db, tenantId, { pool, stream: poolOfSkill(pool.skillId) });
      told += 1;
    }
    skills.push(...pools.map((pool) => ({ tenantId, pool })));
  }
  return { skills, told };
}

/** A skill as last measured, as far as the viewer may see it; null before it ever was. */
export async function poolOf(
  db: Database,
  viewer: Viewer,
  skillId: bigint,
): Promise<sql.StoredSkillPool | null> {
  const found = await withScope(db, scopeOf(viewer), (tx) => sql.skillPools(tx, viewer.tenantId, skillId));
  return found[0] ?? null;
}

async function measureTenant(
  db: Queryable,
  tenantId: bigint,
  depths: readonly sql.Depth[],
): Promise<sql.StoredSkillPool[]> {
  const busy = depths.filter(({ queueDepth }) => queueDepth > 0);
  const shares = await sql.shares(db, tenantId, {
    lanes: [...new Set(busy.map(({ laneId }) => laneId))],
    skills: [...new Set(busy.map(({ skillId }) => skillId))],
  });
  const before = await sql.skillPools(db, tenantId, null);
  const judged = judgePools(depths, { shares, paces: await sql.paces(db, tenantId), before });
  await sql.storePressures(db, tenantId, judged.lanes);
  await sql.storePools(db, tenantId, judged.pools);
  return sql.storeSkillPools(db, tenantId, judged.skills);
}

/** What is known of a tenant's experts. */
export interface Supply {
  readonly shares: readonly sql.Share[];
  /** Of the latest answers. */
  readonly paces: readonly sql.Pace[];
  /** As measured last: what answers took, where nobody has given one of late. */
  readonly before: readonly Pick<sql.StoredSkillPool, 'skillId' | 'secondsPerAnswer'>[];
}

/** What depths and experts come to, by pool, skill and lane. */
export function judgePools(
  depths: readonly sql.Depth[],
  supply: Supply,
): {
  pools: sql.PoolRow[];
  skills: sql.SkillPoolRow[];
  lanes: { laneId: bigint; pressure: number }[];
} {
  const pools = grouped(depths, ({ skillId, taskTypeId }) => `${skillId}/${taskTypeId}`);
  const skills = grouped(depths, ({ skillId }) => `${skillId}`);
  const lanes = grouped(
    depths.filter(({ queueDepth }) => queueDepth > 0),
    ({ laneId }) => `${laneId}`,
  );
  return {
    pools: pools.map(({ skillId, taskTypeId, ...sum }) => ({ skillId, taskTypeId, ...depthOf(sum) })),
    skills: skills.map((sum) => judgeSkill(sum, supply)),
    lanes: lanes.map(({ laneId, skillId, openAnswers }) => {
      const share = supply.shares.find((one) => one.laneId === laneId);
      const hours = (openAnswers * secondsPerAnswer(supply, skillId)) / 3600;
      return { laneId, pressure: pressureOf(hours, shareOf(share)) };
    }),
  };
}

function judgeSkill({ skillId, ...sum }: sql.Depth, supply: Supply): sql.SkillPoolRow {
  const share = supply.shares.find((one) => one.skillId === skillId && one.laneId === null);
  const seconds = secondsPerAnswer(supply, skillId);
  return {
    skillId,
    ...depthOf(sum),
    available: share?.available ?? 0,
    qualified: share?.qualified ?? 0,
    secondsPerAnswer: seconds,
    capacityPerHour: (shareOf(share) * 3600) / seconds,
    pressure: pressureOf((sum.openAnswers * seconds) / 3600, shareOf(share)),
  };
}

const depthOf = ({ queueDepth, openAnswers, oldestOpenAt }: Omit<sql.Depth, 'skillId' | 'taskTypeId'>) => ({
  queueDepth,
  openAnswers,
  oldestOpenAt,
});

/** Experts who are there; where nobody is, all who could be. */
function shareOf(share: sql.Share | undefined): number {
  return share === undefined ? 0 : share.available > 0 ? share.availableShare : share.qualifiedShare;
}

function pressureOf(hours: number, share: number): number {
  return Math.min(PRESSURE_MAX, hours / Math.max(share, SHARE_MIN));
}

function secondsPerAnswer({ paces, before }: Supply, skillId: bigint): number {
  const pace = paces.find((one) => one.skillId === skillId);
  if (pace === undefined) {
    return before.find((one) => one.skillId === skillId)?.secondsPerAnswer ?? PRIOR.seconds;
  }
  const seconds = PRIOR.seconds * PRIOR.answers + pace.seconds;
  return Math.max(1, seconds / (PRIOR.answers + pace.answers));
}

/** Sums of what has the same key; ids that differ inside a group are those of its first. */
function grouped(depths: readonly sql.Depth[], keyOf: (depth: sql.Depth) => string): sql.Depth[] {
  const groups = new Map<string, sql.Depth>();
  for (const depth of depths) {
    const sum = groups.get(keyOf(depth));
    groups.set(keyOf(depth), sum === undefined ? depth : added(sum, depth));
  }
  return [...groups.values()];
}

function added(a: sql.Depth, b: sql.Depth): sql.Depth {
  const instants = [a.oldestOpenAt, b.oldestOpenAt].filter((at) => at !== null);
  return {
    ...a,
    queueDepth: a.queueDepth + b.queueDepth,
    openAnswers: a.openAnswers + b.openAnswers,
    oldestOpenAt: instants.sort((x, y) => x.getTime() - y.getTime())[0] ?? null,
  };
}

/** A fifth more or less than was told last, or something where there was nothing: small changes are no news. */
function isNews({ queueDepth, pressure, toldDepth, toldPressure }: sql.StoredSkillPool): boolean {
  return hasMoved(queueDepth, toldDepth, 0.2) || hasMoved(pressure, toldPressure, 0.2);
}

/** Whether `now` differs from `before` by more than a part of the larger of them. */
export function hasMoved(now: number, before: number, part: number): boolean {
  return Math.abs(now - before) > part * Math.max(now, before);
}
