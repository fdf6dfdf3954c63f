-- The task in whose place a gold was given is out of sight while the gold stands for it, and comes back together with
-- others, at an instant that no claim decides (docs/decisions/0095). Whether a task was begun is asked of its assignments.
set local role touchstone_owner;

-- phase 3: out of sight. gold_slot is the first of as many slots of the gold as the row has free ones.
alter table ready add gold_task_id bigint, add gold_slot integer, add hidden_at timestamptz(3),
  drop constraint ready_phase_check,
  add constraint ready_phase_check check (phase in (0, 1, 2, 3)),
  add constraint ready_hidden_check check (num_nulls(gold_task_id, gold_slot, hidden_at) = case phase when 3 then 0 else 3 end);
create index ready_hidden on ready (tenant_id, project_id, gold_task_id) where phase = 3;

-- When tasks of the project last came back, or would have.
alter table gold_pools add looked_at timestamptz(3);

-- Whether nobody of these was given the gold or knows it.
create function app.is_new_to(p_gold golds, p_experts bigint[]) returns boolean language sql stable as $$
  select not p_gold.barred && p_experts and not exists (
    select from assignments a where a.tenant_id = p_gold.tenant_id and a.task_id = p_gold.task_id and a.expert_id = any (p_experts))
$$;

-- What is left of the places of the tasks behind, which are not yet out of sight, is the golds'.
drop function app.open_rounds(assignments[], integer[]);
create function app.open_rounds(p_made assignments[], p_needs integer[], p_behind bigint[]) returns void language plpgsql as $$
begin
  with rounds as materialized (
    select m.tenant_id, m.task_id, m.lane_id, m.project_id, m.tag, x.allow, h.had || o.barred || x.excl as excl, h.passed,
           (select array_agg(s::smallint order by s) from generate_series(m.slot + 1, m.slot + m.need - 1) s) as slots
    from (select (p_made[n]).*, p_needs[n] as need, p_behind[n] as behind from generate_subscripts(p_made, 1) n) m
    join golds o on o.tenant_id = m.tenant_id and o.task_id = m.task_id
    cross join lateral (
      select r.excl, case r.phase when 2 then (
        select t.allow from tasks t where t.tenant_id = r.tenant_id and t.id between r.task_id and r.task_id order by t.id limit 1) end as allow
      from ready r where r.tenant_id = m.tenant_id and r.task_id between m.behind and m.behind order by r.task_id limit 1
    ) x
    cross join lateral app.had_by(m.tenant_id, m.task_id) h
    where m.need > 1
  ), opened as (
    insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl, passed, is_gold)
    select r.tenant_id, r.task_id, r.lane_id, r.project_id, case when r.allow is null then 1 else 2 end, r.tag, r.slots, r.excl, r.passed, true
    from rounds r
    on conflict do nothing
  )
  insert into ready_directed (tenant_id, task_id, expert_id, lane_id, project_id, tag)
  select distinct r.tenant_id, r.task_id, e.expert_id, r.lane_id, r.project_id, r.tag
  from rounds r cross join lateral unnest(r.allow) as e(expert_id)
  where not e.expert_id = any (r.excl)
  on conflict do nothing;
end
$$;

-- Makes leases of gold in place of leases of locked queue rows, for those whose draw is below their rate and who have not
-- been shown all of it; only gold that looks as the task does. The arrays go together, as for app.lease_tasks. The tasks go out
-- of sight. Only who begins a task draws for it: the others who are to answer it are given the gold by the queue, where it waits
-- for as many as the task would have. So that they are measured where much is begun, who is on probation draws for the last
-- answer of what others began too, at a third of the rate: with the gold among what is begun, for which nobody draws, it stays below one half. Of a
-- project's gold it takes the class that is furthest behind its target among what this expert was shown
-- (services/quality/gold/balance.ts), and of that one the first after a place that is drawn. Each showing is an exposure and a
-- slot of the gold's task; a gold that somebody else is just being given, or that waits in the queue, is passed over.
create or replace function app.lease_golds(p_rows ready[], p_tasks bigint[], p_experts bigint[], p_reasons text[], p_pressures double precision[],
                                p_draws double precision[], p_capped boolean)
returns assignments[] language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_made assignments[];
  v_needs integer[]; v_rates double precision[]; v_drawn double precision[]; v_whys text[]; v_behind bigint[];
