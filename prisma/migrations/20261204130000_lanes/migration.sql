-- Weights between the lanes of a skill: whoever may work in several of its lanes serves their projects as if they were one
-- lane (docs/decisions/0027).
--
-- Tags stay a lane's own. A lane's place is the tag of its first untouched row plus its shift, and the lane whose place is
-- smallest is next. Each place moves by 1000 for each answer over the weights of the lane's projects, so lanes that are
-- served by turns of their places are served by the sum of those weights. Shifts keep the places of a skill comparable:
-- a lane that was empty comes in where the others stand, and lanes that other experts serve faster are never far ahead.
set local role touchstone_owner;

alter table lanes
  -- What is added to the lane's tags to compare them with those of the skill's other lanes.
  add shift bigint not null default 0,
  -- Nothing waits in the lane, as last seen: a hint, which spares the quick look two probes.
  add is_idle boolean not null default false;
grant update (shift, is_idle) on lanes to touchstone_app, touchstone_system;

-- Rows of a lane from a mark on, in their order. SQL functions, so that they are planned with their callers.
create function app.untouched_rows(p_tenant bigint, p_lane bigint, p_from bigint, p_limit integer) returns setof ready language sql stable as $$
  select r.* from ready r
  where r.tenant_id = p_tenant and r.lane_id = p_lane and r.phase = 0 and r.tag >= p_from
  order by r.tag, r.task_id limit p_limit
$$;
create function app.begun_rows(p_tenant bigint, p_lane bigint, p_from bigint, p_limit integer) returns setof ready language sql stable as $$
  select r.* from ready r
  where r.tenant_id = p_tenant and r.lane_id = p_lane and r.phase = 1 and r.tag >= p_from
  order by r.tag, r.task_id limit p_limit
$$;

-- Where a flow that comes now starts, as a tag of this lane: where the hindmost lane of the skill stands, if that is NEAR, as
-- it is where the same experts serve both; else at the lane's own first row, for whoever serves this lane is not with the
-- other. Where the lane has nothing that waits and p_joins, it comes in where the others stand: not before the hindmost,
-- for what it did not ask for before, and hardly behind the foremost. The marks spare the walk over dead rows; a row
-- that they hide for a moment only makes a new flow start a little later.
create function app.lane_start(p_tenant bigint, p_lane bigint, p_joins boolean) returns bigint language plpgsql as $$
declare
  c_near constant bigint := 3000;
  c_gap constant bigint := 4000;
  v_lane lanes;
  v_head bigint;
  v_begun bigint;
  v_least bigint;
  v_most bigint;
  v_place bigint;
begin
  select * into strict v_lane from lanes l where l.tenant_id = p_tenant and l.id = p_lane;
  select min(h.tag) filter (where l.id = p_lane), min(h.tag + l.shift), max(h.tag + l.shift) into v_head, v_least, v_most
  from lanes l cross join lateral app.untouched_rows(p_tenant, l.id, l.low_untouched, 1) h
  where l.tenant_id = p_tenant and l.skill_id = v_lane.skill_id and not l.is_idle;
  if v_head is null then
    select h.tag into v_begun from app.begun_rows(p_tenant, p_lane, v_lane.low_begun, 1) h;
    v_head := coalesce(v_begun, (select max(f.last_tag) from flows f where f.tenant_id = p_tenant and f.lane_id = p_lane), 0);
    -- Begun rows are work that the lane was owed already.
    v_place := least(v_most + c_gap, greatest(v_head + v_lane.shift, v_least - case when v_begun is null then 0 else c_gap end));
    if p_joins and v_least is not null and v_place <> v_head + v_lane.shift then
      update lanes l set shift = v_place - v_head where l.tenant_id = p_tenant and l.id = p_lane returning * into v_lane;
    end if;
  end if;
  return case when v_head - (v_least - v_lane.shift) between 0 and c_near then v_least - v_lane.shift else v_head end;
end
$$;

-- Rows with these tags or larger ones are being written into the lane: its marks come down to them, in this transaction.
-- The lock lasts until it commits, and app.refresh_lanes passes over a lane that is locked; else it could look between
-- the writing and the commit and set the marks past rows that nobody can see yet.
create or replace function app.lower_marks(p_tenant bigint, p_lane bigint, p_tag bigint) returns void language plpgsql as $$
begin
  perform from lanes l where l.tenant_id = p_tenant and l.id = p_lane for no key update;
  update lanes l
  set low_untouched = least(l.low_untouched, p_tag), seen_untouched = least(l.seen_untouched, p_tag),
      low_begun = least(l.low_begun, p_tag), seen_begun = least(l.seen_begun, p_tag), is_idle = false
  where l.tenant_id = p_tenant and l.id = p_lane
    and (l.low_untouched > p_tag or l.seen_untouched > p_tag or l.low_begun > p_tag or l.seen_begun > p_tag or l.is_idle);
