-- Who has fewer hands than before has what those hands had in mind; a search by skill passes over who is busy or off shift; and who
-- works longer than was reckoned is still at work.
set local role touchstone_owner;

-- As before, but what a worker has in hands beyond their capacity, which was greater, counts against those that are free.
create or replace function app.free_slot(p_worker workers, p_busy tstzrange) returns smallint language plpgsql stable as $$
begin
  return (
    select case when count(*) filter (where h.slot <= (p_worker).capacity and not h.is_taken) > count(*) filter (where h.slot > (p_worker).capacity and h.is_taken)
      then min(h.slot) filter (where not h.is_taken) end
    from (
      select hand.slot, exists (
        select from offers o
        where o.tenant_id = (p_worker).tenant_id and o.expert_id = (p_worker).expert_id and o.slot = hand.slot
          and o.state in ('LIVE', 'ACCEPTED')
          and p_busy && tstzrange(lower(o.busy), case o.state when 'ACCEPTED' then greatest(upper(o.busy), app.clock_now() + interval '1 second') else upper(o.busy) end)) as is_taken
      from generate_series(1, greatest((p_worker).capacity, (
        select max(o.slot) from offers o where o.tenant_id = (p_worker).tenant_id and o.expert_id = (p_worker).expert_id and o.state in ('LIVE', 'ACCEPTED')))) as hand(slot)
    ) h);
end
$$;

-- As before, and at a job that takes longer than was reckoned, for four hours at most; on the way to one from half an hour before
-- they were to set out: the time of a job's trace.
create or replace function app.is_on_shift(p_tenant bigint, p_expert bigint, p_at timestamptz) returns boolean language sql stable as $$
  select exists (
    select from workers w
    where w.tenant_id = p_tenant and w.expert_id = p_expert and w.active
      and (app.is_in_shift(w, (app.dispatch_settings_of(p_tenant)).time_zone, p_at, p_at)
           or exists (select from offers o where o.tenant_id = p_tenant and o.expert_id = p_expert and o.state = 'ACCEPTED'
                      and p_at between lower(o.busy) - interval '30 minutes' and upper(o.busy) + interval '4 hours'
                      -- Nobody may refuse what is given by hand: off their shift it lets them be seen once they have begun it themselves.
                      and (o.kind <> 'MANUAL' or exists (
                        select from jobs j where j.tenant_id = o.tenant_id and j.id = o.job_id and j.offer_id = o.id
                          and j.checked_in_at is not null)))))
$$;

-- As before, and nobody who has all hands full at the time of the work, or is off shift then, however short the way.
create or replace function app.qualified_workers(p_tenant bigint, p_job bigint, p_except bigint[], p_limit integer)
returns table (expert_id bigint, latitude double precision, longitude double precision) language plpgsql stable as $$
declare
  v_job jobs;
  v_settings dispatch_settings := app.dispatch_settings_of(p_tenant);
  v_skills integer;
  v_from timestamptz;
  v_to timestamptz;
begin
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job;
  v_skills := cardinality(array(select distinct unnest(v_job.skill_ids)));
  -- (Part of what the job takes of anybody, from wherever they come.)
  v_from := greatest(app.clock_now(), v_job.not_before);
  v_to := v_from + make_interval(secs => v_job.duration_seconds);
  return query
    select q.expert_id, q.home_latitude, q.home_longitude
    from (
      select w as worker, w.expert_id, w.home_latitude, w.home_longitude, d.metres
      from workers w
      join experts x on x.tenant_id = w.tenant_id and x.id = w.expert_id and x.status = 'ACTIVE'
      left join latest_fixes f on f.tenant_id = w.tenant_id and f.expert_id = w.expert_id and f.received_at > app.clock_now() - interval '5 minutes'
      left join (
        select o.expert_id, count(*) as jobs, bool_or(o.state = 'LIVE' and o.occupies) as is_asked from offers o
        where o.tenant_id = p_tenant and o.state in ('LIVE', 'ACCEPTED') and (o.busy && tstzrange(v_from, v_to) or o.state = 'LIVE' and o.occupies)
        group by o.expert_id
      ) h on h.expert_id = w.expert_id
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
        and coalesce(h.jobs, 0) < w.capacity + coalesce(h.is_asked, false)::int
        and (v_job.kind = 'SCHEDULED' or d.metres <= v_settings.search_metres + 2000 and not coalesce(h.is_asked, false))
        and w.expert_id <> all (p_except)
      -- (Then shifts, until enough are found: not of everybody.)
      order by d.metres, w.expert_id offset 0
    ) q
    where app.is_in_shift(q.worker, v_settings.time_zone, v_from, v_to)
    limit p_limit;
end
$$;