begin
  if not 0.5 > any (p_draws) then
    return '{}';
  end if;
  with drawn as materialized (
    select k.*, r.lane_id, r.tag, r.need, case r.phase when 2 then t.allow end as allow, p as project, app.look_of(t.external_id, t.content_type) as look, q.labels, q.targets, e.rate, e.reason as why, app.chance() as place,
           coalesce(y.shown, '{}') as shown, coalesce(y.by_class, '{}') as by_class
    from (
      select c.*, row_number() over (partition by c.task_id order by c.n) = 1 as begins
      from unnest(p_tasks, p_experts, p_reasons, p_pressures, p_draws) with ordinality as c(task_id, expert_id, reason, pressure, draw, n)
    ) k
    join unnest(p_rows) r on r.task_id = k.task_id
    join projects p on p.tenant_id = r.tenant_id and p.id = r.project_id and p.state = 'RUNNING'
    join tasks t on t.tenant_id = r.tenant_id and t.id = r.task_id
    join gold_pools q on q.tenant_id = r.tenant_id and q.project_id = r.project_id
    cross join lateral app.gold_rate(r.tenant_id, k.expert_id, p.skill_id, p.task_type_id) e
    left join gold_tallies y on y.tenant_id = r.tenant_id and y.expert_id = k.expert_id and y.project_id = r.project_id
    where k.begins and k.draw < 0.5 and k.draw < e.rate and not k.expert_id = any (r.excl)
      -- Not in the place of gold that waits, nor of an adjudication, for which a finished task waits.
      and t.kind = 'WORK' and r.phase < 3
      -- What nobody began, whomever it keeps out; on probation also the last answer of what others began, and never of what was
      -- given to them before.
      and (r.phase = 0
           or (select a.task_id from assignments a where a.tenant_id = r.tenant_id and a.task_id between r.task_id and r.task_id
               order by a.task_id limit 1) is null
           or r.phase = 1 and r.need = 1 and e.is_new and k.draw < e.rate / 3
              and not exists (select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = k.expert_id))
  ), chosen as materialized (
    select d.*, c.label, c.gold_id, c.slots
    from drawn d
    cross join lateral (
      select l.label, g.task_id as gold_id, g.slots
      from unnest(d.labels, d.targets) as l(label, target)
      cross join lateral (
        select f.task_id, f.slots from (
          (select o.task_id, greatest(o.slots, o.exposures) as slots from golds o
           where o.tenant_id = (d.project).tenant_id and o.project_id = (d.project).id and o.label = l.label and o.look = d.look
             and o.state = 'ACTIVE' and o.aside is null
             and o.turn >= d.place and o.exposures + d.need <= o.exposures_max
             and not o.task_id = any (d.shown) and not d.expert_id = any (o.barred)
             and not exists (select from ready w where w.tenant_id = o.tenant_id and w.task_id = o.task_id)
             and (d.allow is null or app.is_new_to(o, d.allow))
           order by o.turn limit 1)
          union all
          (select o.task_id, greatest(o.slots, o.exposures) as slots from golds o
           where o.tenant_id = (d.project).tenant_id and o.project_id = (d.project).id and o.label = l.label and o.look = d.look
             and o.state = 'ACTIVE' and o.aside is null
             and o.turn < d.place and o.exposures + d.need <= o.exposures_max
             and not o.task_id = any (d.shown) and not d.expert_id = any (o.barred)
             and not exists (select from ready w where w.tenant_id = o.tenant_id and w.task_id = o.task_id)
             and (d.allow is null or app.is_new_to(o, d.allow))
           order by o.turn limit 1)
        ) f limit 1
      ) g
      order by round((l.target * (cardinality(d.shown) + 1))::numeric, 9) - coalesce((d.by_class ->> l.label)::integer, 0) desc, app.chance()
      limit 1
    ) c
  ), locked as materialized (
    select o.task_id, greatest(o.slots, o.exposures) as slots, o.exposures_max - o.exposures as left from golds o
    where o.tenant_id = (p_rows[1]).tenant_id and o.task_id = any (array(select c.gold_id from chosen c)) and o.state = 'ACTIVE'
    for no key update skip locked
  ), turns as (
    -- A gold that others were given since it was chosen may wait in the queue by now. One of a batch begins a round of it.
    select c.*, l.left, row_number() over (partition by c.gold_id order by c.expert_id) as nth
    from chosen c
    join locked l on l.task_id = c.gold_id and l.slots = c.slots
  ), placed as materialized (
    select c.*, t.wanted, sum(c.need) over (partition by c.gold_id order by c.nth) as opened
    from turns c
    join tasks t on t.tenant_id = (c.project).tenant_id and t.id = c.gold_id
    where c.nth = 1 or c.need = 1
  ), made as (
    insert into assignments as a (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
                                  state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency,
                                  routing_reason, routing_pressure)
    select (c.project).tenant_id, c.gold_id, c.expert_id, (c.project).id, 0, 0, c.lane_id, c.slots + c.opened - c.need + 1, c.wanted, c.tag,
           'LEASED', 1, (c.project).lease_seconds, v_now, v_now + make_interval(secs => (c.project).lease_seconds),
           v_now + make_interval(secs => 4 * (c.project).lease_seconds), (c.project).price_minor, (c.project).currency,
           case when c.reason in ('NEXT', 'BEGUN') and f.lift > 1 and f.lifted_until > v_now then 'DEADLINE' else c.reason end, c.pressure
    from placed c
    left join flows f on f.tenant_id = (c.project).tenant_id and f.lane_id = c.lane_id and f.project_id = (c.project).id
    where c.opened <= c.left
    on conflict (tenant_id, task_id, expert_id) do nothing
    returning a as lease
  )
  select coalesce(array_agg(m.lease), '{}'), array_agg(c.need), array_agg(c.rate), array_agg(c.draw), array_agg(c.why), array_agg(c.task_id)
  into v_made, v_needs, v_rates, v_drawn, v_whys, v_behind
  from made m join placed c on c.expert_id = (m.lease).expert_id;
  if v_made = '{}' then
    return v_made;
  end if;
  perform app.note_showings(v_made, v_rates, v_drawn, v_whys);
  perform app.begin_leases(v_made, p_capped);
  if 1 < any (v_needs) then
    perform app.open_rounds(v_made, v_needs, v_behind);
  end if;
  -- The gold has the place of the task, which is out of sight until app.bring_back.
  with behind as materialized (
    select h.place, (v_made[n]).task_id, (v_made[n]).slot
    from generate_subscripts(v_made, 1) n
    cross join lateral (
      select r.ctid as place from ready r
      where r.tenant_id = (v_made[1]).tenant_id and r.task_id between v_behind[n] and v_behind[n] order by r.task_id limit 1
    ) h
  )
  update ready r set phase = 3, gold_task_id = b.task_id, gold_slot = b.slot, hidden_at = v_now
  from (select * from behind limit cardinality(v_made)) b where r.ctid = b.place;
  if exists (select from unnest(p_rows) r where r.phase = 2) then
    delete from ready_directed d where d.tenant_id = (v_made[1]).tenant_id and d.task_id = any (v_behind);
  end if;
  update golds o set slots = greatest(o.slots, m.last)
  from (select (v_made[n]).tenant_id, (v_made[n]).task_id, max((v_made[n]).slot + v_needs[n] - 1) as last
        from generate_subscripts(v_made, 1) n group by 1, 2) m
  where o.tenant_id = m.tenant_id and o.task_id = m.task_id;
  return v_made;