end
$$;

-- The first tags of a lane's two ranges, from where its marks stood before their last move; p_whole: of all there is.
create function app.lane_heads(p_lane lanes, p_whole boolean, out untouched bigint, out begun bigint) language plpgsql stable as $$
begin
  select h.tag into untouched from app.untouched_rows(p_lane.tenant_id, p_lane.id,
    case when p_whole then -9223372036854775808 else p_lane.seen_untouched end, 1) h;
  select h.tag into begun from app.begun_rows(p_lane.tenant_id, p_lane.id,
    case when p_whole then -9223372036854775808 else p_lane.seen_begun end, 1) h;
end
$$;

-- Whether nothing waits in a lane whose heads were looked at. What is idle stays so until a head is seen again; what was
-- not is looked at whole, reserved rows included.
create function app.is_lane_idle(p_lane lanes, p_untouched bigint, p_begun bigint) returns boolean language plpgsql stable as $$
begin
  return p_untouched is null and p_begun is null
    and (p_lane.is_idle or not exists (select from ready r where r.tenant_id = p_lane.tenant_id and r.lane_id = p_lane.id));
end
$$;

-- Moves the marks of lanes to what waits at their heads. A mark goes to the smallest tag seen, and the look begins where
-- the mark stood before its last move: a slot that is given back takes the mark as it reads it for its smallest tag, so
-- what was being given back while the mark moved is seen at the next look. p_whole looks from the very beginning, for
-- what took longer than that. Nothing depends on the marks but speed: a claim that finds nothing looks at everything.
-- Then closes the gaps between the places of each skill's lanes. Returns how many lanes it moved.
create or replace function app.refresh_lanes(p_whole boolean) returns integer language plpgsql as $$
declare
  v_lane lanes;
  v_untouched bigint;
  v_begun bigint;
  v_idle boolean;
  v_count integer := 0;
begin
  for v_lane in select * from lanes l order by l.tenant_id, l.id loop
    select h.untouched, h.begun into v_untouched, v_begun from app.lane_heads(v_lane, p_whole) h;
    continue when coalesce(v_untouched, v_lane.low_untouched) = v_lane.low_untouched and coalesce(v_begun, v_lane.low_begun) = v_lane.low_begun
      and v_lane.seen_untouched = v_lane.low_untouched and v_lane.seen_begun = v_lane.low_begun
      and app.is_lane_idle(v_lane, v_untouched, v_begun) = v_lane.is_idle;
    -- Once more under the lock, which writers of tags hold until they commit.
    select * into v_lane from lanes l where l.tenant_id = v_lane.tenant_id and l.id = v_lane.id for no key update skip locked;
    continue when not found;
    select h.untouched, h.begun into v_untouched, v_begun from app.lane_heads(v_lane, p_whole) h;
    v_idle := app.is_lane_idle(v_lane, v_untouched, v_begun);
    update lanes l set
      seen_untouched = l.low_untouched, seen_begun = l.low_begun, refreshed_at = app.clock_now(), is_idle = v_idle,
      low_untouched = coalesce(v_untouched, l.low_untouched), low_begun = coalesce(v_begun, l.low_begun)
    where l.tenant_id = v_lane.tenant_id and l.id = v_lane.id;
    v_count := v_count + 1;
  end loop;
  perform app.close_gaps();
  return v_count;
end
$$;

-- Where the places of a skill's lanes are further apart than GAP (or than the next task of the lane takes, if that is more),
-- all lanes before the gap come back by what is too much. Lanes that the same experts serve are never so far apart: a gap
-- comes of lanes that others serve faster, or that nobody served for a while. So what an expert's other lanes had before
-- never keeps one of them waiting for long, and lanes on one side of a gap stay as they are to each other.
create function app.close_gaps() returns void language plpgsql as $$
declare
  c_gap constant bigint := 4000;
  v_skill record;
  v_count integer;
