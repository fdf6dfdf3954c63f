import type pg from 'pg';
import type { World } from '../../support/factories.js';

export interface PlantedVote {
  /** Index among the world's experts. */
  readonly expert: number;
  /** A class, or a number. */
  readonly label: string | number;
  readonly confidence: number | null;
  /** Of which dimension (default: choice). */
  readonly dimension?: string;
}

/**
 * Tasks that are done, with these answers (a list of votes each), written down as the services would have left them;
 * answers the tasks' ids in their order. The admin's connection must be a superuser's.
 */
export async function plantAnswered(
  admin: pg.Client,
  world: World,
  tasks: readonly (readonly PlantedVote[])[],
): Promise<bigint[]> {
  const { tenantId, projectId, batchId, experts } = world;
  const { rows: made } = await admin.query(
    `insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type,
       wanted, counted, state, done_at)
     select b.tenant_id, b.project_id, b.id, b.customer_id,
            (select coalesce(max(line), 0) from tasks t where t.tenant_id = b.tenant_id and t.batch_id = b.id) + n.ordinality,
            'none', 0, 'text/plain', n.votes::int, n.votes::int, 'DONE', app.clock_now()
     from batches b cross join jsonb_array_elements_text($3::jsonb) with ordinality as n(votes, ordinality)
     where b.tenant_id = $1 and b.id = $2 order by n.ordinality returning id`,
    [tenantId, batchId, JSON.stringify(tasks.map((votes) => votes.length))],
  );
  const ids = made.map(({ id }) => BigInt(id));
  const votes = tasks.flatMap((list, task) =>
    list.map(({ expert, label, dimension = 'choice', ...vote }, slot) => ({
      dimension,
      ...vote,
      text: typeof label === 'string' ? label : null,
      number: typeof label === 'number' ? label : null,
      task: String(ids[task]),
      expert: String(experts[expert]?.expertId),
      slot: slot + 1,
      wanted: list.length,
    })),
  );
  await admin.query(
    `with given as materialized (
       select * from jsonb_to_recordset($3::jsonb) as v(task bigint, expert bigint, slot smallint, wanted smallint, dimension text, "text" text, number double precision, confidence real)
     ), leased as (
       insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state,
         epoch, lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
       select p.tenant_id, v.task, v.expert, p.id, $4, p.customer_id, p.lane_id, v.slot, v.wanted, 0, 'SUBMITTED', 1, 60,
              app.clock_now() - interval '30 s', app.clock_now() + interval '30 s', app.clock_now() + interval '1 h', app.clock_now(), app.clock_now(), 0, p.currency
       from given v join projects p on p.tenant_id = $1 and p.id = $2
       returning *
     ), answered as (
       insert into answers (tenant_id, assignment_id, task_id, project_id, customer_id, expert_id, epoch, body, digest, confidence, submitted_at)
       select l.tenant_id, l.id, l.task_id, l.project_id, l.customer_id, l.expert_id, 1, '{}',
              encode(sha256('{}'), 'hex'), v.confidence, l.submitted_at
       from leased l join given v on v.task = l.task_id and v.expert = l.expert_id
     )
     insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value, number_value)
     select l.tenant_id, l.id, v.dimension, l.task_id, l.customer_id, l.expert_id, v.text, v.number
     from leased l join given v on v.task = l.task_id and v.expert = l.expert_id`,
    [tenantId, projectId, JSON.stringify(votes), batchId],
  );
  return ids;
}
