import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { arrival } from '../../src/services/dispatch/arrival.js';
import { type Assigning, assignJob } from '../../src/services/dispatch/assign.js';
import { cellOf, type Fix } from '../../src/services/dispatch/fixes/fix.js';
import { type Fixes, openFixes } from '../../src/services/dispatch/fixes/open-fixes.js';
import { reassignJob } from '../../src/services/dispatch/jobs.js';
import { acceptOffer } from '../../src/services/dispatch/offers.js';
import { type OpenDispatch, openDispatch } from '../../src/services/dispatch/open.js';
import type { Place } from '../../src/services/dispatch/ports.js';
import { endOffers } from '../../src/services/dispatch/upkeep.js';
import { setDispatchSettings } from '../../src/services/dispatch/workers.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { connectRedis, type RedisConnection } from '../../src/services/platform/redis.js';
import { createSecretBox } from '../../src/services/platform/secret-box.js';
import { type OwnRedis, ownRedis } from '../live/redis-server.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  lookAtJob,
  lookAtOffer,
  makeDepot,
  makeJob,
  makeWorker,
  takeToday,
} from '../support/dispatch.js';
import type { Expert } from '../support/factories.js';
import { ISLAND, junctionAt, RIVER_ROW } from '../support/router/grid.js';
import { startTestRouter, type TestRouter } from '../support/router/process.js';
import { expectRulesHold } from '../support/rules.js';

// Everything that a decision stands on, together and real: PostgreSQL, the index in a Redis of its own, and a router that is a process
// of its own, which all may fail.
const t = useTestDb();
const log = createLogger('silent');

/** A street is half a minute long. */
const JOB = junctionAt(0, 0);
const STREETS_A_MINUTE = 2;
const minutesEast = (minutes: number) => junctionAt(minutes * STREETS_A_MINUTE, 0);

let server: TestRouter;
let own: OwnRedis;
let redis: RedisConnection;
let fixes: Fixes;
let dispatch: OpenDispatch;
let depot: Depot;
let on: Assigning;

const open = () =>
  openDispatch({ db: t.database, index: fixes.index, registry: new Registry(), log, routerUrl: server.url });

