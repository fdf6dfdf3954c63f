import { afterEach, describe, expect, test } from 'vitest';
import { createLeaseAlarms } from '../../src/jobs/lease-alarms.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { heard, listeningLog } from '../live/waiting.js';
import { claim, heartbeat, makeWorld, submit, type World } from '../live/world.js';
import { useTestDb } from '../support/db.js';

const ctx = useTestDb();
const jobs: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(jobs.splice(0).map((job) => job.stop()));
});

/** Runs the alarms until the next round that fired something is over. */
async function ring(): Promise<void> {
  const bus = createLocalBus();
  const job = createLeaseAlarms({ db: ctx.database, bus, log: listeningLog().log });
  const fired = heard<void>(
    (listener) => bus.onPoke(() => listener(undefined)),
    () => true,
  );
  job.start();
  await fired;
  await job.stop();
}

async function kinds(world: World): Promise<string[]> {
  const { rows } = await ctx.admin.query(
    `select kind from stream_events where tenant_id = $1 and stream like 'lease/project/%' order by id`,
    [world.tenantId],
  );
  return rows.map((row) => row.kind);
}

async function alarms(world: World): Promise<{ warned: boolean; seconds: number }[]> {
  const { rows } = await ctx.admin.query(
    `select warned, round(extract(epoch from due_at - app.clock_now()))::int as seconds from lease_alarms where tenant_id = $1`,
    [world.tenantId],
  );
  return rows;
}

describe('lease alarms', () => {
  test('warn once, a quarter of the lease before its end, then tell of the end', async () => {
    const world = await makeWorld(ctx.admin);
    await claim(ctx.database.appPool, world);
    await ctx.advance(46);
    await ring();
    expect(await kinds(world)).toEqual(['LEASED', 'EXPIRING']);
    await ctx.advance(15);
    await ring();
    expect(await kinds(world)).toEqual(['LEASED', 'EXPIRING', 'EXPIRED']);
    expect(await alarms(world)).toEqual([]);
  });

  test('a lease that was extended is not warned of; its alarm is set again', async () => {
    const world = await makeWorld(ctx.admin);
    const held = await claim(ctx.database.appPool, world);
    await ctx.advance(40);
    await heartbeat(ctx.database.appPool, world, { held });
    await ctx.advance(6);
    await ring();
    expect(await kinds(world)).toEqual(['LEASED']);
    expect(await alarms(world)).toEqual([{ warned: false, seconds: 39 }]);
  });

  test('a lease that has ended is not warned of; its alarm is dropped', async () => {
    const world = await makeWorld(ctx.admin);
    await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world) });
    await ctx.advance(46);
    await ring();
    expect(await kinds(world)).toEqual(['LEASED', 'SUBMITTED']);
    expect(await alarms(world)).toEqual([]);
  });

  test('two nodes at once end each lease once, and a mass lapse is said', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 600, experts: 600 });
    for (let n = 0; n < 600; n++) {
      await claim(ctx.database.appPool, world, n);
    }
    await ctx.advance(61);
    const { log, said } = listeningLog();
    for (let node = 0; node < 2; node++) {
      const job = createLeaseAlarms({ db: ctx.database, bus: createLocalBus(), log });
      job.start();
      jobs.push(job);
    }
    await said('leases.mass_lapse');
    const expired = (await kinds(world)).filter((kind) => kind === 'EXPIRED');
    expect(expired).toHaveLength(600);
  });
});
