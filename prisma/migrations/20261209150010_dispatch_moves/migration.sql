-- What happens to jobs and offers. Each function locks the job first, then the worker, then changes the offer by a statement
-- that holds the whole condition, on the database's clock: of two that meet one wins, and the other is told. See
-- docs/dispatch.md and decision 129.
set local role touchstone_owner;

-- Whether a time lies in one shift, by the clocks of a time zone: a shift that ends no later than it begins goes on past midnight.
create function app.is_in_shift(p_worker workers, p_zone text, p_from timestamptz, p_to timestamptz) returns boolean language sql stable as $$
  select exists (
    select from generate_series(-1, 0) as back(days)
    cross join lateral (select (p_from at time zone p_zone)::date + back.days as day) d
    where extract(isodow from d.day)::smallint = any ((p_worker).shift_days)
      and p_from >= (d.day + (p_worker).shift_start) at time zone p_zone
      and p_to <= (d.day + case when (p_worker).shift_end <= (p_worker).shift_start then 1 else 0 end + (p_worker).shift_end) at time zone p_zone)
$$;

-- Whether an expert is a worker at work: on shift, or with a job that they have accepted. Their fixes may be kept, no others.
create function app.is_on_shift(p_tenant bigint, p_expert bigint, p_at timestamptz) returns boolean language sql stable as $$
  select exists (
    select from workers w
    where w.tenant_id = p_tenant and w.expert_id = p_expert and w.active
      and (app.is_in_shift(w, (app.dispatch_settings_of(p_tenant)).time_zone, p_at, p_at)
           or exists (select from offers o where o.tenant_id = p_tenant and o.expert_id = p_expert and o.state = 'ACCEPTED' and o.busy @> p_at)))
$$;

-- What a job takes of a worker who leaves now, or in time for its window: from the departure to the end of the work.
create function app.busy_range(p_job jobs, p_travel_seconds double precision) returns tstzrange language sql stable as $$
  select tstzrange(b.begins - make_interval(secs => p_travel_seconds), b.begins + make_interval(secs => (p_job).duration_seconds))
  from (select greatest(app.clock_now() + make_interval(secs => p_travel_seconds), (p_job).not_before) as begins) b
$$;

-- Of a worker, the first hand that is free for a time; null: none. Who works past the time that was reckoned is not free yet.
create function app.free_slot(p_worker workers, p_busy tstzrange) returns smallint language sql stable as $$
  select min(h.slot)::smallint from generate_series(1, (p_worker).capacity) as h(slot)
  where not exists (
    select from offers o
    where o.tenant_id = (p_worker).tenant_id and o.expert_id = (p_worker).expert_id and o.slot = h.slot
      and (o.state = 'ACCEPTED' or o.state = 'LIVE' and o.expires_at > app.clock_now())
      and p_busy && tstzrange(lower(o.busy), case o.state when 'ACCEPTED' then greatest(upper(o.busy), app.clock_now() + interval '1 second') else upper(o.busy) end))
$$;

-- Which filters keep experts from a job, given how long each would travel; none: they may have it. And how many jobs of today
-- they have taken. What fixes and routes tell is not looked at here.
create function app.fit_workers(p_tenant bigint, p_job_id bigint, p_experts bigint[], p_travel_seconds double precision[])
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
      select from offers o where o.tenant_id = p_tenant and o.expert_id = c.expert_id and o.state = 'LIVE' and o.occupies and o.expires_at > app.clock_now())
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

-- Ends a live offer whose time is up and opens its job again, to be assigned at once. The job is locked by the caller. False:
-- the offer is not live any more, or stands still.
create function app.expire_offer(p_tenant bigint, p_job bigint, p_offer bigint) returns boolean language plpgsql as $$
begin
  update offers o set state = 'EXPIRED', ended_at = app.clock_now()
  where o.tenant_id = p_tenant and o.id = p_offer and o.job_id = p_job and o.state = 'LIVE' and o.expires_at <= app.clock_now();
  if not found then
    return false;
  end if;
  update jobs j set state = 'OPEN', offer_id = null, assign_at = app.clock_now(), reason = 'The offer ended unanswered.'
  where j.tenant_id = p_tenant and j.id = p_job and j.offer_id = p_offer and j.state = 'OFFERED';
  return true;
end
$$;

-- Ends offers whose time is up, of all tenants. Jobs that somebody else has locked are theirs to end. Returns how many ended.
create function app.expire_offers(p_limit integer) returns integer language plpgsql as $$
declare
  v_row record;
  v_count integer := 0;
