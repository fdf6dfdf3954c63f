-- A job that is asked for is stored, and what assigning it stands on is told, in one call: as two transactions it held a connection for
-- twelve round trips, and a hundred jobs a second waited for connections while the database was half idle.
set local role touchstone_owner;

-- Stores a job, in the scope of the service. The outcome is MADE (with begin: what app.begin_assigning tells of a job for now), SAME
-- (the customer's key was used for the same content: that job), or why it is not stored: NO_CUSTOMER, NO_SKILL, CONFLICT (the key was used for other content), LATE.
create function app.create_job(p_tenant bigint, p_actor bigint, p_customer bigint, p_kind text, p_type text, p_skills bigint[], p_min_quality double precision,
                               p_latitude double precision, p_longitude double precision, p_not_before timestamptz, p_due_by timestamptz, p_seconds integer,
                               p_priority smallint, p_code text, p_key text, p_digest text, p_lapsed integer) returns jsonb language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_now timestamptz := app.clock_now();
  v_id bigint;
  v_digest text;
begin
  perform app.enter_service(p_tenant, p_actor);
  if not exists (select from customers c where c.tenant_id = p_tenant and c.id = p_customer) then
    return jsonb_build_object('outcome', 'NO_CUSTOMER');
  end if;
  if exists (select from unnest(p_skills) as w(id) where not exists (select from skills s where s.tenant_id = p_tenant and s.id = w.id)) then
    return jsonb_build_object('outcome', 'NO_SKILL');
  end if;
  if p_due_by > v_now then
    -- One for now is assigned by whoever makes it, and by itself where they do not get to it; one for later a day before its window.
    insert into jobs (tenant_id, customer_id, kind, type, skill_ids, min_quality, latitude, longitude, not_before, due_by, duration_seconds, priority,
                      check_in_code, assign_at, idempotency_key, request_digest)
    values (p_tenant, p_customer, p_kind, p_type, p_skills, p_min_quality, p_latitude, p_longitude, coalesce(p_not_before, v_now), p_due_by, p_seconds,
            p_priority, p_code,
            case p_kind when 'ON_DEMAND' then v_now + interval '5 seconds' else greatest(v_now, p_not_before - interval '1 day') end, p_key, p_digest)
    on conflict (tenant_id, customer_id, idempotency_key) do nothing
    returning id into v_id;
    if found then
      return jsonb_build_object('outcome', 'MADE', 'jobId', v_id::text,
        'begin', case when p_kind = 'ON_DEMAND' then app.begin_assigning(p_tenant, p_actor, v_id, p_lapsed) end);
    end if;
  end if;
  select j.id, j.request_digest into v_id, v_digest from jobs j
  where j.tenant_id = p_tenant and j.customer_id = p_customer and j.idempotency_key = p_key;
  return case
    when not found then jsonb_build_object('outcome', 'LATE')
    when v_digest <> p_digest then jsonb_build_object('outcome', 'CONFLICT')
    else jsonb_build_object('outcome', 'SAME', 'jobId', v_id::text)
  end;
end
$$;