begin
  for v_skill in
    with places as (
      select l.tenant_id, l.skill_id, l.id, h.tag + l.shift as place, greatest(c_gap, h.need * 1000 / p.weight) as gap
      from lanes l
      cross join lateral app.untouched_rows(l.tenant_id, l.id, l.low_untouched, 1) h
      join projects p on p.tenant_id = l.tenant_id and p.id = h.project_id
      where not l.is_idle
    ), gaps as (
      select p.*, greatest(0, p.place - p.gap - lag(p.place) over (partition by p.tenant_id, p.skill_id order by p.place, p.id)) as excess
      from places p
    ), moves as (
      select g.*, sum(g.excess) over (partition by g.tenant_id, g.skill_id order by g.place, g.id)::bigint as back from gaps g
    )
    select m.tenant_id, array_agg(m.id order by m.id) as lanes, array_agg(m.back order by m.id) as backs
    from moves m where m.back > 0 group by m.tenant_id, m.skill_id
  loop
    -- All of them or, where one is in other hands, none until the next time.
    perform from lanes l where l.tenant_id = v_skill.tenant_id and l.id = any (v_skill.lanes) order by l.id for no key update skip locked;
    get diagnostics v_count = row_count;
    if v_count = cardinality(v_skill.lanes) then
      update lanes l set shift = l.shift - m.back
      from unnest(v_skill.lanes, v_skill.backs) as m(id, back)
      where l.tenant_id = v_skill.tenant_id and l.id = m.id;
    end if;
  end loop;
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
  v_start := greatest(v_flow.last_tag, app.lane_start(p_tenant, v_project.lane_id, true));
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

-- A flow's next rows at the weight that its lift gives it, from where the skill stands on: at most p_limit of them, so
-- that the work is bounded; what is behind is lifted when its turn comes, or not at all if the lift has ended. The order
-- inside the flow stays. Returns how many rows it moved.
create or replace function app.lift_flow(p_tenant bigint, p_lane bigint, p_project bigint, p_lift double precision,
                              p_until timestamptz, p_limit integer) returns integer language plpgsql as $$
declare
  v_start bigint := app.lane_start(p_tenant, p_lane, false);
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

-- Sets a flow's next rows close again at its present weight, from where the skill stands on: after a lift has ended, for
-- else the flow would wait until the lane has come to where its rows stood before; and after its weight was raised. Rows
-- only move forward, at most p_limit of them. True once the rows behind them stand where they belong: nothing is left to
-- do in later rounds.
create or replace function app.close_ranks(p_tenant bigint, p_lane bigint, p_project bigint, p_limit integer) returns boolean language plpgsql as $$
declare
  v_start bigint := app.lane_start(p_tenant, p_lane, false);
  v_weight double precision;
  v_done boolean;
  v_count integer;
begin
  perform from flows f where f.tenant_id = p_tenant and f.lane_id = p_lane and f.project_id = p_project for no key update;
  select p.weight into strict v_weight from projects p where p.tenant_id = p_tenant and p.id = p_project;
  with next as materialized (
    select r.task_id, r.tag, r.need from ready r
    where r.tenant_id = p_tenant and r.project_id = p_project and r.phase = 0
    order by r.tag, r.task_id limit 2 * p_limit
  ), placed as materialized (
    select n.task_id, n.tag, row_number() over w as place, n.need * 1000 / v_weight as step,
           v_start + ((sum(n.need) over w - n.need) * 1000 / v_weight)::bigint as target
    from next n window w as (order by n.tag, n.task_id)
  ), locked as materialized (
    select r.task_id from ready r
    where r.tenant_id = p_tenant and r.task_id in (select p.task_id from placed p where p.place <= p_limit and p.target < p.tag)
    for update skip locked
  ), moved as (
    update ready r set tag = p.target from placed p join locked l on l.task_id = p.task_id
    where r.tenant_id = p_tenant and r.task_id = p.task_id
    returning 1
  )
  select coalesce((select p.tag <= p.target + 2 * p.step from placed p order by p.place desc limit 1), true),
         (select count(*) from moved)
  into v_done, v_count;
  if v_count > 0 then
    perform app.lower_marks(p_tenant, p_lane, v_start);
  end if;
  if v_done then
    update flows f set lifted_until = null
    where f.tenant_id = p_tenant and f.lane_id = p_lane and f.project_id = p_project and f.lift = 1;
  end if;
  return v_done;
end
$$;

drop function app.lane_head(bigint, bigint);

drop function app.lanes_of(bigint, bigint, bigint);
-- Lanes that an expert may be given work from: the skill held, not paused and at or above the lane's minimum (rule 5),
-- and all else that the lane asks for. p_skill null: any skill. An SQL function, so that it is planned with its caller.
create function app.lanes_of(p_tenant bigint, p_expert bigint, p_skill bigint)
returns table (lane_id bigint, skill_id bigint, pressure double precision, preference smallint, low_untouched bigint, low_begun bigint,
               shift bigint, is_idle boolean, gold_rate_most double precision) language sql stable as $$
  select l.id, l.skill_id, l.pressure, s.preference, l.low_untouched, l.low_begun, l.shift, l.is_idle, s.gold_rate_most
  from experts x
  join expert_skills s on s.tenant_id = x.tenant_id and s.expert_id = x.id
  join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality <= s.taken_for
  where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'ACTIVE'
    and s.status in ('PROBATION', 'ACTIVE') and (p_skill is null or s.skill_id = p_skill)
    and l.languages <@ x.languages and l.tags <@ x.tags
    and (l.also_all = '{}' or not exists (
      select from unnest(l.also_all) as a(skill_id)
      where not exists (select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id
                          and o.skill_id = a.skill_id and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min)))
    and (l.also_any = '{}' or exists (
      select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id
        and o.skill_id = any (l.also_any) and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min))
