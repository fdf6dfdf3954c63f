-- Claim, heartbeat, submit, reclaim, release, flag, cancel: one function call is one transaction of one actor.
-- Each answers jsonb with an outcome; what a caller can do about a refusal is an outcome, never an exception.
set local role touchstone_owner;

-- How long before its end a lease is said to be expiring: a quarter of it, at most two minutes.
create function app.lease_warning(p_lease_seconds integer) returns interval language sql immutable as $$
  select make_interval(secs => least(120, p_lease_seconds / 4.0))
$$;

-- Lanes that an expert may be given work from: skill held and not paused, lower bound of quality at or above the
-- lane's minimum (rule 5). p_skill null: any skill.
create function app.expert_lanes(p_tenant bigint, p_expert bigint, p_skill bigint) returns bigint[] language plpgsql stable as $$
begin
  return (
  select coalesce(array_agg(l.id order by l.id), '{}')
  from experts x
  join expert_skills s on s.tenant_id = x.tenant_id and s.expert_id = x.id
  join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality <= s.quality_lower
  where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'ACTIVE'
    and s.status in ('PROBATION', 'ACTIVE') and (p_skill is null or s.skill_id = p_skill)
  );
end
$$;

-- Ends a lease that has run out and gives its slot back. The caller holds the project's key-share lock.
create function app.expire_lease(p_tenant bigint, p_assignment bigint, p_epoch integer) returns boolean language plpgsql as $$
declare
  v_assignment assignments;
begin
  update assignments a set state = 'EXPIRED', ended_at = app.clock_now()
  where a.tenant_id = p_tenant and a.id = p_assignment and a.state = 'LEASED' and a.epoch = p_epoch
    and a.lease_until <= app.clock_now()
  returning * into v_assignment;
  if not found then
    return false;
  end if;
  perform app.return_slot(v_assignment, true);
  perform app.append_lease_event(v_assignment, 'EXPIRED');
  return true;
end
$$;

-- Ends the leases of an assignment's task that have run out, except those in other hands: for whoever asks for this very
-- task, before any alarm has looked. True if there was one.
create function app.expire_task(p_assignment assignments) returns boolean language plpgsql as $$
declare
  v_lapsed assignments;
  v_any boolean := false;
begin
  perform from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id for key share;
  for v_lapsed in
    select * from assignments a
    where a.tenant_id = p_assignment.tenant_id and a.task_id = p_assignment.task_id
      and a.state = 'LEASED' and a.lease_until <= app.clock_now()
    for no key update skip locked
  loop
    v_any := app.expire_lease(v_lapsed.tenant_id, v_lapsed.id, v_lapsed.epoch) or v_any;
  end loop;
  return v_any;
end
$$;

-- Looks at one lease whose alarm is due: warns, expires, re-arms, or drops the alarm of what has ended. Waits for nobody:
-- whoever fires several alarms holds several tasks, and two of them would wait for each other. What is in other hands
-- stays due, and the answer is false.
create function app.fire_alarm(p_alarm lease_alarms) returns boolean language plpgsql as $$
declare
  v_assignment assignments;
  v_warn_at timestamptz;
  v_ended boolean;
begin
  select * into v_assignment from assignments a
  where a.tenant_id = p_alarm.tenant_id and a.id = p_alarm.assignment_id;
  v_ended := v_assignment.state is distinct from 'LEASED' or v_assignment.epoch <> p_alarm.epoch;
  if not v_ended then
    perform from projects p where p.tenant_id = p_alarm.tenant_id and p.id = p_alarm.project_id for key share skip locked;
    if not found then
      return false;
    end if;
    select * into v_assignment from assignments a
    where a.tenant_id = p_alarm.tenant_id and a.id = p_alarm.assignment_id for no key update skip locked;
    if not found then
      return false;
    end if;
    v_ended := v_assignment.state <> 'LEASED' or v_assignment.epoch <> p_alarm.epoch;
  end if;
  if not v_ended and v_assignment.lease_until <= app.clock_now() then
    perform from tasks t where t.tenant_id = p_alarm.tenant_id and t.id = v_assignment.task_id for update skip locked;
    if not found then
      return false;
    end if;
    v_ended := app.expire_lease(p_alarm.tenant_id, p_alarm.assignment_id, p_alarm.epoch);
  end if;
  if v_ended then
    delete from lease_alarms where tenant_id = p_alarm.tenant_id and assignment_id = p_alarm.assignment_id and epoch = p_alarm.epoch;
    return true;
  end if;
  v_warn_at := v_assignment.lease_until - app.lease_warning(v_assignment.lease_seconds);
  if v_warn_at <= app.clock_now() and not p_alarm.warned then
    perform app.append_lease_event(v_assignment, 'EXPIRING');
  end if;
  update lease_alarms set warned = v_warn_at <= app.clock_now(),
                          due_at = case when v_warn_at <= app.clock_now() then v_assignment.lease_until else v_warn_at end
  where tenant_id = p_alarm.tenant_id and assignment_id = p_alarm.assignment_id and epoch = p_alarm.epoch;
  return true;
