-- Claims and submits, many of one tenant in one transaction: app.serve. Where there is one request it does what a call for
-- one would do; where many wait, they share the commit, the plans and the looks at the queue's heads, and never meet
-- each other's locks.
set local role touchstone_owner;

-- What waits to be served: a claim, a submit.
create type app.claim_request as (expert_id bigint, actor_id bigint, skill_id bigint, token_hash bytea, request_id text);
create type app.submission as (expert_id bigint, assignment_id bigint, epoch integer, body text, digest text, confidence real, "values" jsonb);

-- Fires due alarms of some lanes, except what is in another transaction's hands just now: at most p_each of a lane.
-- Returns how many.
drop function app.fire_lane_alarms(bigint, bigint[], integer);
create function app.fire_lane_alarms(p_tenant bigint, p_lanes bigint[], p_each integer) returns integer language plpgsql as $$
declare
  v_alarm lease_alarms;
  v_count integer := 0;
begin
  for v_alarm in
    select due.* from unnest(p_lanes) as l(lane_id)
    cross join lateral (
      select * from lease_alarms a where a.tenant_id = p_tenant and a.lane_id = l.lane_id and a.due_at <= app.clock_now()
      order by a.due_at limit p_each for update skip locked
    ) due
  loop
    if app.fire_alarm(v_alarm) then
      v_count := v_count + 1;
    end if;
  end loop;
  return v_count;
end
$$;

create function app.append_lease_events(p_assignments assignments[], p_kind text) returns void language plpgsql as $$
begin
  insert into stream_events (tenant_id, stream, kind, body, customer_id)
  select a.tenant_id, 'lease/project/' || a.project_id, p_kind, jsonb_build_object(
    'assignmentId', a.id, 'taskId', a.task_id, 'projectId', a.project_id, 'batchId', a.batch_id, 'expertId', a.expert_id,
    'epoch', a.epoch, 'leaseUntil', a.lease_until), a.customer_id
  from unnest(p_assignments) a;
end
$$;

-- Hands assignments over: mints the payload URLs and writes who was given them, in this transaction (rule 17), and tells
-- what held_json tells.
create function app.hand_over(p_assignments assignments[], p_requests app.claim_request[])
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
    'taskTypeId', g.task_type_id, 'draft', g.body, 'draftSavedAt', g.saved_at)
  from given g;
end
$$;

-- Takes slots of queue rows that the caller has locked: some leases of one task may come at once.
create function app.take_slots(p_tenant bigint, p_made assignments[]) returns void language plpgsql as $$
begin
  with made as materialized (
    select m.task_id, array_agg(m.slot) as slots, array_agg(m.expert_id) as experts from unnest(p_made) m group by m.task_id
  ), emptied as (
    delete from ready r using made m
    where r.tenant_id = p_tenant and r.task_id = m.task_id and r.free_slots <@ m.slots
  )
  update ready r
  set free_slots = array(select f.slot from unnest(r.free_slots) with ordinality as f(slot, n) where not f.slot = any (m.slots) order by f.n),
      phase = greatest(r.phase, 1::smallint), excl = r.excl || m.experts,
      passed = array(select b.expert from unnest(r.passed) as b(expert) where not b.expert = any (m.experts))
  from made m
  where r.tenant_id = p_tenant and r.task_id = m.task_id and not r.free_slots <@ m.slots;
end
$$;

-- The reserved rows' own queues follow.
create function app.take_directed(p_tenant bigint, p_made assignments[]) returns void language plpgsql as $$
begin
  delete from ready_directed d using unnest(p_made) m
  where d.tenant_id = p_tenant and d.task_id = m.task_id
    and (d.expert_id = m.expert_id or not exists (select from ready r where r.tenant_id = p_tenant and r.task_id = m.task_id));
end
$$;

-- Makes leases of locked queue rows: one row per task and expert for life, so a task given back is taken again at the
-- next epoch. p_tasks, p_experts, p_reasons and p_pressures go together; p_capped says that caps may have to be counted. What could not be leased is not in the answer:
-- no slot left, the project not running (rule 9: this looks after the rows were locked, and a cancel waits for those
-- locks before it commits), or a task that this expert holds or has answered already (rule 3).
create function app.lease_tasks(p_rows ready[], p_tasks bigint[], p_experts bigint[], p_reasons text[], p_pressures double precision[],
                                p_capped boolean)
