-- What the first gold of a project may cost is looked at under the lock of its budget.
set local role touchstone_owner;

create or replace function app.adjudicate_for_gold(p_tenant bigint, p_project bigint, p_limit integer, p_most integer) returns integer language plpgsql as $$
declare
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
  select coalesce(array_agg(k.id), '{}') into v_tasks from (
    select t.id from tasks t
    where t.tenant_id = p_tenant and t.project_id = p_project and t.state = 'DONE' and t.kind = 'WORK' and t.allow is null
      and not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = t.id)
    order by t.id desc
    limit greatest(0, least(p_limit, v_most - (
      select count(*) from task_decisions d where d.tenant_id = p_tenant and d.project_id = p_project and d.reason = 'FIRST_GOLD')::integer))
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