end
$$;

-- Fires due alarms of some lanes, except what is in another transaction's hands just now. Returns how many.
create function app.fire_lane_alarms(p_tenant bigint, p_lanes bigint[], p_limit integer) returns integer language plpgsql as $$
declare
  v_alarm lease_alarms;
  v_count integer := 0;
begin
  for v_alarm in
    select * from lease_alarms l where l.tenant_id = p_tenant and l.lane_id = any (p_lanes) and l.due_at <= app.clock_now()
    order by l.due_at, l.assignment_id limit p_limit for update skip locked
  loop
    if app.fire_alarm(v_alarm) then
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end
$$;

-- Fires due alarms of every tenant: the runner's part. Nothing depends on it but the promptness of events.
create function app.fire_due_alarms(p_limit integer) returns integer language plpgsql as $$
declare
  v_alarm lease_alarms;
  v_count integer := 0;
begin
  for v_alarm in
    select * from lease_alarms l where l.due_at <= app.clock_now() order by l.due_at limit p_limit for update skip locked
  loop
    if app.fire_alarm(v_alarm) then
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end
$$;

-- The next task for an expert in these lanes, its queue row locked. First what is reserved for them, then lane by
-- lane: begun tasks (a bounded look), untouched ones. Lanes that have work come in random order: their tags are clocks
-- of their own, and going by the smallest would starve the lane that has been served most.
--
-- The materialised fences matter: without them the planner may run the locking subquery once per outer row.
create function app.pick_ready(p_tenant bigint, p_expert bigint, p_lanes bigint[]) returns ready language plpgsql as $$
declare
  v_row ready;
  v_lane bigint;
begin
  select r.* into v_row
  from ready_directed d
  join ready r on r.tenant_id = d.tenant_id and r.task_id = d.task_id
  where d.tenant_id = p_tenant and d.expert_id = p_expert and d.lane_id = any (p_lanes)
    and not p_expert = any (r.excl) and not p_expert = any (r.passed)
  order by d.tag, d.task_id limit 1 for update of r skip locked;
  if found then
    return v_row;
  end if;
  for v_lane in
    select l.lane_id from unnest(p_lanes) as l(lane_id)
    where exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = l.lane_id and r.phase = 0)
       or exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = l.lane_id and r.phase = 1)
    order by random()
  loop
    with begun as materialized (
      select r.task_id from ready r where r.tenant_id = p_tenant and r.lane_id = v_lane and r.phase = 1
      order by r.tag, r.task_id limit 16
    )
    select r.* into v_row from ready r
    where r.tenant_id = p_tenant and r.task_id in (select b.task_id from begun b)
      and not p_expert = any (r.excl) and not p_expert = any (r.passed)
    order by r.tag, r.task_id limit 1 for update skip locked;
    if found then
      return v_row;
    end if;
    select r.* into v_row from ready r
    where r.tenant_id = p_tenant and r.lane_id = v_lane and r.phase = 0
    order by r.tag, r.task_id limit 1 for update skip locked;
    if found then
      return v_row;
    end if;
  end loop;
  return null;
end
$$;

