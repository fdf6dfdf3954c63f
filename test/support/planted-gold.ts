import type pg from 'pg';

/** One gold of each project, with gradings as if it had been shown: rows in every table of gold, each with its project's name. */
export async function plantGold(admin: pg.Client, tenantId: bigint): Promise<void> {
  const { rows } = await admin.query<{ id: string }>(
    `insert into tasks (tenant_id, project_id, customer_id, kind, line, payload_key, payload_bytes, content_type, wanted)
     select tenant_id, id, 0, 'GOLD', 0, 'payload of gold of ' || name, 1, 'text/plain', 1000 from projects where tenant_id = $1
     returning id`,
    [tenantId],
  );
  const golds = rows.map(({ id }) => id);
  await admin.query(
    `insert into golds (tenant_id, task_id, project_id, payload_key, label, look, source, state, ended_at, reason)
     select t.tenant_id, t.id, t.project_id, t.payload_key, 'label of ' || p.name, t.content_type, 'HAND', 'RETIRED', now(), 'planted' from tasks t
     join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id where t.id = any ($1)`,
    [golds],
  );
  const statements = [
    `insert into gold_keys (tenant_id, task_id, dimension, text_value)
     select tenant_id, task_id, 'choice', 'key of ' || label from golds where tenant_id = $1`,
    `insert into gold_pools (tenant_id, project_id, labels, targets)
     select tenant_id, project_id, array[label], '{1}' from golds where tenant_id = $1`,
    `insert into gold_tallies (tenant_id, expert_id, project_id, shown, by_class)
     select x.tenant_id, x.id, g.project_id, '{}', jsonb_build_object(g.label, 1) from experts x join golds g on g.tenant_id = x.tenant_id where x.tenant_id = $1`,
    `insert into gold_rates (tenant_id, expert_id, skill_id, task_type_id, rate, reason, computed_at)
     select s.tenant_id, s.expert_id, s.skill_id, p.task_type_id, 0.1, 'EVIDENCE', now()
     from expert_skills s join projects p on p.tenant_id = s.tenant_id and p.skill_id = s.skill_id where s.tenant_id = $1
     group by 1, 2, 3, 4`,
    `insert into gold_draws (tenant_id, assignment_id, task_id, expert_id, project_id, rate, drawn, reason, drawn_at)
     select tenant_id, -id, task_id, expert_id, project_id, 0.1, 0, 'EVIDENCE', now() from assignments where tenant_id = $1`,
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
       truth, answered, is_right, graded_at)
     select a.tenant_id, a.id, a.task_id, a.project_id, a.expert_id, p.skill_id, p.task_type_id, 'choice', 'GOLD', 'truth of ' || p.name, 'answer of ' || p.name, true, now()
     from assignments a join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id where a.tenant_id = $1`,
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'planted', now() from gradings where tenant_id = $1`,
    `insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at)
     select g.tenant_id, 'PEER_GAP', g.project_id, array(select x.id from experts x where x.tenant_id = g.tenant_id order by x.id limit 2),
            jsonb_build_object('gold', g.label), now() from golds g where g.tenant_id = $1`,
    `insert into finding_decisions (tenant_id, finding_id, decision, reason, decided_by, decided_at)
     select f.tenant_id, f.id, 'DISMISSED', 'reason for ' || p.name, 1, now()
     from gold_findings f join projects p on p.tenant_id = f.tenant_id and p.id = f.project_id where f.tenant_id = $1`,
    `insert into set_asides (tenant_id, finding_id, expert_id, skill_id, until, due_at)
     select f.tenant_id, f.id, f.experts[1], p.skill_id, now(), now() + interval '1 h'
     from gold_findings f join projects p on p.tenant_id = f.tenant_id and p.id = f.project_id where f.tenant_id = $1`,
    `insert into project_watches (tenant_id, project_id, grading_id, looked_at, has_more)
     select tenant_id, id, 0, now(), false from projects where tenant_id = $1
     on conflict do nothing`, // the watch itself may have been there
  ];
  for (const statement of statements) {
    await admin.query(statement, [tenantId]);
  }
}
