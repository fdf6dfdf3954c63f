-- Cold start: how a newcomer is taken before there are results, and how probation ends by them.
set local role touchstone_owner;

alter table expert_skills
  -- What a newcomer is taken for by an exception (services/quality/gold/door.ts). Null: for what is proven.
  add door double precision check (door between 0 and 1),
  -- When the door was last set; null: never, and somebody on probation is due for one.
  add door_at timestamptz(3),
  -- What the claim compares with a minimum.
  add taken_for double precision not null
    generated always as (greatest(quality_lower, case when status = 'PROBATION' then coalesce(door, 0) else 0 end)) stored;
create index expert_skills_new on expert_skills (tenant_id, expert_id, skill_id) where status = 'PROBATION' and door_at is null;
grant update (door, door_at) on expert_skills to touchstone_system;

-- Which quality a newcomer was taken for with so many results, and why, for good: one draw each, however often the fold runs.
create table doors (
  tenant_id bigint not null,
  id bigint generated always as identity,
  expert_id bigint not null,
  skill_id bigint not null,
  kind text not null check (kind in ('LOWER_BOUND', 'EXPLORATION', 'SCARCE_SKILL')),
  -- What they are taken for, and what is believed of them.
  quality double precision not null check (quality between 0 and 1),
  mean double precision not null,
  lower double precision not null,
  -- The results that it rests on: how many, and the grading of the last (0: none).
  results integer not null check (results >= 0),
  grading_id bigint not null,
  -- Proven experts of the skill then, counted up to three.
  proven_experts integer not null,
  -- The uniform numbers that were drawn; null where nothing was left to chance.
  explore double precision,
  accuracy double precision,
  opened_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, expert_id, skill_id, results, grading_id),
  check (kind <> 'EXPLORATION' or num_nonnulls(explore, accuracy) = 2)
);

-- That probation ended, or began again because results that ended it count no longer.
create table probations (
  tenant_id bigint not null,
  id bigint generated always as identity,
  expert_id bigint not null,
  skill_id bigint not null,
  is_over boolean not null,
  -- The results that it was decided on: how many, how many of them right, and the grading of the last.
  results integer not null,
  correct double precision not null,
  grading_id bigint not null,
  at timestamptz(3) not null,
  primary key (tenant_id, id)
);
create index probations_by_expert on probations (tenant_id, expert_id, skill_id, id);

do $$
declare
  t text;
begin
  foreach t in array array['doors', 'probations'] loop
    -- To an expert either would tell how many of their answers were graded (rule 10).
    perform app.protect(t, 'false', 'false', array['OPERATOR', 'ANALYST']);
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
    execute format('grant insert on %I to touchstone_system', t);
    execute format('create trigger permanent before update or delete on %I for each row execute function app.refuse_change()', t);
    execute format('create trigger permanent_truncate before truncate on %I for each statement execute function app.refuse_change()', t);
  end loop;
end
$$;

-- Lanes that an expert may be given work from: the skill held, not paused and at or above the lane's minimum (rule 5),
-- and all else that the lane asks for. Exceptions for newcomers are for the skill itself, not for what a lane asks besides.
-- p_skill null: any skill. An SQL function, so that it is planned with its caller.
create or replace function app.lanes_of(p_tenant bigint, p_expert bigint, p_skill bigint)
returns table (lane_id bigint, skill_id bigint, pressure double precision, preference smallint,
               low_untouched bigint, low_begun bigint, gold_rate_most double precision) language sql stable as $$
  select l.id, l.skill_id, l.pressure, s.preference, l.low_untouched, l.low_begun, s.gold_rate_most
  from experts x
  join expert_skills s on s.tenant_id = x.tenant_id and s.expert_id = x.id
  join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality <= s.taken_for
  where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'ACTIVE'
    and s.status in ('PROBATION', 'ACTIVE') and (p_skill is null or s.skill_id = p_skill)
    and l.languages <@ x.languages and l.tags <@ x.tags
    and (l.also_all = '{}' or not exists (
      select from unnest(l.also_all) as a(skill_id)
      where not exists (select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id
                          and o.skill_id = a.skill_id and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min)))
    and (l.also_any = '{}' or exists (
      select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id
        and o.skill_id = any (l.also_any) and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min))
$$;

