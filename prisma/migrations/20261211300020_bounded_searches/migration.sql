-- Searches by place read what is around it, and not everybody of a tenant. See decision 157.
set local role touchstone_owner;

-- Where somebody is in twentieths of a degree (5.6 km from south to north), which is what indexes go by: such a number changes seldom, so
-- that most fixes of who moves touch no index still (the coordinates themselves would, with each).
alter table latest_fixes
  add column north integer generated always as (floor(latitude * 20)::int) stored,
  add column east integer generated always as (floor(longitude * 20)::int) stored;
create index latest_fixes_around on latest_fixes (tenant_id, north, east);
alter table workers
  add column home_north integer generated always as (floor(home_latitude * 20)::int) stored,
  add column home_east integer generated always as (floor(home_longitude * 20)::int) stored;
create index workers_by_home on workers (tenant_id, home_north, home_east) where active;

-- The twentieths of a degree that a circle touches: a row for each from south to north, two where it reaches over the 180th meridian. As
-- app.metres_about measures.
create function app.rows_around(p_latitude double precision, p_longitude double precision, p_metres double precision)
returns table (north integer, from_east integer, to_east integer) language plpgsql immutable as $$
declare
  v_high double precision := p_metres / 111000;
  v_wide double precision := p_metres / 111000 / greatest(0.0001, cos(radians(p_latitude)));
begin
  return query
    select n.north, floor(greatest(-180, e.from_degrees) * 20)::int, floor(least(180, e.to_degrees) * 20)::int
    from generate_series(floor(greatest(-90, p_latitude - v_high) * 20)::int, floor(least(90, p_latitude + v_high) * 20)::int) as n(north)
    cross join (values
      -- (Almost all around: no row twice.)
      (v_wide >= 179, -180, 180),
      (v_wide < 179, p_longitude - v_wide, p_longitude + v_wide),
      (v_wide < 179, p_longitude - v_wide + 360, p_longitude + v_wide + 360),
      (v_wide < 179, p_longitude - v_wide - 360, p_longitude + v_wide - 360)) as e(holds, from_degrees, to_degrees)
    where e.holds and e.from_degrees <= 180 and e.to_degrees >= -180;
end
$$;

-- (Below, `offset 0` keeps each look-up what it is: of tables without statistics another plan reads all of a tenant instead, and is kept.)

-- Active workers whose homes are nearest to a place, nearest first, at most p_limit: circle by circle, each of those who were in none before.
-- Among few, and where there are not enough within 640 km, they are looked for among everybody.
create function app.nearest_homes(p_tenant bigint, p_latitude double precision, p_longitude double precision, p_limit integer)
returns table (expert_id bigint, latitude double precision, longitude double precision) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_beyond double precision := -1;
  v_metres double precision;
  v_some integer;
  v_left integer := p_limit;
  v_are_few constant boolean := (
    select true from workers w where w.tenant_id = p_tenant and w.active offset 500 limit 1) is null;
begin
  foreach v_metres in array case when v_are_few then '{}' else array[5000, 10000, 20000, 40000, 80000, 160000, 320000, 640000] end::double precision[]
  loop
    return query
      select w.expert_id, w.home_latitude, w.home_longitude
      from app.rows_around(p_latitude, p_longitude, v_metres) a
      cross join lateral (
        select h.expert_id, h.home_latitude, h.home_longitude from workers h
        where h.tenant_id = p_tenant and h.active and h.home_north = a.north and h.home_east between a.from_east and a.to_east offset 0) w
      cross join lateral (select app.metres_about(w.home_latitude, w.home_longitude, p_latitude, p_longitude) as metres) d
      where d.metres > v_beyond and d.metres <= v_metres
      order by d.metres, w.expert_id limit v_left;
    get diagnostics v_some = row_count;
    v_left := v_left - v_some;
    if v_left <= 0 then
      return;
    end if;
    v_beyond := v_metres;
  end loop;
  return query
    select w.expert_id, w.home_latitude, w.home_longitude
    from workers w
    cross join lateral (select app.metres_about(w.home_latitude, w.home_longitude, p_latitude, p_longitude) as metres) d
    where w.tenant_id = p_tenant and w.active and d.metres > v_beyond
    order by d.metres, w.expert_id limit v_left;
end
$$;

-- Who of some may have a job as far as that does not hang on the way there, in the order in which they are given, at most p_limit. (Of skills
-- each is looked up: there are few.)
create function app.may_have(p_job jobs, p_zone text, p_experts bigint[], p_limit integer)
returns table (expert_id bigint, latitude double precision, longitude double precision) language plpgsql stable as $$
declare
  -- (Part of what the job takes of anybody, from wherever they come.)
  v_from timestamptz := greatest(app.clock_now(), p_job.not_before);
  v_to timestamptz := v_from + make_interval(secs => p_job.duration_seconds);
