-- What a decision asks of the database costs less: see decision 166. What is asked, and under which locks, is as it was.
set local role touchstone_owner;

-- As before, but without statements of its own: it is asked of each worker who is sifted.
create or replace function app.is_in_shift(p_worker workers, p_zone text, p_from timestamptz, p_to timestamptz) returns boolean language plpgsql stable as $$
declare
  v_from timestamp := p_from at time zone p_zone;
  v_day date;
  v_last date;
begin
  if p_worker.shift_start = p_worker.shift_end then
    v_day := (v_from - p_worker.shift_start::interval)::date;
    v_last := ((p_to at time zone p_zone) - p_worker.shift_start::interval - interval '1 microsecond')::date;
    loop
      if extract(isodow from v_day)::smallint <> all (p_worker.shift_days) then
        return false;
      end if;
      v_day := v_day + 1;
      exit when v_day > v_last;
    end loop;
    return true;
  end if;
  for v_back in 0..1 loop
    v_day := v_from::date - v_back;
    if extract(isodow from v_day)::smallint = any (p_worker.shift_days)
       and p_from >= (v_day + p_worker.shift_start) at time zone p_zone
       and p_to <= (v_day + case when p_worker.shift_end <= p_worker.shift_start then 1 else 0 end + p_worker.shift_end) at time zone p_zone
    then
      return true;
    end if;
  end loop;
  return false;
end
$$;

-- As before, in a form that statements take in: nothing is called.
create or replace function app.busy_range(p_job jobs, p_travel_seconds double precision) returns tstzrange language sql stable as $$
  select tstzrange(
    greatest(app.clock_now() + make_interval(secs => p_travel_seconds), (p_job).not_before) - make_interval(secs => p_travel_seconds),
    greatest(app.clock_now() + make_interval(secs => p_travel_seconds), (p_job).not_before) + make_interval(secs => (p_job).duration_seconds))
$$;

-- The first hand that is free of so many, where fewer are taken than there are; null: none. What a worker has in hands beyond their
-- capacity, which was greater, counts against those that are free.
create function app.free_hand(p_capacity smallint, p_taken smallint[]) returns smallint language sql immutable as $$
  select min(hand.slot)::smallint from generate_series(1, p_capacity) as hand(slot)
  where hand.slot <> all (p_taken) and (select count(distinct t.slot) from unnest(p_taken) as t(slot)) < p_capacity
$$;

-- How long an offer keeps its worker: who works longer than was reckoned is still at work.
create function app.held_range(p_offer offers) returns tstzrange language sql stable as $$
  select tstzrange(lower((p_offer).busy),
    case (p_offer).state when 'ACCEPTED' then greatest(upper((p_offer).busy), app.clock_now() + interval '1 second') else upper((p_offer).busy) end)
$$;

-- As before, by free_hand.
create or replace function app.free_slot(p_worker workers, p_busy tstzrange) returns smallint language plpgsql stable as $$
begin
  return app.free_hand(p_worker.capacity, array(
    select o.slot from offers o
    where o.tenant_id = p_worker.tenant_id and o.expert_id = p_worker.expert_id and o.state in ('LIVE', 'ACCEPTED') and p_busy && app.held_range(o)));
end
$$;

-- As before, with each table read once for a worker. What is the same for all of them is read first; and a job of which there was no offer yet
-- was declined by nobody.
create or replace function app.fit_workers(p_tenant bigint, p_job_id bigint, p_experts bigint[], p_travel_seconds double precision[])
returns table (expert_id bigint, jobs_today integer, slot smallint, failed text[]) language plpgsql stable as $$
declare
  v_job jobs;
  v_settings dispatch_settings := app.dispatch_settings_of(p_tenant);
  v_today date := (app.clock_now() at time zone v_settings.time_zone)::date;
  v_cooling bigint[];
