// @long
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shapeOf } from '../../bench/claim/populate.js';
import { type Held, heldOf, serve } from '../../bench/claim/serve-call.js';
import { type ExpertRef, fill, type World } from '../../bench/claim/world.js';
import { connect } from '../../src/runtime/connect.js';
import { cloneTemplate, dropDatabase, useTestDb } from '../support/db.js';
import { makeBatch, makeWorld } from '../support/factories.js';
import { workThrough } from '../support/serving.js';
import { buffersOf, type Explained, ExplainingClient, faultsOf } from './support/plans.js';

/** Tables of a database of a few hundred tasks in flight that are larger than this are never read whole. */
const LARGE_ROWS = 1_000;
/** Of one claim alone, with four skills. */
const CLAIM_BUFFERS = 160;
/** Of one claim with its events and its audit trail, of a submit with the books, of a heartbeat (which judges anew who may hold the lease). */
const CALL_BUFFERS = { claim: 200, submit: 200, heartbeat: 100 };
/** Calls after which plans are the generic ones that a connection keeps. */
const WARM_UP = 8;

const PRODUCTION_CLOCK = `
  create or replace function app.clock_now() returns timestamptz language sql stable parallel safe
    as $$ select date_trunc('milliseconds', now()) $$`;

// The time that filling takes is the time of this file: about a second for 50,000 tasks and ten for 500,000.
describe.each([50_000, 500_000])('with %i open tasks', (tasks) => {
  let url: string;
  let admin: pg.Client;
  let world: Pick<World, 'tenantId' | 'experts'>;
  let app: ExplainingClient;
  let large: ReadonlySet<string>;
  let next = 0;

  beforeAll(async () => {
    url = await cloneTemplate();
    admin = await connect(url, 'touchstone test');
    await admin.query(PRODUCTION_CLOCK);
    world = await fill(url, shapeOf(tasks));
    await admin.query('vacuum (analyze)');
    app = await ExplainingClient.connect(url, 'touchstone_app');
    const { rows } = await admin.query<{ name: string }>(
      `select relname::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
         and reltuples > $1`,
      [LARGE_ROWS],
    );
    large = new Set([
      ...rows.map(({ name }) => name),
      'assignments',
      'lease_alarms',
      'stream_events',
      'answers',
      'access_log',
    ]);
  }, 180_000);

  afterAll(async () => {
    await app?.end();
    await admin?.end();
    await dropDatabase(url);
  });

  const experts = (count: number): ExpertRef[] => {
    next += count;
    return world.experts.crowd.slice(next - count, next);
  };

  async function claim(count: number): Promise<Held[]> {
    const asking = experts(count);
    const { claims } = await serve(app.pg, world, { claims: asking });
    return asking.map((expert, index) => {
      const outcome = claims[index];
      const held = outcome === undefined ? null : heldOf(expert, outcome);
      if (held === null) {
        throw new Error(`${expert.subject} was answered ${outcome?.outcome}`);
      }
      return held;
    });
  }

  async function many(times: number, call: () => Promise<unknown>): Promise<void> {
    for (let n = 0; n < times; n++) {
      await call();
    }
  }

  /**
   * What a connection reads whose plans are made. Where the statistics of a table came in between, as they do where the machine is
   * slow, it makes them anew, which reads the catalogue: so that is looked at again, three times at most.
   */
  async function planned(call: RegExp, buffers: number, work: () => Promise<unknown>): Promise<Explained[]> {
    for (let looks = 1; ; looks++) {
      const statements = await app.explain(work);
      if (looks === 3 || buffersOfCall(statements, call) <= buffers) {
        return statements;
      }
    }
  }

  test('a claim reads the heads of its lanes and nothing more', async () => {
    // Many others hold leases, of which the statistics have not heard yet.
    await many(WARM_UP, () => claim(64));
    await many(WARM_UP, () => claim(1));
    const statements = await planned(/app\.serve/, CLAIM_BUFFERS, () => claim(1));
    expect(faultsOf(statements, large)).toEqual([]);
    const whole = buffersOfCall(statements, /app\.serve/);
    const told = buffersOfInserts(statements, /insert into stream_events/i);
    expect(whole).toBeLessThanOrEqual(CALL_BUFFERS.claim);
    expect(whole - told).toBeLessThanOrEqual(CLAIM_BUFFERS);
  });

  test('a batch of claims sorts and reads no more than a claim', async () => {
    await many(WARM_UP, () => claim(8));
    const statements = await planned(/app\.serve/, 8 * CALL_BUFFERS.claim, () => claim(8));
    expect(faultsOf(statements, large)).toEqual([]);
    expect(buffersOfCall(statements, /app\.serve/)).toBeLessThanOrEqual(8 * CALL_BUFFERS.claim);
  });

  test('a submit finds its lease, its task and its books by index', async () => {
    const held = await claim(WARM_UP + 3);
    const submit = () => serve(app.pg, world, { submits: held.splice(0, 1) });
    await many(WARM_UP, submit);
    const statements = await planned(/app\.serve/, CALL_BUFFERS.submit, submit);
    expect(faultsOf(statements, large)).toEqual([]);
    expect(buffersOfCall(statements, /app\.serve/)).toBeLessThanOrEqual(CALL_BUFFERS.submit);
  });

  test('a heartbeat touches one lease', async () => {
    const [held] = await claim(1);
    const beat = () =>
      app.pg.query({
        name: 'heartbeat',
        text: 'select app.heartbeat($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::int, $6::int, $7::text)',
        values: [
          world.tenantId,
          held?.expert.expertId,
          held?.expert.identityId,
          held?.assignment,
          held?.epoch,
          0,
          null,
        ],
      });
    await many(WARM_UP, beat);
    const statements = await planned(/app\.heartbeat/, CALL_BUFFERS.heartbeat, beat);
    expect(faultsOf(statements, large)).toEqual([]);
    expect(buffersOfCall(statements, /app\.heartbeat/)).toBeLessThanOrEqual(CALL_BUFFERS.heartbeat);
  });

  test('the exact look stops at the first row that fits', async () => {
    const look = () => {
      const [expert] = experts(1);
      const hash = randomBytes(32);
      return app.pg.query({
        name: 'claim_exact',
        text: 'select app.claim_exact($1::bigint, $2::bigint, null, $3::bigint, $4::bytea, $5::text)',
        values: [world.tenantId, expert?.expertId, expert?.identityId, hash, 'test'],
      });
    };
    await many(WARM_UP, look);
    expect(faultsOf(await app.explain(look), large)).toEqual([]);
  });

  test('alarms and marks are looked up by index', async () => {
    const system = await ExplainingClient.connect(url, 'touchstone_system');
    try {
      const work = async () => {
        await system.pg.query('select app.fire_due_alarms(500)');
        await system.pg.query('select app.refresh_lanes(false)');
      };
      await many(WARM_UP, work);
      expect(faultsOf(await system.explain(work), large)).toEqual([]);
    } finally {
      await system.end();
    }
  });

  test('what reads a table whole or sorts it is found', async () => {
    const looker = await ExplainingClient.connect(url, 'touchstone_system');
    try {
      const statements = await looker.explain(() =>
        looker.pg.query('select task_id from ready order by free_slots, task_id limit 200'),
      );
      const faults = faultsOf(statements, large).map((fault) => fault.replace(/ in: .*/, ''));
      expect(faults).toEqual(expect.arrayContaining(['ready read whole', '200 rows sorted']));
    } finally {
      await looker.end();
    }
  });
});

