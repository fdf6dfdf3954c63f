-- What a decision asks before it asks the router, in one statement each: a transaction around them was four round trips and most of
-- the time that Node spent on a decision.
set local role touchstone_owner;

-- Plans that were made while a table was nearly empty are kept until somebody analyses it: all of these are walks along indexes, planned as
-- such once and for all.
alter function app.free_slot(workers, tstzrange) reset all; -- (its callers' settings are its own: sixty times each they cost)
alter function app.lease_job(bigint, bigint, bigint, bigint, jsonb) set plan_cache_mode = force_generic_plan;
alter function app.lease_job(bigint, bigint, bigint, bigint, jsonb) set enable_seqscan = off;
alter function app.lease_job(bigint, bigint, bigint, bigint, jsonb) set enable_hashjoin = off;
alter function app.lease_job(bigint, bigint, bigint, bigint, jsonb) set enable_mergejoin = off;
alter function app.lease_job(bigint, bigint, bigint, bigint, jsonb) set jit = off;
-- (Who shares functions with these plans them the same way, whoever of them comes first on a connection.)
alter function app.override_job(bigint, bigint, bigint, bigint, boolean, jsonb) set plan_cache_mode = force_generic_plan;
alter function app.override_job(bigint, bigint, bigint, bigint, boolean, jsonb) set enable_seqscan = off;
alter function app.override_job(bigint, bigint, bigint, bigint, boolean, jsonb) set enable_hashjoin = off;
alter function app.override_job(bigint, bigint, bigint, bigint, boolean, jsonb) set enable_mergejoin = off;
alter function app.override_job(bigint, bigint, bigint, bigint, boolean, jsonb) set jit = off;
alter function app.answer_offer(bigint, bigint, bigint, bigint, boolean) set plan_cache_mode = force_generic_plan;
alter function app.answer_offer(bigint, bigint, bigint, bigint, boolean) set enable_seqscan = off;
alter function app.answer_offer(bigint, bigint, bigint, bigint, boolean) set enable_hashjoin = off;
alter function app.answer_offer(bigint, bigint, bigint, bigint, boolean) set enable_mergejoin = off;
alter function app.answer_offer(bigint, bigint, bigint, bigint, boolean) set jit = off;

drop function app.fit_now(bigint, bigint[], double precision[]);

-- Ends some offers of the tenant that have run out, and tells of a job what assigning it stands on; null: there is none.
create function app.begin_assigning(p_tenant bigint, p_actor bigint, p_job bigint, p_lapsed integer) returns jsonb language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
  perform app.enter_service(p_tenant, p_actor);
  perform app.expire_offers(p_lapsed);
  return (
    select jsonb_build_object('kind', j.kind, 'state', j.state, 'epoch', j.epoch, 'offerId', j.offer_id::text,
      'isOfferDue', coalesce(o.state = 'LIVE' and o.expires_at <= app.clock_now(), false),
      'latitude', j.latitude, 'longitude', j.longitude, 'priority', j.priority,
      'remainingSeconds', extract(epoch from j.due_by - app.clock_now())::float8, 'reason', j.reason,
      'etaWeight', s.eta_weight, 'fairnessWeight', s.fairness_weight, 'slackWeight', s.slack_weight, 'searchMetres', s.search_metres)
    from jobs j
    left join offers o on o.tenant_id = j.tenant_id and o.id = j.offer_id
    cross join lateral app.dispatch_settings_of(j.tenant_id) s
    where j.tenant_id = p_tenant and j.id = p_job);
end
$$;

-- app.fit_workers, in the scope that it asks in.
create function app.sift_workers(p_tenant bigint, p_actor bigint, p_job bigint, p_experts bigint[], p_travel_seconds double precision[])
returns jsonb language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
  perform app.enter_service(p_tenant, p_actor);
  return (
    select coalesce(jsonb_agg(jsonb_build_object('expertId', f.expert_id::text, 'jobsToday', f.jobs_today, 'failed', to_jsonb(f.failed))), '[]')
    from app.fit_workers(p_tenant, p_job, p_experts, p_travel_seconds) f);
end
$$;