$$;

-- What a claim was given, before it is leased: at is where the row stands among those that were seen.
create type app.choice as (i integer, at integer, task_id bigint, expert_id bigint, reason text, pressure double precision, draw double precision);

-- Locks the experts who claim, so that two claims of one expert take turns (rule 1) and a pause is before or after a claim,
-- never in it (rule 5). Whoever is answered already has an outcome: HELD with the lease that is alive, NOT_FOUND, or BUSY where
-- something was in other hands. Leases that have run out end here. capped: experts with a cap on their day.
create function app.settle_claimants(p_tenant bigint, p_requests app.claim_request[], out outcomes jsonb[], out capped bigint[]) language plpgsql as $$
declare
  v_experts bigint[] := array(select q.expert_id from unnest(p_requests) with ordinality as q(expert_id, a, s, h, r, i) order by i);
  v_locked bigint[];
  v_lapsed assignments;
  v_live assignments[] := '{}';
  v_got record;
begin
  outcomes := array_fill(null::jsonb, array[cardinality(p_requests)]);
  with locked as materialized (
    select x.id, x.daily_cap from experts x
    where x.tenant_id = p_tenant and x.id = any (v_experts) for no key update skip locked
  )
  select coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.id) filter (where l.daily_cap is not null), '{}')
  into v_locked, capped from locked l;
  if cardinality(v_locked) < cardinality(v_experts) then
    for v_got in select q.i, exists (select from experts x where x.tenant_id = p_tenant and x.id = q.expert_id) as exists
             from unnest(v_experts) with ordinality as q(expert_id, i) where not q.expert_id = any (v_locked) loop
      outcomes[v_got.i] := jsonb_build_object('outcome', case when v_got.exists then 'BUSY' else 'NOT_FOUND' end);
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
      outcomes[array_position(v_experts, v_lapsed.expert_id)] := jsonb_build_object('outcome', 'BUSY');
    end if;
  end loop;
  if v_live <> '{}' then
    for v_got in select * from app.hand_over(v_live, p_requests) loop
      outcomes[array_position(v_experts, v_got.expert_id)] := jsonb_build_object('outcome', 'HELD', 'assignment', v_got.held);
    end loop;
  end if;
end
$$;

-- The first of some begun rows that still has a slot and that an expert may have.
create function app.first_begun(p_rows ready[], p_left integer[], p_from integer, p_to integer, p_expert bigint, p_barred bigint[])
returns integer language plpgsql immutable as $$
begin
  for v_at in p_from .. p_to loop
    if p_left[v_at] > 0 and not p_expert = any ((p_rows[v_at]).excl) and not p_expert = any ((p_rows[v_at]).passed)
       and not (p_rows[v_at]).project_id = any (p_barred) then
      return v_at;
    end if;
  end loop;
  return null;
end
$$;

-- Locks the queue rows that were chosen, moves the tags of those that were passed over, and makes leases, gold in the place
-- of some (app.lease_golds). What another transaction has is not in the answer.
create function app.lease_chosen(p_tenant bigint, p_chosen app.choice[], p_moved bigint[], p_tags bigint[], p_has_gold boolean, p_capped boolean)
returns assignments[] language plpgsql as $$
declare
  v_rows ready[];
  v_capped boolean;
  v_golds assignments[] := '{}';
  v_tasks bigint[]; v_experts bigint[]; v_reasons text[]; v_pressures double precision[]; v_draws double precision[];
begin
  with locked as materialized (
    select r as row, exists (select from projects p where p.tenant_id = r.tenant_id and p.id = r.project_id
                               and p.max_per_expert is not null) as has_cap
    from ready r where r.tenant_id = p_tenant
      and r.task_id = any (array(select c.task_id from unnest(p_chosen) c) || p_moved) for update of r skip locked
  )
  select array_agg(l.row), p_capped or bool_or(l.has_cap) into v_rows, v_capped from locked l;
  if p_moved <> '{}' then
    update ready r set tag = s.tag
    from unnest(p_moved, p_tags) as s(task_id, tag)
    join unnest(v_rows) l on l.task_id = s.task_id
    where r.tenant_id = p_tenant and r.task_id = s.task_id and r.phase = 0;
  end if;
  if p_has_gold then
    select array_agg(c.task_id), array_agg(c.expert_id), array_agg(c.reason), array_agg(c.pressure), array_agg(c.draw)
    into v_tasks, v_experts, v_reasons, v_pressures, v_draws from unnest(p_chosen) c;
    v_golds := app.lease_golds(v_rows, v_tasks, v_experts, v_reasons, v_pressures, v_draws, v_capped);
  end if;
  select array_agg(c.task_id), array_agg(c.expert_id), array_agg(c.reason), array_agg(c.pressure)
  into v_tasks, v_experts, v_reasons, v_pressures from unnest(p_chosen) c
  where v_golds = '{}' or not c.expert_id = any (array(select g.expert_id from unnest(v_golds) g));
  return v_golds || app.lease_tasks(v_rows, v_tasks, v_experts, v_reasons, v_pressures, v_capped);
