-- What an expert has given back is theirs no more, whatever it was: a slot of other work goes to the next who asks and gold to
-- nobody, so two who compare what they are given could tell them by whether it can be taken back.
set local role touchstone_owner;

-- Whether the slot of a lapsed assignment could be taken again by its expert just now. A slot is free where it waits in the
-- queue, and where the lease on it has run out and nobody has marked that yet.
create or replace function app.is_reclaimable(p_assignment assignments) returns boolean language sql stable as $$
  select p_assignment.state in ('LEASED', 'EXPIRED')
     and p_assignment.lane_id = any (app.expert_lanes(p_assignment.tenant_id, p_assignment.expert_id, null))
     and not app.is_day_full(p_assignment.tenant_id, p_assignment.expert_id)
     and exists (select from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id and p.state = 'RUNNING')
     and exists (select from tasks t where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id and t.state = 'OPEN')
     and case p_assignment.customer_id when 0 then app.is_gold_free(p_assignment) else (
       exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.task_id = p_assignment.task_id
                 and o.state = 'LEASED' and o.lease_until <= app.clock_now())
       or exists (select from ready r where r.tenant_id = p_assignment.tenant_id and r.task_id = p_assignment.task_id
                    and not p_assignment.expert_id = any (r.excl))
     ) end
     and not exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.expert_id = p_assignment.expert_id
                       and o.state = 'LEASED' and o.lease_until > app.clock_now())
$$;

create or replace function app.reclaim(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_token_hash bytea, p_request text)
returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
  v_live assignments;
  v_row ready;
  v_project projects;
begin
  perform app.enter_service(p_tenant, p_actor);
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  select * into v_assignment from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  end if;
  select * into v_live from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED';
  if found then
    perform from projects p where p.tenant_id = p_tenant and p.id = v_live.project_id for key share;
    if not app.expire_lease(p_tenant, v_live.id, v_live.epoch) then
      select * into v_live from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED';
      if found and v_live.id = p_assignment then
        perform app.grant_payload(v_live, p_token_hash, p_actor, p_request);
        return jsonb_build_object('outcome', 'HELD', 'assignment', app.held_json(v_live));
      elsif found then
        return jsonb_build_object('outcome', 'HOLDS_ANOTHER', 'heldAssignmentId', v_live.id);
      end if;
    end if;
  end if;
  select * into strict v_assignment from assignments a where a.tenant_id = p_tenant and a.id = p_assignment;
  if v_assignment.state not in ('EXPIRED', 'RELEASED') then
    return app.lost_json(p_tenant, p_expert, p_assignment, 0);
  end if;
  if not v_assignment.lane_id = any (app.expert_lanes(p_tenant, p_expert, null))
     or v_assignment.project_id = any (app.barred_projects(p_tenant, p_expert)) or app.is_day_full(p_tenant, p_expert) then
    return jsonb_build_object('outcome', 'NOT_QUALIFIED');
  end if;
  if v_assignment.state = 'RELEASED' then
    select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id;
    return jsonb_build_object('outcome', case when v_project.state = 'RUNNING' then 'SLOT_TAKEN' else 'PROJECT_CANCELLED' end);
  end if;
  if v_assignment.customer_id = 0 then
    return app.reclaim_gold(v_assignment, p_actor, p_token_hash, p_request);
  end if;
  select * into v_row from ready r
  where r.tenant_id = p_tenant and r.task_id = v_assignment.task_id and not p_expert = any (r.excl) for update;
  if not found and app.expire_task(v_assignment) then
    select * into v_row from ready r
    where r.tenant_id = p_tenant and r.task_id = v_assignment.task_id and not p_expert = any (r.excl) for update;
  end if;
  if v_row.task_id is null then
    select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id;
    return jsonb_build_object('outcome', case when v_project.state = 'RUNNING' then 'SLOT_TAKEN' else 'PROJECT_CANCELLED' end);
  end if;
  select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id;
  if v_project.state <> 'RUNNING' then
    return jsonb_build_object('outcome', 'PROJECT_CANCELLED');
  end if;
  v_assignment := app.lease_task(v_row, p_expert, v_project);
  if v_assignment.id is null then
    return app.lost_json(p_tenant, p_expert, p_assignment, 0);
  end if;
  perform app.grant_payload(v_assignment, p_token_hash, p_actor, p_request);
  return jsonb_build_object('outcome', 'LEASED', 'assignment', app.held_json(v_assignment));
end
$$;
