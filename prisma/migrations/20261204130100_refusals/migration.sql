-- Refusals and reasons that are true where several hold, and say what to do.
set local role touchstone_owner;

-- With why it was given, for those who do not ask GraphQL for it.
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
    'taskTypeId', g.task_type_id, 'draft', g.body, 'draftSavedAt', g.saved_at, 'isGold', g.customer_id = 0, 'routingReason', g.routing_reason)
  from given g;
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
    'isGold', p_assignment.customer_id = 0, 'routingReason', p_assignment.routing_reason)
  from tasks t
  join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  left join drafts d on d.tenant_id = t.tenant_id and d.assignment_id = p_assignment.id
  where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id
  );
end
$$;

-- Counts claims against caps: of the day, and of projects that have one. The first claim that is counted reads what the
-- expert has taken before, for a cap may have come to be set since; every later one adds to that and reads nothing: the
-- history of an expert may be long. Called under the experts' own locks, so nobody else counts the same claim's first.
create or replace function app.count_taken(p_taken assignments[]) returns void language plpgsql as $$
begin
  insert into expert_days as d (tenant_id, expert_id, day, taken)
  select n.tenant_id, n.expert_id, n.day,
         case when n.is_counted then 1
              else (select count(*) from assignments a where a.tenant_id = n.tenant_id and a.expert_id = n.expert_id
                      and a.leased_at >= n.day::timestamp at time zone 'UTC') end
  from (
    select t.tenant_id, t.expert_id, c.day,
           exists (select from expert_days d where d.tenant_id = t.tenant_id and d.expert_id = t.expert_id and d.day = c.day) as is_counted
    from unnest(p_taken) t
    join experts x on x.tenant_id = t.tenant_id and x.id = t.expert_id and x.daily_cap is not null
    cross join lateral (select (t.leased_at at time zone 'UTC')::date as day) c
  ) n
  on conflict (tenant_id, expert_id, day) do update set taken = d.taken + 1;

  insert into tallies as y (tenant_id, expert_id, project_id, taken, is_full)
  select n.tenant_id, n.expert_id, n.project_id, n.taken, n.taken >= n.max_per_expert
  from (
    select t.tenant_id, t.expert_id, t.project_id, p.max_per_expert,
           case when exists (select from tallies y where y.tenant_id = t.tenant_id and y.expert_id = t.expert_id
                               and y.project_id = t.project_id) then 1
                else (select count(*) from assignments a where a.tenant_id = t.tenant_id and a.expert_id = t.expert_id
                        and a.project_id = t.project_id and a.state not in ('EXPIRED', 'RELEASED', 'FLAGGED')) end as taken
    from unnest(p_taken) t
    join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
    where p.max_per_expert is not null
  ) n
  on conflict (tenant_id, expert_id, project_id) do update
    set taken = y.taken + 1, is_full = y.taken + 1 >= (select p.max_per_expert from projects p
                                                       where p.tenant_id = y.tenant_id and p.id = y.project_id);
end
$$;

-- Says that a task cannot be answered. Its slot goes to another expert until the quorum is reached.
create or replace function app.flag(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_epoch integer, p_reason text, p_note text) returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
  v_project projects;
  v_task tasks;
  v_closed boolean;