returns assignments[] language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_made assignments[];
begin
  with pick as materialized (
    select k.expert_id, k.reason, k.pressure, r.tenant_id, r.task_id, r.project_id, r.lane_id, r.tag,
           r.free_slots[row_number() over (partition by k.task_id order by k.n)] as slot
    from unnest(p_tasks, p_experts, p_reasons, p_pressures) with ordinality as k(task_id, expert_id, reason, pressure, n)
    join unnest(p_rows) r on r.task_id = k.task_id
    where not k.expert_id = any (r.excl)
  ), made as (
    insert into assignments as a (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
                                  state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency,
                                  routing_reason, routing_pressure)
    select k.tenant_id, k.task_id, k.expert_id, p.id, t.batch_id, p.customer_id, k.lane_id, k.slot, t.wanted, k.tag,
           'LEASED', 1, p.lease_seconds, v_now, v_now + make_interval(secs => p.lease_seconds),
           v_now + make_interval(secs => 4 * p.lease_seconds), p.price_minor, p.currency,
           case when k.reason in ('NEXT', 'BEGUN') and f.lift > 1 and f.lifted_until > v_now then 'DEADLINE' else k.reason end,
           k.pressure
    from pick k
    join tasks t on t.tenant_id = k.tenant_id and t.id = k.task_id
    join projects p on p.tenant_id = k.tenant_id and p.id = k.project_id and p.state = 'RUNNING'
    left join flows f on f.tenant_id = k.tenant_id and f.lane_id = k.lane_id and f.project_id = k.project_id
    where k.slot is not null
    on conflict (tenant_id, task_id, expert_id) do update set
      state = 'LEASED', epoch = a.epoch + 1, slot = excluded.slot, wanted = excluded.wanted, tag = excluded.tag,
      lane_id = excluded.lane_id, lease_seconds = excluded.lease_seconds, leased_at = excluded.leased_at,
      lease_until = excluded.lease_until, hold_until = excluded.hold_until, ended_at = null,
      price_minor = excluded.price_minor, currency = excluded.currency,
      routing_reason = excluded.routing_reason, routing_pressure = excluded.routing_pressure
    where a.state in ('EXPIRED', 'RELEASED')
    returning a as lease
  )
  select coalesce(array_agg(m.lease), '{}') into v_made from made m;
  if v_made = '{}' then
    return v_made;
  end if;
  perform app.take_slots((v_made[1]).tenant_id, v_made);
  if exists (select from unnest(p_rows) r where r.phase = 2) then
    perform app.take_directed((v_made[1]).tenant_id, v_made);
  end if;
  if p_capped then
    perform app.count_taken(v_made);
  end if;
  insert into lease_alarms (tenant_id, assignment_id, epoch, lane_id, project_id, due_at)
  select m.tenant_id, m.id, m.epoch, m.lane_id, m.project_id, m.lease_until - app.lease_warning(m.lease_seconds)
  from unnest(v_made) m;
  perform app.append_lease_events(v_made, 'LEASED');
  return v_made;
end
$$;

-- One lease, for whoever has locked one row (reclaim, the exact look). Null where it cannot be.
create or replace function app.lease_task(p_row ready, p_expert bigint, p_project projects) returns assignments language plpgsql as $$
declare
  v_made assignments[] := app.lease_tasks(array[p_row], array[p_row.task_id], array[p_expert],
    array[case when p_row.phase = 2 then 'RESERVED' when p_row.phase = 1 then 'BEGUN' else 'NEXT' end], array[null::double precision], true);
begin
  return v_made[1];
end
$$;
drop function app.take_slot(ready, bigint);