-- The exact look before an empty answer: all due alarms, every row of every lane, and as a last resort what the expert
-- gave back themselves. Each statement walks the index in its order and stops at the first row that fits: an expert who
-- has answered the first 10,000 of 100,000 begun tasks is given the next one after 5 ms, where collecting and sorting
-- the 90,000 that fit took 470 ms.
create function app.pick_ready_exact(p_tenant bigint, p_expert bigint, p_lanes bigint[]) returns ready language plpgsql as $$
declare
  v_row ready;
  v_lane bigint;
  v_passed boolean;
begin
  perform app.fire_lane_alarms(p_tenant, p_lanes, 200);
  foreach v_passed in array array[false, true] loop
    select r.* into v_row
    from ready_directed d
    join ready r on r.tenant_id = d.tenant_id and r.task_id = d.task_id
    where d.tenant_id = p_tenant and d.expert_id = p_expert and d.lane_id = any (p_lanes)
      and not p_expert = any (r.excl) and p_expert = any (r.passed) = v_passed
    order by d.tag, d.task_id limit 1 for update of r skip locked;
    if found then
      return v_row;
    end if;
    for v_lane in select l.lane_id from unnest(p_lanes) as l(lane_id) order by random() loop
      select r.* into v_row from ready r
      where r.tenant_id = p_tenant and r.lane_id = v_lane and r.phase = 1
        and not p_expert = any (r.excl) and p_expert = any (r.passed) = v_passed
      order by r.tag, r.task_id limit 1 for update skip locked;
      if found then
        return v_row;
      end if;
      if not v_passed then
        select r.* into v_row from ready r
        where r.tenant_id = p_tenant and r.lane_id = v_lane and r.phase = 0
        order by r.tag, r.task_id limit 1 for update skip locked;
        if found then
          return v_row;
        end if;
      end if;
    end loop;
  end loop;
  return null;
end
$$;

-- Every queue row that this expert could be given, locked or not.
create function app.open_rows(p_tenant bigint, p_expert bigint, p_lanes bigint[]) returns table (task_id bigint) language sql stable as $$
  select d.task_id from ready_directed d
  join ready r on r.tenant_id = d.tenant_id and r.task_id = d.task_id
  where d.tenant_id = p_tenant and d.expert_id = p_expert and d.lane_id = any (p_lanes) and not p_expert = any (r.excl)
  union all
  select o.task_id from ready o
  where o.tenant_id = p_tenant and o.lane_id = any (p_lanes) and o.phase in (0, 1) and not p_expert = any (o.excl)
$$;

-- Whether "nothing" would be untrue: a row is open but held by another transaction, or a lease that has run out is not
-- yet returned. Nothing waits here, for two claims would wait for each other's alarms; the caller commits and asks again.
create function app.is_contended(p_tenant bigint, p_expert bigint, p_lanes bigint[]) returns boolean language sql volatile as $$
  select exists (select from app.open_rows(p_tenant, p_expert, p_lanes))
      or exists (select from lease_alarms l where l.tenant_id = p_tenant and l.lane_id = any (p_lanes) and l.due_at <= app.clock_now())
$$;

-- Makes the lease: one row per task and expert for life, so a task given back is taken again at the next epoch.
-- Returns null where this expert holds or has answered the task already (rule 3).
create function app.lease_task(p_row ready, p_expert bigint, p_project projects) returns assignments language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_task tasks;
  v_assignment assignments;
begin
  select * into strict v_task from tasks t where t.tenant_id = p_row.tenant_id and t.id = p_row.task_id;
  insert into assignments as a (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
                                state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency)
  values (p_row.tenant_id, p_row.task_id, p_expert, p_project.id, v_task.batch_id, p_project.customer_id, p_row.lane_id,
          p_row.free_slots[1], v_task.wanted, p_row.tag, 'LEASED', 1, p_project.lease_seconds, v_now,
          v_now + make_interval(secs => p_project.lease_seconds), v_now + make_interval(secs => 4 * p_project.lease_seconds),
          p_project.price_minor, p_project.currency)
  on conflict (tenant_id, task_id, expert_id) do update set
    state = 'LEASED', epoch = a.epoch + 1, slot = excluded.slot, wanted = excluded.wanted, tag = excluded.tag,
    lane_id = excluded.lane_id, lease_seconds = excluded.lease_seconds, leased_at = excluded.leased_at,
    lease_until = excluded.lease_until, hold_until = excluded.hold_until, ended_at = null,
    price_minor = excluded.price_minor, currency = excluded.currency
  where a.state in ('EXPIRED', 'RELEASED')
  returning * into v_assignment;
  if not found then
    return null;
  end if;
  perform app.take_slot(p_row, p_expert);
  insert into lease_alarms (tenant_id, assignment_id, epoch, lane_id, project_id, due_at)
  values (v_assignment.tenant_id, v_assignment.id, v_assignment.epoch, v_assignment.lane_id, v_assignment.project_id,
          v_assignment.lease_until - app.lease_warning(v_assignment.lease_seconds));
  perform app.append_lease_event(v_assignment, 'LEASED');
  return v_assignment;
