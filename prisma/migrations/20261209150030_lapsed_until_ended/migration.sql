-- An offer that has lapsed takes its worker's time until it is ended: whoever looks ends what they can first (app.expire_offers,
-- app.expire_offers_of), and what is left somebody else is ending at this moment. A lease that took such a time for free met the
-- constraints (8 of 4,000 contended attempts), where the next candidate was to be asked.
set local role touchstone_owner;

create or replace function app.free_slot(p_worker workers, p_busy tstzrange) returns smallint language sql stable as $$
  select min(h.slot)::smallint from generate_series(1, (p_worker).capacity) as h(slot)
  where not exists (
    select from offers o
    where o.tenant_id = (p_worker).tenant_id and o.expert_id = (p_worker).expert_id and o.slot = h.slot
      and o.state in ('LIVE', 'ACCEPTED')
      and p_busy && tstzrange(lower(o.busy), case o.state when 'ACCEPTED' then greatest(upper(o.busy), app.clock_now() + interval '1 second') else upper(o.busy) end))
$$;

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
    case when not w.travels and not w.service_area @> point(j.longitude, j.latitude) then 'AREA' end,
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
