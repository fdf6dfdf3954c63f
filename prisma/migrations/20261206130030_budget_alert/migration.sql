-- An alert where tasks stop short of the answers that they would want because the project's budget does not reach. Looked for, not
-- raised with the stop: that is written beside answers, where everybody waits.
set local role touchstone_owner;

alter table alerts
  drop constraint alerts_kind_check,
  add constraint alerts_kind_check check (kind in ('DEADLINE_AT_RISK', 'SKILL_STARVED', 'SKILL_SHORT', 'EXPERT_PAUSED', 'GOLD_LEAKED', 'GOLD_SUSPENDED', 'EXPERT_FINDING', 'ADJUDICATIONS_WAITING', 'BATCH_FAILED', 'LEASES_LAPSED', 'WEBHOOK_FAILING',
    'BUDGET_EXHAUSTED'));

create or replace function app.watch_alerts() returns void language plpgsql as $$
declare
  c_waits constant interval := '30 minutes';
  c_many constant integer := 100;
  v_row record;
begin
  for v_row in
    select t.tenant_id, t.project_id, t.customer_id, p.name, count(*) as tasks
    from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
    where t.kind = 'ADJUDICATION' and t.state = 'OPEN' and p.state = 'RUNNING' and t.created_at < app.clock_now() - c_waits
    group by t.tenant_id, t.project_id, t.customer_id, p.name
  loop
    perform app.raise_alert(v_row.tenant_id, 'ADJUDICATIONS_WAITING', 'project/' || v_row.project_id, 'WARNING',
      format('%s tasks of project "%s" on which answers disagree have waited for a stronger expert for half an hour or more.', v_row.tasks, v_row.name),
      jsonb_build_object('customerId', v_row.customer_id, 'projectId', v_row.project_id));
  end loop;
  update alerts a set resolved_at = app.clock_now()
  where a.resolved_at is null and a.kind = 'ADJUDICATIONS_WAITING'
    and not exists (select from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
                    where t.tenant_id = a.tenant_id and t.project_id = a.project_id and t.kind = 'ADJUDICATION' and t.state = 'OPEN'
                      and p.state = 'RUNNING' and t.created_at < app.clock_now() - c_waits);
  for v_row in
    with recursive stopped as (
      (select s.tenant_id, s.project_id, s.customer_id from budget_stops s order by s.tenant_id, s.project_id limit 1)
      union all
      select n.* from stopped w cross join lateral (
        select s.tenant_id, s.project_id, s.customer_id from budget_stops s
        where (s.tenant_id, s.project_id) > (w.tenant_id, w.project_id) order by s.tenant_id, s.project_id limit 1
      ) n
    )
    select w.tenant_id, w.project_id, w.customer_id, p.name from stopped w
    join projects p on p.tenant_id = w.tenant_id and p.id = w.project_id where p.state = 'RUNNING'
  loop
    perform app.raise_alert(v_row.tenant_id, 'BUDGET_EXHAUSTED', 'project/' || v_row.project_id, 'WARNING',
      format('Tasks of project "%s" have stopped short of the answers that they would want: its budget does not reach.', v_row.name),
      jsonb_build_object('customerId', v_row.customer_id, 'projectId', v_row.project_id));
  end loop;
  update alerts a set resolved_at = app.clock_now()
  where a.resolved_at is null and a.kind = 'BUDGET_EXHAUSTED'
    and not exists (select from budget_stops s join projects p on p.tenant_id = s.tenant_id and p.id = s.project_id
                    where s.tenant_id = a.tenant_id and s.project_id = a.project_id and p.state = 'RUNNING');
  for v_row in
    select e.tenant_id, count(*) as leases from stream_events e
    where e.created_at > app.clock_now() - interval '1 minute' and e.kind = 'EXPIRED' and e.stream like 'lease/expert/%'
    group by e.tenant_id having count(*) >= c_many
  loop
    perform app.raise_alert(v_row.tenant_id, 'LEASES_LAPSED', 'tenant', 'CRITICAL',
      format('%s leases ended unanswered within a minute: a node, a network or a customer''s site may have been out.', v_row.leases), '{}');
  end loop;
  -- Over when for five minutes not so many have ended in one.
  update alerts a set resolved_at = app.clock_now()
  where a.resolved_at is null and a.kind = 'LEASES_LAPSED' and a.last_seen_at < app.clock_now() - interval '5 minutes';
end
$$;
