-- Filters of a decision without planning: sixty candidates were sixty plans of app.free_slot (.8 ms each), and the statement that asks
-- for all of them was planned at each decision (10 ms and more, for every table's policies are in it). Functions in PL/pgSQL keep their
-- plans for as long as a connection lives.
set local role touchstone_owner;

-- As before.
create or replace function app.free_slot(p_worker workers, p_busy tstzrange) returns smallint language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return (
    select min(h.slot) from generate_series(1, (p_worker).capacity) as h(slot)
    where not exists (
      select from offers o
      where o.tenant_id = (p_worker).tenant_id and o.expert_id = (p_worker).expert_id and o.slot = h.slot
        and o.state in ('LIVE', 'ACCEPTED')
        and p_busy && tstzrange(lower(o.busy), case o.state when 'ACCEPTED' then greatest(upper(o.busy), app.clock_now() + interval '1 second') else upper(o.busy) end)));
end
$$;

-- app.fit_workers of the tenant in scope.
create function app.fit_now(p_job_id bigint, p_experts bigint[], p_travel_seconds double precision[])
returns table (expert_id bigint, jobs_today integer, slot smallint, failed text[]) language plpgsql stable set plan_cache_mode = force_generic_plan as $$
begin
  return query select f.expert_id, f.jobs_today, f.slot, f.failed
    from app.fit_workers((select app.tenant_id()), p_job_id, p_experts, p_travel_seconds) f;
end
$$;
