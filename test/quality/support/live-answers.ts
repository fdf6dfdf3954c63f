import type pg from 'pg';
import type { World } from '../../support/factories.js';

/** What one answer says, dimension by dimension; one left open is not there. */
export type Says = Readonly<Record<string, string | number>>;

interface Held {
  readonly id: string;
  readonly says: Says;
  counts: boolean;
}

/** The dimensions that live answers have: of each form that agreement is kept in. */
export const DIMENSIONS = [
  { name: 'choice', pointer: '/choice', scale: 'nominal', values: ['no', 'yes', 'maybe'] },
  { name: 'rank', pointer: '/rank', scale: 'ordinal', values: ['low', 'middle', 'high', 'top'] },
  { name: 'text', pointer: '/text', scale: 'nominal' },
  { name: 'length', pointer: '/length', scale: 'interval' },
  { name: 'amount', pointer: '/amount', scale: 'interval', isRatio: true, values: [0, 0.5, 1, 2, 10] },
] as const;

/**
 * Tasks whose answers come, are rejected and come back, written down as a service does it: what counts by the state of the
 * assignment, how much by the task. Says what each task's answers are by the end.
 */
export class LiveAnswers {
  private readonly tasks: { id: string; answers: Map<number, Held> }[] = [];

  constructor(
    private readonly admin: pg.Client,
    private readonly world: World,
  ) {}

  async open(tasks: number): Promise<void> {
    const { tenantId, taskTypeId, projectId, batchId } = this.world;
    await this.admin.query('update task_types set dimensions = $3 where tenant_id = $1 and id = $2', [
      tenantId,
      taskTypeId,
      JSON.stringify(DIMENSIONS),
    ]);
    const { rows } = await this.admin.query(
      `insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted)
       select b.tenant_id, $2, b.id, b.customer_id, n, 'none', 0, 'text/plain', 9
       from batches b cross join generate_series(1, $4) n where b.tenant_id = $1 and b.id = $3 order by n returning id`,
      [tenantId, projectId, batchId, tasks],
    );
    this.tasks.push(...rows.map(({ id }) => ({ id: String(id), answers: new Map() })));
  }

  /** The expert answers; or, where they have, their answer ceases to count, or counts again. */
  async turn(task: number, expert: number, says: Says): Promise<void> {
    const of = this.tasks[task];
    const held = of?.answers.get(expert);
    if (of === undefined) {
      return;
    }
    if (held === undefined) {
      of.answers.set(expert, { id: await this.answer(of.id, expert, says), says, counts: true });
    } else {
      held.counts = !held.counts;
      await this.admin.query('update assignments set state = $2 where id = $1', [
        held.id,
        held.counts ? 'ACCEPTED' : 'REJECTED',
      ]);
    }
    const counted = [...of.answers.values()].filter(({ counts }) => counts).length;
    await this.admin.query(
      `update tasks set counted = n, wanted = greatest(n, 1), state = case when n > 0 then 'DONE' else 'OPEN' end,
         done_at = case when n > 0 then now() end from (select $2::smallint as n) c where id = $1`,
      [of.id, counted],
    );
  }

  /** One answer that counts is exchanged for one that did not, and the task's numbers stay as they are. */
  async exchange(task: number): Promise<void> {
    const answers = [...(this.tasks[task]?.answers.values() ?? [])];
    const [gone, back] = [answers.find(({ counts }) => counts), answers.find(({ counts }) => !counts)];
    if (gone !== undefined && back !== undefined) {
      [gone.counts, back.counts] = [false, true];
      await this.admin.query(`update assignments set state = 'REJECTED' where id = $1`, [gone.id]);
      await this.admin.query(`update assignments set state = 'ACCEPTED' where id = $1`, [back.id]);
    }
  }

  /** What counts of one dimension, a task each: who said what. */
  units(dimension: string): { expert: number; said: string | number }[][] {
    return this.tasks.map(({ answers }) =>
      [...answers].flatMap(([expert, { counts, says }]) => {
        const said = says[dimension];
        return counts && said !== undefined ? [{ expert, said }] : [];
      }),
    );
  }

  private async answer(task: string, expert: number, says: Says): Promise<string> {
    const { tenantId, projectId, batchId, experts } = this.world;
    const values = Object.entries(says).map(([dimension, said]) => ({
      dimension,
      text: typeof said === 'string' ? said : null,
      number: typeof said === 'number' ? said : null,
    }));
    const { rows } = await this.admin.query(
      `with leased as (
         insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state,
           epoch, lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
         select p.tenant_id, $3, $4, p.id, $5, p.customer_id, p.lane_id, $7, 9, 0, 'SUBMITTED', 1, 60, now() - interval '30 s',
                now() + interval '30 s', now() + interval '1 h', now(), now(), 0, p.currency
         from projects p where p.tenant_id = $1 and p.id = $2
         returning *
       ), valued as (
         insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value, number_value)
         select l.tenant_id, l.id, v.dimension, l.task_id, l.customer_id, l.expert_id, v.text, v.number
         from leased l cross join jsonb_to_recordset($6::jsonb) as v(dimension text, text text, number float8)
       )
       select id from leased`,
      [tenantId, projectId, task, experts[expert]?.expertId, batchId, JSON.stringify(values), expert + 1],
    );
    return String(rows[0]?.id);
  }
}
