-- Whoever may have a job is found, however many who may not stand nearer; areas across the 180th meridian; shifts that follow on each
-- other; jobs that nobody can have wait longer each time, and tenants take turns; nobody's place is kept longer than it is used. See
-- docs/dispatch.md, decisions 141 and 142.
set local role touchstone_owner;

-- How often in a row nobody could be found for it, at most 100.
alter table jobs add column attempts smallint not null default 0 check (attempts between 0 and 100);
grant update (attempts) on jobs to touchstone_app, touchstone_system;

-- What is to be assigned, by tenant: those that nobody was looked for yet (or not since an offer), and those that it was in vain.
create index jobs_to_open on jobs (tenant_id, assign_at) where assign_at is not null and state = 'OPEN';
create index jobs_to_try_again on jobs (tenant_id, assign_at) where assign_at is not null and state = 'UNASSIGNED_ALERT';
drop index jobs_to_assign;
-- Of which offers a place is still known.
create index offers_with_cell on offers (offered_at) where fix_cell is not null;
grant update (fix_cell) on offers to touchstone_system;

-- How long to wait before somebody is looked for again: twice as long each time, five minutes at most, and a quarter of the time that
-- is left, so that nothing is slept through; never less than twenty seconds.
create function app.wait_before_again(p_first_seconds integer, p_attempts smallint, p_left interval) returns interval language sql immutable as $$
  select make_interval(secs => greatest(20, least(p_first_seconds * 2 ^ least(p_attempts - 1, 10), 300, extract(epoch from p_left)::float8 / 4)))
$$;

-- Whether a worker goes to where a job is. An area may reach over the 180th meridian: its longitudes then go on beyond 180.
create function app.is_in_area(p_worker workers, p_job jobs) returns boolean language sql immutable as $$
  select (p_worker).travels or (p_worker).service_area @> point((p_job).longitude, (p_job).latitude)
         or (p_worker).service_area @> point((p_job).longitude + 360, (p_job).latitude)
$$;

-- How far two places are from each other, about: to tell the nearer from the farther, across the 180th meridian too.
create function app.metres_about(p_latitude double precision, p_longitude double precision, p_to_latitude double precision, p_to_longitude double precision)
returns double precision language sql immutable as $$
  select 111195 * sqrt((p_latitude - p_to_latitude) ^ 2
    + (least(abs(p_longitude - p_to_longitude), 360 - abs(p_longitude - p_to_longitude)) * cos(radians(p_to_latitude))) ^ 2)
$$;

-- Whether a time lies in one shift, by the clocks of a time zone: a shift that ends no later than it begins goes on past midnight.
-- One that begins when the one before ends is no other: who is on shift all day works past midnight.
create or replace function app.is_in_shift(p_worker workers, p_zone text, p_from timestamptz, p_to timestamptz) returns boolean language sql stable as $$
  select case when (p_worker).shift_start = (p_worker).shift_end then not exists (
    select from generate_series(((p_from at time zone p_zone) - (p_worker).shift_start::interval)::date,
      greatest(((p_from at time zone p_zone) - (p_worker).shift_start::interval)::date,
               ((p_to at time zone p_zone) - (p_worker).shift_start::interval - interval '1 microsecond')::date), interval '1 day') as d(day)
    where extract(isodow from d.day)::smallint <> all ((p_worker).shift_days))
  else exists (
    select from generate_series(-1, 0) as back(days)
    cross join lateral (select (p_from at time zone p_zone)::date + back.days as day) d
    where extract(isodow from d.day)::smallint = any ((p_worker).shift_days)
      and p_from >= (d.day + (p_worker).shift_start) at time zone p_zone
      and p_to <= (d.day + case when (p_worker).shift_end <= (p_worker).shift_start then 1 else 0 end + (p_worker).shift_end) at time zone p_zone) end
$$;

