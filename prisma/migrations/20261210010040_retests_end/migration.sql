-- A re-test in which nothing can be graded ended never: staff were told, and could do nothing. Whoever lifts a pause ends the re-test after it
-- too; the skill has the status again that it had before the pause, and only what follows counts.
set local role touchstone_owner;

create or replace function app.resume_expert(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint) returns jsonb language plpgsql as $$
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
    -- In a re-test they are on probation, and were what they were before the pause.
    update expert_skills s set status = b.status_before, updated_at = app.clock_now()
    from (select p.status_before from pauses p
          where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id = p_skill order by p.id desc limit 1) b
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.status = 'PROBATION'
      and exists (select from shown_standings w where w.tenant_id = p_tenant and w.expert_id = p_expert and w.skill_id = p_skill and w.phase = 'RETEST')
      and exists (select from standings w where w.tenant_id = p_tenant and w.expert_id = p_expert and w.skill_id = p_skill and w.phase in ('PAUSED', 'RETEST'));
  end if;
  perform app.close_pauses(p_tenant, p_actor, p_expert, p_skill);
  -- Decided and not in effect, or over but for its re-test: recorded as one that ended as it began.
  insert into pauses (tenant_id, expert_id, skill_id, reason, status_before, paused_at, resumed_at, resumed_by)
  select p_tenant, p_expert, p_skill, s.reason, x.status, app.clock_now(), app.clock_now(), p_actor
  from standings s
  join expert_skills x on x.tenant_id = s.tenant_id and x.expert_id = s.expert_id and x.skill_id = s.skill_id and x.status <> 'PAUSED'
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.phase in ('PAUSED', 'RETEST')
    and s.reason not in ('HUMAN', 'FRAUD') and v_before is null;
  return jsonb_build_object('outcome', 'OK');
end
$$;
