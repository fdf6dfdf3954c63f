-- Who may be given what, and the exact look. The quick look, for many at once, is in the next migration.
set local role touchstone_owner;

-- Lanes that an expert may be given work from: the skill held, not paused and at or above the lane's minimum (rule 5),
-- and all else that the lane asks for. p_skill null: any skill. An SQL function, so that it is planned with its caller.
create function app.lanes_of(p_tenant bigint, p_expert bigint, p_skill bigint)
returns table (lane_id bigint, skill_id bigint, pressure double precision, preference smallint,
               low_untouched bigint, low_begun bigint) language sql stable as $$
  select l.id, l.skill_id, l.pressure, s.preference, l.low_untouched, l.low_begun
  from experts x
  join expert_skills s on s.tenant_id = x.tenant_id and s.expert_id = x.id
  join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality <= s.quality_lower
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

create or replace function app.expert_lanes(p_tenant bigint, p_expert bigint, p_skill bigint) returns bigint[] language plpgsql stable as $$
begin
  return (select coalesce(array_agg(o.lane_id order by o.lane_id), '{}') from app.lanes_of(p_tenant, p_expert, p_skill) o);
end
$$;

-- Running projects that an expert may have nothing of: a conflict of interest with the customer, or as many tasks taken
-- as the project lets one expert have.
create function app.barred_projects(p_tenant bigint, p_expert bigint) returns bigint[] language plpgsql stable as $$
begin
  return array(
    select p.id from conflicts c
    join projects p on p.tenant_id = c.tenant_id and p.customer_id = c.customer_id
    where c.tenant_id = p_tenant and c.expert_id = p_expert and p.state = 'RUNNING'
    union all
    select y.project_id from tallies y
    join projects p on p.tenant_id = y.tenant_id and p.id = y.project_id and p.state = 'RUNNING'
    where y.tenant_id = p_tenant and y.expert_id = p_expert and y.is_full);
end
$$;

-- Whether an expert with a daily cap has taken as many claims this UTC day as it allows.
create function app.is_day_full(p_tenant bigint, p_expert bigint) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from experts x
    join expert_days d on d.tenant_id = x.tenant_id and d.expert_id = x.id and d.day = (app.clock_now() at time zone 'UTC')::date
    where x.tenant_id = p_tenant and x.id = p_expert and d.taken >= x.daily_cap);
end
$$;

-- Counts claims against caps: of the day, and of projects that have one. A cap that comes to be set counts what was taken
-- before, too. Called under the experts' own locks, so nobody else counts the same at once.
create function app.count_taken(p_taken assignments[]) returns void language plpgsql as $$
begin
  insert into expert_days as d (tenant_id, expert_id, day, taken)
  select t.tenant_id, t.expert_id, (t.leased_at at time zone 'UTC')::date,
         (select count(*) from assignments a where a.tenant_id = t.tenant_id and a.expert_id = t.expert_id
            and a.leased_at >= date_trunc('day', t.leased_at, 'UTC'))
  from unnest(p_taken) t
  join experts x on x.tenant_id = t.tenant_id and x.id = t.expert_id
  where x.daily_cap is not null
  on conflict (tenant_id, expert_id, day) do update set taken = d.taken + 1;

  insert into tallies as y (tenant_id, expert_id, project_id, taken, is_full)
  select n.tenant_id, n.expert_id, n.project_id, n.taken, n.taken >= n.max_per_expert
  from (
    select t.tenant_id, t.expert_id, t.project_id, p.max_per_expert,
           (select count(*) from assignments a where a.tenant_id = t.tenant_id and a.expert_id = t.expert_id
              and a.project_id = t.project_id and a.state not in ('EXPIRED', 'RELEASED')) as taken
    from unnest(p_taken) t
    join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
    where p.max_per_expert is not null
  ) n
  on conflict (tenant_id, expert_id, project_id) do update
    set taken = y.taken + 1, is_full = y.taken + 1 >= (select p.max_per_expert from projects p
                                                       where p.tenant_id = y.tenant_id and p.id = y.project_id);
end
$$;

-- One lane, looked at exactly: the first row of a phase that the expert may have and nobody else holds. It walks the index
-- in its order and stops at the first that fits. Someone barred from projects goes by the heads of the other projects, so
-- that a barred one's backlog costs nothing.
create function app.first_ready(p_tenant bigint, p_expert bigint, p_lane bigint, p_phase smallint, p_passed boolean, p_barred bigint[])
returns ready language plpgsql as $$
declare
  v_row ready;
