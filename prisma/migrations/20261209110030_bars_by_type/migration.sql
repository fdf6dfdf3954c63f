-- A bar is a bar of the task type: what claims take an expert for is by their results in the type of the work, where they have ten in it and
-- others beside it (services/quality/scores/gates-by-type.ts, docs/decisions/0122). The lane says which type; a lane of no bar is of any.
set local role touchstone_owner;

-- The task type that the minimum is asked in; 0: of any, in lanes without one and those made before there were others.
alter table lanes add task_type_id bigint not null default 0,
  drop constraint lanes_requirement,
  add constraint lanes_requirement unique (tenant_id, skill_id, min_quality, also_all, also_any, also_min, languages, tags, task_type_id);

-- Task types in which claims take the expert for something else than in the skill, and for what.
alter table expert_skills add type_ids bigint[] not null default '{}', add type_gates double precision[] not null default '{}',
  add check (cardinality(type_ids) = cardinality(type_gates));
grant update (type_ids, type_gates) on expert_skills to touchstone_system;
-- The same as decided; what it rests on; and when they are tried again in the skill as a whole (expert_skills.try_at is the next of all).
alter table newcomer_decisions add type_ids bigint[] not null default '{}', add type_gates double precision[] not null default '{}',
  add types jsonb not null default '[]', add try_at timestamptz(3);
-- The type that it is about; 0: the skill.
alter table doors add task_type_id bigint not null default 0;

-- What claims of work of a task type take an expert for. 0: of any.
create function app.taken_for(p_skill expert_skills, p_task_type bigint) returns double precision language sql immutable as $$
  select case when p_task_type = 0 or p_skill.type_ids = '{}' then p_skill.taken_for
              else coalesce(p_skill.type_gates[array_position(p_skill.type_ids, p_task_type)], p_skill.taken_for) end
$$;

-- As before; by the lane's task type.
create or replace function app.lanes_of(p_tenant bigint, p_expert bigint, p_skill bigint)
returns table (lane_id bigint, skill_id bigint, pressure double precision, preference smallint, low_untouched bigint, low_begun bigint,
               shift bigint, is_idle boolean, gold_rate_most double precision) language sql stable as $$
  select l.id, l.skill_id, l.pressure, s.preference, l.low_untouched, l.low_begun, l.shift, l.is_idle, s.gold_rate_most
  from experts x
  join expert_skills s on s.tenant_id = x.tenant_id and s.expert_id = x.id
  join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality <= app.taken_for(s, l.task_type_id)
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
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality > app.taken_for(s, l.task_type_id)
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
  -- Of whoever is to be tried, or drawn for, again: that they ask for work. Who is below the bars and has no such day is looked at: there
  -- may have been no bar when they were looked at last.
  update expert_skills s
  set asked_at = app.clock_now(), asleep = false, try_at = case when s.asleep or s.try_at is null then app.clock_now() else s.try_at end
  where s.tenant_id = p_tenant and s.expert_id = p_expert and (p_skill is null or s.skill_id = p_skill)
    and (s.try_at is not null or v_reason = 'QUALITY_BELOW_MINIMUM' and s.status <> 'PAUSED')
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

create or replace function app.watch_adjudications(p_limit integer) returns integer language plpgsql as $$
declare
  v_projects integer;
begin
  with waiting as materialized (
    select p.tenant_id, p.id as project_id, r.lane_id, r.task_id, r.excl, p.customer_id
    from projects p
    cross join lateral (
      select q.lane_id, q.task_id, q.excl from ready q
      where q.tenant_id = p.tenant_id and q.project_id = p.id and q.lane_id = p.adjudication_lane_id
        and exists (select from adjudications j where j.tenant_id = q.tenant_id and j.task_id = q.task_id)
      order by q.task_id
      limit p_limit
    ) r
    where p.state = 'RUNNING' and p.adjudication_lane_id is not null
  ), able as materialized (
    select l.tenant_id, l.id as lane_id, l.min_quality, array(
             select x.id from expert_skills s
             join experts x on x.tenant_id = s.tenant_id and x.id = s.expert_id and x.status = 'ACTIVE'
             where s.tenant_id = l.tenant_id and s.skill_id = l.skill_id and s.status in ('PROBATION', 'ACTIVE')
               and app.taken_for(s, l.task_type_id) >= l.min_quality and l.languages <@ x.languages and l.tags <@ x.tags
               and (l.also_all = '{}' or not exists (
                 select from unnest(l.also_all) as a(skill_id)
                 where not exists (select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id
                                     and o.skill_id = a.skill_id and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min)))
               and (l.also_any = '{}' or exists (
                 select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id
                   and o.skill_id = any (l.also_any) and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min))
             limit 2000) as experts
    from (select distinct w.tenant_id, w.lane_id from waiting w) k
    join lanes l on l.tenant_id = k.tenant_id and l.id = k.lane_id
  ), stuck as materialized (
    select w.tenant_id, w.project_id, w.customer_id, count(*)::integer as tasks, max(a.min_quality) as min_quality
    from waiting w
    join able a on a.tenant_id = w.tenant_id and a.lane_id = w.lane_id
    where not exists (
      select from unnest(a.experts) as e(id)
      where not e.id = any (coalesce(w.excl, '{}'))
        and not exists (select from conflicts c where c.tenant_id = w.tenant_id and c.expert_id = e.id and c.customer_id = w.customer_id))
    group by w.tenant_id, w.project_id, w.customer_id
  ), ended as (
    delete from adjudication_waits o
    where not exists (select from stuck s where s.tenant_id = o.tenant_id and s.project_id = o.project_id)
  ), kept as (
    insert into adjudication_waits as o (tenant_id, project_id, customer_id, tasks, min_quality)
    select s.tenant_id, s.project_id, s.customer_id, s.tasks, s.min_quality from stuck s
    order by s.tenant_id, s.project_id
    on conflict (tenant_id, project_id) do update set tasks = excluded.tasks, min_quality = excluded.min_quality
      where (o.tasks, o.min_quality) is distinct from (excluded.tasks, excluded.min_quality)
  )
  select count(*)::integer into v_projects from stuck;
  return v_projects;
