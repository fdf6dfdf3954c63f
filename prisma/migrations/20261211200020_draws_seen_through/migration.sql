-- What was drawn is seen through, or is none: tasks that a budget stopped are draws too, that wait for it; and where less may be asked for the
-- first gold than was drawn, draws are given up by their ids, whatever their answers say.
set local role touchstone_owner;
set local lock_timeout = '5s';

-- Draws that are none any more: beyond what their customer pays for by now.
create table dropped_draws (
  tenant_id bigint not null,
  project_id bigint not null,
  task_id bigint not null,
  dropped_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, project_id, task_id),
  foreign key (tenant_id, project_id, task_id) references truth_draws (tenant_id, project_id, task_id)
);
do $$
begin
  perform app.protect('dropped_draws', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on dropped_draws to touchstone_app;
grant select, insert on dropped_draws to touchstone_system;
create trigger permanent before update or delete on dropped_draws for each row execute function app.refuse_change();
create trigger permanent_truncate before truncate on dropped_draws for each statement execute function app.refuse_change();

-- BUDGET: drawn by the share when the budget stopped it.
alter table truth_draws drop constraint truth_draws_reason_check,
  add constraint truth_draws_reason_check check (reason in ('AUDIT', 'FIRST_GOLD', 'BUDGET'));
drop index truth_draws_first_gold;
create index truth_draws_to_ask on truth_draws (tenant_id, project_id, reason, task_id) where reason in ('FIRST_GOLD', 'BUDGET');

-- A task that its budget stops is drawn with the others if its id is, by the share of then: what it goes for later does not choose it.
create function app.keep_stopped_draw() returns trigger language plpgsql as $$
begin
  insert into truth_draws (tenant_id, project_id, task_id, reason)
  select t.tenant_id, t.project_id, t.id, 'BUDGET' from tasks t
  join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  where t.tenant_id = new.tenant_id and t.id = new.task_id and t.allow is null and app.is_drawn(t.tenant_id, t.id, p.audit_share)
  on conflict do nothing;
  return null;
end
$$;
create trigger keep_stopped_draw after insert on task_decisions for each row
  when (new.reason = 'BUDGET' and new.decided_by = 0) execute function app.keep_stopped_draw();

-- As before; a draw that was given up takes nobody's place, unless it was paid for.
create or replace function app.draw_first_gold(p_tenant bigint, p_project bigint, p_limit integer, p_most integer) returns integer language plpgsql as $$
declare
  v_room integer;
  v_after bigint;
begin
  select least(p_most, p.first_gold_max) into v_room from projects p
  where p.tenant_id = p_tenant and p.id = p_project and p.state = 'RUNNING' and p.redundancy_policy is not null
    and p.adjudication_lane_id is not null
  for key share skip locked;
  if not found then
    return 0;
  end if;
  select least(v_room - count(*) filter (where not exists (
           select from task_decisions d
           where d.tenant_id = p_tenant and d.task_id = w.task_id and d.decided_by is null and d.reason = 'PROBATION_ALONE')
           and (not exists (select from dropped_draws x where x.tenant_id = p_tenant and x.project_id = p_project and x.task_id = w.task_id)
                or exists (select from task_decisions d where d.tenant_id = p_tenant and d.task_id = w.task_id and d.reason = 'FIRST_GOLD'))),
         10 * p_most - count(*)), max(w.task_id) into v_room, v_after
  from truth_draws w where w.tenant_id = p_tenant and w.project_id = p_project and w.reason = 'FIRST_GOLD';
  -- Some were asked about before draws were kept.
  v_room := v_room - (
    select count(*) from task_decisions d where d.tenant_id = p_tenant and d.project_id = p_project and d.reason = 'FIRST_GOLD'
      and not exists (select from truth_draws w where w.tenant_id = p_tenant and w.project_id = p_project and w.task_id = d.task_id));
  insert into truth_draws (tenant_id, project_id, task_id, reason)
  select p_tenant, p_project, k.id, 'FIRST_GOLD' from (
    select t.id from unnest(array['OPEN', 'DONE', 'FLAGGED', 'CANCELLED']) as s(state)
    cross join lateral (
      select t.id from tasks t
      where t.tenant_id = p_tenant and t.project_id = p_project and t.state = s.state and t.id > coalesce(v_after, 0)
        and t.kind = 'WORK' and t.allow is null
      order by t.id limit greatest(0, least(p_limit, v_room))) t
    order by t.id limit greatest(0, least(p_limit, v_room))) k
  on conflict do nothing;
  get diagnostics v_room = row_count;
  return v_room;
end
$$;

-- Gives up draws of the first gold where more of them wait than may be asked about by now: by their ids, those behind as many as may be paid for. A place
-- is counted for each draw alike, asked about or not, at odds or not, so that whether one is given up depends on others before it and never on its own answers. (Left
-- to themselves those at odds would become truths, and those that nobody doubts would not.) Where none waits there is nothing to give up. Answers how many.
create function app.drop_draws(p_tenant bigint, p_project bigint) returns integer language plpgsql as $$
declare
  v_dropped integer;
begin
  with draws as materialized (
    select w.task_id,
           exists (select from task_decisions d where d.tenant_id = p_tenant and d.task_id = w.task_id and d.reason = 'FIRST_GOLD') as is_asked,
           exists (select from task_decisions d where d.tenant_id = p_tenant and d.task_id = w.task_id and d.decided_by is null
                     and d.reason = 'PROBATION_ALONE') as is_free,
           exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = w.task_id) as is_seen
    from truth_draws w
    where w.tenant_id = p_tenant and w.project_id = p_project and w.reason = 'FIRST_GOLD'
      and not exists (select from dropped_draws x where x.tenant_id = p_tenant and x.project_id = p_project and x.task_id = w.task_id)
  ), paid as (
    select count(*) as asked from task_decisions d where d.tenant_id = p_tenant and d.project_id = p_project and d.reason = 'FIRST_GOLD'
  ), placed as (
    -- What was paid for but for itself, what is still to be paid for before it, and itself.
    select k.task_id, p.asked - k.is_asked::integer + 1 + coalesce(sum((not k.is_asked and not k.is_free)::integer) over (
             order by k.task_id rows between unbounded preceding and 1 preceding), 0) as place
    from draws k cross join paid p
  )
  insert into dropped_draws (tenant_id, project_id, task_id)
  select p_tenant, p_project, k.task_id from placed k
  join projects p on p.tenant_id = p_tenant and p.id = p_project and k.place > p.first_gold_max
  where exists (select from draws w where not w.is_seen)
  on conflict do nothing;
  get diagnostics v_dropped = row_count;
  return v_dropped;
