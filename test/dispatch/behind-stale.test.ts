import { describe, expect, inject, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { cellOf, type Fix } from '../../src/services/dispatch/fixes/fix.js';
import { latestFixes } from '../../src/services/dispatch/fixes/fix-store.sql.js';
import type { HotIndex, HotIndexParts } from '../../src/services/dispatch/fixes/hot-index.js';
import { createLocalHotIndex } from '../../src/services/dispatch/fixes/hot-index-local.js';
import { createSharedHotIndex } from '../../src/services/dispatch/fixes/hot-index-redis.js';
import { setDispatchSettings } from '../../src/services/dispatch/workers.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { pgQueryable } from '../../src/services/platform/pg-queryable.js';
import { connectRedis } from '../../src/services/platform/redis.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  lookAtJob,
  lookAtOffer,
  makeCrowd,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
} from '../support/dispatch.js';
import { unique } from '../support/factories.js';
import { redisUrl } from '../support/redis.js';

// Fixes are held up and most of a city is stale: whoever is not is found behind them, by the very indexes that are in use.
const t = useTestDb();

type Make = (parts: HotIndexParts) => Promise<{ index: HotIndex; close: () => Promise<unknown> }>;
const log = createLogger('silent');

const KINDS: [string, Make][] = [
  ['in this process', async (parts) => ({ index: createLocalHotIndex(parts), close: async () => {} })],
  [
    'in Redis',
    async (parts) => {
      const redis = connectRedis({ url: redisUrl(), prefix: unique('stale'), log });
      await expect.poll(() => redis.isUp()).toBe(true);
      return { index: createSharedHotIndex({ ...parts, redis, log }), close: () => redis.close() };
    },
  ],
];

/** Who was written down of a tenant, in the cells that they are in. */
async function latest(tenantId: bigint): Promise<Fix[]> {
  const rows = await latestFixes(pgQueryable(t.database.systemPool), tenantId);
  return rows.map(({ deviceAt, receivedAt, ...row }) => ({
    ...row,
    tenantId,
    cell: cellOf(row.lat, row.lng),
    deviceMs: deviceAt.getTime(),
    receivedMs: receivedAt.getTime(),
    accuracyMetres: null,
  }));
}

/** The crowd has the skill, too. */
const teach = ({ admin, tenantId, skillId }: Depot) =>
  admin.query(
    `insert into expert_skills (tenant_id, expert_id, skill_id, quality_mean, quality_lower, status)
     select $1, x.id, $2, 0.9, 0.9, 'ACTIVE' from experts x where x.tenant_id = $1 and x.handle like 'crowd %'`,
    [tenantId, skillId],
  );

describe.skipIf(inject('redisUrl') === '').each(KINDS)('behind stale workers, by an index %s', (_, make) => {
  async function assign(depot: Depot, jobId: bigint) {
    const { index, close } = await make({ nowMs: Date.now, latest });
    const on = { ...depot.on, dispatch: { ...depot.on.dispatch, nearby: index } };
    try {
      return await assignJob(on, actorOf(depot), jobId);
    } finally {
      await close();
    }
  }
  async function expectOffered(depot: Depot, expertId: bigint) {
    const { offerId, reason } = await assign(depot, await makeJob(depot));
    expect(reason).toBeNull();
    expect((await lookAtOffer(depot, offerId ?? 0n)).expertId).toBe(expertId);
  }

  test('the one who is fresh is found behind hundreds who are not and have not the skill', async () => {
    const depot = await makeDepot(t);
    await makeCrowd(depot, 700, { ...minutesAway(1), ageSeconds: 60 });
    const able = await makeWorker(depot, { at: minutesAway(8) });
    await expectOffered(depot, able.expertId);
  });

  test('the one who is fresh is found behind more than a thousand who were, with the same skill', async () => {
    const depot = await makeDepot(t);
    await makeCrowd(depot, 1_700, { ...minutesAway(1), ageSeconds: 120 });
    await teach(depot);
    const able = await makeWorker(depot, { at: minutesAway(8) });
    await expectOffered(depot, able.expertId);
  });

  test('in a small circle the one who is fresh is found behind hundreds who stand nearer', async () => {
    const depot = await makeDepot(t);
    await setDispatchSettings(t.database, depot.operator, { searchMetres: 500 });
    await makeCrowd(depot, 300, { ...minutesAway(0.1), ageSeconds: 60 });
    const able = await makeWorker(depot, { at: minutesAway(1) });
    await expectOffered(depot, able.expertId);
  });

  test('where everybody is stale the reason says so, and that there are more', async () => {
    const depot = await makeDepot(t);
    await makeCrowd(depot, 1_500, { ...minutesAway(1), ageSeconds: 60 });
    const jobId = await makeJob(depot);
    const reason = '1000 and more in range: 1000 stale.';
    expect(await assign(depot, jobId)).toEqual({ offerId: null, reason });
    expect((await lookAtJob(depot, jobId)).state).toBe('UNASSIGNED_ALERT');
  });

  test('of fewer it says how many those are', async () => {
    const depot = await makeDepot(t);
    await makeCrowd(depot, 700, { ...minutesAway(1), ageSeconds: 60 });
    const reason = '700 in range: 700 stale.';
    expect(await assign(depot, await makeJob(depot))).toEqual({ offerId: null, reason });
  });
});

test('nobody is looked for farther than the index reaches: such a setting is refused, by the database too', async () => {
  const depot = await makeDepot(t);
  await expect(
    setDispatchSettings(t.database, depot.operator, { searchMetres: 50_001 }),
  ).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    issues: [{ path: '/searchMetres', message: 'Give 500 to 50000.' }],
  });
  await setDispatchSettings(t.database, depot.operator, { searchMetres: 50_000 });
  await expect(
    t.admin.query('update dispatch_settings set search_metres = 50001 where tenant_id = $1', [
      depot.tenantId,
    ]),
  ).rejects.toMatchObject({ code: '23514' });
});