begin
  perform app.enter_service(p_tenant, p_actor);
  select p.* into v_project from projects p
  join assignments a on a.tenant_id = p.tenant_id and a.project_id = p.id
  where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert for key share of p;
  update assignments a set state = 'FLAGGED', ended_at = app.clock_now()
  where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert
    and a.state = 'LEASED' and a.epoch = p_epoch and a.lease_until > app.clock_now()
  returning * into v_assignment;
  if not found then
    if exists (select from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert
                 and a.state = 'FLAGGED' and a.epoch = p_epoch) then
      return jsonb_build_object('outcome', 'OK', 'taskClosed', exists (
        select from tasks t join assignments a on a.tenant_id = t.tenant_id and a.task_id = t.id
        where a.tenant_id = p_tenant and a.id = p_assignment and t.state = 'FLAGGED'));
    end if;
    return app.lost_json(p_tenant, p_expert, p_assignment, p_epoch);
  end if;
  insert into task_flags (tenant_id, assignment_id, task_id, project_id, customer_id, expert_id, reason, note, flagged_at)
  values (p_tenant, p_assignment, v_assignment.task_id, v_assignment.project_id, v_assignment.customer_id, p_expert, p_reason, p_note, app.clock_now());
  -- What cannot be answered is not one of those that the project lets an expert have.
  update tallies y set taken = greatest(0, y.taken - 1), is_full = y.taken - 1 >= v_project.max_per_expert
  where y.tenant_id = p_tenant and y.expert_id = p_expert and y.project_id = v_project.id and v_project.max_per_expert is not null;
  select * into strict v_task from tasks t where t.tenant_id = p_tenant and t.id = v_assignment.task_id for update;
  v_closed := app.close_if_flagged(v_task, v_project.flag_quorum);
  if not v_closed then
    perform app.return_slot(v_assignment, false);
  end if;
  perform app.append_lease_event(v_assignment, 'FLAGGED');
  return jsonb_build_object('outcome', 'OK', 'taskClosed', v_closed);
end
$$;

-- Whether the slot of an ended or lapsed assignment could be taken again by its expert just now. A slot is free where it
-- waits in the queue, and where the lease on it has run out and nobody has marked that yet.
create or replace function app.is_reclaimable(p_assignment assignments) returns boolean language sql stable as $$
  select p_assignment.state in ('LEASED', 'EXPIRED', 'RELEASED')
     and p_assignment.lane_id = any (app.expert_lanes(p_assignment.tenant_id, p_assignment.expert_id, null))
     and not app.is_day_full(p_assignment.tenant_id, p_assignment.expert_id)
     and exists (select from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id and p.state = 'RUNNING')
     and exists (select from tasks t where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id and t.state = 'OPEN')
     and case p_assignment.customer_id when 0 then app.is_gold_free(p_assignment) else (
       exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.task_id = p_assignment.task_id
                 and o.state = 'LEASED' and o.lease_until <= app.clock_now())
       or exists (select from ready r where r.tenant_id = p_assignment.tenant_id and r.task_id = p_assignment.task_id
                    and not p_assignment.expert_id = any (r.excl))
     ) end
     and not exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.expert_id = p_assignment.expert_id
                       and o.state = 'LEASED' and o.lease_until > app.clock_now())
$$;

create or replace function app.reclaim(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_token_hash bytea, p_request text)
returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
  v_live assignments;
  v_row ready;
  v_project projects;
begin
  perform app.enter_service(p_tenant, p_actor);
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  select * into v_assignment from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  end if;
  select * into v_live from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED';
  if found then
    perform from projects p where p.tenant_id = p_tenant and p.id = v_live.project_id for key share;
    if not app.expire_lease(p_tenant, v_live.id, v_live.epoch) then
      select * into v_live from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED';
      if found and v_live.id = p_assignment then
        perform app.grant_payload(v_live, p_token_hash, p_actor, p_request);
        return jsonb_build_object('outcome', 'HELD', 'assignment', app.held_json(v_live));
      elsif found then
        return jsonb_build_object('outcome', 'HOLDS_ANOTHER', 'heldAssignmentId', v_live.id);
      end if;
    end if;
  end if;
  select * into strict v_assignment from assignments a where a.tenant_id = p_tenant and a.id = p_assignment;
  if v_assignment.state not in ('EXPIRED', 'RELEASED') then
    return app.lost_json(p_tenant, p_expert, p_assignment, 0);
  end if;
  if not v_assignment.lane_id = any (app.expert_lanes(p_tenant, p_expert, null))
     or v_assignment.project_id = any (app.barred_projects(p_tenant, p_expert)) or app.is_day_full(p_tenant, p_expert) then
    return jsonb_build_object('outcome', 'NOT_QUALIFIED');
  end if;
  if v_assignment.customer_id = 0 then
    return app.reclaim_gold(v_assignment, p_actor, p_token_hash, p_request);
  end if;
  select * into v_row from ready r
  where r.tenant_id = p_tenant and r.task_id = v_assignment.task_id and not p_expert = any (r.excl) for update;
  if not found and app.expire_task(v_assignment) then
    select * into v_row from ready r
    where r.tenant_id = p_tenant and r.task_id = v_assignment.task_id and not p_expert = any (r.excl) for update;
  end if;
  if v_row.task_id is null then
    select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id;
    return jsonb_build_object('outcome', case when v_project.state = 'RUNNING' then 'SLOT_TAKEN' else 'PROJECT_CANCELLED' end);
  end if;
  select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id;
  if v_project.state <> 'RUNNING' then
    return jsonb_build_object('outcome', 'PROJECT_CANCELLED');
  end if;
  v_assignment := app.lease_task(v_row, p_expert, v_project);
  if v_assignment.id is null then
    return app.lost_json(p_tenant, p_expert, p_assignment, 0);
  end if;
  perform app.grant_payload(v_assignment, p_token_hash, p_actor, p_request);
  return jsonb_build_object('outcome', 'LEASED', 'assignment', app.held_json(v_assignment));