end
$$;

-- Mints the payload URL of one claim and writes who was given it, in this transaction (rule 17).
create function app.grant_payload(p_assignment assignments, p_token_hash bytea, p_actor bigint, p_request text) returns void language plpgsql as $$
declare
  v_task tasks;
  v_log bigint;
begin
  select * into strict v_task from tasks t where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id;
  insert into access_log (tenant_id, actor_id, role, subject_type, subject_id, payload_key, purpose, request_id)
  values (p_assignment.tenant_id, p_actor, 'EXPERT', 'ASSIGNMENT', p_assignment.id, v_task.payload_key, 'WORK', p_request)
  returning id into v_log;
  insert into payload_grants (token_hash, tenant_id, access_log_id, assignment_id, epoch, expert_id, task_id, payload_key, content_type, created_at)
  values (p_token_hash, p_assignment.tenant_id, v_log, p_assignment.id, p_assignment.epoch, p_assignment.expert_id,
          p_assignment.task_id, v_task.payload_key, v_task.content_type, app.clock_now());
end
$$;

-- What a claim, a reclaim or the current assignment shows, draft included.
create function app.held_json(p_assignment assignments) returns jsonb language plpgsql stable as $$
begin
  return (
  select jsonb_build_object(
    'id', p_assignment.id, 'taskId', p_assignment.task_id, 'projectId', p_assignment.project_id,
    'epoch', p_assignment.epoch, 'leaseUntil', p_assignment.lease_until, 'leaseSeconds', p_assignment.lease_seconds,
    'secondsLeft', greatest(0, extract(epoch from p_assignment.lease_until - app.clock_now())),
    'priceMinor', p_assignment.price_minor::text, 'currency', p_assignment.currency,
    'externalId', t.external_id, 'payloadBytes', t.payload_bytes, 'contentType', t.content_type,
    'taskTypeId', p.task_type_id, 'draft', d.body, 'draftSavedAt', d.saved_at)
  from tasks t
  join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
  left join drafts d on d.tenant_id = t.tenant_id and d.assignment_id = p_assignment.id
  where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id
  );
end
$$;

-- Why there is nothing, in order of what the expert can do about it, and when to ask again: when the next lease of
-- their lanes is due, at most a minute, spread by a fifth so that a crowd does not come back at once.
create function app.empty_json(p_tenant bigint, p_expert bigint, p_skill bigint, p_lanes bigint[]) returns jsonb language plpgsql as $$
declare
  v_reason text;
  v_due double precision;
begin
  if exists (select from experts x where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'PAUSED') then
    v_reason := 'PAUSED';
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'NO_SKILL';
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert
                      and (p_skill is null or s.skill_id = p_skill) and s.status <> 'PAUSED') then
    v_reason := 'PAUSED';
  elsif exists (select from ready r join assignments a on a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert
                where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and p_expert = any (r.excl))
    and not exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and not exists (
                      select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert)) then
    v_reason := 'ALL_ANSWERED_BY_YOU';
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality > s.quality_lower
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'QUALITY_BELOW_MINIMUM';
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

-- One claim. The lock on the expert's own row makes two calls of one expert take turns: the second is given what the
-- first one took (rule 1), and a pause is either before the claim or after it (rule 5).
create function app.claim(p_tenant bigint, p_expert bigint, p_skill bigint, p_actor bigint, p_token_hash bytea, p_request text)
returns jsonb language plpgsql as $$
declare
  v_lanes bigint[];
  v_held assignments;
  v_row ready;
  v_project projects;