-- Why there is nothing, in order of what the expert can do about it, and when to ask again: when the next lease of
-- their lanes is due, at most a minute, spread by a fifth so that a crowd does not come back at once; after a full day,
-- at its end.
create or replace function app.empty_json(p_tenant bigint, p_expert bigint, p_skill bigint, p_lanes bigint[]) returns jsonb language plpgsql as $$
declare
  v_reason text;
  v_due double precision;
  v_barred bigint[] := app.barred_projects(p_tenant, p_expert);
begin
  if exists (select from experts x where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'PAUSED') then
    v_reason := 'PAUSED';
  elsif app.is_day_full(p_tenant, p_expert) then
    return jsonb_build_object('outcome', 'EMPTY', 'reason', 'DAILY_CAP_REACHED', 'retryAfterSeconds', greatest(1, ceil(extract(
      epoch from date_trunc('day', app.clock_now(), 'UTC') + interval '1 day' - app.clock_now()))));
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'NO_SKILL';
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert
                      and (p_skill is null or s.skill_id = p_skill) and s.status <> 'PAUSED') then
    v_reason := 'PAUSED';
  elsif v_barred <> '{}' and exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes)
                                       and r.project_id = any (v_barred) and not p_expert = any (r.excl)) then
    v_reason := case when exists (select from tallies y
                                  join ready r on r.tenant_id = y.tenant_id and r.project_id = y.project_id
                                  where y.tenant_id = p_tenant and y.expert_id = p_expert and y.is_full
                                    and r.lane_id = any (p_lanes) and not p_expert = any (r.excl))
                     then 'PROJECT_CAP_REACHED' else 'CONFLICT_OF_INTEREST' end;
  elsif exists (select from ready r join assignments a on a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert
                where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and p_expert = any (r.excl))
    and not exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and not exists (
                      select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert)) then
    v_reason := 'ALL_ANSWERED_BY_YOU';
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality > s.taken_for
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'QUALITY_BELOW_MINIMUM';
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and not l.id = any (p_lanes)
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'REQUIREMENTS_NOT_MET';
  elsif exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes)) then
    v_reason := 'RESERVED_FOR_OTHERS';
  else
    v_reason := 'NO_OPEN_TASK';
  end if;
  select extract(epoch from min(head.due_at) - app.clock_now()) into v_due
  from unnest(p_lanes) as l(lane_id)
  cross join lateral (
    select a.due_at from lease_alarms a where a.tenant_id = p_tenant and a.lane_id = l.lane_id order by a.due_at limit 1
  ) head;
  return jsonb_build_object('outcome', 'EMPTY', 'reason', v_reason,
    'retryAfterSeconds', ceil(least(60, greatest(1, coalesce(v_due, 30))) * (0.9 + 0.2 * random())));
end
$$;

-- What follows from a change of standing, under the expert's lock, as a claim takes it (rule 5): a pause by results stops
-- claims of the skill and lets the lease in hand be submitted; a re-test lets the expert in on probation; one who passed it is
-- active; one whose pause counts no longer is what they were before it. What a human did is done already.
create or replace function app.apply_standing(p_tenant bigint, p_expert bigint, p_skill bigint, p_phase text, p_reason text) returns void language plpgsql as $$
declare
  v_status text;
begin
  select s.status into v_status from expert_skills s
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill for no key update;
  if v_status is null or p_reason in ('HUMAN', 'FRAUD') then
    return;
  end if;
  if p_phase = 'PAUSED' then
    insert into pauses (tenant_id, expert_id, skill_id, reason, status_before)
    values (p_tenant, p_expert, p_skill, p_reason, coalesce(nullif(v_status, 'PAUSED'), 'ACTIVE'))
    on conflict do nothing;
  elsif v_status = 'PAUSED' then
    update pauses p set resumed_at = app.clock_now(), returned = true
    where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id = p_skill and p.resumed_at is null;
  end if;
  update expert_skills s
  set status = case p_phase when 'PAUSED' then 'PAUSED' when 'RETEST' then 'PROBATION'
                 else case when p_reason = 'RETEST_PASSED' then 'ACTIVE'
                           when s.status = 'PAUSED' then coalesce((
                             select p.status_before from pauses p
                             where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id = p_skill order by p.id desc limit 1), 'ACTIVE')
                           else s.status end end,
      updated_at = app.clock_now()
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill
    and (p_phase <> 'WARNED' or s.status = 'PAUSED');
end
$$;
