-- A re-test in which nothing is graded goes on for ever: staff are told after a week. And what is looked for each 20 s is bounded.
set local role touchstone_owner;

alter table alerts
  drop constraint alerts_kind_check,
  add constraint alerts_kind_check check (kind in ('DEADLINE_AT_RISK', 'SKILL_STARVED', 'SKILL_SHORT', 'EXPERT_PAUSED', 'GOLD_LEAKED', 'GOLD_SUSPENDED', 'EXPERT_FINDING', 'ADJUDICATIONS_WAITING', 'BATCH_FAILED', 'LEASES_LAPSED', 'WEBHOOK_FAILING',
    'BUDGET_EXHAUSTED', 'JOB_UNASSIGNED', 'JOB_NO_SHOW', 'RETEST_STALLED'));
create index shown_standings_retesting on shown_standings (since) where phase = 'RETEST';
create index tasks_adjudicating_of on tasks (tenant_id, project_id, created_at) where kind = 'ADJUDICATION' and state = 'OPEN';

-- Whether nothing of an expert was graded in a skill within a week.
create function app.is_retest_stalled(p_standing shown_standings) returns boolean language sql stable as $$
  select coalesce((select g.graded_at < app.clock_now() - interval '7 days' from gradings g
                   where g.tenant_id = p_standing.tenant_id and g.expert_id = p_standing.expert_id and g.skill_id = p_standing.skill_id
                   order by g.id desc limit 1), true)
$$;

create or replace function app.watch_alerts() returns void language plpgsql as $$
declare
  c_waits constant interval := '30 minutes';
  c_many constant integer := 100;
  c_at_once constant integer := 5000;
  c_retest constant interval := '7 days';
  v_row record;
begin
  for v_row in
    select t.tenant_id, t.project_id, t.customer_id, p.name, count(*) as tasks
    from (
      -- Those that have waited longest: the alert of a project is raised by any of its own, and says how many of these there are.
      select o.tenant_id, o.project_id, o.customer_id from tasks o
      where o.kind = 'ADJUDICATION' and o.state = 'OPEN' and o.created_at < app.clock_now() - c_waits
      order by o.created_at limit c_at_once) t
    join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id and p.state = 'RUNNING'
    group by t.tenant_id, t.project_id, t.customer_id, p.name
  loop
    perform app.raise_alert(v_row.tenant_id, 'ADJUDICATIONS_WAITING', 'project/' || v_row.project_id, 'WARNING',
      format('%s tasks of project "%s" on which answers disagree have waited for a stronger expert for half an hour or more.', v_row.tasks, v_row.name),
      jsonb_build_object('customerId', v_row.customer_id, 'projectId', v_row.project_id));
  end loop;
  update alerts a set resolved_at = app.clock_now()
  where a.resolved_at is null and a.kind = 'ADJUDICATIONS_WAITING'
    and not exists (select from projects p join tasks t on t.tenant_id = p.tenant_id and t.project_id = p.id
                    where p.tenant_id = a.tenant_id and p.id = a.project_id and p.state = 'RUNNING'
                      and t.kind = 'ADJUDICATION' and t.state = 'OPEN' and t.created_at < app.clock_now() - c_waits);
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
    select w.tenant_id, w.expert_id, w.skill_id, x.handle, k.name
    from shown_standings w
    join experts x on x.tenant_id = w.tenant_id and x.id = w.expert_id and x.status = 'ACTIVE'
    join skills k on k.tenant_id = w.tenant_id and k.id = w.skill_id
    where w.phase = 'RETEST' and w.since < app.clock_now() - c_retest and app.is_retest_stalled(w)
    order by w.since limit c_at_once
  loop
    perform app.raise_alert(v_row.tenant_id, 'RETEST_STALLED', format('retest/%s/%s', v_row.expert_id, v_row.skill_id), 'WARNING',
      format('Expert "%s" is being tested anew in "%s", and nothing that they did within seven days could be graded: there is no gold left that they have not had, or they do not work.', v_row.handle, v_row.name),
      jsonb_build_object('expertId', v_row.expert_id, 'skillId', v_row.skill_id, 'aboutGold', true));
  end loop;
  update alerts a set resolved_at = app.clock_now()
  where a.resolved_at is null and a.kind = 'RETEST_STALLED'
    and not exists (select from shown_standings w where w.tenant_id = a.tenant_id and w.expert_id = a.expert_id and w.skill_id = a.skill_id
                      and w.phase = 'RETEST' and app.is_retest_stalled(w));
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