-- Claims of several experts, none of them twice. Answers in their order: HELD, LEASED, NOT_FOUND; BUSY where something
-- was in other hands (ask again); LOOK where the quick look found nothing (ask app.claim_exact).
--
-- The experts' rows are locked first, so two claims of one expert take turns (rule 1) and a pause is before or after a
-- claim, never in it (rule 5). Then one look at the head of each lane that somebody wants serves all who want it:
--   lanes      of each expert in random order, the more pressed the sooner, each with a chance: one claim in sixteen takes
--              no notice of pressure, so a lane with work is looked at first by one of its experts in 16 n claims at
--              most on average, n being how many lanes the expert has
--   reserved   what an allow-list keeps for this expert comes first three times in four
--   begun      then a task that others have begun, unless it has waited so long (STALE) that the others must have passed it
--              over: then every second time only, so that untouched work of late projects is never behind a pile of it.
--              Every fourth look at begun tasks starts anywhere among them, so that none is hidden for good behind those
--              that all who come have had
--   untouched  the project whose turn it is, and of it one of the first four within a turn, at random. The first one then
--              waits at the place of the one that was given, so chance never moves the projects' shares
create function app.claim_all(p_tenant bigint, p_requests app.claim_request[]) returns jsonb[] language plpgsql as $$
declare
  c_turn constant bigint := 1000;
  c_stale constant bigint := 4000;
  c_rounds constant integer := 3;
  n constant integer := cardinality(p_requests);
  v_out jsonb[] := array_fill(null::jsonb, array[n]);
  v_experts bigint[] := array(select q.expert_id from unnest(p_requests) with ordinality as q(expert_id, a, s, h, r, i) order by i);
  v_locked bigint[];
  v_capped bigint[];
  v_has_cap boolean;
  v_lapsed assignments;
  v_live assignments[] := '{}';
  -- Requests that want a task, and whether they take no notice of pressure.
  w_i integer[] := '{}';
  w_even boolean[] := '{}';
  -- Their lanes, in the order to try them: rows of request l_i.
  l_i integer[]; l_lane bigint[]; l_begun bigint[]; l_untouched bigint[]; l_pressure double precision[]; l_reason text[];
  v_first bigint[];
  -- Projects barred to a request, and what is reserved for it.
  b_i integer[]; b_project bigint[]; v_barred bigint[] := '{}';
  d_i integer[]; d_at integer[] := '{}';
  v_directed ready[];
  -- Rows seen, with the slots that this batch has left them; where each lane's rows stand among them.
  c_row ready[] := '{}'; c_left integer[] := '{}';
  k_lane bigint[] := '{}'; k_from integer[] := '{}'; k_to integer[] := '{}';
  v_new ready[];
  -- What was chosen.
  -- First rows that were passed over, and the tags they wait at now.
  s_task bigint[]; s_tag bigint[];
  q_i integer[]; q_at integer[]; q_task bigint[]; q_expert bigint[]; q_reason text[]; q_pressure double precision[];
  v_rows ready[]; v_made assignments[];
  v_i integer; v_j integer; v_k integer; v_l integer; v_lp integer; v_bp integer; v_bq integer; v_w integer;
  v_expert bigint; v_row ready; v_pick integer; v_begun integer; v_fresh integer; v_near integer; v_at integer; v_reserved integer; v_reason text;
  v_got record;