end
$$;

create or replace function app.stronger_lane(p_tenant bigint, p_project bigint) returns bigint language plpgsql as $$
declare
  v_project projects;
  v_min double precision;
  v_lane bigint;
begin
  select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = p_project for no key update;
  if v_project.adjudication_lane_id is not null then
    return v_project.adjudication_lane_id;
  end if;
  v_min := least(1, round(greatest(0.8, v_project.min_quality + 0.05)::numeric, 2));
  insert into lanes (tenant_id, skill_id, min_quality, also_all, also_any, also_min, languages, tags, task_type_id)
  values (p_tenant, v_project.skill_id, v_min, v_project.required_all, v_project.required_any, v_project.required_min,
          v_project.languages, v_project.tags, v_project.task_type_id)
  on conflict on constraint lanes_requirement do nothing;
  select l.id into strict v_lane from lanes l
  where l.tenant_id = p_tenant and l.skill_id = v_project.skill_id and l.min_quality = v_min
    and l.also_all = v_project.required_all and l.also_any = v_project.required_any and l.also_min = v_project.required_min
    and l.languages = v_project.languages and l.tags = v_project.tags
    and l.task_type_id = v_project.task_type_id;
  update projects p set adjudication_lane_id = v_lane where p.tenant_id = p_tenant and p.id = p_project;
  return v_lane;
end
$$;

-- As before, and what is decided by task type.
create or replace function app.apply_gate(p_tenant bigint, p_expert bigint, p_skill bigint) returns void language plpgsql as $$
begin
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  update expert_skills x set quality_mean = d.mean, quality_lower = d.lower
  from (select d.mean, d.lower from score_days d
        where d.tenant_id = p_tenant and d.expert_id = p_expert and d.skill_id = p_skill and d.task_type_id = 0
        order by d.day desc limit 1) d
  where x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill
    and (x.quality_mean, x.quality_lower) is distinct from (d.mean, d.lower);
  update expert_skills x set door = n.door, type_ids = n.type_ids, type_gates = n.type_gates
  from newcomer_decisions n
  where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and x.status <> 'PAUSED'
    and x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill and (x.door, x.type_ids, x.type_gates) is distinct from (n.door, n.type_ids, n.type_gates);
  update skill_effects e set gate_at = app.clock_now() + app.draw_days(e, '/gate', 2, 6)
  where e.tenant_id = p_tenant and e.expert_id = p_expert and e.skill_id = p_skill and e.applied_at is null;
end
$$;

create or replace function app.lacks_effect(p_tenant bigint, p_expert bigint, p_skill bigint,
                                 out figures boolean, out standing boolean, out notices boolean, out newcomer boolean, out visible boolean)
language plpgsql stable as $$
declare
  v_status boolean;
begin
  figures := exists (
    select from expert_skills x
    cross join lateral (select d.mean, d.lower from score_days d
                        where d.tenant_id = p_tenant and d.expert_id = p_expert and d.skill_id = p_skill and d.task_type_id = 0
                        order by d.day desc limit 1) d
    where x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill
      and (x.quality_mean, x.quality_lower) is distinct from (d.mean, d.lower));
  standing := exists (
    select from standings s
    left join shown_standings w on w.tenant_id = s.tenant_id and w.expert_id = s.expert_id and w.skill_id = s.skill_id
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill
      and (s.phase, s.reason) is distinct from (coalesce(w.phase, 'CLEAR'), w.reason));
  notices := exists (
    select from standing_notices n
    where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and n.id > app.last_told(p_tenant, p_expert, p_skill));
  select coalesce(bool_or((x.status, x.door, x.type_ids, x.type_gates) is distinct from (coalesce(n.status, x.status), n.door, n.type_ids, n.type_gates)), false),
         coalesce(bool_or(x.status is distinct from coalesce(n.status, x.status)), false) into newcomer, v_status
  from newcomer_decisions n
  join expert_skills x on x.tenant_id = n.tenant_id and x.expert_id = n.expert_id and x.skill_id = n.skill_id
  where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and x.status <> 'PAUSED';
  visible := standing or notices or v_status;
end
$$;