end
$$;

-- Why there is nothing, in order of what the expert can do about it, and when to ask again: when the next lease of
-- their lanes is due, at most a minute, spread by a fifth so that a crowd does not come back at once; after a full day,
-- in the ten minutes that follow its end.
create or replace function app.empty_json(p_tenant bigint, p_expert bigint, p_skill bigint, p_lanes bigint[]) returns jsonb language plpgsql as $$
declare
  v_reason text;
  v_due double precision;
  v_barred bigint[] := app.barred_projects(p_tenant, p_expert);
begin
  if exists (select from experts x where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'PAUSED') then
    v_reason := 'PAUSED';
  elsif app.is_day_full(p_tenant, p_expert) then
    return jsonb_build_object('outcome', 'EMPTY', 'reason', 'DAILY_CAP_REACHED', 'retryAfterSeconds', ceil(extract(
      epoch from date_trunc('day', app.clock_now(), 'UTC') + interval '1 day' - app.clock_now()) + 1 + 600 * random()));
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'NO_SKILL';
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert
                      and (p_skill is null or s.skill_id = p_skill) and s.status <> 'PAUSED') then
    v_reason := 'PAUSED';
  elsif v_barred <> '{}' and exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes)
                                       and r.project_id = any (v_barred) and not p_expert = any (r.excl)) then
    v_reason := case when exists (select from tallies y
                                  join ready r on r.tenant_id = y.tenant_id and r.project_id = y.project_id
                                  where y.tenant_id = p_tenant and y.expert_id = p_expert and y.is_full
                                    and r.lane_id = any (p_lanes) and not p_expert = any (r.excl))
                     then 'PROJECT_CAP_REACHED' else 'CONFLICT_OF_INTEREST' end;
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality > s.taken_for
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'QUALITY_BELOW_MINIMUM';
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and not l.id = any (p_lanes)
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'REQUIREMENTS_NOT_MET';
  elsif exists (select from ready r join assignments a on a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert
                where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and p_expert = any (r.excl))
    and not exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and not exists (
                      select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert)) then
    v_reason := 'ALL_ANSWERED_BY_YOU';
  elsif exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes)) then
    v_reason := 'RESERVED_FOR_OTHERS';
  else
    v_reason := 'NO_OPEN_TASK';
  end if;
  select extract(epoch from min(head.due_at) - app.clock_now()) into v_due
  from unnest(p_lanes) as l(lane_id)
  cross join lateral (
    select a.due_at from lease_alarms a where a.tenant_id = p_tenant and a.lane_id = l.lane_id order by a.due_at limit 1
  ) head;
  return jsonb_build_object('outcome', 'EMPTY', 'reason', v_reason,
    'retryAfterSeconds', ceil(least(60, greatest(1, coalesce(v_due, 30))) * (0.9 + 0.2 * random())));
end
$$;