begin
  with locked as materialized (
    select x.id, x.daily_cap from experts x
    where x.tenant_id = p_tenant and x.id = any (v_experts) for no key update skip locked
  )
  select coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.id) filter (where l.daily_cap is not null), '{}')
  into v_locked, v_capped from locked l;
  if cardinality(v_locked) < n then
    for v_got in select q.i, exists (select from experts x where x.tenant_id = p_tenant and x.id = q.expert_id) as exists
             from unnest(v_experts) with ordinality as q(expert_id, i) where not q.expert_id = any (v_locked) loop
      v_out[v_got.i] := jsonb_build_object('outcome', case when v_got.exists then 'BUSY' else 'NOT_FOUND' end);
    end loop;
  end if;

  for v_lapsed in
    -- One by one: for all at once the planner may read every live lease there is.
    select a.* from unnest(v_locked) as e(id)
    cross join lateral (
      select o.* from assignments o where o.tenant_id = p_tenant and o.expert_id = e.id and o.state = 'LEASED' limit 1
    ) a
  loop
    if v_lapsed.lease_until > app.clock_now() then
      v_live := v_live || v_lapsed;
    elsif not app.expire_if_free(v_lapsed) then
      v_out[array_position(v_experts, v_lapsed.expert_id)] := jsonb_build_object('outcome', 'BUSY');
    end if;
  end loop;
  if v_live <> '{}' then
    for v_got in select * from app.hand_over(v_live, p_requests) loop
      v_out[array_position(v_experts, v_got.expert_id)] := jsonb_build_object('outcome', 'HELD', 'assignment', v_got.held);
    end loop;
  end if;

  for v_i in 1 .. n loop
    if v_out[v_i] is null then
      w_i := w_i || v_i;
      w_even := w_even || (app.chance() < 0.0625);
    end if;
  end loop;
  if w_i = '{}' then
    return v_out;
  end if;

  select array_agg(s.i), array_agg(s.lane_id), array_agg(s.low_begun), array_agg(s.low_untouched), array_agg(s.pressure), array_agg(s.reason)
  into l_i, l_lane, l_begun, l_untouched, l_pressure, l_reason
  from (
    select e.i, o.*,
           case when o.pressure = max(o.pressure) over mine
                 and o.pressure >= 1.5 * min(o.pressure) filter (where o.pressure > 0) over mine then 'SCARCE_SKILL'
                when o.preference = 1 then 'PREFERRED' else 'NEXT' end as reason,
           -ln(1 - app.chance()) / case when e.even then 1
             else power(greatest(0.05, least(20, o.pressure)), 2) * power(4, o.preference) end as turn
    from unnest(w_i, w_even) as e(i, even)
    cross join lateral app.lanes_of(p_tenant, v_experts[e.i], (p_requests[e.i]).skill_id) o
    window mine as (partition by e.i)
    order by e.i, turn, o.lane_id
  ) s;
  l_i := coalesce(l_i, '{}');

  select array_agg(e.i order by e.i), array_agg(b.project_id order by e.i) into b_i, b_project
  from unnest(w_i) as e(i)
  cross join lateral (
    select p.id as project_id from conflicts c
    join projects p on p.tenant_id = c.tenant_id and p.customer_id = c.customer_id
    where c.tenant_id = p_tenant and c.expert_id = v_experts[e.i] and p.state = 'RUNNING'
    union all
    select y.project_id from tallies y
    join projects p on p.tenant_id = y.tenant_id and p.id = y.project_id and p.state = 'RUNNING'
    where y.tenant_id = p_tenant and y.expert_id = v_experts[e.i] and y.is_full
  ) b;

  select array_agg(e.i), array_agg(d.row) into d_i, v_directed
  from unnest(w_i) as e(i)
  cross join lateral (
    select r as row from ready_directed d
    join ready r on r.tenant_id = d.tenant_id and r.task_id = d.task_id
    where d.tenant_id = p_tenant and d.expert_id = v_experts[e.i]
      and not v_experts[e.i] = any (r.excl) and not v_experts[e.i] = any (r.passed)
      and exists (select from unnest(l_i, l_lane) as m(i, lane) where m.i = e.i and m.lane = d.lane_id)
      and not exists (select from unnest(b_i, b_project) as b(i, project) where b.i = e.i and b.project = r.project_id)
    order by d.tag, d.task_id limit 4
  ) d;
  -- A reserved row may be several experts': it stands among the rows seen once.
  for v_j in 1 .. coalesce(cardinality(d_i), 0) loop
    v_k := array_position(array(select (x).task_id from unnest(c_row) x), (v_directed[v_j]).task_id);
    if v_k is null then
      c_row := c_row || v_directed[v_j];
      c_left := c_left || cardinality((v_directed[v_j]).free_slots);
      v_k := cardinality(c_row);
    end if;
    d_at := d_at || v_k;
  end loop;

  v_first := array(select distinct on (s.i) s.lane from unnest(l_i, l_lane) with ordinality as s(i, lane, at) order by s.i, s.at);
  -- Every second time only, and few: when many leases end at once, the runner of alarms is quicker, and claims go on.
  if app.chance() < 0.5 then
    perform app.fire_lane_alarms(p_tenant, array(select distinct unnest(v_first) limit 1 + n / 8), 1);
  end if;

  -- Who was given a row that turned out to be in other hands chooses again, untouched work first: begun rows that a
  -- transaction has are often many, those of leases that end together.
  for v_round in 1 .. c_rounds loop
    s_task := '{}'; s_tag := '{}'; q_i := '{}'; q_at := '{}'; q_task := '{}'; q_expert := '{}'; q_reason := '{}'; q_pressure := '{}';
    v_lp := 1;
    v_bp := 1;
    for v_w in 1 .. cardinality(w_i) loop
      v_i := w_i[v_w];
      continue when v_out[v_i] is not null;
      v_expert := v_experts[v_i];
      while l_i[v_lp] < v_i loop
        v_lp := v_lp + 1;
      end loop;
      if b_i is not null then
        while b_i[v_bp] < v_i loop
          v_bp := v_bp + 1;
        end loop;
        v_bq := v_bp;
        while b_i[v_bq] = v_i loop
          v_bq := v_bq + 1;
        end loop;
        v_barred := b_project[v_bp : v_bq - 1];
      end if;
      if v_expert = any (v_capped) and app.is_day_full(p_tenant, v_expert) then
        v_out[v_i] := jsonb_build_object('outcome', 'LOOK');
        continue;
      end if;
      v_pick := null;
      v_fresh := null;
      v_reserved := null;
      for v_j in 1 .. coalesce(cardinality(d_i), 0) loop
        if d_i[v_j] = v_i and c_left[d_at[v_j]] > 0 then
          v_reserved := d_at[v_j];
          exit;
        end if;
      end loop;
      if v_reserved is not null and app.chance() < 0.75 then
        v_pick := v_reserved;
        v_reason := 'RESERVED';
      end if;
      v_l := v_lp;
      while v_pick is null and l_i[v_l] = v_i loop
        v_k := array_position(k_lane, l_lane[v_l]);
        if v_k is null then
          v_new := app.lane_rows(p_tenant, l_lane[v_l], l_begun[v_l], l_untouched[v_l],
            1 + cardinality(array_positions(v_first, l_lane[v_l])), case when app.chance() < 0.25 then app.chance() else 0 end);
          k_lane := k_lane || l_lane[v_l];
          k_from := k_from || cardinality(c_row) + 1;
          c_row := c_row || v_new;
          for v_j in 1 .. cardinality(v_new) loop
            c_left := c_left || cardinality((v_new[v_j]).free_slots);
          end loop;
          k_to := k_to || cardinality(c_row);
          v_k := cardinality(k_lane);
        end if;
        v_begun := null;
        v_fresh := null;
        for v_j in k_from[v_k] .. k_to[v_k] loop
          continue when c_left[v_j] = 0;
          v_row := c_row[v_j];
          continue when v_row.project_id = any (v_barred);
          if v_row.phase = 0 and c_left[v_j] = v_row.need then
            if v_fresh is null then
              v_fresh := v_j;
              v_pick := v_j;
              v_near := 1;
            else
              exit when v_near = 4 or v_row.tag > (c_row[v_fresh]).tag + c_turn;
              continue when v_row.project_id <> (c_row[v_fresh]).project_id;
              v_near := v_near + 1;
              if app.chance() > 1 - 1.0 / v_near then
                v_pick := v_j;
              end if;
            end if;
          elsif v_begun is null and not v_expert = any (v_row.excl) and not v_expert = any (v_row.passed) then
            v_begun := v_j;
          end if;
        end loop;
        v_reason := l_reason[v_l];
        if v_begun is not null and (v_fresh is null or v_round = 1 and (c_row[v_begun]).tag <= (c_row[v_fresh]).tag + c_turn
            and ((c_row[v_begun]).tag >= (c_row[v_fresh]).tag - c_stale or app.chance() < 0.5)) then
          v_pick := v_begun;
          if v_reason = 'NEXT' then
            v_reason := 'BEGUN';
          end if;
        end if;
        if v_pick is null and v_barred <> '{}' then
          -- The head may be all of projects that this expert is barred from: go by the heads of the others.
          v_row := app.first_ready(p_tenant, v_expert, l_lane[v_l], 0::smallint, false, v_barred);
          v_at := array_position(array(select (x).task_id from unnest(c_row) x), v_row.task_id);
          if v_row.task_id is not null and v_at is null then
            c_row := c_row || v_row;
            c_left := c_left || cardinality(v_row.free_slots);
            v_at := cardinality(c_row);
          end if;
          if c_left[v_at] > 0 then
            v_pick := v_at;
          end if;
        end if;
        exit when v_pick is not null;
        v_l := v_l + 1;
      end loop;
      if v_pick is null and v_reserved is not null then
        v_pick := v_reserved;
        v_reason := 'RESERVED';
      end if;
      if v_pick is null then
        v_out[v_i] := jsonb_build_object('outcome', 'LOOK');
        continue;
      end if;
      if v_pick <> v_fresh and (c_row[v_pick]).phase = 0 and c_left[v_pick] = (c_row[v_pick]).need then
        v_row := c_row[v_fresh];
        c_row[v_fresh] := c_row[v_pick];
        v_row.tag := (c_row[v_pick]).tag;
        c_row[v_pick] := v_row;
        c_left[v_pick] := v_row.need;
        c_left[v_fresh] := (c_row[v_fresh]).need;
        v_at := array_position(s_task, v_row.task_id);
        s_task[coalesce(v_at, cardinality(s_task) + 1)] := v_row.task_id;
        s_tag[coalesce(v_at, cardinality(s_tag) + 1)] := v_row.tag;
        v_pick := v_fresh;
      end if;
      c_left[v_pick] := c_left[v_pick] - 1;
      q_i := q_i || v_i;
      q_at := q_at || v_pick;
      q_task := q_task || (c_row[v_pick]).task_id;
      q_expert := q_expert || v_expert;
      q_reason := q_reason || v_reason;
      q_pressure := q_pressure || case when v_reason <> 'RESERVED' then l_pressure[v_l] end;
    end loop;
    exit when q_i = '{}';

    with locked as materialized (
      select r as row, exists (select from projects p where p.tenant_id = r.tenant_id and p.id = r.project_id
                                 and p.max_per_expert is not null) as has_cap
      from ready r where r.tenant_id = p_tenant and r.task_id = any (q_task || s_task) for update of r skip locked
    )
    select array_agg(l.row), v_capped <> '{}' or bool_or(l.has_cap) into v_rows, v_has_cap from locked l;
    if s_task <> '{}' then
      update ready r set tag = s.tag
      from unnest(s_task, s_tag) as s(task_id, tag)
      join unnest(v_rows) l on l.task_id = s.task_id
      where r.tenant_id = p_tenant and r.task_id = s.task_id and r.phase = 0;
    end if;
    v_made := app.lease_tasks(v_rows, q_task, q_expert, q_reason, q_pressure, v_has_cap);
    if v_made <> '{}' then
      for v_got in select * from app.hand_over(v_made, p_requests) loop
        v_out[array_position(v_experts, v_got.expert_id)] := jsonb_build_object('outcome', 'LEASED', 'assignment', v_got.held);
      end loop;
    end if;
    for v_j in 1 .. cardinality(q_i) loop
      if v_out[q_i[v_j]] is null then
        perform app.pass_over(p_tenant, q_task[v_j], q_expert[v_j]);
        c_left[q_at[v_j]] := 0;
      end if;
    end loop;
  end loop;
  for v_j in 1 .. n loop
    v_out[v_j] := coalesce(v_out[v_j], jsonb_build_object('outcome', 'BUSY'));
  end loop;
  return v_out;