begin
  if p_barred = '{}' then
    select r.* into v_row from ready r
    where r.tenant_id = p_tenant and r.lane_id = p_lane and r.phase = p_phase
      and not p_expert = any (r.excl) and p_expert = any (r.passed) = p_passed
    order by r.tag, r.task_id limit 1 for update skip locked;
    return v_row;
  end if;
  with heads as materialized (
    select h.task_id from flows f
    cross join lateral (
      select r.task_id, r.tag from ready r
      where r.tenant_id = p_tenant and r.project_id = f.project_id and r.lane_id = p_lane and r.phase = p_phase
        and not p_expert = any (r.excl) and p_expert = any (r.passed) = p_passed
      order by r.tag, r.task_id limit 1
    ) h
    where f.tenant_id = p_tenant and f.lane_id = p_lane and not f.project_id = any (p_barred)
    order by h.tag limit 8
  )
  select r.* into v_row from ready r
  where r.tenant_id = p_tenant and r.task_id in (select h.task_id from heads h) and not p_expert = any (r.excl)
  order by r.tag, r.task_id limit 1 for update skip locked;
  return v_row;
end
$$;

-- The exact look before an empty answer: all due alarms, every row of every lane, and as a last resort what the expert
-- gave back themselves. An expert who has answered the first 10,000 of 100,000 begun tasks is given the next one after
-- 5 ms, where collecting and sorting the 90,000 that fit took 470 ms.
create function app.pick_exact(p_tenant bigint, p_expert bigint, p_lanes bigint[], p_barred bigint[]) returns ready language plpgsql as $$
declare
  v_row ready;
  v_lane bigint;
  v_passed boolean;
begin
  perform app.fire_lane_alarms(p_tenant, p_lanes, 200);
  foreach v_passed in array array[false, true] loop
    select r.* into v_row
    from ready_directed d
    join ready r on r.tenant_id = d.tenant_id and r.task_id = d.task_id
    where d.tenant_id = p_tenant and d.expert_id = p_expert and d.lane_id = any (p_lanes)
      and not p_expert = any (r.excl) and p_expert = any (r.passed) = v_passed and not r.project_id = any (p_barred)
    order by d.tag, d.task_id limit 1 for update of r skip locked;
    if found then
      return v_row;
    end if;
    for v_lane in select l.lane_id from unnest(p_lanes) as l(lane_id) order by app.chance() loop
      v_row := app.first_ready(p_tenant, p_expert, v_lane, 1::smallint, v_passed, p_barred);
      if v_row.task_id is null and not v_passed then
        v_row := app.first_ready(p_tenant, p_expert, v_lane, 0::smallint, false, p_barred);
      end if;
      if v_row.task_id is not null then
        return v_row;
      end if;
    end loop;
  end loop;
  return null;
end
$$;

drop function app.pick_ready(bigint, bigint, bigint[]);
drop function app.pick_ready_exact(bigint, bigint, bigint[]);
drop function app.is_contended(bigint, bigint, bigint[]);
drop function app.open_rows(bigint, bigint, bigint[]);

-- Every queue row that this expert could be given, locked or not.
create function app.open_rows(p_tenant bigint, p_expert bigint, p_lanes bigint[], p_barred bigint[]) returns table (task_id bigint) language sql stable as $$
  select d.task_id from ready_directed d
  join ready r on r.tenant_id = d.tenant_id and r.task_id = d.task_id
  where d.tenant_id = p_tenant and d.expert_id = p_expert and d.lane_id = any (p_lanes)
    and not p_expert = any (r.excl) and not r.project_id = any (p_barred)
  union all
  select o.task_id from ready o
  where o.tenant_id = p_tenant and o.lane_id = any (p_lanes) and o.phase in (0, 1)
    and not p_expert = any (o.excl) and not o.project_id = any (p_barred)
$$;

-- Whether "nothing" would be untrue: a row is open but held by another transaction, or a lease that has run out is not
-- yet returned. Nothing waits here, for two claims would wait for each other's alarms; the caller commits and asks again.
create function app.is_contended(p_tenant bigint, p_expert bigint, p_lanes bigint[], p_barred bigint[]) returns boolean language sql volatile as $$
  select exists (select from app.open_rows(p_tenant, p_expert, p_lanes, p_barred))
      or exists (select from lease_alarms l where l.tenant_id = p_tenant and l.lane_id = any (p_lanes) and l.due_at <= app.clock_now())
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
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality > s.quality_lower
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
