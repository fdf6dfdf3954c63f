-- Fair tags, low-water marks, lifts: what the queue's writers do so that a claim may read little and count nothing.
--
-- Tags are start tags (start-time fair queueing, Goyal, Vin and Cheng 1996). A lane's virtual time is the tag of its first
-- untouched row. A flow's next row starts at the virtual time or where the flow's last one ended, whichever is later,
-- and each answer wanted moves the flow by 1000 / weight. So while projects have work, each is served in proportion to
-- its weight, and one that comes late begins where the lane stands, neither behind the others' backlog nor ahead for
-- what it did not ask for before.
set local role touchstone_owner;

-- What decides between near equals. Tests replace its body to make choices certain.
create function app.chance() returns double precision language sql volatile as $$ select random() $$;

-- A lane's virtual time. The marks spare the walk over dead rows; a row that they hide for a moment only makes a new flow
-- start a little later.
create or replace function app.lane_head(p_tenant bigint, p_lane bigint) returns bigint language plpgsql stable as $$
begin
  return coalesce(
    (select r.tag from lanes l
     join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase = 0 and r.tag >= l.low_untouched
     where l.tenant_id = p_tenant and l.id = p_lane
     order by r.tag limit 1),
    (select r.tag from lanes l
     join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase = 1 and r.tag >= l.low_begun
     where l.tenant_id = p_tenant and l.id = p_lane
     order by r.tag limit 1),
    (select max(f.last_tag) from flows f where f.tenant_id = p_tenant and f.lane_id = p_lane),
    0);
end
$$;

-- Rows with these tags or larger ones are being written into the lane: its marks come down to them, in this transaction.
-- The lock lasts until it commits, and app.refresh_lanes passes over a lane that is locked; else it could look between
-- the writing and the commit and set the marks past rows that nobody can see yet.
create function app.lower_marks(p_tenant bigint, p_lane bigint, p_tag bigint) returns void language plpgsql as $$
begin
  perform from lanes l where l.tenant_id = p_tenant and l.id = p_lane for no key update;
  update lanes l
  set low_untouched = least(l.low_untouched, p_tag), seen_untouched = least(l.seen_untouched, p_tag),
      low_begun = least(l.low_begun, p_tag), seen_begun = least(l.seen_begun, p_tag)
  where l.tenant_id = p_tenant and l.id = p_lane
    and (l.low_untouched > p_tag or l.seen_untouched > p_tag or l.low_begun > p_tag or l.seen_begun > p_tag);
end
$$;

-- Moves the marks of lanes to what waits at their heads. A mark goes to the smallest tag seen, and the look begins where
-- the mark stood before its last move: a slot that is given back takes the mark as it reads it for its smallest tag, so
-- what was being given back while the mark moved is seen at the next look. p_whole looks from the very beginning, for
-- what took longer than that. Nothing depends on the marks but speed: a claim that finds nothing looks at everything.
-- Returns how many lanes it moved.
create function app.refresh_lanes(p_whole boolean) returns integer language plpgsql as $$
declare
  v_lane lanes;
  v_untouched bigint;
  v_begun bigint;
  v_count integer := 0;
begin
  for v_lane in select * from lanes l order by l.tenant_id, l.id loop
    select coalesce((select min(h.tag) from (
             select r.tag from ready r where r.tenant_id = v_lane.tenant_id and r.lane_id = v_lane.id and r.phase = 0
               and (p_whole or r.tag >= v_lane.seen_untouched) order by r.tag limit 1) h), v_lane.low_untouched),
           coalesce((select min(h.tag) from (
             select r.tag from ready r where r.tenant_id = v_lane.tenant_id and r.lane_id = v_lane.id and r.phase = 1
               and (p_whole or r.tag >= v_lane.seen_begun) order by r.tag limit 1) h), v_lane.low_begun)
    into v_untouched, v_begun;
    continue when v_untouched = v_lane.low_untouched and v_begun = v_lane.low_begun
      and v_lane.seen_untouched = v_lane.low_untouched and v_lane.seen_begun = v_lane.low_begun;
    -- Once more under the lock, which writers of tags hold until they commit.
    perform from lanes l where l.tenant_id = v_lane.tenant_id and l.id = v_lane.id for no key update skip locked;
    continue when not found;
    update lanes l set
      seen_untouched = l.low_untouched, seen_begun = l.low_begun, refreshed_at = app.clock_now(),
      low_untouched = coalesce((select min(h.tag) from (
             select r.tag from ready r where r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase = 0
               and (p_whole or r.tag >= l.seen_untouched) order by r.tag limit 1) h), l.low_untouched),
      low_begun = coalesce((select min(h.tag) from (
             select r.tag from ready r where r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase = 1
               and (p_whole or r.tag >= l.seen_begun) order by r.tag limit 1) h), l.low_begun)
    where l.tenant_id = v_lane.tenant_id and l.id = v_lane.id;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;