-- As before, with areas as above.
create or replace function app.fit_workers(p_tenant bigint, p_job_id bigint, p_experts bigint[], p_travel_seconds double precision[])
returns table (expert_id bigint, jobs_today integer, slot smallint, failed text[]) language sql stable as $$
  select c.expert_id, t.jobs_today, f.slot, array_remove(array[
    case when w.expert_id is null or not w.active or x.status <> 'ACTIVE' then 'INACTIVE' end,
    case when exists (
      select from unnest(j.skill_ids) as s(id)
      where not exists (select from expert_skills e where e.tenant_id = p_tenant and e.expert_id = c.expert_id and e.skill_id = s.id and e.status = 'ACTIVE'))
      then 'SKILL' end,
    case when exists (
      select from expert_skills e where e.tenant_id = p_tenant and e.expert_id = c.expert_id and e.skill_id = any (j.skill_ids)
        and e.status = 'ACTIVE' and e.quality_lower < j.min_quality)
      then 'QUALITY' end,
    case when exists (select from conflicts n where n.tenant_id = p_tenant and n.expert_id = c.expert_id and n.customer_id = j.customer_id) then 'CONFLICT' end,
    case when not app.is_in_shift(w, s.time_zone, lower(b.busy), upper(b.busy)) then 'SHIFT' end,
    case when f.slot is null then 'OVERLAP' end,
    case when j.kind = 'ON_DEMAND' and exists (
      select from offers o where o.tenant_id = p_tenant and o.expert_id = c.expert_id and o.state = 'LIVE' and o.occupies)
      then 'LIVE_OFFER' end,
    case when not app.is_in_area(w, j) then 'AREA' end,
    case when exists (
      select from offers o where o.tenant_id = p_tenant and o.job_id = j.id and o.expert_id = c.expert_id
        and o.state in ('DECLINED', 'EXPIRED', 'REASSIGNED') and o.ended_at > app.clock_now() - make_interval(secs => s.cooldown_seconds))
      then 'COOLDOWN' end
  ], null)
  from unnest(p_experts, p_travel_seconds) as c(expert_id, travel)
  join jobs j on j.tenant_id = p_tenant and j.id = p_job_id
  cross join lateral app.dispatch_settings_of(p_tenant) s
  cross join lateral app.busy_range(j, c.travel) b(busy)
  left join workers w on w.tenant_id = p_tenant and w.expert_id = c.expert_id
  left join experts x on x.tenant_id = p_tenant and x.id = c.expert_id
  cross join lateral app.free_slot(w, b.busy) f(slot)
  cross join lateral (
    select count(*)::int as jobs_today from offers o
    where o.tenant_id = p_tenant and o.expert_id = c.expert_id and o.accepted_day = (app.clock_now() at time zone s.time_zone)::date
      and o.state in ('ACCEPTED', 'DONE')
  ) t
$$;

-- Who may have a job as far as that does not hang on the way there: the nearest of them by where they were last written down (a job
-- for now; within its range and a little) or by their homes, at most p_limit, none of p_except. What of it was looked at is looked at
-- again by app.fit_workers; this only finds, by the skill first, whom a search by distance does not get to.
create function app.qualified_workers(p_tenant bigint, p_job bigint, p_except bigint[], p_limit integer)
returns table (expert_id bigint, latitude double precision, longitude double precision) language plpgsql stable as $$
declare
  v_job jobs;
  v_settings dispatch_settings := app.dispatch_settings_of(p_tenant);
  v_skills integer;
begin
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job;
  v_skills := cardinality(array(select distinct unnest(v_job.skill_ids)));
  return query
    select w.expert_id, w.home_latitude, w.home_longitude
    from workers w
    join experts x on x.tenant_id = w.tenant_id and x.id = w.expert_id and x.status = 'ACTIVE'
    left join latest_fixes f on f.tenant_id = w.tenant_id and f.expert_id = w.expert_id and f.received_at > app.clock_now() - interval '5 minutes'
    cross join lateral (
      select case v_job.kind when 'ON_DEMAND' then app.metres_about(f.latitude, f.longitude, v_job.latitude, v_job.longitude)
             else app.metres_about(w.home_latitude, w.home_longitude, v_job.latitude, v_job.longitude) end as metres
    ) d
    where w.tenant_id = p_tenant and w.active and app.is_in_area(w, v_job)
      and (v_skills = 0 or w.expert_id in (
        select e.expert_id from expert_skills e
        where e.tenant_id = p_tenant and e.skill_id = any (v_job.skill_ids) and e.status = 'ACTIVE' and e.quality_lower >= v_job.min_quality
        group by e.expert_id having count(*) = v_skills))
      and not exists (select from conflicts n where n.tenant_id = p_tenant and n.expert_id = w.expert_id and n.customer_id = v_job.customer_id)
      and (v_job.kind = 'SCHEDULED' or d.metres <= v_settings.search_metres + 2000)
      and (v_job.kind = 'SCHEDULED' or not exists (
        select from offers o where o.tenant_id = p_tenant and o.expert_id = w.expert_id and o.state = 'LIVE' and o.occupies))
      and w.expert_id <> all (p_except)
    order by d.metres, w.expert_id limit p_limit;
end
$$;

