-- What a project is held to is drawn among all of its finished tasks. Only those that were done without a doubt counted as drawn: one whose
-- answers were at odds went to a stronger expert for that reason, whether it had been drawn or not, so truths were still chosen by certainty.
-- Now each draw is kept by itself, whatever a task goes to a stronger expert for.
set local role touchstone_owner;

create table truth_draws (
  tenant_id bigint not null,
  project_id bigint not null,
  task_id bigint not null,
  -- By the project's auditShare, or as one of the tasks that its first gold may come from.
  reason text not null check (reason in ('AUDIT', 'FIRST_GOLD')),
  drawn_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, project_id, task_id)
);

-- Draws of before, completed by those of the same tasks that were sent for another reason: where a share holds, by it; of the first gold what
-- lies between its tasks.
alter table task_decisions no force row level security;
alter table projects no force row level security;
alter table tasks no force row level security;
insert into truth_draws (tenant_id, project_id, task_id, reason, drawn_at)
select d.tenant_id, d.project_id, d.task_id, 'AUDIT', min(d.decided_at) from task_decisions d
join projects p on p.tenant_id = d.tenant_id and p.id = d.project_id
join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
where d.next = 'ADJUDICATE' and d.reason <> 'FIRST_GOLD' and d.decided_by is null
  and (d.reason = 'AUDIT' or t.allow is null and app.is_drawn(d.tenant_id, d.task_id, p.audit_share) and d.decided_at >= (
    select min(a.decided_at) from task_decisions a where a.tenant_id = d.tenant_id and a.project_id = d.project_id and a.reason = 'AUDIT'))
group by d.tenant_id, d.project_id, d.task_id;
insert into truth_draws (tenant_id, project_id, task_id, reason, drawn_at)
select d.tenant_id, d.project_id, d.task_id, 'FIRST_GOLD', min(d.decided_at)
from (select f.tenant_id, f.project_id, min(f.task_id) as first_id, max(f.task_id) as last_id from task_decisions f
      where f.reason = 'FIRST_GOLD' group by f.tenant_id, f.project_id) f
join task_decisions d on d.tenant_id = f.tenant_id and d.project_id = f.project_id and d.task_id between f.first_id and f.last_id
join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id and t.allow is null
where d.next = 'ADJUDICATE' and (d.decided_by is null or d.reason = 'FIRST_GOLD')
group by d.tenant_id, d.project_id, d.task_id
on conflict do nothing;
alter table task_decisions force row level security;
alter table projects force row level security;
alter table tasks force row level security;

do $$
begin
  perform app.protect('truth_draws', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
create policy line_as_service on truth_draws to touchstone_line using (tenant_id = (select app.service_tenant()));
grant select, insert on truth_draws to touchstone_app, touchstone_line, touchstone_system;
create trigger permanent before update or delete on truth_draws for each row execute function app.refuse_change();
create trigger permanent_truncate before truncate on truth_draws for each statement execute function app.refuse_change();
-- Draws are told by their own table now.
drop index task_decisions_drawn;
create index task_decisions_first_gold on task_decisions (tenant_id, project_id) where reason = 'FIRST_GOLD';

-- A task that goes to a stronger expert by the rule is one of the truths that were drawn if its id is, for whatever reason it goes.
create function app.keep_draw() returns trigger language plpgsql as $$
begin
  insert into truth_draws (tenant_id, project_id, task_id, reason)
  select t.tenant_id, t.project_id, t.id, 'AUDIT' from tasks t
  join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  where t.tenant_id = new.tenant_id and t.id = new.task_id and t.allow is null and app.is_drawn(t.tenant_id, t.id, p.audit_share)
  on conflict do nothing;
  return null;
end
$$;
create trigger keep_draw after insert on task_decisions for each row
  when (new.next = 'ADJUDICATE' and new.decided_by is null) execute function app.keep_draw();

-- As before; the first finished tasks, for of the latest those are done soonest that nobody doubts, and with those of them that are at a
-- stronger expert already: they were drawn too, and cost nothing more.
create or replace function app.adjudicate_for_gold(p_tenant bigint, p_project bigint, p_limit integer, p_most integer) returns integer language plpgsql as $$
declare
  v_drawn bigint[];
  v_tasks bigint[];
  v_most integer;
begin
  select least(p_most, p.first_gold_max) into v_most from projects p
  where p.tenant_id = p_tenant and p.id = p_project and p.state = 'RUNNING' and p.redundancy_policy is not null
    and p.adjudication_lane_id is not null
  for key share skip locked;
  if not found then
    return 0;
  end if;
  v_most := v_most - greatest(
    (select count(*) from task_decisions d where d.tenant_id = p_tenant and d.project_id = p_project and d.reason = 'FIRST_GOLD'),
    (select count(*) from truth_draws d where d.tenant_id = p_tenant and d.project_id = p_project and d.reason = 'FIRST_GOLD'))::integer;
  select coalesce(array_agg(k.id), '{}') into v_drawn from (
    select t.id from tasks t
    where t.tenant_id = p_tenant and t.project_id = p_project and t.state = 'DONE' and t.kind = 'WORK' and t.allow is null
      and not exists (select from truth_draws d where d.tenant_id = p_tenant and d.project_id = p_project and d.task_id = t.id)
    order by t.id
    limit greatest(0, least(p_limit, v_most))
    for update skip locked
  ) k;
  -- Others may be at the budget: what they leave is known when they are done.
  perform app.enter_budgets(array[p_project]);
  perform from project_budgets b where b.tenant_id = p_tenant and b.project_id = p_project for no key update;
  -- As far as the budget reaches: what comes after a task that cannot be asked about is not drawn either.
  select coalesce(array_agg(k.id), '{}'), coalesce(array_agg(k.id) filter (where k.is_new), '{}') into v_drawn, v_tasks from (
    select n.*, count(*) filter (where n.is_new) over (order by n.id) as cost from (
      select d.id, not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = d.id) as is_new
      from unnest(v_drawn) as d(id)) n) k
  where k.cost <= coalesce(app.budget_room(p_tenant, p_project), k.cost);
  insert into truth_draws (tenant_id, project_id, task_id, reason)
  select p_tenant, p_project, d.id, 'FIRST_GOLD' from unnest(v_drawn) as d(id)
  on conflict do nothing;
  -- Decided by nobody who could be asked, and not by the rule, which decides once for so many answers.
  insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
  select p_tenant, t.id, t.project_id, t.customer_id, t.counted, 'ADJUDICATE', 'FIRST_GOLD', 0, '[]'
  from tasks t where t.tenant_id = p_tenant and t.id = any (v_tasks);
  perform app.open_adjudications(p_tenant, v_tasks);
  return cardinality(v_tasks);
end
$$;
