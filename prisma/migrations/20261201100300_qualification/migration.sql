-- Pauses with their reasons, and leases that end with one.
set local role touchstone_owner;

-- Each pause of an expert, or of one skill of theirs, for good: why, by whom, and how it ended.
create table pauses (
  tenant_id bigint not null,
  id bigint generated always as identity,
  expert_id bigint not null,
  -- Null: all of their skills.
  skill_id bigint,
  reason text not null check (length(reason) between 1 and 500),
  -- What a resume goes back to.
  status_before text not null check (status_before in ('PROBATION', 'ACTIVE')),
  -- Whether the lease that was held ended with it (fraud).
  withdrew boolean not null default false,
  paused_by bigint not null,
  paused_at timestamptz(3) not null default app.clock_now(),
  resumed_by bigint,
  resumed_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id),
  check (resumed_at is not null or resumed_by is null)
);
create unique index pauses_open on pauses (tenant_id, expert_id, skill_id) nulls not distinct where resumed_at is null;

do $$
begin
  perform app.protect('pauses', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on pauses to touchstone_app, touchstone_system;
grant insert, update (resumed_by, resumed_at, withdrew) on pauses to touchstone_app;
grant update (reason) on conflicts to touchstone_app;

-- Ends what an expert holds, of one skill or of any, and gives the slot to somebody else. What was typed stays with them.
-- A reserved task may have nobody else: it ends as a lease that ran out, so that after a resume they may have it again.
create function app.withdraw_lease(p_tenant bigint, p_expert bigint, p_skill bigint) returns boolean language plpgsql as $$
declare
  v_assignment assignments;
  v_again boolean;
begin
  select a.* into v_assignment from assignments a
  join lanes l on l.tenant_id = a.tenant_id and l.id = a.lane_id
  where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED'
    and (p_skill is null or p_skill = l.skill_id or p_skill = any (l.also_all));
  if not found then
    return false;
  end if;
  perform from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id for key share;
  select t.allow is not null into strict v_again from tasks t where t.tenant_id = p_tenant and t.id = v_assignment.task_id;
  update assignments a set state = case when v_again then 'EXPIRED' else 'CANCELLED' end, ended_at = app.clock_now()
  where a.tenant_id = p_tenant and a.id = v_assignment.id and a.state = 'LEASED' and a.epoch = v_assignment.epoch
  returning * into v_assignment;
  if not found then
    return false;
  end if;
  perform app.return_slot(v_assignment, v_again);
  perform app.append_lease_event(v_assignment, 'CANCELLED');
  return true;
end
$$;

-- Pauses an expert (p_skill null) or one skill of theirs. The expert's row is locked as a claim locks it, so that the
-- pause is before a claim or after it, never in between (rule 5). Again while it holds: the first reason stands.
create function app.pause_expert(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint, p_reason text, p_withdraw boolean)
returns jsonb language plpgsql as $$
declare
  v_status text;
begin
  perform app.enter_service(p_tenant, p_actor);
  select x.status into v_status from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  if not found then
    return jsonb_build_object('outcome', 'NO_EXPERT');
  end if;
  if p_skill is not null then
    select s.status into v_status from expert_skills s
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill for no key update;
    if not found then
      return jsonb_build_object('outcome', 'NO_SKILL');
    end if;
    update expert_skills s set status = 'PAUSED', updated_at = app.clock_now()
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.status <> 'PAUSED';
  else
    update experts x set status = 'PAUSED' where x.tenant_id = p_tenant and x.id = p_expert and x.status <> 'PAUSED';
  end if;
  insert into pauses (tenant_id, expert_id, skill_id, reason, status_before, paused_by)
  values (p_tenant, p_expert, p_skill, p_reason, coalesce(nullif(v_status, 'PAUSED'), 'ACTIVE'), p_actor)
  on conflict do nothing;
  if p_withdraw and app.withdraw_lease(p_tenant, p_expert, p_skill) then
    update pauses p set withdrew = true
    where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill and p.resumed_at is null;
  end if;
  return jsonb_build_object('outcome', 'OK');
end
$$;

-- Takes a pause back: the expert, or the skill with the status that it had. Where nothing is paused nothing is done.
create function app.resume_expert(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint) returns jsonb language plpgsql as $$
declare
  v_before text;
begin
  perform app.enter_service(p_tenant, p_actor);
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  if not found then
    return jsonb_build_object('outcome', 'NO_EXPERT');
  end if;
  if p_skill is not null and not exists (select from expert_skills s
       where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill) then
    return jsonb_build_object('outcome', 'NO_SKILL');
  end if;
  select p.status_before into v_before from pauses p
  where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill and p.resumed_at is null;
  if p_skill is null then
    update experts x set status = 'ACTIVE' where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'PAUSED';
  else
    update expert_skills s set status = coalesce(v_before, 'ACTIVE'), updated_at = app.clock_now()
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.status = 'PAUSED';
  end if;
  perform app.close_pauses(p_tenant, p_actor, p_expert, p_skill);
  return jsonb_build_object('outcome', 'OK');
end
$$;

-- Marks as ended what is recorded as paused, whoever set the status back and by whatever way.
create function app.close_pauses(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint) returns void language sql volatile as $$
  update pauses p set resumed_at = app.clock_now(), resumed_by = p_actor
  where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill and p.resumed_at is null
$$;

-- Why an assignment cannot be worked on under this epoch; the caller's own assignment or NOT_FOUND. New: one that was
-- cancelled while its project runs was withdrawn from its expert, and so was one that expired before its time.
create or replace function app.lost_json(p_tenant bigint, p_expert bigint, p_assignment bigint, p_epoch integer) returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
begin
  select * into v_assignment from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  elsif v_assignment.state in ('SUBMITTED', 'ACCEPTED', 'REJECTED') then
    return jsonb_build_object('outcome', 'ALREADY_SUBMITTED');
  elsif v_assignment.state = 'CANCELLED' and exists (select from projects p
          where p.tenant_id = p_tenant and p.id = v_assignment.project_id and p.state = 'RUNNING') then
    return jsonb_build_object('outcome', 'LEASE_WITHDRAWN');
  elsif v_assignment.state = 'EXPIRED' and v_assignment.ended_at < v_assignment.lease_until then
    return jsonb_build_object('outcome', 'LEASE_WITHDRAWN');
  elsif v_assignment.state = 'CANCELLED' then
    return jsonb_build_object('outcome', 'PROJECT_CANCELLED');
  elsif v_assignment.state = 'FLAGGED' then
    return jsonb_build_object('outcome', 'ALREADY_FLAGGED');
  elsif v_assignment.state = 'LEASED' and v_assignment.lease_until > app.clock_now() and v_assignment.epoch <> p_epoch then
    return jsonb_build_object('outcome', 'STALE_EPOCH', 'currentEpoch', v_assignment.epoch);
  elsif v_assignment.state = 'LEASED' and v_assignment.lease_until > app.clock_now() then
    -- It had ended when the caller's statement looked, and a heartbeat that was on its way extended it since.
    return jsonb_build_object('outcome', 'LEASE_EXPIRED', 'reclaimable', true);
  end if;
  return jsonb_build_object('outcome', 'LEASE_EXPIRED', 'reclaimable', app.is_reclaimable(v_assignment));
end
$$;