begin
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job_id;
  if not found then
    return;
  end if;
  if v_job.epoch > 0 then
    v_cooling := array(
      select o.expert_id from offers o
      where o.tenant_id = p_tenant and o.job_id = p_job_id and o.state in ('DECLINED', 'EXPIRED', 'REASSIGNED')
        and o.ended_at > app.clock_now() - make_interval(secs => v_settings.cooldown_seconds));
  end if;
  return query
    select c.expert_id, t.jobs_today, f.slot, array_remove(array[
      case when w.expert_id is null or not w.active or x.status <> 'ACTIVE' then 'INACTIVE' end,
      case when not v_job.skill_ids <@ coalesce(s.has, '{}') then 'SKILL' end,
      case when s.has_less then 'QUALITY' end,
      case when exists (select from conflicts n where n.tenant_id = p_tenant and n.expert_id = c.expert_id and n.customer_id = v_job.customer_id) then 'CONFLICT' end,
      case when not app.is_in_shift(w, v_settings.time_zone, lower(b.busy), upper(b.busy)) then 'SHIFT' end,
      case when f.slot is null then 'OVERLAP' end,
      case when v_job.kind = 'ON_DEMAND' and h.is_asked then 'LIVE_OFFER' end,
      case when not app.is_in_area(w, v_job) then 'AREA' end,
      case when c.expert_id = any (v_cooling) then 'COOLDOWN' end
    ], null)
    from unnest(p_experts, p_travel_seconds) as c(expert_id, travel)
    cross join lateral (select app.busy_range(v_job, c.travel) as busy) b
    left join workers w on w.tenant_id = p_tenant and w.expert_id = c.expert_id
    left join experts x on x.tenant_id = p_tenant and x.id = c.expert_id
    cross join lateral (
      select array_agg(e.skill_id) as has, bool_or(e.quality_lower < v_job.min_quality) as has_less from expert_skills e
      where e.tenant_id = p_tenant and e.expert_id = c.expert_id and e.skill_id = any (v_job.skill_ids) and e.status = 'ACTIVE'
    ) s
    cross join lateral (
      select array_agg(o.slot) filter (where b.busy && app.held_range(o)) as taken, bool_or(o.state = 'LIVE' and o.occupies) as is_asked from offers o
      where o.tenant_id = p_tenant and o.expert_id = c.expert_id and o.state in ('LIVE', 'ACCEPTED')
    ) h
    cross join lateral (
      select case when h.taken is not null then app.free_hand(w.capacity, h.taken) when w.capacity > 0 then 1::smallint end as slot
    ) f
    cross join lateral (
      select count(*)::int as jobs_today from offers o
      where o.tenant_id = p_tenant and o.expert_id = c.expert_id and o.accepted_day = v_today and o.state in ('ACCEPTED', 'DONE')
    ) t;
end
$$;

-- As before, but nothing is locked where nothing has run out, which is nearly always.
create or replace function app.expire_offers(p_limit integer) returns integer language plpgsql as $$
declare
  v_row record;
  v_count integer := 0;
begin
  -- (The order names the index: without it all that live may be read.)
  if (select o.id from offers o where o.state = 'LIVE' and o.expires_at <= app.clock_now() order by o.expires_at limit 1) is null then
    return 0;
  end if;
  for v_row in
    select o.tenant_id, o.job_id, o.id from offers o join jobs j on j.tenant_id = o.tenant_id and j.id = o.job_id
    where o.state = 'LIVE' and o.expires_at <= app.clock_now() order by o.expires_at limit p_limit for update of j skip locked
  loop
    v_count := v_count + app.expire_offer(v_row.tenant_id, v_row.job_id, v_row.id)::int;
  end loop;
  return v_count;
end
$$;
create or replace function app.expire_offers_of(p_tenant bigint, p_expert bigint) returns void language plpgsql as $$
declare
  v_row record;
begin
  -- (Of what they hold, which is little, and not of all that they were ever offered.)
  if (select bool_or(o.state = 'LIVE' and o.expires_at <= app.clock_now()) from offers o
      where o.tenant_id = p_tenant and o.expert_id = p_expert and o.state in ('LIVE', 'ACCEPTED')) is not true
  then
    return;
  end if;
  for v_row in
    select o.job_id, o.id from offers o join jobs j on j.tenant_id = o.tenant_id and j.id = o.job_id
    where o.tenant_id = p_tenant and o.expert_id = p_expert and o.state = 'LIVE' and o.expires_at <= app.clock_now() for update of j skip locked
  loop
    perform app.expire_offer(p_tenant, v_row.job_id, v_row.id);
  end loop;
end
$$;

-- What assigning a job stands on.
create function app.assignable(p_job jobs, p_is_offer_due boolean) returns jsonb language plpgsql stable as $$
declare
  v_settings dispatch_settings := app.dispatch_settings_of(p_job.tenant_id);
begin
  return jsonb_build_object('kind', p_job.kind, 'state', p_job.state, 'epoch', p_job.epoch, 'offerId', p_job.offer_id::text,
    'isOfferDue', p_is_offer_due, 'latitude', p_job.latitude, 'longitude', p_job.longitude, 'priority', p_job.priority,
    'remainingSeconds', extract(epoch from p_job.due_by - app.clock_now())::float8, 'reason', p_job.reason,
    'etaWeight', v_settings.eta_weight, 'fairnessWeight', v_settings.fairness_weight, 'slackWeight', v_settings.slack_weight,
    'searchMetres', v_settings.search_metres);
end
$$;

-- As before, with the job as a row.
create or replace function app.begin_assigning(p_tenant bigint, p_actor bigint, p_job bigint, p_lapsed integer) returns jsonb language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
  perform app.enter_service(p_tenant, p_actor);
  perform app.expire_offers(p_lapsed);
  return (
    select app.assignable(j, coalesce(o.state = 'LIVE' and o.expires_at <= app.clock_now(), false))
    from jobs j left join offers o on o.tenant_id = j.tenant_id and o.id = j.offer_id
    where j.tenant_id = p_tenant and j.id = p_job);
end
$$;