-- Opens tasks of one batch. p_rows: [{line, externalId, payloadKey, payloadBytes, contentType, wanted, allow, block}],
-- whose payloads are durable already (rule 5). Returns the lines that did not become tasks, with the reason.
--
-- The key-share lock on the project is what a cancel waits for, so that no row appears after the cancel swept.
create or replace function app.enqueue_tasks(p_tenant bigint, p_batch bigint, p_rows jsonb)
returns table (line bigint, reason text) language plpgsql as $$
declare
  v_batch batches;
  v_project projects;
  v_flow flows;
  v_start bigint;
  v_weight double precision;
begin
  select * into strict v_batch from batches b where b.tenant_id = p_tenant and b.id = p_batch;
  select * into strict v_project from projects p
  where p.tenant_id = p_tenant and p.id = v_batch.project_id for key share;
  if v_project.state <> 'RUNNING' then
    raise exception 'The project was cancelled.' using errcode = 'XR003';
  end if;

  insert into flows as f (tenant_id, lane_id, project_id) values (p_tenant, v_project.lane_id, v_project.id)
  on conflict (tenant_id, lane_id, project_id) do update set last_tag = f.last_tag
  returning * into v_flow;
  v_start := greatest(v_flow.last_tag, app.lane_head(p_tenant, v_project.lane_id));
  v_weight := v_project.weight * case when v_flow.lifted_until > app.clock_now() then v_flow.lift else 1 end;

  return query
  with given as materialized (
    select r.line, r."externalId" as external_id, r."payloadKey" as payload_key, r."payloadBytes" as payload_bytes,
           r."contentType" as content_type, coalesce(r.wanted, v_project.redundancy) as wanted, r.allow, r.block
    from jsonb_to_recordset(p_rows) as r(line bigint, "externalId" text, "payloadKey" text, "payloadBytes" bigint,
      "contentType" text, wanted smallint, allow bigint[], block bigint[])
  ), added as (
    insert into tasks (tenant_id, project_id, batch_id, customer_id, line, external_id, payload_key, payload_bytes,
                       content_type, wanted, allow, block)
    select p_tenant, v_project.id, p_batch, v_project.customer_id, g.line, g.external_id, g.payload_key,
           g.payload_bytes, g.content_type, g.wanted, g.allow, g.block
    from given g order by g.line
    on conflict do nothing
    returning tasks.id, tasks.line, tasks.wanted, tasks.allow, tasks.block
  ), tagged as materialized (
    select a.*, v_start + ((sum(a.wanted) over (order by a.line) - a.wanted) * 1000 / v_weight)::bigint as tag,
           v_start + (sum(a.wanted) over (order by a.line) * 1000 / v_weight)::bigint as ends
    from added a
  ), opened as (
    insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl)
    select p_tenant, t.id, v_project.lane_id, v_project.id,
           case when t.allow is not null then 2 when t.block is not null then 1 else 0 end,
           t.tag, (select array_agg(n::smallint order by n) from generate_series(1, t.wanted) n), coalesce(t.block, '{}')
    from tagged t
  ), directed as (
    insert into ready_directed (tenant_id, task_id, expert_id, lane_id, project_id, tag)
    select distinct p_tenant, t.id, e.expert_id, v_project.lane_id, v_project.id, t.tag
    from tagged t cross join lateral unnest(t.allow) as e(expert_id)
    where not e.expert_id = any (coalesce(t.block, '{}'))
  ), moved as (
    update flows f set last_tag = m.ends
    from (select max(t.ends) as ends from tagged t) m
    where f.tenant_id = p_tenant and f.lane_id = v_project.lane_id and f.project_id = v_project.id and m.ends > f.last_tag
  )
  select g.line,
         case when exists (select from tasks t where t.tenant_id = p_tenant and t.batch_id = p_batch and t.line = g.line)
              then 'This line is a task already.' else 'Another row of this batch has the same id.' end
  from given g
  where not exists (select from tagged t where t.line = g.line);
  perform app.lower_marks(p_tenant, v_project.lane_id, v_start);
end
$$;