end
$$;

-- Claims of several experts, none of them twice. Answers in their order: HELD, LEASED, NOT_FOUND; BUSY where something
-- was in other hands (ask again); LOOK where the quick look found nothing (ask app.claim_exact).
--
-- One look at the head of each lane that somebody wants serves all who want it:
--   skills     of each expert in random order, the more pressed the sooner, each with a chance: one claim in sixteen takes
--              no notice of pressure, so a skill with work is looked at first by one of its experts in 16 n claims at
--              most on average, n being how many skills the expert has. A skill is as pressed as the most pressed of
--              the expert's lanes in it
--   lanes      of that skill: the one whose place is smallest. Lanes are gone through in the order of their marks, which are
--              no larger than their places, so whatever is behind the best one's place need not be looked at
--   reserved   what an allow-list keeps for this expert comes first three times in four
--   begun      then a task of the lane that others have begun, unless it has waited so long (STALE) that the others must
--              have passed it over: then every second time only, so that untouched work of late projects is never behind a
--              pile of it. Every fourth look at begun tasks starts anywhere among them, so that none is hidden for good
--              behind those that all who come have had
--   untouched  the project whose turn it is, and of it one of the first four within a turn, at random. The first one then
--              waits at the place of the one that was given, so chance never moves the projects' shares
--
-- Its plans do not depend on what is asked, and choosing them anew for each look took as long as the looks. So they are chosen
-- once, and because that may be while tables are still empty, only such are allowed as hold for large ones: by index, from
-- one row to the next.
create or replace function app.claim_all(p_tenant bigint, p_requests app.claim_request[]) returns jsonb[] language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  c_turn constant bigint := 1000;
  c_stale constant bigint := 4000;
  c_near constant integer := 4;
  c_rounds constant integer := 3;
  n constant integer := cardinality(p_requests);
  v_experts bigint[] := array(select q.expert_id from unnest(p_requests) with ordinality as q(expert_id, a, s, h, r, i) order by i);
  v_out jsonb[];
  v_capped bigint[];
  -- w: requests that want a task, whether they take no notice of pressure, and what is drawn for gold: below the expert's
  -- rate, the claim becomes gold if there is one for them.
  w_i integer[] := '{}'; w_even boolean[] := '{}'; w_draw double precision[] := '{}';
  v_has_gold boolean := exists (select from gold_pools q where q.tenant_id = p_tenant);
  -- l: their lanes in the order to try them, those of one request and skill together; f: the first skill of each request.
  l_i integer[]; l_skill bigint[]; l_lane bigint[]; l_begun bigint[]; l_untouched bigint[]; l_shift bigint[]; l_idle boolean[];
  l_busy integer[]; l_pressure double precision[]; l_reason text[]; l_gold double precision[];
  f_skill bigint[];
  -- b: projects barred to a request; d: what is reserved for it.
  b_i integer[]; b_project bigint[]; v_barred bigint[] := '{}';
  d_i integer[]; d_at integer[] := '{}'; v_directed ready[];
  -- c: rows seen and the slots that this batch has left them; the row itself only where it matters whom it excludes.
  c_task bigint[] := '{}'; c_tag bigint[] := '{}'; c_project bigint[] := '{}'; c_need integer[] := '{}'; c_left integer[] := '{}';
  c_row ready[] := '{}';
  -- k: lanes looked at. Their untouched rows stand among c from..to (open: the first with a slot, head: the first that is
  -- untouched still, full: there may be more behind), their begun ones begun_from..begun_to.
  k_lane bigint[] := '{}'; k_from integer[] := '{}'; k_to integer[] := '{}'; k_open integer[] := '{}'; k_head integer[] := '{}';
  k_full boolean[] := '{}'; k_begun_from integer[] := '{}'; k_begun_to integer[] := '{}';
  -- s: rows passed over, and the tags they wait at now; q: what was chosen.
  s_task bigint[]; s_tag bigint[];
  q app.choice[]; v_choice app.choice;
  v_made assignments[];
  v_lanes bigint[] := '{}'; v_tasks bigint[]; v_tags bigint[]; v_projects bigint[]; v_needs integer[]; v_rows ready[]; v_row ready;
  v_i integer; v_j integer; v_k integer; v_w integer; v_l integer; v_lp integer; v_bp integer; v_bq integer; v_m integer;
  v_end integer; v_limit integer; v_from bigint; v_task bigint; v_place bigint; v_best integer; v_best_place bigint; v_is_last boolean;
  v_expert bigint; v_pick integer; v_begun integer; v_fresh integer; v_near integer; v_at integer; v_reserved integer; v_reason text;
  v_got record;