begin
  for v_row in
    select o.tenant_id, o.job_id, o.id from offers o join jobs j on j.tenant_id = o.tenant_id and j.id = o.job_id
    where o.state = 'LIVE' and o.expires_at <= app.clock_now() order by o.expires_at limit p_limit for update of j skip locked
  loop
    v_count := v_count + app.expire_offer(v_row.tenant_id, v_row.job_id, v_row.id)::int;
  end loop;
  return v_count;
end
$$;

-- Ends what of a worker's offers has run out and has not been ended: the caller has locked the worker and another job. A job
-- that somebody has locked is left to them, so that nobody waits in a circle.
create function app.expire_offers_of(p_tenant bigint, p_expert bigint) returns void language plpgsql as $$
declare
  v_row record;
begin
  for v_row in
    select o.job_id, o.id from offers o join jobs j on j.tenant_id = o.tenant_id and j.id = o.job_id
    where o.tenant_id = p_tenant and o.expert_id = p_expert and o.state = 'LIVE' and o.expires_at <= app.clock_now() for update of j skip locked
  loop
    perform app.expire_offer(p_tenant, v_row.job_id, v_row.id);
  end loop;
end
$$;

-- Writes an offer and points its job to it; both, or an exception. p_terms: see app.lease_job.
create function app.insert_offer(p_job jobs, p_expert bigint, p_slot smallint, p_terms jsonb) returns bigint language plpgsql as $$
declare
  v_settings dispatch_settings := app.dispatch_settings_of(p_job.tenant_id);
  v_eta double precision := (p_terms ->> 'etaSeconds')::double precision;
  v_now timestamptz := app.clock_now();
  v_manual boolean := p_terms ? 'actorId';
  v_id bigint;
begin
  insert into offers (tenant_id, job_id, expert_id, epoch, kind, state, occupies, offered_at, expires_at, accepted_at, accepted_day, busy, slot,
    eta_seconds, eta_road_seconds, eta_low_seconds, eta_high_seconds, eta_confidence, score, jobs_today, slack_seconds, fix_device_at, fix_received_at, fix_cell,
    actor_id, reason)
  values (p_job.tenant_id, p_job.id, p_expert, p_job.epoch + 1, case when v_manual then 'MANUAL' else 'AUTO' end,
    case when v_manual then 'ACCEPTED' else 'LIVE' end, p_job.kind = 'ON_DEMAND', v_now,
    v_now + make_interval(secs => case when v_manual then 0 when p_job.kind = 'ON_DEMAND' then v_settings.offer_seconds else v_settings.later_offer_seconds end),
    case when v_manual then v_now end, case when v_manual then (v_now at time zone v_settings.time_zone)::date end,
    app.busy_range(p_job, v_eta), p_slot, v_eta, (p_terms ->> 'etaRoadSeconds')::float8, (p_terms ->> 'etaLowSeconds')::float8, (p_terms ->> 'etaHighSeconds')::float8,
    p_terms ->> 'etaConfidence', (p_terms ->> 'score')::float8, (p_terms ->> 'jobsToday')::int, (p_terms ->> 'slackSeconds')::float8,
    (p_terms ->> 'fixDeviceAt')::timestamptz, (p_terms ->> 'fixReceivedAt')::timestamptz, p_terms ->> 'fixCell',
    (p_terms ->> 'actorId')::bigint, p_terms ->> 'reason')
  returning id into v_id;
  update jobs j set state = case when v_manual then 'ACCEPTED' else 'OFFERED' end, offer_id = v_id, epoch = p_job.epoch + 1, assign_at = null,
    reason = p_terms ->> 'reason', accepted_at = case when v_manual then v_now end,
    no_show_due_at = case when v_manual then app.no_show_at(j, (p_terms ->> 'etaHighSeconds')::float8) end
  where j.tenant_id = p_job.tenant_id and j.id = p_job.id and j.epoch = p_job.epoch;
  if not found then
    raise exception 'The job was not locked.' using errcode = 'XR002';
  end if;
  return v_id;
end
$$;

-- When somebody has to be told that nobody came: some time after the latest arrival that was foreseen.
create function app.no_show_at(p_job jobs, p_eta_high_seconds double precision) returns timestamptz language sql stable as $$
  select greatest(app.clock_now() + make_interval(secs => p_eta_high_seconds), (p_job).not_before)
         + make_interval(secs => (app.dispatch_settings_of((p_job).tenant_id)).no_show_seconds)
$$;

