-- Gold that is given back is taken for good by others who were given work, also once they have answered it; and whoever read the
-- task that a gold was minted from is never shown the gold.
set local role touchstone_owner;

-- Whether gold that was given back or ran out could be taken again: as long as a slot of other work would be free, which is
-- until somebody else is given a task of the project: one that they hold still, or one that they have answered. Of the answers
-- the latest are looked at; gold takes nobody's slot.
create or replace function app.is_gold_free(p_assignment assignments) returns boolean language sql stable as $$
  select exists (select from golds o where o.tenant_id = p_assignment.tenant_id and o.task_id = p_assignment.task_id and o.state = 'ACTIVE')
     and (p_assignment.state = 'LEASED' or not exists (
       select from assignments o
       where o.tenant_id = p_assignment.tenant_id and o.project_id = p_assignment.project_id and o.ended_at is null
         and o.expert_id <> p_assignment.expert_id and o.customer_id <> 0 and o.leased_at >= p_assignment.ended_at)
       and not exists (
       select from (
         select n.assignment_id from answers n
         where n.tenant_id = p_assignment.tenant_id and n.project_id = p_assignment.project_id
         order by n.assignment_id desc limit 100) l
       join assignments o on o.tenant_id = p_assignment.tenant_id and o.id = l.assignment_id
       where o.expert_id <> p_assignment.expert_id and o.customer_id <> 0 and o.leased_at >= p_assignment.ended_at))
$$;

-- Bars an expert from tasks, from their adjudications, from what they adjudicate and from gold that was minted from them, and from
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
    union select g.task_id from golds g where g.tenant_id = p_tenant and g.source_task_id in (select id from asked)
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
