-- A budget that is set while another takes it away: one after the other.
set local role touchstone_owner;

create or replace function app.set_budget(p_tenant bigint, p_actor bigint, p_project bigint, p_customer bigint, p_budget bigint) returns jsonb language plpgsql as $$
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
  end if;
  -- Who sets it and who takes it away at once go one after the other: what is read below stands.
  perform pg_advisory_xact_lock(7255, (p_project % 2147483647)::integer);
  if p_budget is null then
    delete from project_budgets b where b.tenant_id = p_tenant and b.project_id = p_project returning b.committed_minor into v_committed;
    if found then
      insert into budget_changes (tenant_id, project_id, customer_id, committed_minor, set_by)
      values (p_tenant, p_project, v_project.customer_id, v_committed, p_actor);
    end if;
    return jsonb_build_object('outcome', 'OK');
  end if;
  if not exists (select from project_budgets b where b.tenant_id = p_tenant and b.project_id = p_project) then
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
  insert into budget_changes (tenant_id, project_id, customer_id, budget_minor, committed_minor, set_by)
  values (p_tenant, p_project, v_project.customer_id, p_budget, v_committed, p_actor);
  return jsonb_build_object('outcome', 'OK');
end
$$;