begin
  perform app.enter_service(p_tenant, p_actor);
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  end if;

  select * into v_held from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED';
  if found then
    perform from projects p where p.tenant_id = p_tenant and p.id = v_held.project_id for key share;
    if not app.expire_lease(p_tenant, v_held.id, v_held.epoch) then
      select * into v_held from assignments a
      where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED' and a.lease_until > app.clock_now();
      if found then
        perform app.grant_payload(v_held, p_token_hash, p_actor, p_request);
        return jsonb_build_object('outcome', 'HELD', 'assignment', app.held_json(v_held));
      end if;
    end if;
  end if;

  v_lanes := app.expert_lanes(p_tenant, p_expert, p_skill);
  perform app.fire_lane_alarms(p_tenant, v_lanes, 4);
  loop
    v_row := app.pick_ready(p_tenant, p_expert, v_lanes);
    if v_row.task_id is null then
      v_row := app.pick_ready_exact(p_tenant, p_expert, v_lanes);
    end if;
    if v_row.task_id is null and app.is_contended(p_tenant, p_expert, v_lanes) then
      return jsonb_build_object('outcome', 'BUSY', 'retryAfterSeconds', 1);
    elsif v_row.task_id is null then
      return app.empty_json(p_tenant, p_expert, p_skill, v_lanes);
    end if;
    -- Rule 9: the probe comes after the row's lock, and a cancel waits for that lock before it commits.
    select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_row.project_id;
    if v_project.state <> 'RUNNING' then
      perform app.close_task_queue(p_tenant, v_row.task_id);
      continue;
    end if;
    v_held := app.lease_task(v_row, p_expert, v_project);
    exit when v_held.id is not null;
    -- The row did not know that this expert had it before.
    update ready set excl = excl || p_expert, phase = greatest(phase, 1::smallint) where tenant_id = p_tenant and task_id = v_row.task_id;
  end loop;
  perform app.grant_payload(v_held, p_token_hash, p_actor, p_request);
  return jsonb_build_object('outcome', 'LEASED', 'assignment', app.held_json(v_held));
end
$$;

-- Whether the slot of an ended or lapsed assignment could be taken again by its expert just now. A slot is free where it
-- waits in the queue, and where the lease on it has run out and nobody has marked that yet.
create function app.is_reclaimable(p_assignment assignments) returns boolean language sql stable as $$
  select p_assignment.state in ('LEASED', 'EXPIRED', 'RELEASED')
     and p_assignment.lane_id = any (app.expert_lanes(p_assignment.tenant_id, p_assignment.expert_id, null))
     and exists (select from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id and p.state = 'RUNNING')
     and exists (select from tasks t where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id and t.state = 'OPEN')
     and (
       exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.task_id = p_assignment.task_id
                 and o.state = 'LEASED' and o.lease_until <= app.clock_now())
       or exists (select from ready r where r.tenant_id = p_assignment.tenant_id and r.task_id = p_assignment.task_id
                    and not p_assignment.expert_id = any (r.excl))
     )
     and not exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.expert_id = p_assignment.expert_id
                       and o.state = 'LEASED' and o.lease_until > app.clock_now())
$$;

-- Why an assignment cannot be worked on under this epoch; the caller's own assignment or NOT_FOUND.
create function app.lost_json(p_tenant bigint, p_expert bigint, p_assignment bigint, p_epoch integer) returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
begin
  select * into v_assignment from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  elsif v_assignment.state in ('SUBMITTED', 'ACCEPTED', 'REJECTED') then
    return jsonb_build_object('outcome', 'ALREADY_SUBMITTED');
  elsif v_assignment.state = 'CANCELLED' then
    return jsonb_build_object('outcome', 'PROJECT_CANCELLED');
  elsif v_assignment.state = 'FLAGGED' then
    return jsonb_build_object('outcome', 'ALREADY_FLAGGED');
  elsif v_assignment.state = 'LEASED' and v_assignment.lease_until > app.clock_now() and v_assignment.epoch <> p_epoch then
    return jsonb_build_object('outcome', 'STALE_EPOCH', 'currentEpoch', v_assignment.epoch);
  elsif v_assignment.state = 'LEASED' and v_assignment.lease_until > app.clock_now() then
    -- It had ended when the caller's statement looked, and a heartbeat that was on its way extended it since.
    return jsonb_build_object('outcome', 'LEASE_EXPIRED', 'reclaimable', true);
  end if;
  return jsonb_build_object('outcome', 'LEASE_EXPIRED', 'reclaimable', app.is_reclaimable(v_assignment));
