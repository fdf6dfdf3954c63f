-- The node is told what is gold, so that it can answer about gold as late as about other work (services/routing/evenness.ts).
-- It tells nobody.
set local role touchstone_owner;

create or replace function app.hand_over(p_assignments assignments[], p_requests app.claim_request[])
returns table (expert_id bigint, held jsonb) language plpgsql as $$
begin
  return query
  with given as materialized (
    select a.*, t.payload_key, t.content_type, t.external_id, t.payload_bytes, p.task_type_id, d.body, d.saved_at,
           q.token_hash, q.actor_id, q.request_id
    from unnest(p_assignments) a
    join unnest(p_requests) q on q.expert_id = a.expert_id
    join tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id
    join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id
    left join drafts d on d.tenant_id = a.tenant_id and d.assignment_id = a.id
  ), logged as (
    insert into access_log (tenant_id, actor_id, role, subject_type, subject_id, payload_key, purpose, request_id)
    select g.tenant_id, g.actor_id, 'EXPERT', 'ASSIGNMENT', g.id, g.payload_key, 'WORK', g.request_id from given g
    returning id, subject_id
  ), granted as (
    insert into payload_grants (token_hash, tenant_id, access_log_id, assignment_id, epoch, expert_id, task_id, payload_key, content_type, created_at)
    select g.token_hash, g.tenant_id, l.id, g.id, g.epoch, g.expert_id, g.task_id, g.payload_key, g.content_type, app.clock_now()
    from given g join logged l on l.subject_id = g.id
  )
  select g.expert_id, jsonb_build_object(
    'id', g.id, 'taskId', g.task_id, 'projectId', g.project_id,
    'epoch', g.epoch, 'leaseUntil', g.lease_until, 'leaseSeconds', g.lease_seconds,
    'secondsLeft', greatest(0, extract(epoch from g.lease_until - app.clock_now())),
    'priceMinor', g.price_minor::text, 'currency', g.currency,
    'externalId', g.external_id, 'payloadBytes', g.payload_bytes, 'contentType', g.content_type,
    'taskTypeId', g.task_type_id, 'draft', g.body, 'draftSavedAt', g.saved_at, 'isGold', g.customer_id = 0)
  from given g;
end
$$;

create or replace function app.receipt_json(p_assignment assignments, p_digest text) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object('outcome', 'SUBMITTED', 'assignmentId', p_assignment.id, 'digest', p_digest,
    'submittedAt', p_assignment.submitted_at, 'priceMinor', p_assignment.price_minor::text, 'currency', p_assignment.currency,
    'isGold', p_assignment.customer_id = 0);
end
$$;

create or replace function app.held_json(p_assignment assignments) returns jsonb language plpgsql stable as $$
begin
  return (
  select jsonb_build_object(
    'id', p_assignment.id, 'taskId', p_assignment.task_id, 'projectId', p_assignment.project_id,
    'epoch', p_assignment.epoch, 'leaseUntil', p_assignment.lease_until, 'leaseSeconds', p_assignment.lease_seconds,
    'secondsLeft', greatest(0, extract(epoch from p_assignment.lease_until - app.clock_now())),
    'priceMinor', p_assignment.price_minor::text, 'currency', p_assignment.currency,
    'externalId', t.external_id, 'payloadBytes', t.payload_bytes, 'contentType', t.content_type,
    'taskTypeId', p.task_type_id, 'draft', d.body, 'draftSavedAt', d.saved_at,
    'isGold', p_assignment.customer_id = 0)
  from tasks t
  join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  left join drafts d on d.tenant_id = t.tenant_id and d.assignment_id = p_assignment.id
  where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id
  );
end
$$;
