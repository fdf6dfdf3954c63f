import type pg from 'pg';
import type { Database } from '../../../src/services/platform/database.js';
import { at, type World } from '../../support/factories.js';
import { makeGolds } from '../../support/golds.js';

export interface GoldAnswer {
  /** Index among the world's experts, and among the golds. */
  readonly expert: number;
  readonly gold: number;
  readonly label: 'yes' | 'no' | 'unsure';
  readonly seconds: number;
}

/**
 * So many golds whose key is "yes", with these answers, written down as claims and submits would have left them; answers
 * the golds in their order.
 */
export async function plantGoldAnswers(
  { database, admin }: { database: Database; admin: pg.Client },
  world: World,
  { golds, answers }: { golds: number; answers: readonly GoldAnswer[] },
): Promise<bigint[]> {
  const ids = await makeGolds(database, world, { keys: Array.from({ length: golds }, () => 'yes' as const) });
  const slots = new Map<number, number>();
  const rows = answers.map(({ expert, gold, label, seconds }) => {
    const slot = (slots.get(gold) ?? 0) + 1;
    slots.set(gold, slot);
    return {
      expert: String(at(world.experts, expert).expertId),
      gold: String(at(ids, gold)),
      slot,
      label,
      seconds,
    };
  });
  await admin.query(
    `with given as materialized (
       select * from jsonb_to_recordset($3::jsonb) as v(gold bigint, expert bigint, slot smallint, label text, seconds float8)
     ), leased as (
       insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state,
         epoch, lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
       select p.tenant_id, v.gold, v.expert, p.id, 0, 0, p.lane_id, v.slot, 1000, 0, 'SUBMITTED', 1, 3600,
              app.clock_now() - make_interval(secs => v.seconds), app.clock_now() + interval '1 h', app.clock_now() + interval '4 h',
              app.clock_now(), app.clock_now(), 0, p.currency
       from given v join projects p on p.tenant_id = $1 and p.id = $2
       returning *
     ), shown as (
       update golds g set exposures = n.showings
       from (select v.gold, count(*) as showings from given v group by v.gold) n where g.tenant_id = $1 and g.task_id = n.gold
     )
     insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
       truth, answered, is_right, graded_at)
     select l.tenant_id, l.id, l.task_id, l.project_id, l.expert_id, p.skill_id, p.task_type_id, 'choice', 'GOLD', 'yes', v.label,
            v.label = 'yes', l.submitted_at
     from leased l join given v on v.gold = l.task_id and v.expert = l.expert_id
     join projects p on p.tenant_id = l.tenant_id and p.id = l.project_id`,
    [world.tenantId, world.projectId, JSON.stringify(rows)],
  );
  return ids;
}