end
$$;

create or replace function app.lease_chosen(p_tenant bigint, p_chosen app.choice[], p_moved bigint[], p_tags bigint[], p_has_gold boolean, p_capped boolean)
returns assignments[] language plpgsql as $$
declare
  v_rows ready[];
  v_capped boolean;
  v_golds assignments[] := '{}';
  v_opened ready[] := '{}';
  v_hidden bigint[] := '{}';
  v_tasks bigint[]; v_experts bigint[]; v_reasons text[]; v_pressures double precision[]; v_draws double precision[];
begin
  with locked as materialized (
    select h.row, h.has_cap
    from (select distinct w.id from unnest(array(select c.task_id from unnest(p_chosen) c) || p_moved) as w(id)) w
    cross join lateral (
      select r as row, (select p.max_per_expert from projects p where p.tenant_id = r.tenant_id and p.id between r.project_id and r.project_id
                        order by p.id limit 1) is not null as has_cap
      from ready r where r.tenant_id = p_tenant and r.task_id between w.id and w.id and r.phase < 3
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
    v_hidden := array(select c.task_id from unnest(p_chosen) c join unnest(v_golds) g on g.expert_id = c.expert_id);
    v_opened := array(
      select h.row from (select distinct g.task_id from unnest(v_golds) g) g
      cross join lateral (
        select r as row from ready r
        where r.tenant_id = p_tenant and r.task_id between g.task_id and g.task_id
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
  -- Who cannot have the gold chooses again: the task in whose place it was given is out of sight.
  where (v_golds = '{}' or not c.expert_id = any (array(select g.expert_id from unnest(v_golds) g)))
    and (o.gold is not null or not c.task_id = any (v_hidden));
  return v_golds || app.lease_tasks(v_rows || v_opened, v_tasks, v_experts, v_reasons, v_pressures, v_capped);
end
$$;

create or replace function app.return_slot(p_assignment assignments, p_again boolean) returns void language plpgsql as $$
declare
  v_project projects;
  v_task tasks;
  v_excl bigint[];
  v_passed bigint[];
  v_tag bigint;
  v_known bigint[] := '{}';
  v_kept bigint[];
  v_is_gold boolean;
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
  v_is_gold := v_task.kind = 'GOLD';
  if v_is_gold then
    -- Who ends it waits for us, or we for them.
    select g.barred into v_known from golds g where g.tenant_id = v_task.tenant_id and g.task_id = v_task.id and g.state = 'ACTIVE' for share;
    if not found then
      return;
    end if;
    -- It comes back to whom the task would that it stands for.
    select x.excl, t.allow into v_kept, v_task.allow
    from ready x join tasks t on t.tenant_id = x.tenant_id and t.id = x.task_id
    where x.tenant_id = v_task.tenant_id and x.project_id = v_task.project_id and x.gold_task_id = v_task.id and x.phase = 3
      and p_assignment.slot between x.gold_slot and x.gold_slot + x.need - 1;
    if not found and p_assignment.routing_reason = 'RESERVED' then
      v_task.allow := array[p_assignment.expert_id];
    end if;
  end if;
  select h.had || coalesce(v_task.block, '{}') || v_known || coalesce(v_kept, '{}'), h.passed into v_excl, v_passed
  from app.had_by(p_assignment.tenant_id, p_assignment.task_id) h;
  select greatest(p_assignment.tag, l.low_begun) into strict v_tag
  from lanes l where l.tenant_id = p_assignment.tenant_id and l.id = p_assignment.lane_id;

  insert into ready as r (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl, passed, is_gold)
  values (p_assignment.tenant_id, p_assignment.task_id, p_assignment.lane_id, p_assignment.project_id,
          case when v_task.allow is null then 1 else 2 end, v_tag, array[p_assignment.slot], v_excl, v_passed, v_is_gold)
  on conflict (tenant_id, task_id) do update set
    free_slots = r.free_slots || p_assignment.slot,
    -- What was begun, and is out of sight for the gold in place of its last answer, is seen again.
    phase = case when v_is_gold then least(r.phase, excluded.phase) when r.phase = 3 then excluded.phase else r.phase end,
    tag = case r.phase when 3 then greatest(r.tag, excluded.tag) else r.tag end,
    gold_task_id = null, gold_slot = null, hidden_at = null,
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

create or replace function app.claim_exact(p_tenant bigint, p_expert bigint, p_skill bigint, p_actor bigint, p_token_hash bytea, p_request text)
returns jsonb language plpgsql as $$
declare
  v_lanes bigint[];
  v_barred bigint[];
  v_held assignments;
  v_row ready;
  v_project projects;
  v_draw double precision := 1;
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

  -- Only now: out of a tenant's scope there is no gold to be seen.
  if exists (select from gold_pools q where q.tenant_id = p_tenant) then
    v_draw := app.chance();
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
    v_held := (app.lease_golds(array[v_row], array[v_row.task_id], array[p_expert], array[app.reason_of(v_row)],
      array[null::double precision], array[v_draw], true))[1];
    if v_held.id is null then
      v_held := app.lease_task(v_row, p_expert, v_project);
    end if;
    exit when v_held.id is not null;
    perform app.pass_over(p_tenant, v_row.task_id, p_expert);
    if v_row.is_gold then
      -- Somebody may be ending it, who waits for the row that is locked here.
      return jsonb_build_object('outcome', 'BUSY');
    end if;
  end loop;
  perform app.grant_payload(v_held, p_token_hash, p_actor, p_request);
  return jsonb_build_object('outcome', 'LEASED', 'assignment', app.held_json(v_held));
end
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
  if v_assignment.state = 'RELEASED' then
    select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id;
    return jsonb_build_object('outcome', case when v_project.state = 'RUNNING' then 'SLOT_TAKEN' else 'PROJECT_CANCELLED' end);
  end if;
  select * into v_row from ready r
  where r.tenant_id = p_tenant and r.task_id = v_assignment.task_id and r.phase < 3 and not p_expert = any (r.excl) for update;
  if not found and app.expire_task(v_assignment) then
    select * into v_row from ready r
    where r.tenant_id = p_tenant and r.task_id = v_assignment.task_id and r.phase < 3 and not p_expert = any (r.excl) for update;
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

create or replace function app.is_reclaimable(p_assignment assignments) returns boolean language sql stable as $$
  select p_assignment.state in ('LEASED', 'EXPIRED')
     and p_assignment.lane_id = any (app.expert_lanes(p_assignment.tenant_id, p_assignment.expert_id, null))
     and not app.is_day_full(p_assignment.tenant_id, p_assignment.expert_id)
     and exists (select from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id and p.state = 'RUNNING')
     and exists (select from tasks t where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id and t.state = 'OPEN')
     and (p_assignment.customer_id <> 0 or exists (
       select from golds g where g.tenant_id = p_assignment.tenant_id and g.task_id = p_assignment.task_id and g.state = 'ACTIVE'))
     and (
       exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.task_id = p_assignment.task_id
                 and o.state = 'LEASED' and o.lease_until <= app.clock_now())
       or exists (select from ready r where r.tenant_id = p_assignment.tenant_id and r.task_id = p_assignment.task_id
                    and r.phase < 3 and not p_assignment.expert_id = any (r.excl))
     )
     and not exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.expert_id = p_assignment.expert_id
                       and o.state = 'LEASED' and o.lease_until > app.clock_now())
$$;

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
  elsif v_barred <> '{}' and exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and r.phase < 3
                                       and r.project_id = any (v_barred) and not p_expert = any (r.excl)) then
    v_reason := case when exists (select from tallies y
                                  join ready r on r.tenant_id = y.tenant_id and r.project_id = y.project_id and r.phase < 3
                                  where y.tenant_id = p_tenant and y.expert_id = p_expert and y.is_full and not y.is_barred
                                    and r.lane_id = any (p_lanes) and not p_expert = any (r.excl))
                     then 'PROJECT_CAP_REACHED' else 'CONFLICT_OF_INTEREST' end;
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality > s.taken_for
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase < 3
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'QUALITY_BELOW_MINIMUM';
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and not l.id = any (p_lanes)
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id and r.phase < 3
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'REQUIREMENTS_NOT_MET';
  elsif exists (select from ready r join assignments a on a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert
                where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and r.phase < 3 and p_expert = any (r.excl))
    and not exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and r.phase < 3 and not exists (
                      select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert)) then
    v_reason := 'ALL_ANSWERED_BY_YOU';
  elsif exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and r.phase < 3) then
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

