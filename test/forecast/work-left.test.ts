import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { foldHours } from '../../src/services/forecast/capacity/hours.js';
import { demandOf } from '../../src/services/forecast/forecast.sql.js';
import { closeGone, foldWork, judgeProjects } from '../../src/services/forecast/risk.js';
import { projectsDue } from '../../src/services/forecast/risk.sql.js';
import { withSystem } from '../../src/services/platform/database.js';
import type { Queryable } from '../../src/services/platform/rows.js';
import { claim, makeBatch, makeWorld, submit, type World } from '../live/world.js';
import { useTestDb } from '../support/db.js';

const ctx = useTestDb();

const demandsOf = (world: World) => withSystem(ctx.database, (tx) => demandOf(tx, { projects: [world] }));
const openOf = async (world: World) =>
  (
    await ctx.admin.query('select batch_id from open_batches where tenant_id = $1', [world.tenantId])
  ).rows.map((row) => BigInt(row.batch_id));
const dueOf = async (world: World): Promise<boolean> =>
  (await withSystem(ctx.database, (tx) => projectsDue(tx, { olderThanSeconds: 0, limit: 10_000 }))).some(
    ({ projectId }) => projectId === world.projectId,
  );

/** What is kept, and what has changed since, against the tasks that there are. */
async function differing(world: World): Promise<unknown[]> {
  const { rows } = await ctx.admin.query(
    `select batch_id, kind, state, wanted, counted, sum(tasks) as tasks from (
       select batch_id, kind, state, wanted, counted, tasks from task_tallies where tenant_id = $1
       union all select batch_id, kind, state, wanted, counted, tasks from task_deltas where tenant_id = $1
       union all select batch_id, kind, state, wanted, counted, -1 from tasks where tenant_id = $1 and batch_id is not null) x
     group by 1, 2, 3, 4, 5 having sum(tasks) <> 0`,
    [world.tenantId],
  );
  return rows;
}

/** Statements as services make them, each over some tasks by their place. */
const CHANGES = [
  `counted = counted + 1, state = case when counted + 1 = wanted then 'DONE' else 'OPEN' end,
   done_at = case when counted + 1 = wanted then app.clock_now() end where state = 'OPEN' and counted < wanted`,
  `wanted = wanted + 1, state = 'OPEN', done_at = null where state = 'DONE'`,
  `counted = counted - 1, state = 'OPEN', done_at = null where counted > 0`,
  `state = 'FLAGGED' where state = 'OPEN'`,
  `state = 'CANCELLED' where state = 'OPEN'`,
  `critical = not critical where true`,
] as const;