end
$$;

-- Asks a stronger expert about drawn tasks that are done and nobody doubts, at most p_limit now: each of them in its time, for what is at odds, or waits
-- for a budget, goes by itself. As far as the budget reaches, and for the first gold what its customer says; what was drawn when the budget
-- stopped it is asked about whatever the share is by now. Answers how many. Whoever has the project or a task in hand is left alone.
create function app.ask_draws(p_tenant bigint, p_project bigint, p_limit integer) returns integer language plpgsql as $$
declare
  v_room integer;
  v_tasks bigint[];
  v_stopped bigint[];
begin
  if not exists (
    select from truth_draws w
    where w.tenant_id = p_tenant and w.project_id = p_project and w.reason in ('FIRST_GOLD', 'BUDGET')
      and not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = w.task_id)
      and not exists (select from dropped_draws x where x.tenant_id = p_tenant and x.project_id = p_project and x.task_id = w.task_id)) then
    return 0;
  end if;
  perform from gold_refills r where r.tenant_id = p_tenant and r.project_id = p_project for update skip locked;
  if not found then
    return 0;
  end if;
  perform app.drop_draws(p_tenant, p_project);
  select p.first_gold_max - (
    select count(*) from task_decisions d where d.tenant_id = p_tenant and d.project_id = p_project and d.reason = 'FIRST_GOLD')
  into v_room from projects p
  where p.tenant_id = p_tenant and p.id = p_project and p.state = 'RUNNING' and p.redundancy_policy is not null
    and p.adjudication_lane_id is not null
  for key share skip locked;
  if not found then
    return 0;
  end if;
  select coalesce(array_agg(k.id order by k.id), '{}') into v_tasks from (
    select t.id from tasks t
    where t.tenant_id = p_tenant and t.id in (select d.task_id from app.draws_to_ask(p_tenant, p_project, 'FIRST_GOLD') d) and t.state = 'DONE'
    order by t.id limit greatest(0, least(p_limit, v_room))
    for update skip locked
  ) k;
  select coalesce(array_agg(k.id order by k.id), '{}') into v_stopped from (
    select t.id from tasks t
    where t.tenant_id = p_tenant and t.id in (select d.task_id from app.draws_to_ask(p_tenant, p_project, 'BUDGET') d) and t.state = 'DONE'
    order by t.id limit p_limit - cardinality(v_tasks)
    for update skip locked
  ) k;
  -- Others may be at the budget: what they leave is known when they are done.
  perform app.enter_budgets(array[p_project]);
  perform from project_budgets b where b.tenant_id = p_tenant and b.project_id = p_project for no key update;
  v_tasks := v_tasks || v_stopped;
  v_tasks := v_tasks[1:least(app.budget_room(p_tenant, p_project), cardinality(v_tasks))::integer];
  -- Decided by nobody who could be asked, and not by the rule, which decides once for so many answers.
  insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
  select p_tenant, t.id, t.project_id, t.customer_id, t.counted, 'ADJUDICATE', case when t.id = any (v_stopped) then 'AUDIT' else 'FIRST_GOLD' end, 0, '[]'
  from tasks t where t.tenant_id = p_tenant and t.id = any (v_tasks);
  perform app.open_adjudications(p_tenant, v_tasks);
  return cardinality(v_tasks);
end
$$;

-- Draws of a project for one reason that nobody was asked about, were not given up, and do not wait for a budget.
create function app.draws_to_ask(p_tenant bigint, p_project bigint, p_reason text) returns table (task_id bigint) language sql stable as $$
  select w.task_id from truth_draws w
  where w.tenant_id = p_tenant and w.project_id = p_project and w.reason = p_reason
    and not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = w.task_id)
    and not exists (select from dropped_draws x where x.tenant_id = p_tenant and x.project_id = p_project and x.task_id = w.task_id)
    and not exists (select from budget_stops s where s.tenant_id = p_tenant and s.project_id = p_project and s.task_id = w.task_id)
$$;

-- As nodes of the version before call it.
create or replace function app.ask_first_gold(p_tenant bigint, p_project bigint, p_limit integer) returns integer language plpgsql as $$
begin
  return app.ask_draws(p_tenant, p_project, p_limit);
end
$$;

-- How many of a version's tasks of known truth were drawn; the others somebody chose. Null: made before this was kept.
alter table inference_versions add drawn_tasks integer check (drawn_tasks >= 0);
