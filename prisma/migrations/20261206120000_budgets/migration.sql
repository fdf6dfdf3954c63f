-- What a project may cost at most. What its tasks and adjudications want, at the project's price, is committed: reserved until
-- it is answered, spent then. An answer moves nothing here; a row is touched when tasks are opened, when a task wants more,
-- and when one is closed by flags.
set local role touchstone_owner;

create table project_budgets (
  tenant_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  -- In minor units of the project's currency.
  budget_minor bigint not null check (budget_minor between 0 and 1000000000000000),
  committed_minor bigint not null check (committed_minor >= 0),
  set_by bigint,
  set_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, project_id),
  foreign key (tenant_id, project_id) references projects (tenant_id, id),
  constraint project_budgets_kept check (committed_minor <= budget_minor)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Tasks that would want more, or a stronger expert, and did not get it for want of budget, with the decision that says so.
create table budget_stops (
  tenant_id bigint not null,
  project_id bigint not null,
  task_id bigint not null,
  customer_id bigint not null,
  decision_id bigint not null,
  primary key (tenant_id, project_id, task_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Decided by no rule of the project's: it is decided anew when there is budget. Once for so many answers.
create unique index task_decisions_budget_once on task_decisions (tenant_id, task_id, answers) where decided_by = 0 and reason = 'BUDGET';

do $$
declare
  own_customer text := 'customer_id = (select app.customer_id())';
  t text;
begin
  foreach t in array array['project_budgets', 'budget_stops'] loop
    perform app.protect(t, own_customer, 'false', array['OPERATOR', 'ANALYST']);
    execute format('grant select on %I to touchstone_app, touchstone_system, touchstone_line', t);
    execute format('create policy line_as_service on %I to touchstone_line using (tenant_id = (select app.service_tenant()))', t);
  end loop;
end
$$;
grant insert, delete, update (budget_minor, committed_minor, set_by, set_at) on project_budgets to touchstone_app;
grant update (committed_minor) on project_budgets to touchstone_line, touchstone_system;
grant insert on budget_stops to touchstone_app, touchstone_line, touchstone_system;
grant delete on budget_stops to touchstone_system;
grant update (wanted) on tasks to touchstone_system;

-- Whoever adds to what a project may cost holds this lock, shared, so that its first budget counts them in or is seen by them:
-- a lock in memory, which waits for nobody unless a budget is set for the first time at that moment.
create function app.enter_budgets(p_projects bigint[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(7255, (p.id % 2147483647)::integer) from (select distinct unnest(p_projects) as id order by 1) p;
end
$$;

-- How many more answers a project can pay for; null: it has no budget.
create function app.budget_room(p_tenant bigint, p_project bigint) returns bigint language sql stable as $$
  select case when p.price_minor > 0 then (b.budget_minor - b.committed_minor) / p.price_minor end
  from project_budgets b join projects p on p.tenant_id = b.tenant_id and p.id = b.project_id
  where b.tenant_id = p_tenant and b.project_id = p_project
$$;

-- Tasks are opened within the budget, or not at all (XR004). Gold is the tenant's own.
create function app.commit_opened() returns trigger language plpgsql as $$
declare
  v_projects bigint[];
begin
  select array_agg(distinct n.project_id) into v_projects from opened n where n.kind <> 'GOLD';
  if v_projects is null then
    return null;
  end if;
  perform app.enter_budgets(v_projects);
  if not exists (select from opened n join project_budgets b on b.tenant_id = n.tenant_id and b.project_id = n.project_id where n.kind <> 'GOLD') then
    return null;
  end if;
  perform from project_budgets b
  where (b.tenant_id, b.project_id) in (select n.tenant_id, n.project_id from opened n where n.kind <> 'GOLD')
  order by b.project_id for no key update;
  if exists (
    select from (select n.tenant_id, n.project_id, sum(n.wanted) as wanted from opened n where n.kind <> 'GOLD' group by n.tenant_id, n.project_id) c
    join projects p on p.tenant_id = c.tenant_id and p.id = c.project_id
    join project_budgets b on b.tenant_id = c.tenant_id and b.project_id = c.project_id
    where b.committed_minor + c.wanted * p.price_minor > b.budget_minor
  ) then
    raise exception 'The budget of the project does not pay for these tasks.' using errcode = 'XR004';
  end if;
  update project_budgets b set committed_minor = b.committed_minor + c.wanted * p.price_minor
  from (select n.tenant_id, n.project_id, sum(n.wanted) as wanted from opened n where n.kind <> 'GOLD' group by n.tenant_id, n.project_id) c
  join projects p on p.tenant_id = c.tenant_id and p.id = c.project_id
  where b.tenant_id = c.tenant_id and b.project_id = c.project_id;
  return null;
end
$$;
create trigger commits after insert on tasks referencing new table as opened for each statement execute function app.commit_opened();

-- A task that is closed by flags frees what nobody has answered or holds.
create function app.free_flagged() returns trigger language plpgsql as $$
begin
  update project_budgets b
  set committed_minor = b.committed_minor - p.price_minor * greatest(0, new.wanted - new.counted - (
    select count(*) from assignments a where a.tenant_id = new.tenant_id and a.task_id = new.id and a.state = 'LEASED'))
  from projects p
  where b.tenant_id = new.tenant_id and b.project_id = new.project_id and p.tenant_id = b.tenant_id and p.id = b.project_id;
  return null;
end
$$;
create trigger frees after update of state on tasks for each row
  when (old.state = 'OPEN' and new.state = 'FLAGGED' and new.kind <> 'GOLD') execute function app.free_flagged();

-- Sets what a project may cost at most; null: as much as it takes. A first budget counts what is committed already, alone with
-- the project's money.
create function app.set_budget(p_tenant bigint, p_actor bigint, p_project bigint, p_customer bigint, p_budget bigint) returns jsonb language plpgsql as $$
declare
  v_project projects;
  v_committed bigint;
begin
  select * into v_project from projects p
  where p.tenant_id = p_tenant and p.id = p_project and (p_customer is null or p.customer_id = p_customer) for key share;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  elsif v_project.state <> 'RUNNING' then
    return jsonb_build_object('outcome', 'NOT_RUNNING');
  elsif p_budget is null then
    delete from project_budgets b where b.tenant_id = p_tenant and b.project_id = p_project;
    return jsonb_build_object('outcome', 'OK');
  end if;
  if not exists (select from project_budgets b where b.tenant_id = p_tenant and b.project_id = p_project) then
    perform pg_advisory_xact_lock(7255, (p_project % 2147483647)::integer);
    select coalesce(sum(v_project.price_minor * case when t.state = 'FLAGGED' then t.counted + (
             select count(*) from assignments a where a.tenant_id = p_tenant and a.task_id = t.id and a.state = 'LEASED') else t.wanted end), 0)
    into v_committed
    from tasks t where t.tenant_id = p_tenant and t.project_id = p_project and t.kind <> 'GOLD';
    insert into project_budgets (tenant_id, project_id, customer_id, budget_minor, committed_minor, set_by)
    select p_tenant, p_project, v_project.customer_id, p_budget, v_committed, p_actor where v_committed <= p_budget
    on conflict do nothing;
  end if;
  select coalesce(max(k.committed_minor), v_committed) into v_committed from (
    select b.committed_minor from project_budgets b where b.tenant_id = p_tenant and b.project_id = p_project for no key update) k;
  if v_committed > p_budget then
    return jsonb_build_object('outcome', 'TOO_LOW', 'committed', v_committed::text);
  end if;
  update project_budgets b set budget_minor = p_budget, set_by = p_actor, set_at = app.clock_now()
  where b.tenant_id = p_tenant and b.project_id = p_project;
  return jsonb_build_object('outcome', 'OK');
end
$$;

create type app.decision as (
  task_id bigint, project_id bigint, customer_id bigint, answers smallint, next text, more smallint, reason text, results jsonb);

-- Decisions as far as there is budget for what they cost, in the order of their tasks; the others stop with what they have
-- (reason BUDGET). Whoever is told yes holds the budget until their transaction ends.
create function app.within_budget(p_tenant bigint, p_decided app.decision[]) returns app.decision[] language plpgsql as $$
declare
  v_projects bigint[] := array(select distinct d.project_id from unnest(p_decided) d where d.next <> 'STOP');
begin
  if v_projects = '{}' then
    return p_decided;
  end if;
  perform app.enter_budgets(v_projects);
  perform from project_budgets b where b.tenant_id = p_tenant and b.project_id = any (v_projects) order by b.project_id for no key update;
  if not found then
    return p_decided;
  end if;
  return (
    select array_agg(case when c.cost = 0 or b.project_id is null or c.so_far <= b.budget_minor - b.committed_minor then c.decision
                          else ((c.decision).task_id, (c.decision).project_id, (c.decision).customer_id, (c.decision).answers,
                                'STOP', 0::smallint, 'BUDGET', (c.decision).results)::app.decision end)
    from (
      select k.decision, k.project_id, k.cost, sum(k.cost) over (partition by k.project_id order by k.task_id) as so_far
      from (
        select d::app.decision as decision, d.project_id, d.task_id,
               p.price_minor * case d.next when 'MORE' then d.more when 'ADJUDICATE' then 1 else 0 end as cost
        from unnest(p_decided) d join projects p on p.tenant_id = p_tenant and p.id = d.project_id
      ) k
    ) c
    left join project_budgets b on b.tenant_id = p_tenant and b.project_id = c.project_id);
end
$$;

-- Gives tasks that were just answered what the policy of their project says, as far as its budget goes: more slots, an
-- adjudication, or nothing more. In the transaction of the answer (DESIGN 8.10). A task has all its slots taken here, so it is
-- in no queue, and raising what it wants is all there is to do: wanted is never lowered.
create or replace function app.adapt_tasks(p_tenant bigint, p_tasks bigint[]) returns void language plpgsql as $$
declare
  v_running bigint[];
  v_decided app.decision[];
  v_adjudicate bigint[];
begin
  if not exists (select from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
                 where t.tenant_id = p_tenant and t.id = any (p_tasks) and t.state = 'DONE' and (p.redundancy_policy is not null or t.critical)) then
    return;
  end if;
  -- A cancel that is under way has this lock: the tasks of its project end as they are.
  select coalesce(array_agg(r.id), '{}') into v_running from (
    select p.id from projects p
    where p.tenant_id = p_tenant and p.state = 'RUNNING'
      and p.id in (select t.project_id from tasks t where t.tenant_id = p_tenant and t.id = any (p_tasks))
    for key share skip locked
  ) r;
  select coalesce(array_agg((d.task_id, d.project_id, d.customer_id, d.answers, d.next, d.more, d.reason, d.results)::app.decision
                            order by d.task_id), '{}') into v_decided
  from app.decide_tasks(p_tenant, p_tasks) d where d.project_id = any (v_running);
  if v_decided = '{}' then
    return;
  end if;
  v_decided := app.within_budget(p_tenant, v_decided);
  with decided as materialized (
    select d.* from unnest(v_decided) d
  ), kept as (
    insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
    select p_tenant, d.task_id, d.project_id, d.customer_id, d.answers, d.next, d.reason, case d.reason when 'BUDGET' then 0 end, d.results
    from decided d
    on conflict do nothing
    returning id, task_id, project_id, customer_id, reason
  ), raised as (
    update tasks t set wanted = t.wanted + d.more, state = 'OPEN', done_at = null
    from decided d
    where t.tenant_id = p_tenant and t.id = d.task_id and d.next = 'MORE' and t.state = 'DONE'
      and d.task_id in (select k.task_id from kept k)
    returning t.id, t.project_id, t.wanted, t.allow, t.block, d.more
  ), committed as (
    update project_budgets b set committed_minor = b.committed_minor + c.wanted * p.price_minor
    from (select r.project_id, sum(r.more) as wanted from raised r group by r.project_id) c
    join projects p on p.tenant_id = p_tenant and p.id = c.project_id
    where b.tenant_id = p_tenant and b.project_id = c.project_id
  ), stopped as (
    insert into budget_stops (tenant_id, project_id, task_id, customer_id, decision_id)
    select p_tenant, k.project_id, k.task_id, k.customer_id, k.id from kept k where k.reason = 'BUDGET'
    on conflict do nothing
  ), again as materialized (
    select r.*, p.lane_id, greatest(l.low_begun, h.tag) as tag, coalesce(r.block, '{}') || h.had as excl
    from raised r
    join projects p on p.tenant_id = p_tenant and p.id = r.project_id
    join lanes l on l.tenant_id = p_tenant and l.id = p.lane_id
    cross join lateral (
      select max(a.tag) as tag, coalesce(array_agg(a.expert_id) filter (where a.state not in ('EXPIRED', 'RELEASED')), '{}') as had
      from assignments a where a.tenant_id = p_tenant and a.task_id = r.id
    ) h
  ), opened as (
    insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl)
    select p_tenant, g.id, g.lane_id, g.project_id, case when g.allow is null then 1 else 2 end, g.tag,
           (select array_agg(n::smallint order by n) from generate_series(g.wanted - g.more + 1, g.wanted) n), g.excl
    from again g
  ), directed as (
    insert into ready_directed (tenant_id, task_id, expert_id, lane_id, project_id, tag)
    select distinct p_tenant, g.id, e.expert_id, g.lane_id, g.project_id, g.tag
    from again g cross join lateral unnest(g.allow) as e(expert_id)
    where not e.expert_id = any (g.excl)
    on conflict do nothing
  )
  select coalesce(array_agg(d.task_id) filter (where d.next = 'ADJUDICATE'), '{}') into v_adjudicate
  from decided d where d.task_id in (select k.task_id from kept k);
  if v_adjudicate <> '{}' then
    perform app.open_adjudications(p_tenant, v_adjudicate);
  end if;
end
$$;

-- Tasks that stopped for want of budget are decided anew where there is some again, or none is asked for any more: of one
-- project, at most so many, the oldest first. Those of a cancelled project stay as they are. Answers how many were looked at.
create function app.resume_stopped(p_limit integer) returns integer language plpgsql as $$
declare
  v_tenant bigint;
  v_project bigint;
  v_running boolean;
  v_tasks bigint[];
begin
  -- One look a project that waits, whatever waits of it.
  with recursive waiting as (
    (select s.tenant_id, s.project_id from budget_stops s order by s.tenant_id, s.project_id limit 1)
    union all
    select n.tenant_id, n.project_id from waiting w cross join lateral (
      select s.tenant_id, s.project_id from budget_stops s where (s.tenant_id, s.project_id) > (w.tenant_id, w.project_id)
      order by s.tenant_id, s.project_id limit 1) n
  )
  select w.tenant_id, w.project_id, p.state = 'RUNNING' into v_tenant, v_project, v_running
  from waiting w join projects p on p.tenant_id = w.tenant_id and p.id = w.project_id
  where p.state <> 'RUNNING' or coalesce(app.budget_room(w.tenant_id, w.project_id), 1) > 0
  limit 1;
  if not found then
    return 0;
  end if;
  v_tasks := array(
    select s.task_id from budget_stops s where s.tenant_id = v_tenant and s.project_id = v_project order by s.task_id
    limit least(p_limit, coalesce(app.budget_room(v_tenant, v_project), p_limit)));
  if v_running then
    perform app.adapt_tasks(v_tenant, v_tasks);
  end if;
  delete from budget_stops s
  where s.tenant_id = v_tenant and s.project_id = v_project and s.task_id = any (v_tasks)
    and (not v_running or exists (
      select from task_decisions d where d.tenant_id = v_tenant and d.task_id = s.task_id and d.project_id = v_project and d.id > s.decision_id));
  return cardinality(v_tasks);
end
$$;