end
$$;

-- The head of a lane: begun rows first, then untouched ones. Bounded looks, so that neither a long history nor a long
-- backlog costs anything; the marks spare the walk over what is dead. p_into: how far into the begun rows the look starts,
-- 0 at their first, near 1 where the untouched ones begin.
create function app.lane_rows(p_tenant bigint, p_lane bigint, p_low_begun bigint, p_low_untouched bigint, p_wanted integer,
                              p_into double precision default 0)
returns ready[] language plpgsql stable as $$
declare
  v_from bigint := p_low_begun;
begin
  if p_into > 0 then
    select p_low_begun + floor(p_into * greatest(0, r.tag - p_low_begun))::bigint into v_from from ready r
    where r.tenant_id = p_tenant and r.lane_id = p_lane and r.phase = 0 and r.tag >= p_low_untouched
    order by r.tag limit 1;
    v_from := coalesce(v_from, p_low_begun);
  end if;
  return array(
    select h.row from (
      (select r as row, r.phase, r.tag, r.task_id from ready r
       where r.tenant_id = p_tenant and r.lane_id = p_lane and r.phase = 1 and r.tag >= v_from
       order by r.tag, r.task_id limit 15 + p_wanted)
      union all
      (select r, r.phase, r.tag, r.task_id from ready r
       where r.tenant_id = p_tenant and r.lane_id = p_lane and r.phase = 0 and r.tag >= p_low_untouched
       order by r.tag, r.task_id limit 3 + p_wanted)
    ) h
    order by h.phase desc, h.tag, h.task_id);
