-- Rows are found one by one by their keys and touched by their places (docs/decisions/0093).
--
-- Plans of claims and submits are kept, and may be made while tables are empty. Of an array against such a table the planner thinks
-- ten rows against one, and may begin from the table: it then reads all rows of the tenant by an index on the tenant alone, and later
-- there are many. So the array drives by force: a lateral look that ends in a limit, or locks. That look would still be
-- as good by any index that begins with the tenant, for in an empty table one row is one row: it asks for a range of one key in the
-- order of keys, which only the index of keys has. What is touched is then touched by its place (ctid), in a statement after the one that locked
-- it: the version that a lock waited for is not in the snapshot of its own statement. A limit by a number that the planner does not know
-- counts as a tenth of what is there: one place, which is looked at directly.
set local role touchstone_owner;

-- Takes slots of queue rows that the caller has locked: some leases of one task may come at once.
create or replace function app.take_slots(p_tenant bigint, p_made assignments[]) returns void language plpgsql as $$
begin
  with made as materialized (
    select m.slots, m.experts, h.place, h.free_slots <@ m.slots as is_emptied
    from (select m.task_id, array_agg(m.slot) as slots, array_agg(m.expert_id) as experts from unnest(p_made) m group by m.task_id) m
    cross join lateral (
      select r.ctid as place, r.free_slots from ready r
      where r.tenant_id = p_tenant and r.task_id between m.task_id and m.task_id order by r.task_id limit 1
    ) h
  ), emptied as (
    delete from ready r using (select m.place from made m where m.is_emptied limit cardinality(p_made)) m
    where r.ctid = m.place
  )
  update ready r
  set free_slots = array(select f.slot from unnest(r.free_slots) with ordinality as f(slot, n) where not f.slot = any (m.slots) order by f.n),
      phase = greatest(r.phase, 1::smallint), excl = r.excl || m.experts,
      passed = array(select b.expert from unnest(r.passed) as b(expert) where not b.expert = any (m.experts))
  from (select * from made o where not o.is_emptied limit cardinality(p_made)) m
  where r.ctid = m.place;
end
$$;

-- As before; each task, project and flow is looked up by its key.
create or replace function app.lease_tasks(p_rows ready[], p_tasks bigint[], p_experts bigint[], p_reasons text[], p_pressures double precision[],
                                p_capped boolean)
returns assignments[] language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_made assignments[];
  v_golds bigint[] := '{}';
  v_shown assignments[];
