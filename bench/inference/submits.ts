import type pg from 'pg';
import { openDatabase } from '../../src/services/platform/database.js';
import { type Machine, startMachine, withAdmin } from '../claim/machine.js';
import { percentile } from '../claim/stats.js';
import { makeWorld, type World } from '../claim/world.js';

/** Tasks with three answers each, and of how many the last answer's effect is timed. */
export interface SubmitSize {
  readonly answered: number;
  readonly timed: number;
}

const ANSWERS = 3;
const CLASSES = ['a', 'b', 'c', 'd', 'e'];
const DIMENSIONS = [{ name: 'choice', pointer: '/choice', scale: 'nominal', values: CLASSES }];
const RULE = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 5, price: null };

/**
 * What a submit does for inference, in milliseconds: the posterior of its task by the version that holds (a confusion matrix an
 * expert), the decision kept, and what the task wants raised or an adjudication opened (`app.adapt_tasks`), in a transaction whose commit
 * is not counted: the submit has one anyway. One after the other.
 * @returns the 99th percentile
 */
export async function measureSubmits(size: SubmitSize): Promise<number> {
  const machine = await startMachine();
  try {
    return await inWorld(machine, size);
  } finally {
    await machine.stop();
  }
}

async function inWorld(machine: Machine, { answered, timed }: SubmitSize): Promise<number> {
  const world = await makeWorld(machine, { name: 'inference', tasks: 1_000, projects: 1, skills: 1 });
  return withAdmin(world.url, async (admin) => {
    await answer(admin, world, answered);
    await judge(admin, world);
    await world.vacuum();
    const { rows } = await admin.query<Done>('select id from done order by id limit $1', [timed + WARM_UP]);
    if (rows.length < timed + WARM_UP) {
      throw new Error(`Only ${rows.length} tasks were answered.`);
    }
    const times = await timesOf(world, rows);
    await checkDecided(admin, world, rows.length);
    return percentile(times, 0.99);
  });
}

/** Further tasks of the project are done, with three answers each of which most are the same. */
async function answer(admin: pg.Client, { tenantId, experts }: World, count: number): Promise<void> {
  const ids = experts.crowd.map(({ expertId }) => expertId);
  await admin.query('create temp table done (id bigint)');
  await admin.query(
    `with made as (
       insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted, counted, state, done_at)
       select b.tenant_id, b.project_id, b.id, b.customer_id, 1000000 + n, 'none', 0, 'text/plain', $3::integer, $3::integer, 'DONE', app.clock_now()
       from (select * from batches where tenant_id = $1 order by id limit 1) b cross join generate_series(1, $2::integer) n
       returning id
     )
     insert into done select id from made`,
    [tenantId, count, ANSWERS],
  );
  await admin.query(
    `insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state,
       epoch, lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
     select $1, t.id, ($2::bigint[])[1 + (t.id * 7 + n * 131) % cardinality($2::bigint[])], p.id, t.batch_id, p.customer_id, p.lane_id, n, $3, 0,
            'SUBMITTED', 1, 1800, app.clock_now(), app.clock_now() + interval '30 minutes', app.clock_now() + interval '2 hours',
            app.clock_now(), app.clock_now(), p.price_minor, p.currency
     from done d join tasks t on t.tenant_id = $1 and t.id = d.id join projects p on p.tenant_id = $1 and p.id = t.project_id
     cross join generate_series(1, $3::integer) n
`,
    [tenantId, ids, ANSWERS],
  );
  await admin.query(
    `insert into answers (tenant_id, assignment_id, task_id, project_id, customer_id, expert_id, epoch, body, digest, submitted_at)
     select a.tenant_id, a.id, a.task_id, a.project_id, a.customer_id, a.expert_id, 1, '{}', encode(sha256('{}'), 'hex'), a.submitted_at
     from assignments a join done d on d.id = a.task_id where a.tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value)
     select a.tenant_id, a.id, 'choice', a.task_id, a.customer_id, a.expert_id,
            ($2::text[])[1 + (a.task_id + case when (a.task_id * 31 + a.slot * 17) % 10 < 8 then 0 else a.slot end) % 5]
     from assignments a join done d on d.id = a.task_id where a.tenant_id = $1`,
    [tenantId, CLASSES],
  );
}

/** The project stops at a posterior, by a version that has a matrix of each expert. */
async function judge(admin: pg.Client, { tenantId }: World): Promise<void> {
  const rows = Object.fromEntries(
    CLASSES.map((truth) => [
      truth,
      Object.fromEntries(CLASSES.map((said) => [said, said === truth ? 0.8 : 0.05])),
    ]),
  );
  await admin.query('update task_types set dimensions = $2 where tenant_id = $1', [
    tenantId,
    JSON.stringify(DIMENSIONS),
  ]);
  await admin.query('select app.stronger_lane(tenant_id, id) from projects where tenant_id = $1', [tenantId]);
  await admin.query('update projects set redundancy_policy = $2::jsonb where tenant_id = $1', [
    tenantId,
    JSON.stringify(RULE),
  ]);
  await admin.query(
    `insert into inference_versions (tenant_id, project_id, customer_id, dimension, number, method, reason, gold_tasks, gold_answers,
       gold_items, answers_an_item, answers, trials, temper, doubt, scores_temper, scores_doubt, accuracy, matrix, last_assignment, last_grading)
     select tenant_id, id, customer_id, 'choice', 1, 'DAWID_SKENE', 'CHOSEN_ON_GOLD', 40, 240, 80, 3, 900, '[]', 1.2, 0.01, 1, 0, 0.8, $2::jsonb, 0, 0
     from projects where tenant_id = $1`,
    [tenantId, JSON.stringify(rows)],
  );
  await admin.query(
    `insert into inference_experts (tenant_id, version_id, expert_id, accuracy, matrix)
     select v.tenant_id, v.id, x.id, 0.8, $2::jsonb from inference_versions v join experts x on x.tenant_id = v.tenant_id where v.tenant_id = $1`,
    [tenantId, JSON.stringify(rows)],
  );
}

const WARM_UP = 50;

interface Done {
  readonly id: string;
}

/** On a connection as those of the line are, on which submits run: by its role and with its settings. */
async function timesOf({ url, tenantId }: World, done: readonly Done[]): Promise<number[]> {
  const db = openDatabase({ url });
  const line = await db.linePool.connect();
  try {
    const times: number[] = [];
    for (const { id } of done) {
      await line.query('begin');
      await line.query({ name: 'enter', text: 'select app.enter_service($1, null)', values: [tenantId] });
      const began = performance.now();
      await line.query({
        name: 'adapt',
        text: 'select app.adapt_tasks($1, array[$2]::bigint[])',
        values: [tenantId, id],
      });
      times.push(performance.now() - began);
      await line.query('commit');
    }
    return times.slice(WARM_UP);
  } finally {
    line.release();
    await db.close();
  }
}

async function checkDecided(admin: pg.Client, { tenantId }: World, count: number): Promise<void> {
  const { rows } = await admin.query<{ count: number }>(
    'select count(*)::int as count from task_decisions where tenant_id = $1',
    [tenantId],
  );
  const decided = rows[0]?.count ?? 0;
  if (decided < count) {
    throw new Error(`Only ${decided} of ${count} tasks were decided.`);
  }
}