end
$$;

-- Ends a lease that has run out, unless something of it is in other hands.
create function app.expire_if_free(p_assignment assignments) returns boolean language plpgsql as $$
begin
  perform from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id for key share skip locked;
  if not found then
    return false;
  end if;
  perform from assignments a where a.tenant_id = p_assignment.tenant_id and a.id = p_assignment.id for no key update skip locked;
  if not found then
    return false;
  end if;
  perform from tasks t where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id for update skip locked;
  if not found then
    return false;
  end if;
  return app.expire_lease(p_assignment.tenant_id, p_assignment.id, p_assignment.epoch);
end
$$;

-- A queue row that could not be given: out of the queue where its project has ended, and marked for an expert who has
-- had the task before, so that asking again gets on.
create function app.pass_over(p_tenant bigint, p_task bigint, p_expert bigint) returns void language plpgsql as $$
begin
  if exists (select from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
             where t.tenant_id = p_tenant and t.id = p_task and p.state <> 'RUNNING') then
    perform app.close_task_queue(p_tenant, p_task);
  elsif exists (select from assignments a where a.tenant_id = p_tenant and a.task_id = p_task and a.expert_id = p_expert
                  and a.state not in ('EXPIRED', 'RELEASED')) then
    update ready r set excl = r.excl || p_expert, phase = greatest(r.phase, 1::smallint)
    where r.tenant_id = p_tenant and r.task_id = p_task and not p_expert = any (r.excl);
  end if;
end
$$;

-- One claim that looks at everything before it says that there is nothing: exact, slower, and one at a time.
create function app.claim_exact(p_tenant bigint, p_expert bigint, p_skill bigint, p_actor bigint, p_token_hash bytea, p_request text)
returns jsonb language plpgsql as $$
declare
  v_lanes bigint[];
  v_barred bigint[];
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
  v_barred := app.barred_projects(p_tenant, p_expert);
  if app.is_day_full(p_tenant, p_expert) then
    return app.empty_json(p_tenant, p_expert, p_skill, v_lanes);
  end if;
  loop
    v_row := app.pick_exact(p_tenant, p_expert, v_lanes, v_barred);
    if v_row.task_id is null and app.is_contended(p_tenant, p_expert, v_lanes, v_barred) then
      return jsonb_build_object('outcome', 'BUSY');
    elsif v_row.task_id is null then
      return app.empty_json(p_tenant, p_expert, p_skill, v_lanes);
    end if;
    select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_row.project_id;
    v_held := app.lease_task(v_row, p_expert, v_project);
    exit when v_held.id is not null;
    perform app.pass_over(p_tenant, v_row.task_id, p_expert);
  end loop;
  perform app.grant_payload(v_held, p_token_hash, p_actor, p_request);
  return jsonb_build_object('outcome', 'LEASED', 'assignment', app.held_json(v_held));