// As every installation begins: the line is connected and has served a little; then the first large upload comes, and nobody has
// analyzed anything. The plans that were made before are kept.
describe('plans that were made while tables were empty', () => {
  const t = useTestDb();
  let line: ExplainingClient;
  beforeAll(async () => {
    line = await ExplainingClient.connect(t.url, 'touchstone_line');
  });
  afterAll(() => line?.end());

  test('hold when they are large', async () => {
    const world = await makeWorld(t.database, { experts: 8, tasks: 3, project: { redundancy: 3 } });
    const { tenantId, experts, projectId } = world;
    await workThrough(line.pg, { tenantId, experts: experts.slice(0, 3), count: 9 });
    await makeBatch(t.database, world, { projectId, tasks: 4_000 });
    await t.admin.query(crowdSql(tenantId));
    const statements = await line.explain(() =>
      workThrough(line.pg, { tenantId, experts: experts.slice(3), count: 10 }),
    );
    expect(faultsOf(statements, new Set(CROWDED))).toEqual([]);
  });
});

const CROWDED = ['tasks', 'ready', 'assignments', 'lease_alarms', 'projects', 'drafts'];

/** Thousands of rows in each of those tables: copies of one, for other tasks, experts and projects. */
const crowdSql = (tenantId: bigint) => `
  begin;
  set local session_replication_role = replica;
  insert into projects overriding system value
  select (jsonb_populate_record(p, jsonb_build_object('id', -n, 'idempotency_key', 'copy ' || n))).*
  from (select p from projects p where tenant_id = ${tenantId} limit 1) o(p), generate_series(1, 2000) n;
  insert into assignments overriding system value
  select (jsonb_populate_record(a, jsonb_build_object('id', -t.id, 'task_id', t.id, 'expert_id', -t.id, 'project_id', -1, 'slot', 9, 'wanted', 9,
    'state', 'LEASED', 'ended_at', null, 'submitted_at', null))).*
  from (select a from assignments a where tenant_id = ${tenantId} limit 1) o(a), tasks t where t.tenant_id = ${tenantId};
  insert into lease_alarms (tenant_id, assignment_id, epoch, lane_id, project_id, due_at)
  select tenant_id, id, epoch, lane_id, project_id, app.clock_now() + interval '1 hour'
  from assignments where tenant_id = ${tenantId} and id < 0;
  insert into drafts (tenant_id, assignment_id, expert_id, epoch, body, saved_at)
  select tenant_id, id, expert_id, epoch, '{}', app.clock_now() from assignments where tenant_id = ${tenantId} and id < 0;
  commit`;

const buffersOfCall = (statements: readonly Explained[], call: RegExp): number => {
  const top = statements.find(({ text }) => /^\s*select app\./.test(text) && call.test(text));
  if (top === undefined) {
    throw new Error(`No statement calls ${call}`);
  }
  return buffersOf(top);
};

const buffersOfInserts = (statements: readonly Explained[], insert: RegExp): number =>
  statements.filter(({ text }) => insert.test(text)).reduce((total, one) => total + buffersOf(one), 0);
