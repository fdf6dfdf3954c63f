-- A bar that was reached is held until results speak against it, and whoever no project of a skill asks for is tried again: nobody is shut
-- out for good (services/quality/scores/gates.ts).
set local role touchstone_owner;

-- What claims take an expert for: what is proven, or by a recorded exception more. Of whoever is past probation too: a bar held, a trial.
-- Doors of whoever had proven themselves, or was taken on by a human, meant nothing until now.
alter table expert_skills no force row level security;
update expert_skills set door = null where status = 'ACTIVE' and door is not null;
alter table expert_skills force row level security;
alter table expert_skills drop column taken_for;
alter table expert_skills
  add taken_for double precision not null
    generated always as (greatest(quality_lower, case when status = 'PAUSED' then 0 else coalesce(door, 0) end)) stored,
  -- When whoever is below a bar is to be tried at it, or drawn for, again; null: there is no need.
  add try_at timestamptz(3),
  -- That instant has come, and the next fold tries.
  add try_due boolean not null default false;
create index expert_skills_try on expert_skills (try_at) where try_at is not null;
grant update (try_at, try_due) on expert_skills to touchstone_system;

-- The least bar of a skill's running projects, as of when it was last looked at; null: there are none.
alter table skills add least_bar double precision check (least_bar between 0 and 1);
grant update (least_bar) on skills to touchstone_system;

alter table doors
  -- The day that it was drawn on: whom chance left out is drawn for again another day.
  add drawn_on date not null default '1970-01-01',
  drop constraint doors_kind_check,
  add constraint doors_kind_check
    check (kind in ('LOWER_BOUND', 'EXPLORATION', 'SCARCE_SKILL', 'RETEST', 'HIGH_BARS', 'KEPT', 'TRIAL'));
drop index doors_drawn_once;
create unique index doors_drawn_once on doors (tenant_id, expert_id, skill_id, results, grading_id, drawn_on)
  where kind in ('LOWER_BOUND', 'EXPLORATION', 'SCARCE_SKILL');
create index doors_by_expert on doors (tenant_id, expert_id, skill_id, id);

-- A human's pause over one that results set begins from what was before that one: probation is not washed away.
create or replace function app.pause_expert(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint, p_reason text, p_withdraw boolean)
returns jsonb language plpgsql as $$
declare
  v_status text;
  v_before text;
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
  update pauses p set resumed_at = app.clock_now(), returned = true
  where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id = p_skill and p.resumed_at is null and p.paused_by is null
  returning p.status_before into v_before;
  insert into pauses (tenant_id, expert_id, skill_id, reason, status_before, paused_by)
  values (p_tenant, p_expert, p_skill, p_reason, coalesce(v_before, nullif(v_status, 'PAUSED'), 'ACTIVE'), p_actor)
  on conflict do nothing;
  if p_withdraw and app.withdraw_lease(p_tenant, p_expert, p_skill) then
    update pauses p set withdrew = true
    where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill and p.resumed_at is null;
  end if;
  return jsonb_build_object('outcome', 'OK');
end
$$;
