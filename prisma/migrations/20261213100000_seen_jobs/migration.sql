-- Jobs as whoever asks may see them, in one call: a decision is answered with its job, and a transaction of four round trips for it was a
-- third of what the answer took the node.
set local role touchstone_owner;

-- A list of jobs, those of p_ids that row-level security shows in the scope given; each as the model Job has it.
create function app.seen_jobs(p_tenant bigint, p_role text, p_actor bigint, p_customer bigint, p_expert bigint, p_ids bigint[]) returns jsonb language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
  perform app.enter_scope(p_tenant, p_role, p_actor, p_customer, p_expert);
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'tenantId', j.tenant_id::text, 'id', j.id::text, 'customerId', j.customer_id::text, 'kind', j.kind, 'type', j.type,
      'skillIds', j.skill_ids::text[], 'minQuality', j.min_quality, 'latitude', j.latitude, 'longitude', j.longitude, 'notBefore', j.not_before,
      'dueBy', j.due_by, 'durationSeconds', j.duration_seconds, 'priority', j.priority, 'state', j.state, 'offerId', j.offer_id::text,
      'reason', j.reason, 'checkInCode', j.check_in_code, 'createdAt', j.created_at, 'acceptedAt', j.accepted_at, 'noShowAt', j.no_show_at,
      'checkedInAt', j.checked_in_at, 'doneAt', j.done_at, 'cancelledAt', j.cancelled_at)), '[]')
    from jobs j where j.tenant_id = p_tenant and j.id = any (p_ids));
end
$$;
