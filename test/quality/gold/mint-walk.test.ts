import { expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';
import type { World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { mintingIn } from '../support/minting.js';

// Which finished tasks are looked at for gold.
const t = useTestDb();
const { answered, mint, goldsOf } = mintingIn(t);

test('turns of sixty walk back through all finished tasks, and look at nothing twice that was in vain', async () => {
  const world = await answered({ proven: 'IN_TYPE' });
  const later = (from: number, to: number, counted: number) =>
    t.admin.query(
      `insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted, counted, state, done_at)
       select t.tenant_id, t.project_id, t.batch_id, t.customer_id, 1000 + n, 'later ' || n || ' of ' || t.id, 2, t.content_type, $4, $4, 'DONE', app.clock_now()
       from (select * from tasks where tenant_id = $1 limit 1) t, generate_series($2::int, $3::int) n`,
      [world.tenantId, from, to, counted],
    );
  const vain = () =>
    numberOf(t.admin, 'select count(*) from mint_looks where tenant_id = $1', [world.tenantId]);
  // Later ones, of which nothing can be made: one answer each, and then without anything that was said.
  await later(1, 1000, 1);
  await later(1001, 1370, 3);
  for (let turn = 1; turn <= 6; turn++) {
    await mint();
    expect([await vain(), (await goldsOf(world)).length]).toEqual([60 * turn, 0]);
  }
  await mint();
  expect([await vain(), (await goldsOf(world)).length]).toEqual([370 + 3, 4]);
});

test('finished tasks whose payload is to be given again are passed by, sixty and more of them', async () => {
  const world = await answered({ proven: 'IN_TYPE' });
  const done = await t.admin.query(
    `select id from tasks where tenant_id = $1 and state = 'DONE' order by id desc limit 1`,
    [world.tenantId],
  );
  // Sixty later ones with the answers of one that could become gold, each of a payload that is open again.
  await t.admin.query(
    `with twins as (
       insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted, counted, state, done_at)
       select t.tenant_id, t.project_id, t.batch_id, t.customer_id, 2000 + n, 'again ' || (n % 60) || ' of ' || t.id, 2, t.content_type, 3,
              case when n < 60 then 3 else 0 end, case when n < 60 then 'DONE' else 'OPEN' end, case when n < 60 then app.clock_now() end
       from (select * from tasks where tenant_id = $1 and state = 'DONE' order by id limit 1) t, generate_series(0, 119) n
       order by n desc
       returning id, state
     )
     select count(*) from twins`,
    [world.tenantId],
  );
  await copyAnswers(world, BigInt(done.rows[0].id));
  await mint();
  expect(await goldsOf(world)).toEqual([]);
  await mint();
  expect(await goldsOf(world)).toHaveLength(7);
});

/** Gives the finished tasks after one the answers that the first finished task has. */
async function copyAnswers({ tenantId }: World, afterId: bigint): Promise<void> {
  const { rows } = await t.admin.query(
    `select table_name as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position)
              filter (where is_generated = 'NEVER' and column_name not in ('id', 'task_id', 'assignment_id')) as columns
     from information_schema.columns where table_schema = 'public' and table_name in ('assignments', 'answers', 'answer_values') group by table_name`,
  );
  const columnsOf = (name: string) => rows.find((row) => row.name === name).columns as string;
  await t.admin.query(
    `create temp table copied as
     select a.id as from_id, nextval(pg_get_serial_sequence('assignments', 'id')) as id, t.id as task_id
     from (select id from tasks where tenant_id = $1 and state = 'DONE' order by id limit 1) s
     join assignments a on a.task_id = s.id and a.submitted_at is not null
     join tasks t on t.tenant_id = $1 and t.state = 'DONE' and t.id > $2`,
    [tenantId, afterId],
  );
  await t.admin.query(
    `insert into assignments (id, task_id, ${columnsOf('assignments')}) overriding system value
     select c.id, c.task_id, ${columnsOf('assignments').replace(/[^, ]+/g, 'a.$&')} from copied c join assignments a on a.id = c.from_id`,
  );
  for (const name of ['answers', 'answer_values']) {
    await t.admin.query(
      `insert into ${name} (assignment_id, task_id, ${columnsOf(name)})
       select c.id, c.task_id, ${columnsOf(name).replace(/[^, ]+/g, 'a.$&')} from copied c join ${name} a on a.assignment_id = c.from_id`,
    );
  }
  await t.admin.query('drop table copied');
}

test('looks in vain are forgotten after a day, when they say nothing any more', async () => {
  const world = await answered({ proven: null });
  const looks = () =>
    numberOf(t.admin, 'select count(*) from mint_looks where tenant_id = $1', [world.tenantId]);
  await mint();
  expect(await looks()).toBe(10);
  await t.admin.query(
    'update projects set state = $2, cancelled_at = now(), cancel_policy = $3 where tenant_id <> $1',
    [world.tenantId, 'CANCELLED', 'STOP'],
  );
  await t.admin.query(
    'update gold_refills set looked_at = app.clock_now() + interval $$2 days$$ where tenant_id = $1',
    [world.tenantId],
  );
  await t.advance(86_400);
  await mint();
  expect(await looks()).toBe(0);
});