-- Leases a job and a worker together: all conditions are looked at again behind both locks. p_terms: etaSeconds, etaLowSeconds,
-- etaHighSeconds, etaConfidence, score, jobsToday, slackSeconds, fixDeviceAt, fixReceivedAt, fixCell. Outcomes: OFFERED, JOB_TAKEN (it
-- is not open any more), UNFIT (failed: by which filters), LATE, NOT_FOUND.
create function app.lease_job(p_tenant bigint, p_actor bigint, p_job bigint, p_expert bigint, p_terms jsonb) returns jsonb language plpgsql as $$
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

-- Says that nobody can be asked for a job, and why; it is tried again after some time, while it is not late. False: it is not open
-- any more.
create function app.leave_unassigned(p_tenant bigint, p_actor bigint, p_job bigint, p_reason text, p_again_seconds integer)
returns boolean language plpgsql as $$
declare
  v_job jobs;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job for update;
  if v_job.state = 'OFFERED' then
    perform app.expire_offer(p_tenant, p_job, v_job.offer_id);
  end if;
  update jobs j set state = 'UNASSIGNED_ALERT', reason = p_reason,
    assign_at = case when app.clock_now() < j.due_by then app.clock_now() + make_interval(secs => p_again_seconds) end
  where j.tenant_id = p_tenant and j.id = p_job and j.state in ('OPEN', 'UNASSIGNED_ALERT');
  return found;
end
$$;

-- A worker's answer to an offer: p_accept, or they decline. Outcomes: ACCEPTED and DECLINED (again, too), EXPIRED, GONE (it was
-- answered or taken back), NOT_FOUND. Whoever comes too late ends the offer as the sweep would have done.
create function app.answer_offer(p_tenant bigint, p_actor bigint, p_expert bigint, p_offer bigint, p_accept boolean) returns jsonb language plpgsql as $$
declare
  v_job_id bigint;
  v_job jobs;
  v_offer offers;
begin
  perform app.enter_service(p_tenant, p_actor);
  select o.job_id into v_job_id from offers o where o.tenant_id = p_tenant and o.id = p_offer and o.expert_id = p_expert;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  end if;
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = v_job_id for update;
  update offers o set state = case when p_accept then 'ACCEPTED' else 'DECLINED' end,
    accepted_at = case when p_accept then app.clock_now() end,
    accepted_day = case when p_accept then (app.clock_now() at time zone (app.dispatch_settings_of(p_tenant)).time_zone)::date end,
    ended_at = case when not p_accept then app.clock_now() end
  where o.tenant_id = p_tenant and o.id = p_offer and o.state = 'LIVE' and o.expires_at > app.clock_now()
  returning * into v_offer;
  if not found then
    if app.expire_offer(p_tenant, v_job_id, p_offer) then
      return jsonb_build_object('outcome', 'EXPIRED', 'jobId', v_job_id::text);
    end if;
    select * into v_offer from offers o where o.tenant_id = p_tenant and o.id = p_offer;
    return jsonb_build_object('jobId', v_job_id::text, 'outcome', case
      when p_accept and v_offer.state in ('ACCEPTED', 'DONE') then 'ACCEPTED'
      when not p_accept and v_offer.state = 'DECLINED' then 'DECLINED'
      when v_offer.state = 'EXPIRED' then 'EXPIRED' else 'GONE' end);
  end if;
  if p_accept then
    update jobs j set state = 'ACCEPTED', accepted_at = app.clock_now(), no_show_due_at = app.no_show_at(j, v_offer.eta_high_seconds), reason = null
    where j.tenant_id = p_tenant and j.id = v_job_id;
  else
    update jobs j set state = 'OPEN', offer_id = null, assign_at = app.clock_now(), reason = 'The offer was declined.'
    where j.tenant_id = p_tenant and j.id = v_job_id;
  end if;
  return jsonb_build_object('outcome', v_offer.state, 'jobId', v_job_id::text);
end
$$;

-- Tells of jobs whose worker has not come; nobody is taken off a job by that. Returns how many.
create function app.alert_no_shows(p_limit integer) returns integer language sql as $$
  with late as (
    select j.tenant_id, j.id from jobs j
    where j.no_show_at is null and j.no_show_due_at <= app.clock_now() order by j.no_show_due_at limit p_limit for update skip locked
  ), told as (
    update jobs j set no_show_at = app.clock_now() from late l where j.tenant_id = l.tenant_id and j.id = l.id returning 1
  )
  select count(*)::int from told
$$;

-- The job of a worker who has accepted it, locked; null: it is not theirs.
create function app.lock_own_job(p_tenant bigint, p_expert bigint, p_job bigint) returns jobs language plpgsql as $$
declare
  v_job jobs;
begin
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job for update;
  if not exists (select from offers o where o.tenant_id = p_tenant and o.id = v_job.offer_id and o.expert_id = p_expert) then
    return null;
  end if;
  return v_job;