describe.skipIf(inject('redisUrl') === '')('a decision over the real index and the real router', () => {
  beforeAll(async () => {
    server = await startTestRouter();
    own = await ownRedis();
    redis = connectRedis({ url: own.url, log });
    await vi.waitFor(async () => expect(await redis.isUp()).toBe(true));
    const parts = { db: t.database, redis, secrets: createSecretBox('the key of this test file'), log };
    fixes = await openFixes({ ...parts, registry: new Registry(), bounds: null });
  });
  afterAll(async () => {
    await fixes.close();
    await redis.close();
    await own.kill();
    await server.stop();
  });
  beforeEach(async () => {
    await dispatch?.close();
    await server.behave({ how: 'answer', delayMs: 0 });
    dispatch = open();
    depot = await makeDepot(t);
    on = { db: t.database, dispatch, inStage: (_stage, work) => work() };
    await warm();
  });

  /** Until the connection to the router is there: on a busy machine the first request may be late. */
  const warm = () =>
    expect
      .poll(async () => {
        const from = [{ place: junctionAt(3, 3), ageSeconds: 0 }];
        return (await dispatch.etas.etas(depot.tenantId, { from, to: junctionAt(9, 9) }))[0]?.confidence;
      })
      .toBe('HIGH');

  interface SeenAt {
    readonly deviceAge?: number;
    readonly receivedAge?: number;
  }
  async function see({ expertId }: Expert, place: Place, { deviceAge = 0, receivedAge = 0 }: SeenAt = {}) {
    await fixes.clock.follow();
    const now = fixes.clock.nowMs();
    const fix: Fix = {
      tenantId: depot.tenantId,
      expertId,
      lat: place.latitude,
      lng: place.longitude,
      deviceMs: now - deviceAge * 1_000,
      receivedMs: now - receivedAge * 1_000,
      accuracyMetres: 5,
      cell: cellOf(place.latitude, place.longitude),
    };
    fixes.store.sample(fix);
    await fixes.index.apply(depot.tenantId, [fix]);
  }
  async function workerAt(place: Place, options: Parameters<typeof makeWorker>[1] & SeenAt = {}) {
    const worker = await makeWorker(depot, { ...options, at: null });
    await see(worker, place, options);
    return worker;
  }
  const jobHere = (options: Parameters<typeof makeJob>[1] = {}) => makeJob(depot, { place: JOB, ...options });
  const assign = (jobId: bigint, by = on) => assignJob(by, actorOf(depot), jobId);
  async function offered(jobId: bigint) {
    const { offerId, reason } = await assign(jobId);
    return offerId === null ? reason : lookAtOffer(depot, offerId);
  }
  const confidenceOf = async (jobId: bigint) =>
    (
      await t.admin.query('select eta_confidence as c from offers where job_id = $1 order by id desc', [
        jobId,
      ])
    ).rows[0]?.c;

  test('due in 40 minutes; 12, 18 and 25 minutes away with 4, 0 and 1 jobs today; one is stale, one has not the skill: the idle one at 18', async () => {
    const busy = await workerAt(minutesEast(12));
    const idle = await workerAt(minutesEast(18));
    const far = await workerAt(junctionAt(39, 11));
    await workerAt(minutesEast(10), { deviceAge: 45, receivedAge: 45 });
    await workerAt(minutesEast(8), { skilled: false });
    await takeToday(depot, busy, 4);
    await takeToday(depot, far, 1);
    const jobId = await jobHere({ dueInSeconds: 40 * 60 });
    expect(await offered(jobId)).toMatchObject({ expertId: idle.expertId, jobsToday: 0, state: 'LIVE' });
    expect(await confidenceOf(jobId)).toBe('HIGH');
    await expectRulesHold(t.database);
  });

  test('a late upload, which has just come and is old by the device, makes no offer; nor does a clock that is behind', async () => {
    await workerAt(minutesEast(3), { deviceAge: 120 });
    await workerAt(minutesEast(4), { deviceAge: 31 });
    expect(await offered(await jobHere())).toBe('2 in range: 2 stale.');
  });

  test('a worker of another tenant in the same cell is not seen', async () => {
    await workerAt(minutesEast(3));
    depot = await makeDepot(t);
    expect(await offered(await jobHere())).toBe('Nobody is in range.');
  });

  test('who stands beside the job across the river is not near: the way over the bridge decides', async () => {
    const place = junctionAt(12, RIVER_ROW);
    const across = await workerAt(junctionAt(12, RIVER_ROW + 1));
    const same = await workerAt(junctionAt(24, RIVER_ROW));
    expect(await offered(await jobHere({ place }))).toMatchObject({ expertId: same.expertId });
    expect(across.expertId).not.toBe(same.expertId);
  });

  test('whom no road leads to the job is no candidate, nor who is off the map', async () => {
    await workerAt(ISLAND);
    await workerAt({ latitude: JOB.latitude, longitude: JOB.longitude - 0.1 });
    expect(await offered(await jobHere())).toBe('2 in range: 2 without a way there.');
  });

  test.each([
    ['hangs', { how: 'hang' }],
    ['resets every connection', { how: 'reset' }],
    ['fails inside', { how: 'fail' }],
    ['answers half an answer', { how: 'garble' }],
    ['answers too late', { delayMs: 5_000 }],
  ])(
    'while the router %s the nearest is offered the job by estimate, and told to be unsure',
    async (_, how) => {
      await server.behave(how);
      const near = await workerAt(minutesEast(4));
      await workerAt(minutesEast(9));
      const jobId = await jobHere();
      expect(await offered(jobId)).toMatchObject({ expertId: near.expertId });
      expect(await confidenceOf(jobId)).toBe('LOW');
      await expectRulesHold(t.database);
    },
  );

  test('where even the estimate misses the time there is an alert and no guess', async () => {
    await server.behave({ how: 'hang' });
    await workerAt(minutesEast(9));
    const jobId = await jobHere({ dueInSeconds: 11 * 60 });
    expect(await offered(jobId)).toBe('1 in range: 1 too far to be in time.');
    expect((await lookAtJob(depot, jobId)).state).toBe('UNASSIGNED_ALERT');
  });

  test('six hundred ways, more than the router takes on a connection, are all told by the router', async () => {
    const told = new Set<string>();
    for (let n = 0; n < 600; n++) {
      const from = [{ place: junctionAt(n % 40, Math.floor(n / 40)), ageSeconds: 0 }];
      const ask = async () => (await dispatch.etas.etas(depot.tenantId, { from, to: junctionAt(20, 18) }))[0];
      // (Late is one thing, on a busy machine; a closed connection would be another.)
      await expect.poll(async () => (await ask())?.confidence).toBe('HIGH');
      told.add(String((await ask())?.source));
    }
    expect(told).toEqual(new Set(['CACHE']));
    const worker = await workerAt(minutesEast(5));
    expect(await offered(await jobHere())).toMatchObject({ expertId: worker.expertId });
  }, 120_000);

  test('a Redis that was emptied is filled from the database, and the decision is the same', async () => {
    const worker = await workerAt(minutesEast(5));
    await fixes.store.flush();
    await own.flush();
    await expect
      .poll(async () => (await offered(await jobHere())) as object)
      .toMatchObject({
        expertId: worker.expertId,
      });
    await expectRulesHold(t.database);
  });

  test('who accepts and whose app then dies keeps the job, is told of, and is replaced only when somebody says so', async () => {
    const gone = await workerAt(minutesEast(5));
    const jobId = await jobHere();
    const offer = await offered(jobId);
    await acceptOffer(t.database, gone.viewer, (offer as { id: bigint }).id);
    expect(await arrival(on, depot.customer.viewer, jobId)).not.toBeNull();
    await t.advance(310);
    await fixes.clock.follow();
    await fixes.index.sweep();
    expect(await arrival(on, depot.customer.viewer, jobId)).toBeNull();
    expect(await fixes.index.lastSeen(depot.tenantId, [gone.expertId])).toEqual([]);
    await t.advance(3_290);
    await endOffers(t.database);
    expect(await lookAtJob(depot, jobId)).toMatchObject({ state: 'ACCEPTED', noShow: true });
    await t.advance(-3_600);
    await fixes.clock.follow();
    const next = await workerAt(minutesEast(8));
    await reassignJob(t.database, depot.dispatcher, { jobId, reason: 'Does not answer.' });
    expect(await offered(jobId)).toMatchObject({ expertId: next.expertId });
    await expectRulesHold(t.database);
  });

  test.each([-3_600_000, 3_600_000])(
    'a node whose own clock is wrong by %i ms decides and ends offers as any other',
    async (skewMs) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skewMs });
      try {
        const worker = await workerAt(minutesEast(5));
        await workerAt(minutesEast(2), { deviceAge: 40, receivedAge: 40 });
        const offer = (await offered(await jobHere())) as { id: bigint };
        expect(offer).toMatchObject({ expertId: worker.expertId });
        await endOffers(t.database);
        await acceptOffer(t.database, worker.viewer, offer.id);
        const next = await workerAt(minutesEast(5));
        const lapsing = (await offered(await jobHere())) as { id: bigint };
        await t.advance(21);
        await expect(acceptOffer(t.database, next.viewer, lapsing.id)).rejects.toMatchObject({
          code: 'OFFER_EXPIRED',
        });
        await t.advance(-21);
      } finally {
        vi.useRealTimers();
      }
      await expectRulesHold(t.database);
    },
  );

  test('two nodes with a router and an index of their own assign one job at once: one offer', async () => {
    const other = open();
    try {
      await workerAt(minutesEast(5));
      await workerAt(minutesEast(6));
      await setDispatchSettings(t.database, depot.operator, { fairnessWeight: 0 });
      const jobId = await jobHere();
      const both = await Promise.all(
        [on, { ...on, dispatch: other }, on, { ...on, dispatch: other }].map((by) => assign(jobId, by)),
      );
      expect(new Set(both.map(({ offerId }) => offerId)).size).toBe(1);
      await expectRulesHold(t.database);
    } finally {
      await other.close();
    }
  });
});