create or replace function app.is_lane_idle(p_lane lanes, p_untouched bigint, p_begun bigint) returns boolean language plpgsql stable as $$
begin
  return p_untouched is null and p_begun is null
    and (p_lane.is_idle or not exists (select from ready r where r.tenant_id = p_lane.tenant_id and r.lane_id = p_lane.id and r.phase < 3));
end
$$;

-- Tasks of a project that are out of sight come back together: at ticks of the clock, a lease or two apart (less where a
-- deadline is near), so that what comes tells how many of the tasks that were begun between two ticks were gold, and not
-- which. Then come those whose golds are held by nobody and wait for nobody; and, whatever their gold does, those that were
-- out of sight as long as one can hold a task (less, but a lease, where a deadline is near). Returns how many came.
create function app.bring_back(p_tenant bigint, p_project bigint) returns integer language plpgsql as $$
declare
  c_at_once constant integer := 5000;
  v_now timestamptz(3) := app.clock_now();
  v_project projects;
  v_line timestamptz;
  v_latest double precision;
  v_count integer;
begin
  select * into v_project from projects p where p.tenant_id = p_tenant and p.id = p_project for key share;
  if v_project.state is distinct from 'RUNNING' then
    return 0;
  end if;
  v_line := app.tick_before(v_project);
  v_latest := greatest(v_project.lease_seconds, least(4 * v_project.lease_seconds, app.seconds_left(v_project) / 4));
  update gold_pools q set looked_at = v_now
  where q.tenant_id = p_tenant and q.project_id = p_project and (q.looked_at is null or q.looked_at < v_line);
  -- Without a pool (all gold has ended) nothing says when it was looked: then soon after a tick only, never at an answer.
  if not found and (v_now > v_line + interval '10 s'
                    or exists (select from gold_pools q where q.tenant_id = p_tenant and q.project_id = p_project)) then
    return 0;
  end if;
  perform from lanes l
  where l.tenant_id = p_tenant and l.id in (v_project.lane_id, v_project.adjudication_lane_id) order by l.id for no key update;
  with due as materialized (
    select r.task_id from ready r
    where r.tenant_id = p_tenant and r.project_id = p_project and r.phase = 3 and r.hidden_at < v_line
      and (r.hidden_at <= v_now - make_interval(secs => v_latest) or not app.is_standing(r))
    order by r.task_id limit c_at_once for update skip locked
  ), seen as materialized (
    select d.task_id, t.allow,
           case when t.allow is not null then 2
                when r.excl <> '{}' or r.passed <> '{}'
                  or exists (select from assignments a where a.tenant_id = p_tenant and a.task_id = d.task_id) then 1 else 0 end as phase
    from due d
    join ready r on r.tenant_id = p_tenant and r.task_id = d.task_id
    join tasks t on t.tenant_id = p_tenant and t.id = d.task_id
  ), back as (
    -- After its gold, which may wait, by the least that there is.
    update ready r
    set phase = s.phase, gold_task_id = null, gold_slot = null, hidden_at = null,
        tag = greatest(r.tag + 1, case s.phase when 0 then l.low_untouched when 1 then l.low_begun end)
    from seen s, lanes l
    where r.tenant_id = p_tenant and r.task_id = s.task_id and l.tenant_id = p_tenant and l.id = r.lane_id
    returning r.task_id, r.lane_id, r.tag, r.excl, s.allow
  ), directed as (
    insert into ready_directed (tenant_id, task_id, expert_id, lane_id, project_id, tag)
    select distinct p_tenant, b.task_id, e.expert_id, b.lane_id, p_project, b.tag
    from back b cross join lateral unnest(b.allow) as e(expert_id)
    where not e.expert_id = any (b.excl)
    on conflict do nothing
  ), awake as (
    update lanes l set is_idle = false
    where l.tenant_id = p_tenant and l.is_idle and l.id in (select b.lane_id from back b)
  )
  select count(*) into v_count from back;
  if v_count = c_at_once then
    -- There may be more of the same tick.
    update gold_pools q set looked_at = null where q.tenant_id = p_tenant and q.project_id = p_project;
  end if;
  return v_count;
