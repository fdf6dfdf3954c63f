import { afterEach, expect, test } from 'vitest';
import type { Job } from '../../src/jobs/loop.js';
import { createPools } from '../../src/jobs/pools.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { useTestDb } from '../support/db.js';
import { makeBatch, makeWorld } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { answerNext } from '../support/work.js';

const t = useTestDb();
const WITHIN = { interval: 50 };

const jobs: Job[] = [];
afterEach(async () => {
  await Promise.all(jobs.splice(0).map((job) => job.stop()));
});

function start(): Job {
  const job = createPools({ db: t.database, bus: createLocalBus(), log: createLogger('silent') });
  jobs.push(job);
  job.start();
  return job;
}

const holders = () =>
  numberOf(
    t.admin,
    `select count(*) from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and a.application_name = 'touchstone_pools' and a.datname = current_database()`,
  );

const depthOf = (tenantId: bigint) =>
  numberOf(t.admin, 'select coalesce(sum(queue_depth), -1) from pools where tenant_id = $1', [tenantId]);

test('one node of several measures, and when it goes another does', async () => {
  const world = await makeWorld(t.database, { tasks: 3 });
  const first = start();
  await expect.poll(() => depthOf(world.tenantId), WITHIN).toBe(3);
  start();
  expect(await holders()).toBe(1);
  await first.stop();
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 5 });
  await expect.poll(() => depthOf(world.tenantId), WITHIN).toBe(8);
  expect(await holders()).toBe(1);
});

test('it moves the marks of a lane behind what was claimed', async () => {
  const world = await makeWorld(t.database, { tasks: 30 });
  start();
  const mark = () =>
    numberOf(t.admin, 'select low_untouched from lanes where tenant_id = $1', [world.tenantId]);
  const before = await mark();
  for (let n = 0; n < 20; n++) {
    await answerNext(t.database, world.ada);
  }
  await expect.poll(mark, WITHIN).toBeGreaterThan(before);
  expect(await answerNext(t.database, world.ada)).toBeDefined();
});