-- As before, but what was just written is not read again.
create or replace function app.create_job(p_tenant bigint, p_actor bigint, p_customer bigint, p_kind text, p_type text, p_skills bigint[], p_min_quality double precision,
                                          p_latitude double precision, p_longitude double precision, p_not_before timestamptz, p_due_by timestamptz, p_seconds integer,
                                          p_priority smallint, p_code text, p_key text, p_digest text, p_lapsed integer) returns jsonb language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_now timestamptz := app.clock_now();
  v_job jobs;
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
    returning * into v_job;
    if found then
      if p_kind = 'ON_DEMAND' then
        perform app.expire_offers(p_lapsed);
      end if;
      return jsonb_build_object('outcome', 'MADE', 'jobId', v_job.id::text,
        'begin', case when p_kind = 'ON_DEMAND' then app.assignable(v_job, false) end);
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

-- As before, but proofs are looked for only where a job is done.
create or replace function app.check_job() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    raise exception 'A job begins OPEN, not %.', new.state using errcode = 'XR002';
  end if;
  if old.state <> new.state and (old.state, new.state) not in (
    ('OPEN', 'OFFERED'), ('OPEN', 'ACCEPTED'), ('OPEN', 'UNASSIGNED_ALERT'), ('OPEN', 'CANCELLED'),
    ('OFFERED', 'ACCEPTED'), ('OFFERED', 'OPEN'), ('OFFERED', 'CANCELLED'),
    ('ACCEPTED', 'IN_PROGRESS'), ('ACCEPTED', 'OPEN'), ('ACCEPTED', 'CANCELLED'),
    ('IN_PROGRESS', 'DONE'), ('IN_PROGRESS', 'CANCELLED'),
    ('UNASSIGNED_ALERT', 'OFFERED'), ('UNASSIGNED_ALERT', 'ACCEPTED'), ('UNASSIGNED_ALERT', 'CANCELLED'))
  then
    raise exception 'A job does not go from % to %.', old.state, new.state using errcode = 'XR002';
  end if;
  if new.state = 'DONE' and old.state <> 'DONE' then
    if not exists (
      select from job_attachments a where a.tenant_id = new.tenant_id and a.job_id = new.id and a.offer_id = new.offer_id and a.kind = 'PROOF')
    then
      raise exception 'A job is done with a proof.' using errcode = 'XR002';
    end if;
  end if;
  if (old.type, old.skill_ids, old.latitude, old.longitude, old.customer_id, old.kind) is distinct from
     (new.type, new.skill_ids, new.latitude, new.longitude, new.customer_id, new.kind)
  then
    raise exception 'What a job is does not change.' using errcode = 'XR002';
  end if;
  return new;
end
$$;

-- As before, with both events by one statement.
create or replace function app.note_job() returns trigger language plpgsql as $$
declare
  v_from text := case when tg_op = 'UPDATE' then old.state end;
  v_body jsonb := jsonb_build_object('jobId', new.id, 'state', new.state, 'previous', v_from, 'dueBy', new.due_by, 'noShow', new.no_show_at is not null);
begin
  if v_from is distinct from new.state then
    insert into job_moves (tenant_id, job_id, from_state, to_state, offer_id, actor_id, reason, at)
    values (new.tenant_id, new.id, v_from, new.state, coalesce(new.offer_id, case when tg_op = 'UPDATE' then old.offer_id end),
            app.actor_id(), new.reason, app.clock_now());
  end if;
  insert into stream_events (tenant_id, stream, kind, body, customer_id)
  values (new.tenant_id, 'job/staff', case when new.no_show_at is not null then 'NO_SHOW' else new.state end,
          v_body || jsonb_build_object('offerId', new.offer_id, 'customerId', new.customer_id, 'reason', new.reason), null),
         (new.tenant_id, 'job/customer/' || new.customer_id, new.state, v_body - 'noShow', new.customer_id);
  if new.state = 'UNASSIGNED_ALERT' then
    perform app.raise_alert(new.tenant_id, 'JOB_UNASSIGNED', 'job/' || new.id, 'WARNING',
      format('A job "%s" due by %s UTC has nobody to go: %s', new.type, to_char(new.due_by at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), new.reason), '{}');
  elsif v_from = 'UNASSIGNED_ALERT' then
    perform app.resolve_alert(new.tenant_id, 'JOB_UNASSIGNED', 'job/' || new.id);
  end if;
  if new.no_show_at is not null then
    perform app.raise_alert(new.tenant_id, 'JOB_NO_SHOW', 'job/' || new.id, 'CRITICAL',
      format('Nobody has checked in at a job "%s" due by %s UTC that was accepted: look after it, and reassign it if need be.', new.type,
             to_char(new.due_by at time zone 'UTC', 'YYYY-MM-DD HH24:MI')), '{}');
  elsif v_from = 'ACCEPTED' then
    perform app.resolve_alert(new.tenant_id, 'JOB_NO_SHOW', 'job/' || new.id);
  end if;
  return null;
end
$$;

-- Each analysis of a table has every connection plan anew whatever it does with it: fifty changes, and a tenth of a small table, come about by
-- each second of decisions. Those plans are walks along indexes, whatever the statistics say.
alter table jobs set (autovacuum_analyze_threshold = 2000);
alter table offers set (autovacuum_analyze_threshold = 2000);
alter table job_moves set (autovacuum_analyze_threshold = 2000);
alter table streams set (autovacuum_analyze_threshold = 2000);
alter table stream_events set (autovacuum_analyze_threshold = 5000);