end
$$;

-- Whether somebody holds the gold that stands for a task, or it waits for somebody.
create function app.is_standing(p_row ready) returns boolean language sql stable as $$
  select exists (select from assignments a where a.tenant_id = p_row.tenant_id and a.task_id = p_row.gold_task_id and a.state = 'LEASED'
                   and a.slot between p_row.gold_slot and p_row.gold_slot + p_row.need - 1)
      or exists (select from ready w cross join lateral unnest(w.free_slots) as f(slot)
                 where w.tenant_id = p_row.tenant_id and w.task_id = p_row.gold_task_id
                   and f.slot between p_row.gold_slot and p_row.gold_slot + p_row.need - 1)
$$;

-- As it was, and no more of a row that is out of sight by the time that it is locked.
create or replace function app.first_ready(p_tenant bigint, p_expert bigint, p_lane bigint, p_phase smallint, p_passed boolean, p_barred bigint[])
returns ready language plpgsql as $$
declare
  v_row ready;
begin
  if p_barred = '{}' then
    select r.* into v_row from ready r
    where r.tenant_id = p_tenant and r.lane_id = p_lane and r.phase = p_phase
      and not p_expert = any (r.excl) and p_expert = any (r.passed) = p_passed
    order by r.tag, r.task_id limit 1 for update skip locked;
    return v_row;
  end if;
  with heads as materialized (
    select h.task_id from flows f
    cross join lateral (
      select r.task_id, r.tag from ready r
      where r.tenant_id = p_tenant and r.project_id = f.project_id and r.lane_id = p_lane and r.phase = p_phase
        and not p_expert = any (r.excl) and p_expert = any (r.passed) = p_passed
      order by r.tag, r.task_id limit 1
    ) h
    where f.tenant_id = p_tenant and f.lane_id = p_lane and not f.project_id = any (p_barred)
    order by h.tag limit 8
  )
  select r.* into v_row from ready r
  where r.tenant_id = p_tenant and r.task_id in (select h.task_id from heads h) and r.phase = p_phase and not p_expert = any (r.excl)
  order by r.tag, r.task_id limit 1 for update skip locked;
  return v_row;
end
$$;
