-- The only writers of the queue: enqueue_tasks opens what can be claimed, take_slot takes, return_slot gives back,
-- close_project_queue ends.
--
-- Lock order. Giving back: project (key share), assignment, task, queue row. Taking: queue row, then the expert's own
-- assignment of that task. Cancel: project (update), queue rows, assignments. What is left of a cycle is retried (40P01).
set local role touchstone_owner;

-- Opens tasks of one batch. p_rows: [{line, externalId, payloadKey, payloadBytes, contentType, wanted, allow, block}],
-- whose payloads are durable already (rule 5). Returns the lines that did not become tasks, with the reason.
--
-- Fair tags (start-time fair queueing): a flow starts at the lane's present head or where it last ended, whichever is
-- later, and each answer wanted moves it by 1000 / weight. In an empty lane the head is the latest end of any flow.
--
-- The key-share lock on the project is what a cancel waits for, so that no row appears after the cancel swept.
create function app.enqueue_tasks(p_tenant bigint, p_batch bigint, p_rows jsonb)
returns table (line bigint, reason text) language plpgsql as $$
declare
  v_batch batches;
  v_project projects;
  v_start bigint;
begin
  select * into strict v_batch from batches b where b.tenant_id = p_tenant and b.id = p_batch;
  select * into strict v_project from projects p
  where p.tenant_id = p_tenant and p.id = v_batch.project_id for key share;
  if v_project.state <> 'RUNNING' then
    raise exception 'The project was cancelled.' using errcode = 'XR003';
  end if;

  insert into flows as f (tenant_id, lane_id, project_id) values (p_tenant, v_project.lane_id, v_project.id)
  on conflict (tenant_id, lane_id, project_id) do update set last_tag = f.last_tag;
  select greatest(f.last_tag, app.lane_head(p_tenant, v_project.lane_id)) into v_start
  from flows f where f.tenant_id = p_tenant and f.lane_id = v_project.lane_id and f.project_id = v_project.id;

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
    select a.*, v_start + sum(a.wanted) over (order by a.line) * 1000 / v_project.weight as tag from added a
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
    update flows f set last_tag = m.tag
    from (select max(t.tag) as tag from tagged t) m
    where f.tenant_id = p_tenant and f.lane_id = v_project.lane_id and f.project_id = v_project.id and m.tag > f.last_tag
  )
  select g.line,
         case when exists (select from tasks t where t.tenant_id = p_tenant and t.batch_id = p_batch and t.line = g.line)
              then 'This line is a task already.' else 'Another row of this batch has the same id.' end
  from given g
  where not exists (select from tagged t where t.line = g.line);
end
$$;

-- Virtual time of a lane: the smallest tag that waits, or, in an empty lane, where its flows ended.
create function app.lane_head(p_tenant bigint, p_lane bigint) returns bigint language sql stable as $$
  select coalesce(
    (select min(h.tag) from (values (0), (1)) p(phase) cross join lateral (
       select r.tag from ready r where r.tenant_id = p_tenant and r.lane_id = p_lane and r.phase = p.phase
       order by r.tag limit 1) h),
    (select max(f.last_tag) from flows f where f.tenant_id = p_tenant and f.lane_id = p_lane),
    0)
$$;

-- Takes a slot of a queue row that the caller has locked.
create function app.take_slot(p_row ready, p_expert bigint) returns void language plpgsql as $$
begin
  if cardinality(p_row.free_slots) = 1 then
    delete from ready where tenant_id = p_row.tenant_id and task_id = p_row.task_id;
    if p_row.phase = 2 then
      delete from ready_directed where tenant_id = p_row.tenant_id and task_id = p_row.task_id;
    end if;
  else
    update ready set free_slots = free_slots[2:], phase = greatest(phase, 1::smallint),
                     excl = excl || p_expert, passed = array_remove(passed, p_expert)
    where tenant_id = p_row.tenant_id and task_id = p_row.task_id;
    if p_row.phase = 2 then
      delete from ready_directed
      where tenant_id = p_row.tenant_id and task_id = p_row.task_id and expert_id = p_expert;
    end if;
  end if;
end
$$;

-- Gives an ended assignment's slot back, at its old tag, so that returned work comes first. The caller holds a
-- key-share lock on the project. p_again: the same expert may have it again (expired, released).
create function app.return_slot(p_assignment assignments, p_again boolean) returns void language plpgsql as $$
declare
  v_task tasks;
  v_excl bigint[];
  v_passed bigint[];
begin
  if not exists (select from projects p where p.tenant_id = p_assignment.tenant_id
                   and p.id = p_assignment.project_id and p.state = 'RUNNING') then
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

  insert into ready as r (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl, passed)
  values (p_assignment.tenant_id, p_assignment.task_id, p_assignment.lane_id, p_assignment.project_id,
          case when v_task.allow is null then 1 else 2 end, p_assignment.tag, array[p_assignment.slot], v_excl, v_passed)
  on conflict (tenant_id, task_id) do update set
    free_slots = r.free_slots || p_assignment.slot,
    excl = case when p_again then array_remove(r.excl, p_assignment.expert_id) else r.excl end,
    passed = case when p_assignment.state = 'RELEASED' then array_remove(r.passed, p_assignment.expert_id) || p_assignment.expert_id
                  else r.passed end;
  if v_task.allow is not null then
    insert into ready_directed (tenant_id, task_id, expert_id, lane_id, project_id, tag)
    select p_assignment.tenant_id, p_assignment.task_id, e.expert_id, p_assignment.lane_id, p_assignment.project_id, p_assignment.tag
    from unnest(v_task.allow) as e(expert_id)
    where not e.expert_id = any (v_excl)
    on conflict do nothing;
  end if;
end
$$;

-- Takes a task out of the queue for good.
create function app.close_task_queue(p_tenant bigint, p_task bigint) returns void language sql volatile as $$
  delete from ready where tenant_id = p_tenant and task_id = p_task;
  delete from ready_directed where tenant_id = p_tenant and task_id = p_task;
$$;

-- Takes a whole project out of the queue. Waits for every claim that holds one of its rows.
create function app.close_project_queue(p_tenant bigint, p_project bigint) returns void language sql volatile as $$
  delete from ready where tenant_id = p_tenant and project_id = p_project;
  delete from ready_directed where tenant_id = p_tenant and project_id = p_project;
$$;