describe('what is left of batches', () => {
  test('is kept as it comes, whatever changes and whenever it is folded', async () => {
    const step = fc.oneof(
      fc.record({ change: fc.nat(CHANGES.length - 1), from: fc.nat(9), to: fc.nat(9) }),
      fc.constant('fold' as const),
      fc.constant('batch' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        const world = await makeWorld(ctx.admin, { tasks: 6 });
        for (const one of steps) {
          if (one === 'fold') {
            await foldWork(ctx.database);
          } else if (one === 'batch') {
            await makeBatch(ctx.admin, { ...world, tasks: 3 });
          } else {
            await ctx.admin.query(
              `update tasks set ${CHANGES[one.change]} and tenant_id = $1
                 and id in (select id from tasks where tenant_id = $1 order by id offset $2 limit $3)`,
              [world.tenantId, one.from, one.to],
            );
          }
          expect(await differing(world)).toEqual([]);
        }
        await foldWork(ctx.database);
        const { rows } = await ctx.admin.query(
          `select coalesce(sum(wanted - counted) filter (where state = 'OPEN'), 0)::int as remaining, sum(counted)::int as answers
           from tasks where tenant_id = $1`,
          [world.tenantId],
        );
        const demands = await demandsOf(world);
        const sum = (of: (one: (typeof demands)[number]) => number) =>
          demands.reduce((all, one) => all + of(one), 0);
        expect({ remaining: sum((one) => one.remaining), answers: sum((one) => one.answers) }).toEqual(
          rows[0],
        );
      }),
      { numRuns: 15 },
    );
  });

  test('is looked at until it is done, and again when it is opened again', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 1 });
    const later = await makeBatch(ctx.admin, { ...world, tasks: 1 });
    await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world) });
    await judgeProjects(ctx.database, [world]);
    expect(await openOf(world)).toEqual([later]);
    expect((await demandsOf(world)).map(({ batchId }) => batchId)).toEqual([later]);
    await ctx.admin.query(
      `update tasks set wanted = 2, state = 'OPEN', done_at = null where tenant_id = $1 and state = 'DONE'`,
      [world.tenantId],
    );
    await judgeProjects(ctx.database, [world]);
    expect((await openOf(world)).toSorted()).toEqual([world.batchId, later].toSorted());
  });

  test('is not of a batch that could not be stored', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 1 });
    const later = await makeBatch(ctx.admin, { ...world, tasks: 1 });
    await foldWork(ctx.database);
    await ctx.admin.query(
      `update batches set state = 'FAILED', stored_at = null, failure = 'test' where tenant_id = $1 and id = $2`,
      [world.tenantId, later],
    );
    await closeGone(ctx.database);
    expect(await openOf(world)).toEqual([world.batchId]);
  });

  test('stays to be looked at where something moved while it was judged as done', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 1 });
    await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world) });
    await foldWork(ctx.database);
    // Another node has folded something since this one read what is left.
    await ctx.admin.query(
      `create function app.test_moved() returns trigger language plpgsql as $$
       begin update open_batches set moves = moves + 1 where tenant_id = new.tenant_id; return null; end $$;
       create trigger moved after insert on forecasts for each row execute function app.test_moved()`,
    );
    try {
      await judgeProjects(ctx.database, [world]);
    } finally {
      await ctx.admin.query('drop trigger moved on forecasts; drop function app.test_moved()');
    }
    expect(await openOf(world)).toEqual([world.batchId]);
    await judgeProjects(ctx.database, [world]);
    expect(await openOf(world)).toEqual([]);
    expect(await dueOf(world)).toBe(false);
  });

  test('knows what an answer takes from another batch of the project once thirty answers have measured it', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 2 });
    const later = await makeBatch(ctx.admin, { ...world, tasks: 2 });
    const empty = await makeBatch(ctx.admin, { ...world, tasks: 2 });
    await judgeProjects(ctx.database, [world]);
    await ctx.admin.query(
      'update forecasts set handling_seconds = 300 where tenant_id = $1 and batch_id = $2',
      [world.tenantId, empty],
    );
    const measure = (answers: number) => measured(world, { batchId: world.batchId, answers, seconds: 77 });
    expect(await usualOf(world, later)).toMatchObject({ isUsualMeasured: false });
    await measure(29);
    expect(await usualOf(world, later)).toMatchObject({ isUsualMeasured: false });
    await measure(30);
    // What batches without answers believe is no measure: it is not mixed in.
    expect(await usualOf(world, later)).toMatchObject({ isUsualMeasured: true, usualSeconds: 77 });
  });

  test('knows it from small batches that have thirty answers together, each as much as it has', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 2 });
    const small = await makeBatch(ctx.admin, { ...world, tasks: 2 });
    const later = await makeBatch(ctx.admin, { ...world, tasks: 2 });
    await judgeProjects(ctx.database, [world]);
    await measured(world, { batchId: world.batchId, answers: 20, seconds: 60 });
    await measured(world, { batchId: small, answers: 10, seconds: 120 });
    expect(await usualOf(world, later)).toMatchObject({ isUsualMeasured: true, usualSeconds: 80 });
  });

  test('counts claims that came to nothing since the first of the latest answers, not all that ever did', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 1_000 });
    const ended = (state: string, count: number, from: number) =>
      ctx.admin.query(
        `insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
           lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
         select t.tenant_id, t.id, $2, t.project_id, t.batch_id, t.customer_id, 1, 1, 1, 0, $3, 1, 60, s.at, s.at + interval '60 seconds',
           s.at + interval '60 seconds', case when $3 = 'ACCEPTED' then s.at end, s.at, 1, 'EUR'
         from (select t.*, row_number() over (order by t.id) as n from tasks t where t.tenant_id = $1) t
         cross join lateral (select app.clock_now() - make_interval(secs => (2000 - t.n)) as at) s
         where t.n > $4 and t.n <= $4 + $5::int`,
        [world.tenantId, world.experts[0]?.expertId, state, from, count],
      );
    await ended('EXPIRED', 500, 0);
    await ended('ACCEPTED', 400, 500);
    await ended('EXPIRED', 30, 900);
    await foldWork(ctx.database);
    const [demand] = await demandsOf(world);
    expect(demand).toMatchObject({ timed: 200, lost: 30 });
  });
});