-- As before, but who was seen too long ago by now is passed over.
create or replace function app.lease_job(p_tenant bigint, p_actor bigint, p_job bigint, p_expert bigint, p_terms jsonb) returns jsonb language plpgsql as $$
declare
  v_job jobs;
  v_fit record;
  v_eta double precision := (p_terms ->> 'etaSeconds')::double precision;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job for update;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  end if;
  if v_job.state = 'OFFERED' and app.expire_offer(p_tenant, p_job, v_job.offer_id) then
    select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job;
  end if;
  if v_job.state not in ('OPEN', 'UNASSIGNED_ALERT') then
    return jsonb_build_object('outcome', 'JOB_TAKEN', 'state', v_job.state, 'offerId', v_job.offer_id::text);
  end if;
  if app.clock_now() + make_interval(secs => v_eta) > v_job.due_by then
    return jsonb_build_object('outcome', 'LATE');
  end if;
  -- (Nobody is refused by offers_fresh where the next candidate is to be asked.)
  if v_job.kind = 'ON_DEMAND' and ((p_terms ->> 'fixDeviceAt')::timestamptz >= app.clock_now() - interval '30 seconds'
                                   and (p_terms ->> 'fixReceivedAt')::timestamptz >= app.clock_now() - interval '30 seconds') is not true then
    return jsonb_build_object('outcome', 'UNFIT', 'failed', jsonb_build_array('STALE'));
  end if;
  perform from workers w where w.tenant_id = p_tenant and w.expert_id = p_expert for update;
  perform app.expire_offers_of(p_tenant, p_expert);
  select f.* into v_fit from app.fit_workers(p_tenant, p_job, array[p_expert], array[v_eta]) f;
  if cardinality(v_fit.failed) > 0 then
    return jsonb_build_object('outcome', 'UNFIT', 'failed', to_jsonb(v_fit.failed));
  end if;
  return jsonb_build_object('outcome', 'OFFERED', 'offerId',
    app.insert_offer(v_job, p_expert, v_fit.slot, p_terms || jsonb_build_object('jobsToday', v_fit.jobs_today))::text);
end
$$;

-- As before, with a wait that grows by what was tried by itself (whoever asks, and asks again, delays no later try), and only of what it
-- was looked for: a job that was offered and came back meanwhile is looked for anew at once.
drop function app.leave_unassigned(bigint, bigint, bigint, text, integer);
create function app.leave_unassigned(p_tenant bigint, p_actor bigint, p_job bigint, p_epoch integer, p_reason text, p_again_seconds integer)
returns boolean language plpgsql as $$
declare
  v_job jobs;
  v_attempts smallint;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job for update;
  if v_job.state = 'OFFERED' then
    perform app.expire_offer(p_tenant, p_job, v_job.offer_id);
  end if;
  v_attempts := case when v_job.state <> 'UNASSIGNED_ALERT' then 1 when p_actor is null then least(v_job.attempts + 1, 100) else v_job.attempts end;
  update jobs j set state = 'UNASSIGNED_ALERT', reason = p_reason, attempts = v_attempts,
    assign_at = case when app.clock_now() < j.due_by
      then least(case when p_actor is not null and j.state = 'UNASSIGNED_ALERT' then j.assign_at end,
                 app.clock_now() + app.wait_before_again(p_again_seconds, v_attempts, j.due_by - app.clock_now())) end
  where j.tenant_id = p_tenant and j.id = p_job and j.epoch = p_epoch and j.state in ('OPEN', 'UNASSIGNED_ALERT');
  return found;
end
$$;

-- What was not dropped with its day, after seven days; in which cell somebody was when they were offered a job, too; and where people
-- were seen last, after a quarter of an hour: nobody is looked for after five minutes, and a fix that would come after ten is refused,
-- so that no older one takes its place. Returns how many rows those were.
create or replace function app.clear_old_fixes() returns integer language plpgsql as $$
declare
  v_rest integer;
  v_latest integer;
  v_cells integer;
begin
  delete from fix_archive where bucket_at <= app.clock_now() - interval '7 days';
  get diagnostics v_rest = row_count;
  delete from latest_fixes where received_at <= app.clock_now() - interval '15 minutes';
  get diagnostics v_latest = row_count;
  -- (Some at a time: whoever moves such an offer does not wait for all.)
  update offers o set fix_cell = null
  from (select p.tenant_id, p.id from offers p where p.fix_cell is not null and p.offered_at <= app.clock_now() - interval '7 days'
        order by p.offered_at limit 10000 for update skip locked) old
  where o.tenant_id = old.tenant_id and o.id = old.id;
  get diagnostics v_cells = row_count;
  return v_rest + v_latest + v_cells;
end
$$;