begin
  return query
    select w.expert_id, w.home_latitude, w.home_longitude
    from unnest(p_experts) as n(id)
    cross join lateral (
      select y as worker, y.expert_id, y.home_latitude, y.home_longitude, y.capacity from workers y
      where y.tenant_id = p_job.tenant_id and y.expert_id = n.id and y.active offset 0) w
    cross join lateral (
      select from experts y where y.tenant_id = p_job.tenant_id and y.id = n.id and y.status = 'ACTIVE' offset 0) x
    cross join lateral (
      select count(*) as jobs, coalesce(bool_or(o.state = 'LIVE' and o.occupies), false) as is_asked from offers o
      where o.tenant_id = p_job.tenant_id and o.expert_id = n.id and o.state in ('LIVE', 'ACCEPTED')
        and (o.busy && tstzrange(v_from, v_to) or o.state = 'LIVE' and o.occupies)
    ) h
    where not exists (
        select from unnest(p_job.skill_ids) as s(id)
        where not exists (
          select from expert_skills e
          where e.tenant_id = p_job.tenant_id and e.expert_id = n.id and e.skill_id = s.id and e.status = 'ACTIVE' and e.quality_lower >= p_job.min_quality))
      and app.is_in_area(w.worker, p_job)
      and not exists (select from conflicts c where c.tenant_id = p_job.tenant_id and c.expert_id = n.id and c.customer_id = p_job.customer_id)
      and h.jobs < w.capacity + h.is_asked::int
      and (p_job.kind = 'SCHEDULED' or not h.is_asked)
      and app.is_in_shift(w.worker, p_zone, v_from, v_to)
    limit p_limit;
end
$$;

-- As before, but of a skill that few have those are looked up, wherever they are, and of one that many have, or of none, it is looked around the job,
-- circle by circle, until there are enough: no search reads all of a tenant's fixes, or homes, to find the nearest.
create or replace function app.qualified_workers(p_tenant bigint, p_job bigint, p_except bigint[], p_limit integer)
returns table (expert_id bigint, latitude double precision, longitude double precision) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  -- Whoever is one of so few is looked up by the skill.
  v_few constant integer := 1000;
  v_job jobs;
  v_settings dispatch_settings := app.dispatch_settings_of(p_tenant);
  v_is_now boolean;
  -- (Somebody may have come nearer since they were written down.)
  v_most double precision := v_settings.search_metres + 2000;
  v_rare bigint[];
  v_near bigint[];
  v_beyond double precision := -1;
  v_metres double precision;
  v_some integer;
  v_left integer := p_limit;
begin
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job;
  v_is_now := v_job.kind = 'ON_DEMAND';
  -- Who has the rarest of the skills: one more than a few at most.
  select s.ids into v_rare from unnest(v_job.skill_ids) as k(id)
  cross join lateral (
    select array(
      select e.expert_id from expert_skills e
      where e.tenant_id = p_tenant and e.skill_id = k.id and e.status = 'ACTIVE' and e.quality_lower >= v_job.min_quality limit v_few + 1) as ids
  ) s
  order by cardinality(s.ids) limit 1;
  if cardinality(v_rare) <= v_few then
    v_near := array(
      select p.id
      from (
        select r.id, f.latitude, f.longitude from unnest(v_rare) as r(id)
        cross join lateral (
          select l.latitude, l.longitude from latest_fixes l
          where l.tenant_id = p_tenant and l.expert_id = r.id and l.device_at > app.clock_now() - interval '90 seconds' offset 0) f
        where v_is_now
        union all
        select r.id, w.home_latitude, w.home_longitude from unnest(v_rare) as r(id)
        cross join lateral (
          select h.home_latitude, h.home_longitude from workers h where h.tenant_id = p_tenant and h.expert_id = r.id offset 0) w
        where not v_is_now
      ) p
      cross join lateral (select app.metres_about(p.latitude, p.longitude, v_job.latitude, v_job.longitude) as metres) d
      where p.id not in (select unnest(p_except)) and (not v_is_now or d.metres <= v_most)
      order by d.metres, p.id);
    return query select m.* from app.may_have(v_job, v_settings.time_zone, v_near, v_left) m;
    return;
  end if;
  foreach v_metres in array array[2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 640000]::double precision[]
  loop
    v_metres := case when v_is_now then least(v_metres, v_most) else v_metres end;
    v_near := array(
      select p.id
      from (
        select f.expert_id as id, f.latitude, f.longitude
        from app.rows_around(v_job.latitude, v_job.longitude, v_metres) a
        cross join lateral (
          select l.expert_id, l.latitude, l.longitude from latest_fixes l
          where l.tenant_id = p_tenant and l.north = a.north and l.east between a.from_east and a.to_east
            and l.device_at > app.clock_now() - interval '90 seconds' offset 0) f
        where v_is_now
        union all
        select w.expert_id, w.home_latitude, w.home_longitude
        from app.rows_around(v_job.latitude, v_job.longitude, v_metres) a
        cross join lateral (
          select h.expert_id, h.home_latitude, h.home_longitude from workers h
          where h.tenant_id = p_tenant and h.active and h.home_north = a.north and h.home_east between a.from_east and a.to_east offset 0) w
        where not v_is_now
      ) p
      cross join lateral (select app.metres_about(p.latitude, p.longitude, v_job.latitude, v_job.longitude) as metres) d
      where d.metres > v_beyond and d.metres <= v_metres and p.id not in (select unnest(p_except))
      order by d.metres, p.id);
    return query select m.* from app.may_have(v_job, v_settings.time_zone, v_near, v_left) m;
    get diagnostics v_some = row_count;
    v_left := v_left - v_some;
    if v_left <= 0 or v_is_now and v_metres >= v_most then
      return;
    end if;
    v_beyond := v_metres;
  end loop;
  v_near := array(
    select w.expert_id from workers w
    cross join lateral (select app.metres_about(w.home_latitude, w.home_longitude, v_job.latitude, v_job.longitude) as metres) d
    where w.tenant_id = p_tenant and w.active and d.metres > v_beyond and w.expert_id not in (select unnest(p_except))
    order by d.metres, w.expert_id);
  return query select m.* from app.may_have(v_job, v_settings.time_zone, v_near, v_left) m;
end
$$;