end
$$;

-- Says that a worker is there, proven by the code that the customer has. After five wrong ones only a dispatcher can help.
-- Outcomes: OK (again, too), WRONG_CODE (left: tries), LOCKED, STATE, NOT_FOUND.
create function app.check_in(p_tenant bigint, p_actor bigint, p_expert bigint, p_job bigint, p_code text) returns jsonb language plpgsql as $$
declare
  v_job jobs;
begin
  perform app.enter_service(p_tenant, p_actor);
  v_job := app.lock_own_job(p_tenant, p_expert, p_job);
  if v_job.id is null then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  elsif v_job.state in ('IN_PROGRESS', 'DONE') then
    return jsonb_build_object('outcome', 'OK');
  elsif v_job.state <> 'ACCEPTED' then
    return jsonb_build_object('outcome', 'STATE', 'state', v_job.state);
  elsif v_job.check_in_failures >= 5 then
    return jsonb_build_object('outcome', 'LOCKED');
  elsif v_job.check_in_code <> p_code then
    update jobs j set check_in_failures = j.check_in_failures + 1 where j.tenant_id = p_tenant and j.id = p_job;
    return jsonb_build_object('outcome', 'WRONG_CODE', 'left', 4 - v_job.check_in_failures);
  end if;
  update jobs j set state = 'IN_PROGRESS', checked_in_at = app.clock_now(), no_show_due_at = null, no_show_at = null, reason = null
  where j.tenant_id = p_tenant and j.id = p_job;
  insert into job_attachments (tenant_id, job_id, offer_id, customer_id, kind, content_type, content, sha256)
  values (p_tenant, p_job, v_job.offer_id, v_job.customer_id, 'CHECK_IN', 'text/plain', convert_to(p_code, 'UTF8'), encode(sha256(convert_to(p_code, 'UTF8')), 'hex'));
  return jsonb_build_object('outcome', 'OK');
end
$$;

-- Ends a job with what proves it. Outcomes: OK (again, too: what was proven stays), STATE, NOT_FOUND.
create function app.complete_job(p_tenant bigint, p_actor bigint, p_expert bigint, p_job bigint, p_types text[], p_contents bytea[])
returns jsonb language plpgsql as $$
declare
  v_job jobs;
begin
  perform app.enter_service(p_tenant, p_actor);
  v_job := app.lock_own_job(p_tenant, p_expert, p_job);
  if v_job.id is null then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  elsif v_job.state = 'DONE' then
    return jsonb_build_object('outcome', 'OK');
  elsif v_job.state <> 'IN_PROGRESS' then
    return jsonb_build_object('outcome', 'STATE', 'state', v_job.state);
  end if;
  insert into job_attachments (tenant_id, job_id, offer_id, customer_id, kind, content_type, content, sha256)
  select p_tenant, p_job, v_job.offer_id, v_job.customer_id, 'PROOF', p.type, p.content, encode(sha256(p.content), 'hex')
  from unnest(p_types, p_contents) as p(type, content);
  update offers o set state = 'DONE', ended_at = app.clock_now() where o.tenant_id = p_tenant and o.id = v_job.offer_id and o.state = 'ACCEPTED';
  update jobs j set state = 'DONE', done_at = app.clock_now() where j.tenant_id = p_tenant and j.id = p_job;
  return jsonb_build_object('outcome', 'OK');
end
$$;

-- Cancels a job, and takes its offer back. p_customer null: whosever it is. Outcomes: OK (again, too), STATE, NOT_FOUND.
create function app.cancel_job(p_tenant bigint, p_actor bigint, p_customer bigint, p_job bigint, p_reason text) returns jsonb language plpgsql as $$
declare
  v_job jobs;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job and (p_customer is null or j.customer_id = p_customer) for update;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  elsif v_job.state = 'CANCELLED' then
    return jsonb_build_object('outcome', 'OK');
  elsif v_job.state = 'DONE' then
    return jsonb_build_object('outcome', 'STATE', 'state', v_job.state);
  end if;
  perform app.end_offer(v_job, 'WITHDRAWN');
  update jobs j set state = 'CANCELLED', cancelled_at = app.clock_now(), offer_id = null, accepted_at = null, no_show_due_at = null,
    no_show_at = null, checked_in_at = null, assign_at = null, reason = p_reason
  where j.tenant_id = p_tenant and j.id = p_job;
  return jsonb_build_object('outcome', 'OK');
end
$$;

-- Ends whatever offer a job has, which the caller has locked.
create function app.end_offer(p_job jobs, p_state text) returns void language plpgsql as $$
begin
  update offers o set state = p_state, ended_at = app.clock_now()
  where o.tenant_id = p_job.tenant_id and o.id = p_job.offer_id and o.state in ('LIVE', 'ACCEPTED');