end
$$;

-- Keeps what was typed under the epoch that typed it; an older epoch never overwrites a newer draft, and one that was
-- never given out does not stand in the way of those that will be.
create function app.save_draft(p_tenant bigint, p_expert bigint, p_assignment bigint, p_epoch integer, p_body text) returns void language sql volatile as $$
  insert into drafts as d (tenant_id, assignment_id, expert_id, epoch, body, saved_at)
  select p_tenant, p_assignment, p_expert, least(p_epoch, a.epoch), p_body, app.clock_now()
  from assignments a where a.tenant_id = p_tenant and a.id = p_assignment
  on conflict (tenant_id, assignment_id) do update
    set body = excluded.body, epoch = excluded.epoch, saved_at = excluded.saved_at
    where d.epoch <= excluded.epoch
$$;

-- Extends a lease, and keeps the draft. p_idle: seconds since a person last did anything. The lease moves only within
-- ten minutes of activity, never beyond four leases in all, never for a cancelled project or a paused expert; where it
-- does not move the caller still holds it until it ends. A draft is kept even after the lease has ended.
create function app.heartbeat(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_epoch integer, p_idle integer, p_draft text)
returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
  v_extend boolean;
  v_lost jsonb;
begin
  perform app.enter_service(p_tenant, p_actor);
  -- A pause or cancel is either before this or waits for it: what has been paused or cancelled is not extended.
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for share;
  perform from projects p
  join assignments a on a.tenant_id = p.tenant_id and a.project_id = p.id
  where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert for key share of p;
  select p_idle <= 600
         and exists (select from projects p where p.tenant_id = a.tenant_id and p.id = a.project_id and p.state = 'RUNNING')
         and a.lane_id = any (app.expert_lanes(p_tenant, p_expert, null))
  into v_extend
  from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert;
  update assignments a
  set lease_until = case when v_extend
        then greatest(a.lease_until, least(app.clock_now() + make_interval(secs => a.lease_seconds), a.hold_until))
        else a.lease_until end
  where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert
    and a.state = 'LEASED' and a.epoch = p_epoch and a.lease_until > app.clock_now()
  returning * into v_assignment;
  if not found then
    v_lost := app.lost_json(p_tenant, p_expert, p_assignment, p_epoch);
    if p_draft is not null and v_lost ->> 'outcome' = 'LEASE_EXPIRED' then
      perform app.save_draft(p_tenant, p_expert, p_assignment, p_epoch, p_draft);
    end if;
    return v_lost;
  end if;
  if p_draft is not null then
    perform app.save_draft(p_tenant, p_expert, p_assignment, p_epoch, p_draft);
  end if;
  return jsonb_build_object('outcome', 'OK', 'epoch', v_assignment.epoch, 'leaseUntil', v_assignment.lease_until,
    'leaseSeconds', v_assignment.lease_seconds, 'extended', v_extend and v_assignment.lease_until < v_assignment.hold_until,
    'secondsLeft', extract(epoch from v_assignment.lease_until - app.clock_now()));
end
$$;

create function app.receipt_json(p_assignment assignments, p_digest text) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object('outcome', 'SUBMITTED', 'assignmentId', p_assignment.id, 'digest', p_digest,
    'submittedAt', p_assignment.submitted_at, 'priceMinor', p_assignment.price_minor::text, 'currency', p_assignment.currency);
end
$$;

-- The task type that an answer under this assignment is judged by; null unless it is the expert's own assignment.
create function app.answer_type(p_tenant bigint, p_expert bigint, p_assignment bigint) returns bigint language plpgsql as $$
begin
  perform app.enter_service(p_tenant, null);
  return (select p.task_type_id from assignments a join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id
          where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert);
end
$$;

-- One submit (rule 4): the one conditional update decides. The answer, its values, the task's count, the payout and
-- the event are in the same transaction. p_values: [{dimension, text, number}].
create function app.submit(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_epoch integer,
                           p_body text, p_digest text, p_confidence real, p_values jsonb)
returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
  v_task tasks;
  v_now timestamptz(3) := app.clock_now();
begin
  perform app.enter_service(p_tenant, p_actor);
  update assignments a set state = 'SUBMITTED', submitted_at = v_now, ended_at = v_now
  where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert
    and a.state = 'LEASED' and a.epoch = p_epoch and a.lease_until > v_now
  returning * into v_assignment;
  if not found then
    return app.submit_again(p_tenant, p_expert, p_assignment, p_epoch, p_body, p_digest);
  end if;
  insert into answers (tenant_id, assignment_id, task_id, project_id, customer_id, expert_id, epoch, body, digest, confidence, submitted_at)
  values (p_tenant, p_assignment, v_assignment.task_id, v_assignment.project_id, v_assignment.customer_id, p_expert,
          p_epoch, p_body, p_digest, p_confidence, v_now);
  insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value, number_value)
  select p_tenant, p_assignment, v.dimension, v_assignment.task_id, v_assignment.customer_id, p_expert, v.text, v.number
  from jsonb_to_recordset(p_values) as v(dimension text, text text, number double precision);
  update tasks t
  set counted = t.counted + 1,
      state = case when t.counted + 1 >= t.wanted then 'DONE' else t.state end,
      done_at = case when t.counted + 1 >= t.wanted then v_now else t.done_at end
  where t.tenant_id = p_tenant and t.id = v_assignment.task_id
  returning * into strict v_task;
  if v_task.state = 'OPEN' and v_task.allow is not null then
    perform app.close_if_flagged(v_task, p.flag_quorum) from projects p
    where p.tenant_id = p_tenant and p.id = v_assignment.project_id;
  end if;
  delete from drafts d where d.tenant_id = p_tenant and d.assignment_id = p_assignment;
  perform app.post_earning(v_assignment, v_now);
  perform app.append_lease_event(v_assignment, 'SUBMITTED');
  return app.receipt_json(v_assignment, p_digest);
end
$$;

-- A submit that changed nothing: the same one again gets the same receipt; a late one is kept as a draft.
create function app.submit_again(p_tenant bigint, p_expert bigint, p_assignment bigint, p_epoch integer, p_body text, p_digest text)
returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
  v_answer answers;
  v_lost jsonb;
begin
  select * into v_answer from answers n where n.tenant_id = p_tenant and n.assignment_id = p_assignment and n.expert_id = p_expert;
  if found then
    if v_answer.digest <> p_digest or v_answer.epoch <> p_epoch then
      return jsonb_build_object('outcome', 'ALREADY_SUBMITTED');
    end if;
    select * into strict v_assignment from assignments a where a.tenant_id = p_tenant and a.id = p_assignment;
    return app.receipt_json(v_assignment, p_digest);
  end if;
  v_lost := app.lost_json(p_tenant, p_expert, p_assignment, p_epoch);
  if v_lost ->> 'outcome' = 'LEASE_EXPIRED' then
    perform app.save_draft(p_tenant, p_expert, p_assignment, p_epoch, p_body);
  end if;
  return v_lost;
end
$$;

-- Takes an expired or released assignment again at the next epoch, if its slot is still free and the expert holds
-- nothing else. Called while it is still held, it answers what is held.
create function app.reclaim(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_token_hash bytea, p_request text)
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
  if not v_assignment.lane_id = any (app.expert_lanes(p_tenant, p_expert, null)) then
    return jsonb_build_object('outcome', 'NOT_QUALIFIED');
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

-- Another payload URL for what the expert holds just now (a reload). Null where they hold nothing.
create function app.current_assignment(p_tenant bigint, p_expert bigint, p_actor bigint, p_token_hash bytea, p_request text) returns jsonb language plpgsql as $$
declare
  v_held assignments;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_held from assignments a
  where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED' and a.lease_until > app.clock_now();
  if not found then
    return null;
  end if;
  perform app.grant_payload(v_held, p_token_hash, p_actor, p_request);
  return app.held_json(v_held);
end
$$;

-- Gives a live assignment back. Again under the same epoch: the same answer.
create function app.release(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_epoch integer) returns jsonb language plpgsql as $$
declare
  v_assignment assignments;
  v_project bigint;