begin
  if exists (select from unnest(p_rows) r where r.is_gold) then
    with locked as materialized (
      select o.task_id from golds o
      where o.tenant_id = (p_rows[1]).tenant_id and o.task_id = any (array(select r.task_id from unnest(p_rows) r where r.is_gold))
        and o.state = 'ACTIVE' for no key update skip locked
    )
    select coalesce(array_agg(l.task_id), '{}') into v_golds from locked l;
  end if;
  with pick as materialized (
    select k.expert_id, k.reason, k.pressure, r.tenant_id, r.task_id, r.project_id, r.lane_id, r.tag,
           r.free_slots[row_number() over (partition by k.task_id order by k.n)] as slot
    from unnest(p_tasks, p_experts, p_reasons, p_pressures) with ordinality as k(task_id, expert_id, reason, pressure, n)
    join unnest(p_rows) r on r.task_id = k.task_id
    where not k.expert_id = any (r.excl) and (not r.is_gold or r.task_id = any (v_golds))
  ), made as (
    insert into assignments as a (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
                                  state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency,
                                  routing_reason, routing_pressure)
    select k.tenant_id, k.task_id, k.expert_id, p.id, coalesce(t.batch_id, 0), t.customer_id, k.lane_id, k.slot, t.wanted, k.tag,
           'LEASED', 1, p.lease_seconds, v_now, v_now + make_interval(secs => p.lease_seconds),
           v_now + make_interval(secs => 4 * p.lease_seconds), p.price_minor, p.currency,
           case when k.reason in ('NEXT', 'BEGUN') and f.lift > 1 and f.lifted_until > v_now then 'DEADLINE' else k.reason end,
           k.pressure
    from pick k
    cross join lateral (
      select o.batch_id, o.customer_id, o.wanted from tasks o where o.tenant_id = k.tenant_id and o.id between k.task_id and k.task_id
      order by o.id limit 1
    ) t
    cross join lateral (
      select o.id, o.state, o.lease_seconds, o.price_minor, o.currency from projects o
      where o.tenant_id = k.tenant_id and o.id between k.project_id and k.project_id
      order by o.id limit 1
    ) p
    left join lateral (
      select o.lift, o.lifted_until from flows o
      where o.tenant_id = k.tenant_id and o.lane_id = k.lane_id and o.project_id between k.project_id and k.project_id
      order by o.project_id limit 1
    ) f on true
    where k.slot is not null and p.state = 'RUNNING'
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
  if v_golds <> '{}' then
    -- Who is given what lapsed with them was shown it before.
    v_shown := array(select m from unnest(v_made) m where m.task_id = any (v_golds) and m.epoch = 1);
    perform app.note_showings(v_shown, '{}', '{}', '{}');
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

-- As before; rows are locked one by one.
create or replace function app.lease_chosen(p_tenant bigint, p_chosen app.choice[], p_moved bigint[], p_tags bigint[], p_has_gold boolean, p_capped boolean)
returns assignments[] language plpgsql as $$
declare
  v_rows ready[];
  v_capped boolean;
  v_golds assignments[] := '{}';
  v_opened ready[] := '{}';
  v_tasks bigint[]; v_experts bigint[]; v_reasons text[]; v_pressures double precision[]; v_draws double precision[];
begin
  with locked as materialized (
    select h.row, h.has_cap
    from (select distinct w.id from unnest(array(select c.task_id from unnest(p_chosen) c) || p_moved) as w(id)) w
    cross join lateral (
      select r as row, (select p.max_per_expert from projects p where p.tenant_id = r.tenant_id and p.id between r.project_id and r.project_id
                        order by p.id limit 1) is not null as has_cap
      from ready r where r.tenant_id = p_tenant and r.task_id between w.id and w.id
      order by r.task_id limit 1 for update of r skip locked
    ) h
  )
  select array_agg(l.row), p_capped or bool_or(l.has_cap) into v_rows, v_capped from locked l;
  if p_moved <> '{}' then
    with moved as materialized (
      select h.place, s.tag
      from unnest(p_moved, p_tags) as s(task_id, tag)
      join unnest(v_rows) l on l.task_id = s.task_id
      cross join lateral (
        select r.ctid as place from ready r
        where r.tenant_id = p_tenant and r.task_id between l.task_id and l.task_id and r.phase = 0 order by r.task_id limit 1
      ) h
    )
    update ready r set tag = m.tag from (select * from moved limit cardinality(p_moved)) m where r.ctid = m.place;
  end if;
  if p_has_gold then
    select array_agg(c.task_id), array_agg(c.expert_id), array_agg(c.reason), array_agg(c.pressure), array_agg(c.draw)
    into v_tasks, v_experts, v_reasons, v_pressures, v_draws from unnest(p_chosen) c;
    v_golds := app.lease_golds(v_rows, v_tasks, v_experts, v_reasons, v_pressures, v_draws, v_capped);
  end if;
  if v_golds <> '{}' then
    v_opened := array(
      select h.row from (select distinct g.task_id from unnest(v_golds) g) g
      cross join lateral (
        select r as row from ready r
        where r.tenant_id = p_tenant and r.task_id between g.task_id and g.task_id and r.phase = 1
        order by r.task_id limit 1 for update of r skip locked
      ) h);
  end if;
  select array_agg(coalesce(o.gold, c.task_id)), array_agg(c.expert_id), array_agg(c.reason), array_agg(c.pressure)
  into v_tasks, v_experts, v_reasons, v_pressures
  from unnest(p_chosen) c
  left join lateral (
    select w.task_id as gold
    from unnest(p_chosen) f join unnest(v_golds) g on g.expert_id = f.expert_id join unnest(v_opened) w on w.task_id = g.task_id
    where f.task_id = c.task_id and not c.expert_id = any (w.excl || w.passed) limit 1
  ) o on v_opened <> '{}'
  where v_golds = '{}' or not c.expert_id = any (array(select g.expert_id from unnest(v_golds) g));
  return v_golds || app.lease_tasks(v_rows || v_opened, v_tasks, v_experts, v_reasons, v_pressures, v_capped);
end
$$;

-- Stores answers, none of them twice (rule 4): who locks a lease that is alive, the holder's and of this epoch, has it until the end
-- of the transaction. Assignments are locked in the order of their ids, then the tasks that are counted, in that of theirs, so
-- two batches of submits never wait for each other. Answers, their values, the tasks' counts, what
-- they earn and the events are one statement, and so one look at each row. Answers in the order given; the work and the
-- adjudications that have all their answers now.
--
-- An assignment earns two lines, from the customer, or for gold (whose customer is 0) from the tenant, to the expert; the unique
-- index on payouts refuses a second one of a kind. Gold counts for no task.
create or replace function app.store_answers(p_tenant bigint, p_submissions app.submission[], out receipts jsonb[], out done bigint[], out adjudicated bigint[])
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_places tid[];
  v_given app.submission[];
  v_tasks bigint[];
  v_task_places tid[];
  v_at integer[];
  v_found jsonb[];
  v_golds bigint[];
  v_flagged tasks[];
  v_task tasks;
begin
  receipts := array_fill(null::jsonb, array[cardinality(p_submissions)]);
  -- LIKE, for with = the planner sees that the index of live leases would do: it then reads all of them to find a few, and
  -- knows of less than there are.
  with held as materialized (
    select h.place, h.task_id, h.customer_id, s.n
    from (select * from unnest(p_submissions) with ordinality as s(expert_id, assignment_id, epoch, body, digest, confidence, "values", n)
          order by s.assignment_id) s
    cross join lateral (
      select a.ctid as place, a.task_id, a.customer_id from assignments a
      where a.tenant_id = p_tenant and a.id between s.assignment_id and s.assignment_id and a.expert_id = s.expert_id
        and a.state like 'LEASED' and a.epoch = s.epoch and a.lease_until > v_now
      order by a.id limit 1 for no key update
    ) h
  ), counting as materialized (
    select h.id, h.place
    from (select distinct l.task_id from held l where l.customer_id <> 0 order by l.task_id) l
    cross join lateral (
      select t.id, t.ctid as place from tasks t where t.tenant_id = p_tenant and t.id between l.task_id and l.task_id
      order by t.id limit 1 for no key update
    ) h
  )
  select array_agg(l.place), array_agg(l.n::integer), array_agg(p_submissions[l.n]), (select array_agg(c.id) from counting c),
         (select array_agg(c.place) from counting c)
  into v_places, v_at, v_given, v_tasks, v_task_places from held l;
  if v_places is null then
    return;
  end if;

  with won as (
    update assignments a set state = 'SUBMITTED', submitted_at = v_now, ended_at = v_now
    from (select * from unnest(v_places, v_at, v_given) as s(place, n, expert_id, assignment_id, epoch, body, digest, confidence, "values")
          limit cardinality(v_places)) s
    where a.ctid = s.place
    returning a.id, a.task_id, a.project_id, a.batch_id, a.customer_id, a.expert_id, a.epoch, a.lease_until, a.price_minor, a.currency,
      s.n, s.body, s.digest, s.confidence, s."values", nextval('postings_id_seq') as posting_id
  ), answered as (
    insert into answers (tenant_id, assignment_id, task_id, project_id, customer_id, expert_id, epoch, body, digest, confidence, submitted_at)
    select p_tenant, w.id, w.task_id, w.project_id, w.customer_id, w.expert_id, w.epoch, w.body, w.digest, w.confidence, v_now
    from won w
  ), valued as (
    insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value, number_value)
    select p_tenant, w.id, v.dimension, w.task_id, w.customer_id, w.expert_id, v.text, v.number
    from won w
    cross join lateral jsonb_to_recordset(w."values") as v(dimension text, text text, number double precision)
  ), gone as (
    -- (The bounds keep PostgreSQL 15 from looking at all alarms of the tenant by another index.)
    delete from lease_alarms l where l.tenant_id = p_tenant and l.assignment_id = any (array(select w.id from won w))
      and l.assignment_id between (select min(w.id) from won w) and (select max(w.id) from won w)
  ), cleared as (
    delete from drafts d where d.tenant_id = p_tenant and d.assignment_id = any (array(select w.id from won w))
  ), counted as (
    update tasks t
    set counted = t.counted + c.answers,
        state = case when t.counted + c.answers >= t.wanted then 'DONE' else t.state end,
        done_at = case when t.counted + c.answers >= t.wanted then v_now else t.done_at end
    from (select v_task_places[array_position(v_tasks, w.task_id)] as place, count(*)::smallint as answers
          from won w where w.customer_id <> 0 group by 1 limit cardinality(v_tasks)) c
    where t.ctid = c.place
    returning t.id, t.kind, t.state, case when t.state = 'OPEN' and t.allow is not null then t end as directed
  ), posted as (
    insert into postings (tenant_id, id, kind, project_id, created_at) overriding system value
    select p_tenant, w.posting_id, 'EARNING', w.project_id, v_now from won w
  ), lined as (
    insert into ledger_lines (tenant_id, posting_id, line_no, owner_kind, owner_id, currency, amount_minor)
    select p_tenant, w.posting_id, l.line_no, l.owner_kind, l.owner_id, w.currency, l.amount_minor
    from won w
    cross join lateral (values (1, 'EXPERT', w.expert_id, w.price_minor),
      (2, case w.customer_id when 0 then 'TENANT' else 'CUSTOMER' end, case w.customer_id when 0 then p_tenant else w.customer_id end,
       -w.price_minor)) as l(line_no, owner_kind, owner_id, amount_minor)
  ), paid as (
    insert into payouts (tenant_id, assignment_id, kind, posting_id, expert_id, customer_id, project_id, amount_minor, currency, created_at)
    select p_tenant, w.id, 'EARNING', w.posting_id, w.expert_id, w.customer_id, w.project_id, w.price_minor, w.currency, v_now
    from won w
  ), awaited as (
    insert into ledger_outbox (tenant_id, posting_id) select p_tenant, w.posting_id from won w
  ), told as (
    insert into stream_events (tenant_id, stream, kind, body, customer_id)
    select p_tenant, case w.customer_id when 0 then 'gold/project/' else 'lease/project/' end || w.project_id, 'SUBMITTED',
           app.lease_body(w.id, w.task_id, w.project_id, w.batch_id, w.expert_id, w.epoch, w.lease_until), w.customer_id
    from won w
  ), ended as (
    select array_agg(c.id) filter (where c.state = 'DONE' and c.kind = 'WORK') as done,
           array_agg(c.id) filter (where c.state = 'DONE' and c.kind = 'ADJUDICATION') as adjudicated,
           array_agg(c.directed) filter (where not c.directed is null) as directed
    from counted c
  )
  select array_agg(w.n), array_agg(app.receipt_json(w.id, w.digest, v_now, w.price_minor, w.currency, w.customer_id)),
         array_agg(w.id) filter (where w.customer_id = 0),
         (select e.done from ended e), (select e.adjudicated from ended e), (select e.directed from ended e)
  into v_at, v_found, v_golds, done, adjudicated, v_flagged
  from won w;

  for j in 1 .. coalesce(cardinality(v_at), 0) loop
    receipts[v_at[j]] := v_found[j];
  end loop;
  foreach v_task in array coalesce(v_flagged, '{}') loop
    perform app.close_if_flagged(v_task, p.flag_quorum) from projects p
    where p.tenant_id = p_tenant and p.id = v_task.project_id;
  end loop;
  if v_golds is not null then
    perform app.grade_golds(array(select a from assignments a where a.tenant_id = p_tenant and a.id = any (v_golds)), p_submissions);
  end if;