end
$$;

-- One claim by itself: the quick look, then the exact one.
create or replace function app.claim(p_tenant bigint, p_expert bigint, p_skill bigint, p_actor bigint, p_token_hash bytea, p_request text)
returns jsonb language plpgsql as $$
declare
  v_out jsonb;
begin
  perform app.enter_service(p_tenant, p_actor);
  v_out := (app.claim_all(p_tenant, array[(p_expert, p_actor, p_skill, p_token_hash, p_request)::app.claim_request]))[1];
  if v_out ->> 'outcome' in ('LOOK', 'BUSY') then
    return app.claim_exact(p_tenant, p_expert, p_skill, p_actor, p_token_hash, p_request);
  end if;
  return v_out;
end
$$;

-- Posts what assignments earn: two lines each, from the customer to the expert. The unique index on payouts refuses a
-- second one of a kind.
create function app.post_earnings(p_assignments assignments[], p_at timestamptz) returns void language plpgsql as $$
begin
  with earned as materialized (
    select a.*, nextval('postings_id_seq') as posting_id from unnest(p_assignments) a
  ), posted as (
    insert into postings (tenant_id, id, kind, project_id, created_at) overriding system value
    select e.tenant_id, e.posting_id, 'EARNING', e.project_id, p_at from earned e
  ), lined as (
    insert into ledger_lines (tenant_id, posting_id, line_no, owner_kind, owner_id, currency, amount_minor)
    select e.tenant_id, e.posting_id, l.line_no, l.owner_kind, l.owner_id, e.currency, l.amount_minor
    from earned e
    cross join lateral (values (1, 'EXPERT', e.expert_id, e.price_minor), (2, 'CUSTOMER', e.customer_id, -e.price_minor))
      as l(line_no, owner_kind, owner_id, amount_minor)
  ), paid as (
    insert into payouts (tenant_id, assignment_id, kind, posting_id, expert_id, customer_id, project_id, amount_minor, currency, created_at)
    select e.tenant_id, e.id, 'EARNING', e.posting_id, e.expert_id, e.customer_id, e.project_id, e.price_minor, e.currency, p_at
    from earned e
  )
  insert into ledger_outbox (tenant_id, posting_id) select e.tenant_id, e.posting_id from earned e;
end
$$;
grant usage on sequence postings_id_seq to touchstone_app;

create or replace function app.post_earning(p_assignment assignments, p_at timestamptz) returns void language plpgsql as $$
begin
  perform app.post_earnings(array[p_assignment], p_at);
end
$$;

-- Submits of several assignments, none of them twice (rule 4): the one conditional update decides. Answers, their values,
-- the tasks' counts, the payouts and the events are in the same transaction. Answers in the order given.
create function app.submit_all(p_tenant bigint, p_submissions app.submission[]) returns jsonb[] language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_out jsonb[] := array_fill(null::jsonb, array[cardinality(p_submissions)]);
  v_won assignments[];
  v_flagged tasks[];
  v_task tasks;
  v_given app.submission;
  v_one assignments;
