-- What stopped for want of budget goes on in turns: project by project, each in its own transaction, whatever waits longest
-- first; what does not fit lets others by, and what would want nothing more waits no longer.
set local role touchstone_owner;

-- Null: it was not looked at since it stopped.
alter table budget_stops add looked_at timestamptz(3);
create index budget_stops_turns on budget_stops (tenant_id, project_id, looked_at);
grant update (looked_at) on budget_stops to touchstone_system;

-- A task that is closed by flags frees what nobody has answered or holds. A first budget that is being set is waited for.
create or replace function app.free_flagged() returns trigger language plpgsql as $$
begin
  perform app.enter_budgets(array[new.project_id]);
  update project_budgets b
  set committed_minor = b.committed_minor - p.price_minor * greatest(0, new.wanted - new.counted - (
    select count(*) from assignments a where a.tenant_id = new.tenant_id and a.task_id = new.id and a.state = 'LEASED'))
  from projects p
  where b.tenant_id = new.tenant_id and b.project_id = new.project_id and p.tenant_id = b.tenant_id and p.id = b.project_id;
  return null;
end
$$;

-- Decisions as far as there is budget for what they cost, in the order of their tasks; one that does not fit stops with what it
-- has (reason BUDGET) and takes nothing from those after it. Whoever is told yes holds the budget until their transaction ends.
create or replace function app.within_budget(p_tenant bigint, p_decided app.decision[]) returns app.decision[] language plpgsql as $$
declare
  v_projects bigint[] := array(select distinct d.project_id from unnest(p_decided) d where d.next <> 'STOP');
  v_kept app.decision[] := '{}';
  v_project bigint;
  v_room bigint;
  v_row record;
  v_one app.decision;
begin
  if v_projects = '{}' then
    return p_decided;
  end if;
  perform app.enter_budgets(v_projects);
  perform from project_budgets b where b.tenant_id = p_tenant and b.project_id = any (v_projects) order by b.project_id for no key update;
  if not found then
    return p_decided;
  end if;
  -- One read for all; what is looked at one by one is in memory.
  for v_row in
    select d.task_id, d.project_id, d.customer_id, d.answers, d.next, d.more, d.reason, d.results, b.budget_minor - b.committed_minor as room,
           p.price_minor * case d.next when 'MORE' then d.more when 'ADJUDICATE' then 1 else 0 end as cost
    from unnest(p_decided) d
    join projects p on p.tenant_id = p_tenant and p.id = d.project_id
    left join project_budgets b on b.tenant_id = p_tenant and b.project_id = d.project_id
    order by d.project_id, d.task_id
  loop
    if v_row.project_id is distinct from v_project then
      v_project := v_row.project_id;
      v_room := v_row.room;
    end if;
    v_one := (v_row.task_id, v_row.project_id, v_row.customer_id, v_row.answers, v_row.next, v_row.more, v_row.reason, v_row.results);
    if v_row.cost > v_room then
      v_one.next := 'STOP';
      v_one.more := 0;
      v_one.reason := 'BUDGET';
    else
      v_room := v_room - v_row.cost;
    end if;
    v_kept := v_kept || v_one;
  end loop;
  return v_kept;
end
$$;

drop function app.resume_stopped(integer);

-- Has tasks of a project decided anew that stopped for want of budget, those first that were not looked at for longest. They wait no
-- longer when something new was decided, when nothing more is wanted of them, when somebody has asked a stronger expert, or when
-- the project has ended. Answers how many wait no longer. Tasks that somebody else holds are left for later: whoever takes a
-- task and a budget takes the task first.
create function app.resume_stopped(p_tenant bigint, p_project bigint, p_limit integer) returns integer language plpgsql as $$
declare
  v_running boolean;
  v_looked bigint[];
  v_held bigint[];
  v_tasks bigint[];
  v_over integer;
begin
  select p.state = 'RUNNING' into v_running from projects p where p.tenant_id = p_tenant and p.id = p_project;
  v_looked := array(
    select s.task_id from budget_stops s where s.tenant_id = p_tenant and s.project_id = p_project
    order by s.looked_at nulls first, s.task_id limit p_limit for update skip locked);
  v_held := array(
    select t.id from tasks t where t.tenant_id = p_tenant and t.id = any (v_looked) order by t.id for update skip locked);
  update budget_stops s set looked_at = app.clock_now()
  where s.tenant_id = p_tenant and s.project_id = p_project and s.task_id = any (v_looked);
  if v_running then
    v_tasks := array(
      select h.id from unnest(v_held) as h(id)
      where not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = h.id));
    perform app.adapt_tasks(p_tenant, v_tasks);
    -- Those without a new decision that would still want more.
    v_tasks := array(
      select s.task_id from budget_stops s
      where s.tenant_id = p_tenant and s.project_id = p_project and s.task_id = any (v_tasks) and not exists (
        select from task_decisions d where d.tenant_id = p_tenant and d.task_id = s.task_id and d.id > s.decision_id));
    v_tasks := array(select d.task_id from app.decide_tasks(p_tenant, v_tasks) d);
  end if;
  delete from budget_stops s
  where s.tenant_id = p_tenant and s.project_id = p_project and s.task_id = any (v_held) and not s.task_id = any (coalesce(v_tasks, '{}'));
  get diagnostics v_over = row_count;
  return v_over;
end
$$;