end
$$;

-- As before; each task, project and draft is looked up by its key.
create or replace function app.hand_over(p_assignments assignments[], p_requests app.claim_request[])
returns table (expert_id bigint, held jsonb) language plpgsql as $$
declare
  v_experts bigint[] := array(select q.expert_id from unnest(p_requests) with ordinality as q(expert_id, a, s, h, r, i) order by i);
begin
  return query
  with given as materialized (
    select a.*, t.payload_key, t.content_type, t.external_id, t.payload_bytes, p.task_type_id, d.body, d.saved_at,
           nextval('access_log_id_seq') as log_id
    from (select h.*, array_position(v_experts, h.expert_id) as at from unnest(p_assignments) h) a
    cross join lateral (
      select o.payload_key, o.content_type, o.external_id, o.payload_bytes from tasks o
      where o.tenant_id = a.tenant_id and o.id between a.task_id and a.task_id order by o.id limit 1
    ) t
    cross join lateral (
      select o.task_type_id from projects o
      where o.tenant_id = a.tenant_id and o.id between a.project_id and a.project_id order by o.id limit 1
    ) p
    left join lateral (
      select o.body, o.saved_at from drafts o
      where o.tenant_id = a.tenant_id and o.assignment_id between a.id and a.id order by o.assignment_id limit 1
    ) d on true
  ), logged as (
    insert into access_log (tenant_id, id, actor_id, role, subject_type, subject_id, payload_key, purpose, request_id) overriding system value
    select g.tenant_id, g.log_id, (p_requests[g.at]).actor_id, 'EXPERT', 'ASSIGNMENT', g.id, g.payload_key, 'WORK', (p_requests[g.at]).request_id
    from given g
  ), granted as (
    insert into payload_grants (token_hash, tenant_id, access_log_id, assignment_id, epoch, expert_id, task_id, payload_key, content_type, created_at)
    select (p_requests[g.at]).token_hash, g.tenant_id, g.log_id, g.id, g.epoch, g.expert_id, g.task_id, g.payload_key, g.content_type, app.clock_now()
    from given g
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
