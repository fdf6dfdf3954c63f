-- A search by skill takes nobody who is known to be stale, and reads no more than it has to; and nobody is looked for farther than the
-- index of where workers are reaches.
set local role touchstone_owner;

alter table dispatch_settings no force row level security;
update dispatch_settings set search_metres = 50000 where search_metres > 50000;
alter table dispatch_settings force row level security;
alter table dispatch_settings drop constraint dispatch_settings_search_metres_check;
alter table dispatch_settings add constraint dispatch_settings_search_metres_check check (search_metres between 500 and 50000);

-- As before, and of who is needed now only those who may be fresh: of each half minute of a device's clock the first fix is written down
-- (a second later), so that who has said something within thirty seconds was written down within the last ninety. They are sorted by
-- distance first, those with the skill in a box around the job; then whoever may not is passed over, one after the other, until there are
-- enough. Planned once, as walks along indexes; lists are hashed.
create or replace function app.qualified_workers(p_tenant bigint, p_job bigint, p_except bigint[], p_limit integer)
returns table (expert_id bigint, latitude double precision, longitude double precision) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_job jobs;
  v_settings dispatch_settings := app.dispatch_settings_of(p_tenant);
  v_skills integer;
  v_from timestamptz;
  v_to timestamptz;
  -- (Somebody may have come nearer since they were written down.)
  v_metres double precision := v_settings.search_metres + 2000;
  v_north double precision := v_metres / 111000;
  v_east double precision;
begin
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job;
  v_skills := cardinality(array(select distinct unnest(v_job.skill_ids)));
  v_east := v_north / greatest(0.01, cos(radians(least(90, abs(v_job.latitude) + v_north))));
  -- (Part of what the job takes of anybody, from wherever they come.)
  v_from := greatest(app.clock_now(), v_job.not_before);
  v_to := v_from + make_interval(secs => v_job.duration_seconds);
  return query
    with skilled as materialized (
      select e.expert_id as id from expert_skills e
      where e.tenant_id = p_tenant and e.skill_id = any (v_job.skill_ids) and e.status = 'ACTIVE' and e.quality_lower >= v_job.min_quality
      group by e.expert_id having count(*) = v_skills
    ), placed as (
      select f.expert_id as id, f.latitude, f.longitude from latest_fixes f
      where v_job.kind = 'ON_DEMAND' and f.tenant_id = p_tenant and f.device_at > app.clock_now() - interval '90 seconds'
        and abs(f.latitude - v_job.latitude) <= v_north
        and least(abs(f.longitude - v_job.longitude), 360 - abs(f.longitude - v_job.longitude)) <= v_east
      union all
      select w.expert_id, w.home_latitude, w.home_longitude from workers w
      where v_job.kind = 'SCHEDULED' and w.tenant_id = p_tenant and w.active
    ), near as materialized (
      select p.id, d.metres
      from placed p
      cross join lateral (select app.metres_about(p.latitude, p.longitude, v_job.latitude, v_job.longitude) as metres) d
      where (v_skills = 0 or p.id in (select s.id from skilled s))
        and p.id not in (select unnest(p_except))
        and (v_job.kind = 'SCHEDULED' or d.metres <= v_metres)
      order by d.metres, p.id
    )
    select w.expert_id, w.home_latitude, w.home_longitude
    from near n
    join workers w on w.tenant_id = p_tenant and w.expert_id = n.id and w.active
    join experts x on x.tenant_id = p_tenant and x.id = n.id and x.status = 'ACTIVE'
    cross join lateral (
      select count(*) as jobs, coalesce(bool_or(o.state = 'LIVE' and o.occupies), false) as is_asked from offers o
      where o.tenant_id = p_tenant and o.expert_id = n.id and o.state in ('LIVE', 'ACCEPTED')
        and (o.busy && tstzrange(v_from, v_to) or o.state = 'LIVE' and o.occupies)
    ) h
    where app.is_in_area(w, v_job)
      and not exists (select from conflicts c where c.tenant_id = p_tenant and c.expert_id = n.id and c.customer_id = v_job.customer_id)
      and h.jobs < w.capacity + h.is_asked::int
      and (v_job.kind = 'SCHEDULED' or not h.is_asked)
      and app.is_in_shift(w, v_settings.time_zone, v_from, v_to)
    limit p_limit;
end
$$;
