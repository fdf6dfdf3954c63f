-- As before; and whoever gives a job by hand to somebody who has it from them already changes nothing: it was taken from the worker and given
-- back, with each click.
set local role touchstone_owner;

create or replace function app.override_job(p_tenant bigint, p_actor bigint, p_job bigint, p_expert bigint, p_preempt boolean, p_terms jsonb)
returns jsonb language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
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
  -- A second click: the first is the answer, whatever has been said of it.
  if v_job.state = 'ACCEPTED' and exists (
    select from offers o where o.tenant_id = p_tenant and o.id = v_job.offer_id and o.expert_id = p_expert and o.kind = 'MANUAL' and o.actor_id = p_actor)
  then
    return jsonb_build_object('outcome', 'OK', 'offerId', v_job.offer_id::text);
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
