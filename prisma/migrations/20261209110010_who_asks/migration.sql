-- Whoever is to be tried at a bar, or drawn for, again is so while they ask for work: one fold and one door a day for each person who was
-- registered once and never came again would be kept for ever. Who has slept is looked at as soon as they ask.
set local role touchstone_owner;

-- When they last asked for work of the skill and got none, to the day; of new ones, when they came. Null: not since this is kept.
alter table expert_skills add asked_at timestamptz(3), add asleep boolean not null default false;
alter table expert_skills alter column asked_at set default app.clock_now();
grant update (asked_at, asleep, try_at) on expert_skills to touchstone_app, touchstone_line;
grant update (asked_at, asleep) on expert_skills to touchstone_system;

create or replace function app.empty_json(p_tenant bigint, p_expert bigint, p_skill bigint, p_lanes bigint[]) returns jsonb language plpgsql as $$
declare
  v_reason text;
  v_due double precision;
  v_barred bigint[] := app.barred_projects(p_tenant, p_expert);
begin
  if exists (select from experts x where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'PAUSED') then
    v_reason := 'PAUSED';
  elsif app.is_day_full(p_tenant, p_expert) then
    return jsonb_build_object('outcome', 'EMPTY', 'reason', 'DAILY_CAP_REACHED', 'retryAfterSeconds', ceil(extract(
      epoch from date_trunc('day', app.clock_now(), 'UTC') + interval '1 day' - app.clock_now()) + 1 + 600 * random()));
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'NO_SKILL';
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert
                      and (p_skill is null or s.skill_id = p_skill) and s.status <> 'PAUSED') then
    v_reason := 'PAUSED';
  elsif v_barred <> '{}' and exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and r.phase < 3
                                       and r.project_id = any (v_barred) and not p_expert = any (r.excl)) then
    v_reason := case when exists (select from tallies y
                                  join ready r on r.tenant_id = y.tenant_id and r.project_id = y.project_id and r.phase < 3
                                  where y.tenant_id = p_tenant and y.expert_id = p_expert and y.is_full and not y.is_barred
                                    and r.lane_id = any (p_lanes) and not p_expert = any (r.excl))
                     then 'PROJECT_CAP_REACHED' else 'CONFLICT_OF_INTEREST' end;
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality > s.taken_for
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase < 3
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'QUALITY_BELOW_MINIMUM';
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and not l.id = any (p_lanes)
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase < 3
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'REQUIREMENTS_NOT_MET';
  elsif exists (select from ready r join assignments a on a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert
                where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and r.phase < 3 and p_expert = any (r.excl))
    and not exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and r.phase < 3 and not exists (
                      select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert)) then
    v_reason := 'ALL_ANSWERED_BY_YOU';
  elsif exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and r.phase < 3) then
    v_reason := 'RESERVED_FOR_OTHERS';
  else
    v_reason := 'NO_OPEN_TASK';
  end if;
  -- Of whoever is to be tried, or drawn for, again: that they ask for work.
  update expert_skills s
  set asked_at = app.clock_now(), asleep = false, try_at = case when s.asleep then app.clock_now() else s.try_at end
  where s.tenant_id = p_tenant and s.expert_id = p_expert and (p_skill is null or s.skill_id = p_skill) and s.try_at is not null
    and (s.asleep or s.asked_at is null or s.asked_at < app.clock_now() - interval '1 day');
  select extract(epoch from min(head.due_at) - app.clock_now()) into v_due
  from unnest(p_lanes) as l(lane_id)
  cross join lateral (
    select a.due_at from lease_alarms a where a.tenant_id = p_tenant and a.lane_id = l.lane_id order by a.due_at limit 1
  ) head;
  return jsonb_build_object('outcome', 'EMPTY', 'reason', v_reason,
    'retryAfterSeconds', ceil(least(60, greatest(1, coalesce(v_due, 30))) * (0.9 + 0.2 * random())));
end
$$;