/** What is believed of what an answer of the batch takes. */
async function usualOf(world: World, of: bigint) {
  return (await demandsOf(world)).find(({ batchId }) => batchId === of);
}

interface MeasuredBatch {
  readonly batchId: bigint;
  readonly answers: number;
  readonly seconds: number;
}

async function measured(world: World, { batchId, answers, seconds }: MeasuredBatch): Promise<void> {
  await ctx.admin.query(
    'update forecasts set answers = $3, handling_seconds = $4 where tenant_id = $1 and batch_id = $2',
    [world.tenantId, batchId, answers, seconds],
  );
}

/** Pages that a statement reads, of tables and indexes. */
async function pagesOf(world: World): Promise<{ pages: number; scanned: string[] }> {
  const asked: Prisma.Sql[] = [];
  await withSystem(ctx.database, (tx) => {
    const listening: Queryable = {
      $queryRaw(query, ...values) {
        asked.push(...('text' in query ? [query] : []));
        return tx.$queryRaw(query, ...values);
      },
    };
    return demandOf(listening, { projects: [world] });
  });
  const [statement] = asked;
  const { rows } = await ctx.admin.query(`explain (analyze, buffers, format json) ${statement?.text}`, [
    ...(statement?.values ?? []),
  ]);
  const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
  const scanned: string[] = [];
  const walk = (node: Record<string, unknown>) => {
    scanned.push(
      ...(typeof node['Relation Name'] === 'string' ? [`${node['Node Type']} ${node['Relation Name']}`] : []),
    );
    for (const child of (node.Plans as Record<string, unknown>[] | undefined) ?? []) {
      walk(child);
    }
  };
  walk(plan);
  return { pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scanned };
}

describe('one forecast', () => {
  test('reads as much of a project with a thousand finished batches as of a new one', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 50 });
    await foldWork(ctx.database);
    await ctx.admin.query('analyze');
    const before = await pagesOf(world);
    await ctx.admin.query(
      `with made as (
         insert into batches (tenant_id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count,
           idempotency_key, content_digest, stored_at)
         select $1, $2, $3, 'past', 'OPEN', 'JSONL', 'raw', 1, 20, 20, 'past-' || n, 'd', app.clock_now() - interval '9 days'
         from generate_series(1, 1000) n returning id)
       insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted, counted, state, done_at)
       select $1, $2, made.id, $3, n, 'k', 1, 'text/plain', 1, 1, 'DONE', app.clock_now() from made cross join generate_series(1, 20) n`,
      [world.tenantId, world.projectId, world.customerId],
    );
    await judgeProjects(ctx.database, [world]);
    expect(await openOf(world)).toEqual([world.batchId]);
    await ctx.admin.query('vacuum (analyze)');
    const { pages, scanned } = await pagesOf(world);
    expect(pages).toBeLessThan(before.pages + 40);
    expect(scanned.filter((one) => one.endsWith(' tasks'))).toEqual([]);
    expect(
      scanned.filter((one) => one.startsWith('Seq Scan') && / (assignments|forecasts|batches)$/.test(one)),
    ).toEqual([]);
  });
});

describe('hours', () => {
  const marks = async (world: World) =>
    (
      await ctx.admin.query(
        'select batch_id::int as batch, due_at is not null as due from hour_marks where tenant_id = $1 and batch_id <> 0',
        [world.tenantId],
      )
    ).rows;
  const fold = () => foldHours(ctx.database, { batches: 5_000, answers: 2_000 });

  test('are looked for in batches in which something moved, and in no others', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 2, experts: 2 });
    await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world) });
    await fold();
    expect(await marks(world)).toEqual([{ batch: Number(world.batchId), due: true }]);
    await ctx.advance(60);
    expect(await fold()).toBeGreaterThanOrEqual(1);
    await fold();
    expect(await marks(world)).toEqual([{ batch: Number(world.batchId), due: false }]);
    await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world, 1), n: 1 });
    await fold();
    expect(await marks(world)).toEqual([{ batch: Number(world.batchId), due: true }]);
    await ctx.advance(60);
    expect(await fold()).toBeGreaterThanOrEqual(1);
    // What has not moved for as long as hours are kept is forgotten.
    await fold();
    await ctx.advance(64 * 86_400);
    await fold();
    await fold(); // (A thousand at a time.)
    expect(await marks(world)).toEqual([]);
  });
});