begin
  perform app.enter_service(p_tenant, p_actor);
  select a.project_id into v_project from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert;
  perform from projects p where p.tenant_id = p_tenant and p.id = v_project for key share;
  update assignments a set state = 'RELEASED', ended_at = app.clock_now()
  where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert
    and a.state = 'LEASED' and a.epoch = p_epoch and a.lease_until > app.clock_now()
  returning * into v_assignment;
  if found then
    perform app.return_slot(v_assignment, true);
    perform app.append_lease_event(v_assignment, 'RELEASED');
    return jsonb_build_object('outcome', 'OK');
  end if;
  if exists (select from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.expert_id = p_expert
               and a.state = 'RELEASED' and a.epoch = p_epoch) then
    return jsonb_build_object('outcome', 'OK');
  end if;
  return app.lost_json(p_tenant, p_expert, p_assignment, p_epoch);
end
$$;

-- Closes a task as FLAGGED where as many experts as the project's quorum have said that it cannot be answered, or all
-- who are left of those it is reserved for: else it would wait for ever. The caller has locked the task.
create function app.close_if_flagged(p_task tasks, p_quorum smallint) returns boolean language plpgsql as $$
declare
  v_flags integer;
begin
  select count(*) into v_flags from task_flags f where f.tenant_id = p_task.tenant_id and f.task_id = p_task.id;
  if p_task.state <> 'OPEN' or v_flags = 0 or v_flags < p_quorum and v_flags < (
    select case when p_task.allow is null then p_quorum else count(distinct e.expert_id) end
    from unnest(p_task.allow) as e(expert_id)
    where not e.expert_id = any (coalesce(p_task.block, '{}'))
      and not exists (select from assignments a where a.tenant_id = p_task.tenant_id and a.task_id = p_task.id
                        and a.expert_id = e.expert_id and a.submitted_at is not null)
  ) then
    return false;
  end if;
  update tasks t set state = 'FLAGGED' where t.tenant_id = p_task.tenant_id and t.id = p_task.id;
  perform app.close_task_queue(p_task.tenant_id, p_task.id);
  return true;
end
$$;

-- Says that a task cannot be answered. Its slot goes to another expert until the quorum is reached.
create function app.flag(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_epoch integer, p_reason text, p_note text) returns jsonb language plpgsql as $$
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
  select * into strict v_task from tasks t where t.tenant_id = p_tenant and t.id = v_assignment.task_id for update;
  v_closed := app.close_if_flagged(v_task, v_project.flag_quorum);
  if not v_closed then
    perform app.return_slot(v_assignment, false);
  end if;
  perform app.append_lease_event(v_assignment, 'FLAGGED');
  return jsonb_build_object('outcome', 'OK', 'taskClosed', v_closed);
end
$$;

-- Cancels a project (rule 9). STOP ends live leases in this transaction; FINISH lets each be submitted and paid within
-- its present lease. Again with the same policy: the same answer; FINISH may be tightened to STOP, not the reverse.
create function app.cancel_project(p_tenant bigint, p_actor bigint, p_project bigint, p_customer bigint, p_policy text) returns jsonb language plpgsql as $$
declare
  v_project projects;
  v_assignment assignments;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_project from projects p
  where p.tenant_id = p_tenant and p.id = p_project and (p_customer is null or p.customer_id = p_customer) for update;
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  end if;
  if v_project.cancel_policy = 'STOP' and p_policy = 'FINISH' then
    return jsonb_build_object('outcome', 'ALREADY_STOPPED');
  end if;
  update projects p set state = 'CANCELLED', cancel_policy = p_policy, cancelled_at = coalesce(p.cancelled_at, app.clock_now())
  where p.tenant_id = p_tenant and p.id = p_project;
  perform app.close_project_queue(p_tenant, p_project);
  if p_policy = 'STOP' then
    for v_assignment in
      update assignments a set state = 'CANCELLED', ended_at = app.clock_now()
      where a.tenant_id = p_tenant and a.project_id = p_project and a.state = 'LEASED'
      returning *
    loop
      perform app.append_lease_event(v_assignment, 'CANCELLED');
    end loop;
  end if;
  return jsonb_build_object('outcome', 'OK');
end
$$;
