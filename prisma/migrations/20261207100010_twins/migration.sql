-- A payload may be a project's several times: whoever has met it as one task is kept from gold that was minted from another.
set local role touchstone_owner;

-- Bars an expert from tasks, from their adjudications, from what they adjudicate and from gold of their payloads, and from
-- whole projects. A lease on any of it is withdrawn. A task whose block list is full (1,000) keeps only who waits for it now.
create or replace function app.bar_expert(p_tenant bigint, p_expert bigint, p_tasks bigint[], p_projects bigint[]) returns void language plpgsql as $$
declare
  v_tasks bigint[];
begin
  -- As a claim takes it: the expert is given nothing meanwhile.
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  insert into tallies as y (tenant_id, expert_id, project_id, taken, is_full, is_barred)
  select p_tenant, p_expert, p.id, 0, true, true from unnest(p_projects) as p(id) order by p.id
  on conflict (tenant_id, expert_id, project_id) do update set is_full = true, is_barred = true;

  with asked as (
    select k.id from unnest(p_tasks) as k(id)
    union select j.parent_id from adjudications j where j.tenant_id = p_tenant and j.task_id = any (p_tasks)
  )
  select coalesce(array_agg(f.id), '{}') into v_tasks from (
    select id from asked
    union select j.task_id from adjudications j where j.tenant_id = p_tenant and j.parent_id in (select id from asked)
    union select g.task_id from asked k join tasks t on t.tenant_id = p_tenant and t.id = k.id
    join golds g on g.tenant_id = p_tenant and g.project_id = t.project_id and g.payload_key = t.payload_key
  ) f;
  -- Tasks before gold, as a flag that ends a gold takes them.
  perform from tasks t where t.tenant_id = p_tenant and t.id = any (v_tasks) order by t.id for update;
  update golds g set barred = g.barred || p_expert
  where g.tenant_id = p_tenant and g.task_id = any (v_tasks) and not p_expert = any (g.barred);
  update tasks t set block = coalesce(t.block, '{}') || p_expert
  where t.tenant_id = p_tenant and t.id = any (v_tasks) and t.kind <> 'GOLD'
    and not p_expert = any (coalesce(t.block, '{}')) and cardinality(coalesce(t.block, '{}')) < 1000;
  -- An untouched row with an exclusion is a begun one, behind the lane's mark for those.
  update ready r set excl = r.excl || p_expert, phase = greatest(r.phase, 1::smallint),
                     tag = case r.phase when 0 then greatest(r.tag, l.low_begun) else r.tag end
  from lanes l
  where r.tenant_id = p_tenant and r.task_id = any (v_tasks) and not p_expert = any (r.excl)
    and l.tenant_id = r.tenant_id and l.id = r.lane_id;
  delete from ready_directed d where d.tenant_id = p_tenant and d.expert_id = p_expert and d.task_id = any (v_tasks);

  if exists (select from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED'
               and (a.task_id = any (v_tasks) or a.project_id = any (p_projects))) then
    perform app.withdraw_lease(p_tenant, p_expert, null);
  end if;
end
$$;