begin
  select s.outcomes, s.capped into v_out, v_capped from app.settle_claimants(p_tenant, p_requests) s;
  for v_i in 1 .. n loop
    if v_out[v_i] is null then
      w_i := w_i || v_i;
      w_even := w_even || (app.chance() < 0.0625);
      w_draw := w_draw || case when v_has_gold then app.chance() else 1 end;
    end if;
  end loop;
  if w_i = '{}' then
    return v_out;
  end if;

  select array_agg(s.i), array_agg(s.skill_id), array_agg(s.lane_id), array_agg(s.low_begun), array_agg(s.low_untouched), array_agg(s.shift),
         array_agg(s.is_idle), array_agg(s.busy), array_agg(s.urgency), array_agg(s.reason), array_agg(s.gold_rate_most)
  into l_i, l_skill, l_lane, l_begun, l_untouched, l_shift, l_idle, l_busy, l_pressure, l_reason, l_gold
  from (
    select h.*,
           -- Where there is but one skill with work, it is no choice.
           case when min(h.skill_id) filter (where h.busy > 0) over mine = max(h.skill_id) filter (where h.busy > 0) over mine then 'NEXT'
                when h.urgency = max(h.urgency) over mine
                 and h.urgency >= 1.5 * min(h.urgency) filter (where h.urgency > 0) over mine then 'SCARCE_SKILL'
                when h.preference = 1 then 'PREFERRED' else 'NEXT' end as reason,
           h.skill_luck / case when h.even then 1
             else power(greatest(0.05, least(20, h.urgency)), 2) * power(4, h.preference) end as turn
    from (
      select e.i, e.even, o.*, g.luck, first_value(g.luck) over skill as skill_luck, min(o.lane_id) over skill as first_lane,
             max(o.pressure) filter (where not o.is_idle) over skill as urgency, count(*) filter (where not o.is_idle) over skill as busy
      from unnest(w_i, w_even) as e(i, even)
      cross join lateral app.lanes_of(p_tenant, v_experts[e.i], (p_requests[e.i]).skill_id) o
      cross join lateral (select -ln(1 - app.chance()) as luck where o.lane_id is not null) g
      window skill as (partition by e.i, o.skill_id order by o.lane_id rows between unbounded preceding and unbounded following)
    ) h
    window mine as (partition by h.i)
    order by h.i, h.urgency is null, turn, h.first_lane, h.is_idle, h.low_untouched + h.shift, h.luck, h.lane_id
  ) s;
  l_i := coalesce(l_i, '{}');
  f_skill := array(select distinct on (s.i) s.skill from unnest(l_i, l_skill) with ordinality as s(i, skill, at) order by s.i, s.at);

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
    v_row := v_directed[v_j];
    v_at := array_position(c_task, v_row.task_id);
    if v_at is null then
      c_task := c_task || v_row.task_id;
      c_tag := c_tag || v_row.tag;
      c_project := c_project || v_row.project_id;
      c_need := c_need || v_row.need::integer;
      c_left := c_left || v_row.need::integer;
      v_at := cardinality(c_task);
    end if;
    d_at := d_at || v_at;
  end loop;

  -- Due alarms, every second time only, and in few lanes: one of the first skill of a claim in eight. When many leases end
  -- at once, the runner of alarms is quicker, and claims go on.
  if l_i <> '{}' and app.chance() < 0.5 then
    for v_j in 0 .. n / 8 loop
      v_l := array_position(l_i, l_i[1 + floor(app.chance() * cardinality(l_i))::integer]);
      v_end := v_l;
      while l_i[v_end + 1] = l_i[v_l] and l_skill[v_end + 1] = l_skill[v_l] loop
        v_end := v_end + 1;
      end loop;
      v_lanes := v_lanes || l_lane[v_l + floor(app.chance() * (v_end - v_l + 1))::integer];
    end loop;
    perform app.fire_lane_alarms(p_tenant, array(select distinct unnest(v_lanes)), 1);
  end if;

  -- Who was given a row that turned out to be in other hands chooses again, untouched work first: begun rows that a
  -- transaction has are often many, those of leases that end together.
  for v_round in 1 .. c_rounds loop
    s_task := '{}'; s_tag := '{}'; q := '{}';
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

      -- Skill after skill: the lane whose place is smallest, which is then gone through once more with its begun rows.
      v_l := v_lp;
      while v_pick is null and l_i[v_l] = v_i loop
        v_end := v_l;
        while l_i[v_end + 1] = v_i and l_skill[v_end + 1] = l_skill[v_l] loop
          v_end := v_end + 1;
        end loop;
        v_best := null;
        v_j := v_l;
        loop
          v_is_last := v_j > v_end;
          exit when v_is_last and v_best is null;
          v_m := case when v_is_last then v_best else v_j end;
          v_j := v_j + 1;
          continue when not v_is_last and (l_idle[v_m] or v_best is not null and l_untouched[v_m] + l_shift[v_m] >= v_best_place);

          v_k := array_position(k_lane, l_lane[v_m]);
          if v_k is null then
            k_lane := k_lane || l_lane[v_m];
            v_k := cardinality(k_lane);
            k_from[v_k] := 1;
            k_to[v_k] := 0;
            k_open[v_k] := 1;
            k_head[v_k] := 1;
            k_full[v_k] := true;
            k_begun_from[v_k] := null;
          end if;
          loop
            while k_head[v_k] <= k_to[v_k] and c_left[k_head[v_k]] < c_need[k_head[v_k]] loop
              k_head[v_k] := k_head[v_k] + 1;
            end loop;
            exit when k_head[v_k] <= k_to[v_k] or not k_full[v_k];
            -- For all who want the skill or, where it has several lanes, for what may be this one's part of them.
            v_limit := c_near + cardinality(array_positions(f_skill, l_skill[v_m])) / greatest(1, l_busy[v_m] / 2);
            select array_agg(r.task_id), array_agg(r.tag), array_agg(r.project_id), array_agg(r.need::integer)
            into v_tasks, v_tags, v_projects, v_needs
            from app.untouched_rows(p_tenant, l_lane[v_m], coalesce(c_tag[k_to[v_k]], l_untouched[v_m]), v_limit + k_to[v_k] - k_from[v_k] + 1) r
            where not r.task_id = any (c_task[k_from[v_k] : k_to[v_k]]);
            k_full[v_k] := coalesce(cardinality(v_tasks), 0) >= v_limit;
            if v_tasks is not null then
              k_from[v_k] := cardinality(c_task) + 1;
              c_task := c_task || v_tasks;
              c_tag := c_tag || v_tags;
              c_project := c_project || v_projects;
              c_need := c_need || v_needs;
              c_left := c_left || v_needs;
              k_to[v_k] := cardinality(c_task);
              k_open[v_k] := k_from[v_k];
              k_head[v_k] := k_from[v_k];
            end if;
          end loop;

          v_fresh := k_head[v_k];
          while v_fresh <= k_to[v_k] and (c_left[v_fresh] < c_need[v_fresh] or c_project[v_fresh] = any (v_barred)) loop
            v_fresh := v_fresh + 1;
          end loop;
          if v_fresh > k_to[v_k] then
            v_fresh := null;
            if v_barred <> '{}' then
              -- The head may be all of projects that this expert is barred from: go by the heads of the others.
              v_row := app.first_ready(p_tenant, v_expert, l_lane[v_m], 0::smallint, false, v_barred);
              v_fresh := array_position(c_task, v_row.task_id);
              if v_row.task_id is not null and v_fresh is null then
                c_task := c_task || v_row.task_id;
                c_tag := c_tag || v_row.tag;
                c_project := c_project || v_row.project_id;
                c_need := c_need || v_row.need::integer;
                c_left := c_left || v_row.need::integer;
                v_fresh := cardinality(c_task);
              elsif c_left[v_fresh] < c_need[v_fresh] then
                v_fresh := null;
              end if;
            end if;
          end if;

          v_begun := null;
          if v_fresh is null or v_is_last then
            if k_begun_from[v_k] is null then
              v_from := l_begun[v_m];
              if v_fresh is not null and app.chance() < 0.25 then
                v_from := v_from + floor(app.chance() * greatest(0, c_tag[v_fresh] - v_from))::bigint;
              end if;
              v_rows := array(select r from app.begun_rows(p_tenant, l_lane[v_m], v_from,
                16 + cardinality(array_positions(f_skill, l_skill[v_m]))) r);
              k_begun_from[v_k] := cardinality(c_task) + 1;
              foreach v_row in array v_rows loop
                c_task := c_task || v_row.task_id;
                c_tag := c_tag || v_row.tag;
                c_project := c_project || v_row.project_id;
                c_need := c_need || v_row.need::integer;
                c_left := c_left || v_row.need::integer;
                c_row[cardinality(c_task)] := v_row;
              end loop;
              k_begun_to[v_k] := cardinality(c_task);
            end if;
            v_begun := app.first_begun(c_row, c_left, k_begun_from[v_k], k_begun_to[v_k], v_expert, v_barred);
            if v_begun is null then
              -- What this batch has begun.
              while k_open[v_k] < k_head[v_k] and c_left[k_open[v_k]] = 0 loop
                k_open[v_k] := k_open[v_k] + 1;
              end loop;
              for v_at in k_open[v_k] .. k_head[v_k] - 1 loop
                if c_left[v_at] > 0 and not c_project[v_at] = any (v_barred) then
                  v_begun := v_at;
                  exit;
                end if;
              end loop;
            end if;
          end if;

          exit when v_is_last;
          v_place := l_shift[v_m] + coalesce(c_tag[v_fresh], c_tag[v_begun]);
          if v_place is not null and (v_best is null or v_place < v_best_place) then
            v_best := v_m;
            v_best_place := v_place;
          end if;
        end loop;

        if v_best is not null then
          v_pick := v_fresh;
          v_reason := l_reason[v_best];
          v_near := 1;
          for v_at in coalesce(v_fresh, k_to[v_k]) + 1 .. k_to[v_k] loop
            exit when v_near = c_near or c_tag[v_at] > c_tag[v_fresh] + c_turn;
            continue when c_left[v_at] < c_need[v_at] or c_project[v_at] <> c_project[v_fresh];
            v_near := v_near + 1;
            if app.chance() > 1 - 1.0 / v_near then
              v_pick := v_at;
            end if;
          end loop;
          if v_begun is not null and (v_fresh is null or v_round = 1 and c_tag[v_begun] <= c_tag[v_fresh] + c_turn
              and (c_tag[v_begun] >= c_tag[v_fresh] - c_stale or app.chance() < 0.5)) then
            v_pick := v_begun;
            if v_reason = 'NEXT' then
              v_reason := 'BEGUN';
            end if;
          end if;
        end if;
        v_l := v_end + 1;
      end loop;
      if v_pick is null and v_reserved is not null then
        v_pick := v_reserved;
        v_reason := 'RESERVED';
      end if;
      if v_pick is null then
        v_out[v_i] := jsonb_build_object('outcome', 'LOOK');
        continue;
      end if;

      if v_reason <> 'RESERVED' and v_fresh is not null and v_pick <> v_fresh and c_project[v_pick] = c_project[v_fresh]
         and v_pick between v_fresh and k_to[v_k] then
        -- A claim that may become gold takes the head as it stands: should it, the queue is as if nobody had come. Else
        -- the two change places.
        if w_draw[v_w] >= l_gold[v_best] then
          v_at := array_position(s_task, c_task[v_fresh]);
          s_task[coalesce(v_at, cardinality(s_task) + 1)] := c_task[v_fresh];
          s_tag[coalesce(v_at, cardinality(s_tag) + 1)] := c_tag[v_pick];
          v_task := c_task[v_pick];
          c_task[v_pick] := c_task[v_fresh];
          c_task[v_fresh] := v_task;
          v_limit := c_need[v_pick];
          c_need[v_pick] := c_need[v_fresh];
          c_left[v_pick] := c_need[v_fresh];
          c_need[v_fresh] := v_limit;
          c_left[v_fresh] := v_limit;
        end if;
        v_pick := v_fresh;
      end if;
      c_left[v_pick] := c_left[v_pick] - 1;
      q := q || (v_i, v_pick, c_task[v_pick], v_expert, v_reason, case when v_reason <> 'RESERVED' then l_pressure[v_best] end, w_draw[v_w])::app.choice;
    end loop;
    exit when q = '{}';

    v_made := app.lease_chosen(p_tenant, q, s_task, s_tag, v_has_gold, v_capped <> '{}');
    if v_made <> '{}' then
      for v_got in select * from app.hand_over(v_made, p_requests) loop
        v_out[array_position(v_experts, v_got.expert_id)] := jsonb_build_object('outcome', 'LEASED', 'assignment', v_got.held);
      end loop;
    end if;
    foreach v_choice in array q loop
      if v_out[v_choice.i] is null then
        perform app.pass_over(p_tenant, v_choice.task_id, v_choice.expert_id);
        c_left[v_choice.at] := 0;
      end if;
    end loop;
  end loop;
  for v_i in 1 .. n loop
    v_out[v_i] := coalesce(v_out[v_i], jsonb_build_object('outcome', 'BUSY'));
  end loop;
  return v_out;
end
$$;

drop function app.lane_rows(bigint, bigint, bigint, bigint, integer, double precision);