end
$$;

-- Takes a job that nobody is at yet from whoever has it and opens it again, to be assigned at once. The caller has locked it.
create function app.reopen_job(p_job jobs, p_offer_state text, p_reason text) returns void language plpgsql as $$
begin
  perform app.end_offer(p_job, p_offer_state);
  -- (Whoever comes next has tries of their own.)
  update jobs j set state = 'OPEN', check_in_failures = 0, offer_id = null, accepted_at = null, no_show_due_at = null, no_show_at = null, assign_at = app.clock_now(),
    reason = p_reason
  where j.tenant_id = p_job.tenant_id and j.id = p_job.id;
end
$$;

-- Takes an accepted job from its worker, because somebody says so. Outcomes: OK, STATE, NOT_FOUND.
create function app.reassign_job(p_tenant bigint, p_actor bigint, p_job bigint, p_reason text) returns jsonb language plpgsql as $$
declare
  v_job jobs;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job for update;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  elsif v_job.state <> 'ACCEPTED' then
    return jsonb_build_object('outcome', 'STATE', 'state', v_job.state);
  end if;
  perform app.reopen_job(v_job, 'REASSIGNED', p_reason);
  return jsonb_build_object('outcome', 'OK');
end
$$;

-- Gives a job to a worker because somebody says so: filters do not count, but that nobody is in two places does. With p_preempt,
-- jobs of lower priority that the worker has at that time, and is not at yet, are taken from them and assigned anew. Outcomes: OK
-- (offerId), OVERLAP, SELF (whoever decides may not send themselves), INACTIVE, STATE, NOT_FOUND.
create function app.override_job(p_tenant bigint, p_actor bigint, p_job bigint, p_expert bigint, p_preempt boolean, p_terms jsonb)
returns jsonb language plpgsql as $$
declare
  v_job jobs;
  v_other jobs;
  v_worker workers;
  v_slot smallint;
  v_busy tstzrange;
begin
  perform app.enter_service(p_tenant, p_actor);
  if exists (select from identity_roles r where r.tenant_id = p_tenant and r.identity_id = p_actor and r.expert_id = p_expert) then
    return jsonb_build_object('outcome', 'SELF');
  end if;
  -- All jobs at once and in their order, this one among them: then nobody waits in a circle.
  perform from jobs j
  where j.tenant_id = p_tenant and (j.id = p_job or p_preempt and j.offer_id in (
    select o.id from offers o where o.tenant_id = p_tenant and o.expert_id = p_expert and o.state in ('LIVE', 'ACCEPTED')))
  order by j.id for update;
  select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  elsif v_job.state not in ('OPEN', 'OFFERED', 'ACCEPTED', 'UNASSIGNED_ALERT') then
    return jsonb_build_object('outcome', 'STATE', 'state', v_job.state);
  end if;
  select * into v_worker from workers w where w.tenant_id = p_tenant and w.expert_id = p_expert for update;
  if not found or not v_worker.active then
    return jsonb_build_object('outcome', 'INACTIVE');
  end if;
  v_busy := app.busy_range(v_job, (p_terms ->> 'etaSeconds')::float8);
  if v_job.state in ('OFFERED', 'ACCEPTED') then
    perform app.reopen_job(v_job, case v_job.state when 'OFFERED' then 'WITHDRAWN' else 'REASSIGNED' end, p_terms ->> 'reason');
    select * into v_job from jobs j where j.tenant_id = p_tenant and j.id = p_job;
  end if;
  perform app.expire_offers_of(p_tenant, p_expert);
  if p_preempt then
    for v_other in
      select j.* from offers o join jobs j on j.tenant_id = o.tenant_id and j.id = o.job_id
      where o.tenant_id = p_tenant and o.expert_id = p_expert and o.state in ('LIVE', 'ACCEPTED') and o.busy && v_busy
        and j.priority < v_job.priority and j.state in ('OFFERED', 'ACCEPTED')
      order by j.id for update of j skip locked
    loop
      perform app.reopen_job(v_other, 'PREEMPTED', p_terms ->> 'reason');
    end loop;
  end if;
  v_slot := app.free_slot(v_worker, v_busy);
  if v_slot is null then
    raise exception 'The worker is elsewhere at that time.' using errcode = 'XR003';
  end if;
  return jsonb_build_object('outcome', 'OK', 'offerId', app.insert_offer(v_job, p_expert, v_slot, p_terms || jsonb_build_object('actorId', p_actor))::text);
end
$$;
