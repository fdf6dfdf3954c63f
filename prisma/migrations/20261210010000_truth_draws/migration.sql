-- What a project is held to is drawn among all of its finished tasks. Only those that were done without a doubt counted as drawn: one whose
-- answers were at odds went to a stronger expert for that reason, whether it had been drawn or not, so truths were still chosen by certainty.
-- Now each draw is kept by itself, whatever a task goes to a stronger expert for.
set local role touchstone_owner;
-- Short, and nobody waits behind it: no row of before is read, and what cannot have its lock at once is tried another time.
set local lock_timeout = '5s';

create table truth_draws (
  tenant_id bigint not null,
  project_id bigint not null,
  task_id bigint not null,
  -- By the project's auditShare, or as one of the tasks that its first gold may come from.
  reason text not null check (reason in ('AUDIT', 'FIRST_GOLD')),
  drawn_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, project_id, task_id)
);

create index truth_draws_first_gold on truth_draws (tenant_id, project_id, task_id) where reason = 'FIRST_GOLD';
-- Nothing of before is taken over: of tasks at odds nobody can say which had been drawn, for a share may have changed and the first gold was
-- what was done soonest. What was drawn without a doubt alone would be chosen by certainty, and draws are permanent.

do $$
begin
  perform app.protect('truth_draws', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
create policy line_as_service on truth_draws to touchstone_line using (tenant_id = (select app.service_tenant()));
grant select, insert on truth_draws to touchstone_app, touchstone_line, touchstone_system;
create trigger permanent before update or delete on truth_draws for each row execute function app.refuse_change();
create trigger permanent_truncate before truncate on truth_draws for each statement execute function app.refuse_change();

-- A task that goes to a stronger expert by the rule is one of the truths that were drawn if its id is, for whatever reason it goes. What was
-- decided as an audit was drawn by the share that its decision has read, whatever the share is by now.
create function app.keep_draw() returns trigger language plpgsql as $$
begin
  insert into truth_draws (tenant_id, project_id, task_id, reason)
  select t.tenant_id, t.project_id, t.id, 'AUDIT' from tasks t
  join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  where t.tenant_id = new.tenant_id and t.id = new.task_id and t.allow is null
    and (new.reason = 'AUDIT' or app.is_drawn(t.tenant_id, t.id, p.audit_share))
  on conflict do nothing;
  return null;
end
$$;
create trigger keep_draw after insert on task_decisions for each row
  when (new.next = 'ADJUDICATE' and new.decided_by is null) execute function app.keep_draw();

-- From which decision on each audit has its draw: nobody writes one between the trigger and this.
do $$
begin
  execute format('create function app.draws_kept_after() returns bigint language sql immutable as %L', (
    select 'select ' || coalesce(q.last_value, 0) || '::bigint' from pg_sequences q
    where q.schemaname || '.' || q.sequencename = pg_get_serial_sequence('task_decisions', 'id')));
end
$$;

-- Draws the tasks that the first gold of a project comes from: its first ones by their ids, at most p_limit now, whether they are done or not, so that
-- nothing of their answers chooses them. As many as may be paid for, p_most and what its customer says; those that newcomers alone had
-- answered go to a stronger expert anyhow and cost nobody their place. Answers how many were drawn.
create function app.draw_first_gold(p_tenant bigint, p_project bigint, p_limit integer, p_most integer) returns integer language plpgsql as $$
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
           where d.tenant_id = p_tenant and d.task_id = w.task_id and d.decided_by is null and d.reason = 'PROBATION_ALONE')),
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

-- Asks a stronger expert about drawn tasks that are done and nobody doubts, at most p_limit now: each of them in its time, for what is at odds goes by
-- itself. As far as the budget reaches, and what its customer says. Answers how many. Whoever has the project or a task in hand is left alone.
create function app.ask_first_gold(p_tenant bigint, p_project bigint, p_limit integer) returns integer language plpgsql as $$
declare
  v_room integer;
  v_tasks bigint[];
begin
  if not exists (
    select from truth_draws w join tasks t on t.tenant_id = w.tenant_id and t.id = w.task_id and t.state = 'DONE'
    where w.tenant_id = p_tenant and w.project_id = p_project and w.reason = 'FIRST_GOLD'
      and not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = w.task_id)) then
    return 0;
  end if;
  perform from gold_refills r where r.tenant_id = p_tenant and r.project_id = p_project for update skip locked;
  if not found then
    return 0;
  end if;
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
    where t.tenant_id = p_tenant and t.state = 'DONE'
      and t.id in (select w.task_id from truth_draws w where w.tenant_id = p_tenant and w.project_id = p_project and w.reason = 'FIRST_GOLD')
      and not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = t.id)
    order by t.id
    limit greatest(0, least(p_limit, v_room))
    for update skip locked
  ) k;
  -- Others may be at the budget: what they leave is known when they are done.
  perform app.enter_budgets(array[p_project]);
  perform from project_budgets b where b.tenant_id = p_tenant and b.project_id = p_project for no key update;
  v_tasks := v_tasks[1:least(app.budget_room(p_tenant, p_project), cardinality(v_tasks))::integer];
  -- Decided by nobody who could be asked, and not by the rule, which decides once for so many answers.
  insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
  select p_tenant, t.id, t.project_id, t.customer_id, t.counted, 'ADJUDICATE', 'FIRST_GOLD', 0, '[]'
  from tasks t where t.tenant_id = p_tenant and t.id = any (v_tasks);
  perform app.open_adjudications(p_tenant, v_tasks);
  return cardinality(v_tasks);
end
$$;

-- As nodes of the version before call it.
create or replace function app.adjudicate_for_gold(p_tenant bigint, p_project bigint, p_limit integer, p_most integer) returns integer language plpgsql as $$
begin
  perform app.draw_first_gold(p_tenant, p_project, p_limit, p_most);
  return app.ask_first_gold(p_tenant, p_project, p_limit);
end
$$;