begin
  -- LIKE, for with = the planner sees that the index of live leases would do: it then reads all of them to find a few, and
  -- knows of less than there are.
  with won as (
    update assignments a set state = 'SUBMITTED', submitted_at = v_now, ended_at = v_now
    from unnest(p_submissions) s
    where a.tenant_id = p_tenant and a.id = s.assignment_id and a.expert_id = s.expert_id
      and a.state like 'LEASED' and a.epoch = s.epoch and a.lease_until > v_now
    returning a as row
  )
  select coalesce(array_agg(w.row), '{}') into v_won from won w;
  if v_won <> '{}' then
    with stored as materialized (
      select w.task_id, w.project_id, w.customer_id, s.* from unnest(v_won) w join unnest(p_submissions) s on s.assignment_id = w.id
    ), answered as (
      insert into answers (tenant_id, assignment_id, task_id, project_id, customer_id, expert_id, epoch, body, digest, confidence, submitted_at)
      select p_tenant, s.assignment_id, s.task_id, s.project_id, s.customer_id, s.expert_id, s.epoch, s.body, s.digest, s.confidence, v_now
      from stored s
    )
    insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value, number_value)
    select p_tenant, s.assignment_id, v.dimension, s.task_id, s.customer_id, s.expert_id, v.text, v.number
    from stored s
    cross join lateral jsonb_to_recordset(s."values") as v(dimension text, text text, number double precision);

    with gone as (
      delete from lease_alarms l using unnest(v_won) w
      where l.tenant_id = p_tenant and l.assignment_id = w.id and l.epoch = w.epoch
    ), cleared as (
      delete from drafts d using unnest(v_won) w where d.tenant_id = p_tenant and d.assignment_id = w.id
    ), counts as materialized (
      select w.task_id, count(*)::smallint as answers from unnest(v_won) w group by w.task_id
    ), counted as (
      update tasks t
      set counted = t.counted + c.answers,
          state = case when t.counted + c.answers >= t.wanted then 'DONE' else t.state end,
          done_at = case when t.counted + c.answers >= t.wanted then v_now else t.done_at end
      from counts c where t.tenant_id = p_tenant and t.id = c.task_id
      returning t as row
    )
    select array_agg(c.row) filter (where (c.row).state = 'OPEN' and (c.row).allow is not null) into v_flagged from counted c;
    foreach v_task in array coalesce(v_flagged, '{}') loop
      perform app.close_if_flagged(v_task, p.flag_quorum) from projects p
      where p.tenant_id = p_tenant and p.id = v_task.project_id;
    end loop;
    perform app.post_earnings(v_won, v_now);
    perform app.append_lease_events(v_won, 'SUBMITTED');
    foreach v_one in array v_won loop
      for j in 1 .. cardinality(p_submissions) loop
        if (p_submissions[j]).assignment_id = v_one.id then
          v_out[j] := app.receipt_json(v_one, (p_submissions[j]).digest);
        end if;
      end loop;
    end loop;
  end if;
  for j in 1 .. cardinality(p_submissions) loop
    if v_out[j] is null then
      v_given := p_submissions[j];
      v_out[j] := app.submit_again(p_tenant, v_given.expert_id, v_given.assignment_id, v_given.epoch, v_given.body, v_given.digest);
    end if;
  end loop;
  return v_out;
end
$$;

create or replace function app.submit(p_tenant bigint, p_expert bigint, p_actor bigint, p_assignment bigint, p_epoch integer,
                                      p_body text, p_digest text, p_confidence real, p_values jsonb)
returns jsonb language plpgsql as $$
begin
  perform app.enter_service(p_tenant, p_actor);
  return (app.submit_all(p_tenant, array[(p_expert, p_assignment, p_epoch, p_body, p_digest, p_confidence, p_values)::app.submission]))[1];
end
$$;

-- A batch: submits, then claims, in one transaction. Answers {submits: [...], claims: [...]} in the order given; see
-- app.submit_all and app.claim_all. A refusal is an outcome; an error leaves nothing of the whole batch.
--
-- One batch of a tenant's claims at a time, over all nodes, and one of its submits: batches of a kind side by side only
-- step over each other's rows. Whoever waits
-- longer than a moment for a row that somebody else holds gives the batch up, and its requests are run one by one.
create function app.serve(p_tenant bigint, p_submits jsonb, p_claims jsonb) returns jsonb language plpgsql as $$
declare
  v_submissions app.submission[];
  v_requests app.claim_request[];
begin
  perform set_config('lock_timeout', '500ms', true);
  if p_submits <> '[]' then
    perform pg_advisory_xact_lock(7247, hashint8(p_tenant));
  end if;
  if p_claims <> '[]' then
    perform pg_advisory_xact_lock(7246, hashint8(p_tenant));
  end if;
  perform app.enter_service(p_tenant, null);
  v_submissions := array(
    select (s.expert, s.assignment, s.epoch, s.body, s.digest, s.confidence, s."values")::app.submission
    from rows from (jsonb_to_recordset(p_submits) as (expert bigint, assignment bigint, epoch integer, body text,
      digest text, confidence real, "values" jsonb)) with ordinality as s order by s.ordinality);
  v_requests := array(
    select (c.expert, c.actor, c.skill, decode(c."tokenHash", 'hex'), c."requestId")::app.claim_request
    from rows from (jsonb_to_recordset(p_claims) as (expert bigint, actor bigint, skill bigint, "tokenHash" text,
      "requestId" text)) with ordinality as c order by c.ordinality);
  return jsonb_build_object(
    'submits', case when v_submissions = '{}' then '[]' else to_jsonb(app.submit_all(p_tenant, v_submissions)) end,
    'claims', case when v_requests = '{}' then '[]' else to_jsonb(app.claim_all(p_tenant, v_requests)) end);
end
$$;