-- A flow's next rows at the weight that its lift gives it, from the lane's virtual time on: at most p_limit of them, so
-- that the work is bounded; what is behind is lifted when its turn comes, or not at all if the lift has ended. The order
-- inside the flow stays. Returns how many rows it moved.
create function app.lift_flow(p_tenant bigint, p_lane bigint, p_project bigint, p_lift double precision,
                              p_until timestamptz, p_limit integer) returns integer language plpgsql as $$
declare
  v_start bigint := app.lane_head(p_tenant, p_lane);
  v_weight double precision;
  v_count integer;
begin
  perform from flows f where f.tenant_id = p_tenant and f.lane_id = p_lane and f.project_id = p_project for no key update;
  update flows f set lift = p_lift, lifted_until = p_until
  where f.tenant_id = p_tenant and f.lane_id = p_lane and f.project_id = p_project
    and (f.lift, f.lifted_until) is distinct from (p_lift, p_until);
  if p_lift = 1 then
    return 0;
  end if;
  select p.weight * p_lift into strict v_weight from projects p where p.tenant_id = p_tenant and p.id = p_project;
  with next as materialized (
    select r.task_id, r.tag, r.need from ready r
    where r.tenant_id = p_tenant and r.project_id = p_project and r.phase = 0
    order by r.tag, r.task_id limit p_limit for update skip locked
  ), placed as (
    select n.task_id,
           v_start + ((sum(n.need) over (order by n.tag, n.task_id) - n.need) * 1000 / v_weight)::bigint as tag
    from next n
  )
  update ready r set tag = p.tag from placed p
  where r.tenant_id = p_tenant and r.task_id = p.task_id and p.tag < r.tag;
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform app.lower_marks(p_tenant, p_lane, v_start);
  end if;
  return v_count;
end
$$;

-- Gives an ended assignment's slot back, at its old tag or the lane's mark, so that returned work comes first. The
-- caller holds a key-share lock on the project. p_again: the same expert may have it again (expired, released).
create or replace function app.return_slot(p_assignment assignments, p_again boolean) returns void language plpgsql as $$
declare
  v_project projects;
  v_task tasks;
  v_excl bigint[];
  v_passed bigint[];
  v_tag bigint;
begin
  select * into v_project from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id;
  if v_project.max_per_expert is not null then
    update tallies y set taken = greatest(0, y.taken - 1), is_full = y.taken - 1 >= v_project.max_per_expert
    where y.tenant_id = p_assignment.tenant_id and y.expert_id = p_assignment.expert_id and y.project_id = p_assignment.project_id
      and p_again;
  end if;
  if v_project.state is distinct from 'RUNNING' then
    return;
  end if;
  -- Serialises two returns of one task: the second must see the first one's queue row.
  select * into strict v_task from tasks t
  where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id for update;
  if v_task.state <> 'OPEN' then
    return;
  end if;
  select coalesce(array_agg(a.expert_id) filter (where a.state not in ('EXPIRED', 'RELEASED')), '{}') || coalesce(v_task.block, '{}'),
         coalesce(array_agg(a.expert_id) filter (where a.state = 'RELEASED'), '{}')
  into v_excl, v_passed
  from assignments a where a.tenant_id = p_assignment.tenant_id and a.task_id = p_assignment.task_id;
  select greatest(p_assignment.tag, l.low_begun) into strict v_tag
  from lanes l where l.tenant_id = p_assignment.tenant_id and l.id = p_assignment.lane_id;

  insert into ready as r (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl, passed)
  values (p_assignment.tenant_id, p_assignment.task_id, p_assignment.lane_id, p_assignment.project_id,
          case when v_task.allow is null then 1 else 2 end, v_tag, array[p_assignment.slot], v_excl, v_passed)
  on conflict (tenant_id, task_id) do update set
    free_slots = r.free_slots || p_assignment.slot,
    excl = case when p_again then array_remove(r.excl, p_assignment.expert_id) else r.excl end,
    passed = case when p_assignment.state = 'RELEASED' then array_remove(r.passed, p_assignment.expert_id) || p_assignment.expert_id
                  else r.passed end;
  if v_task.allow is not null then
    insert into ready_directed (tenant_id, task_id, expert_id, lane_id, project_id, tag)
    select p_assignment.tenant_id, p_assignment.task_id, e.expert_id, p_assignment.lane_id, p_assignment.project_id, v_tag
    from unnest(v_task.allow) as e(expert_id)
    where not e.expert_id = any (v_excl)
    on conflict do nothing;
  end if;
end
$$;
