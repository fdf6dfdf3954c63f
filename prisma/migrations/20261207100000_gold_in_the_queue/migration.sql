-- A gold that takes the place of an untouched task is from then on what that task would have been: it waits in the queue for
-- as many answers, comes back to it when it is given back, lapses or is flagged, and can be taken back from it
-- (docs/decisions/0076).
set local role touchstone_owner;

-- Whether the row is of gold: it is nobody's open work, and its claims are showings.
alter table ready add is_gold boolean not null default false;

-- Slots that were opened: given to somebody, or waiting. Some are taken by who was shown the gold before.
alter table golds add slots integer not null default 0;
update golds set slots = exposures;
grant update (slots) on golds to touchstone_app, touchstone_system, touchstone_line;

-- Slots that came back are given on when the gold has been shown as often as it may be.
alter table golds drop constraint golds_check;
alter table golds add check (exposures >= 0 and exposures_max between 1 and 1000);

-- A showing that nobody drew: the gold waited in the queue.
alter table gold_draws alter rate drop not null, alter drawn drop not null,
  add check ((rate is null) = (drawn is null) and (rate is null) = (reason = 'QUEUE'));

-- What ended waits for nobody.
create function app.end_gold_queue() returns trigger language plpgsql as $$
begin
  perform app.close_task_queue(new.tenant_id, new.task_id);
  return null;
end
$$;
create trigger golds_leave_queue after update of state on golds for each row
  when (old.state = 'ACTIVE' and new.state <> 'ACTIVE') execute function app.end_gold_queue();

-- Notes leases of gold as showings: exposures, what each expert was shown, and how it was drawn (nulls: by nobody).
create function app.note_showings(p_made assignments[], p_rates double precision[], p_drawn double precision[], p_whys text[])
returns void language plpgsql as $$
begin
  update golds o set exposures = o.exposures + m.showings
  from (select n.tenant_id, n.task_id, count(*) as showings from unnest(p_made) n group by n.tenant_id, n.task_id) m
  where o.tenant_id = m.tenant_id and o.task_id = m.task_id;
  insert into gold_tallies as y (tenant_id, expert_id, project_id, shown, by_class)
  select m.tenant_id, m.expert_id, m.project_id, array[m.task_id], jsonb_build_object(o.label, 1)
  from unnest(p_made) m join golds o on o.tenant_id = m.tenant_id and o.task_id = m.task_id
  on conflict (tenant_id, expert_id, project_id) do update set
    shown = y.shown || excluded.shown,
    by_class = y.by_class || (select jsonb_object_agg(c.key, c.value::integer + coalesce((y.by_class ->> c.key)::integer, 0))
                              from jsonb_each_text(excluded.by_class) c);
  insert into gold_draws (tenant_id, assignment_id, task_id, expert_id, project_id, rate, drawn, reason, drawn_at)
  select (p_made[n]).tenant_id, (p_made[n]).id, (p_made[n]).task_id, (p_made[n]).expert_id, (p_made[n]).project_id,
         p_rates[n], p_drawn[n], coalesce(p_whys[n], 'QUEUE'), (p_made[n]).leased_at
  from generate_subscripts(p_made, 1) n;
end
$$;

-- The share of what an expert begins that is gold, as last judged; else a newcomer's (services/quality/gold/rate.ts).
drop function app.gold_rate(bigint, bigint, bigint, bigint);
create function app.gold_rate(p_tenant bigint, p_expert bigint, p_skill bigint, p_task_type bigint)
returns table (rate double precision, reason text, is_new boolean) language sql stable as $$
  select coalesce(g.rate, case s.status when 'ACTIVE' then 0.25 else 0.4 end),
         coalesce(g.reason, case s.status when 'ACTIVE' then 'EVIDENCE' else 'PROBATION' end), s.status = 'PROBATION'
  from expert_skills s
  left join gold_rates g on g.tenant_id = s.tenant_id and g.expert_id = s.expert_id and g.skill_id = s.skill_id and g.task_type_id = p_task_type
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill
$$;

-- Makes leases of gold in place of leases of locked queue rows, for those whose draw is below their rate and who have not
-- been shown all of it. The arrays go together, as for app.lease_tasks; the queue rows stay as they are. Only who begins a task
-- draws for it, or who has it reserved: the others who are to answer it are given the gold by the queue, where it waits for as
-- many as the task would have. So that they are measured where much is begun, who is on probation draws for that too, at a third
-- of the rate: with the gold among what is begun it stays below one half. Of a project's gold it takes the class that is furthest behind its target among what this expert
-- was shown (services/quality/gold/balance.ts), and of that one the first after a place that is drawn. Each showing is an
-- exposure and a slot of the gold's task; a gold that somebody else is just being given, or that waits in the queue, is passed over.
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
    select k.*, r.lane_id, r.tag, case r.phase when 0 then r.need else 1 end as need, p as project, q.labels,
           q.targets, e.rate, e.reason as why, app.chance() as place,
           coalesce(y.shown, '{}') as shown, coalesce(y.by_class, '{}') as by_class
    from (
      select c.*, row_number() over (partition by c.task_id order by c.n) = 1 as begins
      from unnest(p_tasks, p_experts, p_reasons, p_pressures, p_draws) with ordinality as c(task_id, expert_id, reason, pressure, draw, n)
    ) k
    join unnest(p_rows) r on r.task_id = k.task_id
    join projects p on p.tenant_id = r.tenant_id and p.id = r.project_id and p.state = 'RUNNING'
    join gold_pools q on q.tenant_id = r.tenant_id and q.project_id = r.project_id
    cross join lateral app.gold_rate(r.tenant_id, k.expert_id, p.skill_id, p.task_type_id) e
    left join gold_tallies y on y.tenant_id = r.tenant_id and y.expert_id = k.expert_id and y.project_id = r.project_id
    where k.draw < 0.5 and k.draw < e.rate and not k.expert_id = any (r.excl)
      and (r.phase = 0 and k.begins or r.phase = 2 or r.phase = 1 and e.is_new and k.draw < e.rate / 3)
      -- Only a claim that would have succeeded becomes gold.
      and not exists (select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id
                        and a.expert_id = k.expert_id and a.state not in ('EXPIRED', 'RELEASED'))
  ), chosen as materialized (
    select d.*, c.label, c.gold_id, c.slots
    from drawn d
    cross join lateral (
      select l.label, g.task_id as gold_id, g.slots
      from unnest(d.labels, d.targets) as l(label, target)
      cross join lateral (
        select f.task_id, f.slots from (
          (select o.task_id, greatest(o.slots, o.exposures) as slots from golds o
           where o.tenant_id = (d.project).tenant_id and o.project_id = (d.project).id and o.label = l.label and o.state = 'ACTIVE'
             and o.turn >= d.place and o.exposures + d.need <= o.exposures_max
             and not o.task_id = any (d.shown) and not d.expert_id = any (o.barred)
             and not exists (select from ready w where w.tenant_id = o.tenant_id and w.task_id = o.task_id and w.phase = 1)
           order by o.turn limit 1)
          union all
          (select o.task_id, greatest(o.slots, o.exposures) as slots from golds o
           where o.tenant_id = (d.project).tenant_id and o.project_id = (d.project).id and o.label = l.label and o.state = 'ACTIVE'
             and o.turn < d.place and o.exposures + d.need <= o.exposures_max
             and not o.task_id = any (d.shown) and not d.expert_id = any (o.barred)
             and not exists (select from ready w where w.tenant_id = o.tenant_id and w.task_id = o.task_id and w.phase = 1)
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
    perform app.open_rounds(v_made, v_needs);
  end if;
  -- The task comes after the gold that was given before it, by the least that there is: neither loses its turn.
  update ready r set tag = r.tag + 1
  where r.tenant_id = (v_made[1]).tenant_id and r.task_id = any (v_behind) and r.phase = 0;
  update golds o set slots = greatest(o.slots, m.last)
  from (select (v_made[n]).tenant_id, (v_made[n]).task_id, max((v_made[n]).slot + v_needs[n] - 1) as last
        from generate_subscripts(v_made, 1) n group by 1, 2) m
  where o.tenant_id = m.tenant_id and o.task_id = m.task_id;
  return v_made;
end
$$;

-- Lets gold that was begun wait in the queue for the rest of what it was begun with: as a begun task, in the task's place.
create function app.open_rounds(p_made assignments[], p_needs integer[]) returns void language plpgsql as $$
begin
  insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl, passed, is_gold)
  select m.tenant_id, m.task_id, m.lane_id, m.project_id, 1, m.tag,
         (select array_agg(s::smallint order by s) from generate_series(m.slot + 1, m.slot + m.need - 1) s), h.had || o.barred, h.passed, true
  from (select (p_made[n]).*, p_needs[n] as need from generate_subscripts(p_made, 1) n) m
  join golds o on o.tenant_id = m.tenant_id and o.task_id = m.task_id
  cross join lateral app.had_by(m.tenant_id, m.task_id) h
  where m.need > 1
  on conflict do nothing;
end
$$;

-- Who can have a task no more, and who gave it back.
create function app.had_by(p_tenant bigint, p_task bigint) returns table (had bigint[], passed bigint[]) language sql stable as $$
  select coalesce(array_agg(a.expert_id) filter (where a.state not in ('EXPIRED', 'RELEASED')), '{}'),
         coalesce(array_agg(a.expert_id) filter (where a.state = 'RELEASED'), '{}')
  from assignments a where a.tenant_id = p_tenant and a.task_id = p_task
$$;

-- Makes leases of locked queue rows, one for each place of the arrays, where the row has a slot for it; of a row that is in hand
-- longer than it has slots, the first have them. Gold that waits in the queue is shown, unless somebody is just ending it.
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
-- Locks the queue rows that were chosen, moves the tags of those that were passed over, and makes leases, gold in the place
-- of some (app.lease_golds). Who was to be given the rest of a task that became gold is given the rest of the gold, where they
-- may have it. What another transaction has is not in the answer.
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
    select r as row, (select p.max_per_expert from projects p where p.tenant_id = r.tenant_id and p.id = r.project_id) is not null as has_cap
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
  if v_golds <> '{}' then
    v_opened := array(select r from ready r where r.tenant_id = p_tenant and r.task_id = any (array(select g.task_id from unnest(v_golds) g))
                        and r.phase = 1 for update skip locked);
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

-- Gives an ended assignment's slot back, at its old tag or the lane's mark, so that returned work comes first. Of gold too,
-- while it may be shown: for who had it reserved, where it stood for a reserved task. The
-- caller holds a key-share lock on the project. p_again: the same expert may have it again (expired, released).
create or replace function app.return_slot(p_assignment assignments, p_again boolean) returns void language plpgsql as $$
declare
  v_project projects;
  v_task tasks;
  v_excl bigint[];
  v_passed bigint[];
  v_tag bigint;
  v_known bigint[] := '{}';
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
    v_task.allow := case p_assignment.routing_reason when 'RESERVED' then array[p_assignment.expert_id] end;
  end if;
  select h.had || coalesce(v_task.block, '{}') || v_known, h.passed into v_excl, v_passed
  from app.had_by(p_assignment.tenant_id, p_assignment.task_id) h;
  select greatest(p_assignment.tag, l.low_begun) into strict v_tag
  from lanes l where l.tenant_id = p_assignment.tenant_id and l.id = p_assignment.lane_id;

  insert into ready as r (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl, passed, is_gold)
  values (p_assignment.tenant_id, p_assignment.task_id, p_assignment.lane_id, p_assignment.project_id,
          case when v_task.allow is null then 1 else 2 end, v_tag, array[p_assignment.slot], v_excl, v_passed, v_is_gold)
  on conflict (tenant_id, task_id) do update set
    free_slots = r.free_slots || p_assignment.slot,
    phase = case when v_is_gold then least(r.phase, excluded.phase) else r.phase end,
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
-- Whether the slot of a lapsed assignment could be taken again by its expert just now. A slot is free where it waits in the
-- queue, and where the lease on it has run out and nobody has marked that yet; of gold too, while it may be shown.
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
                    and not p_assignment.expert_id = any (r.excl))
     )
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
  if v_assignment.state = 'RELEASED' then
    select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id;
    return jsonb_build_object('outcome', case when v_project.state = 'RUNNING' then 'SLOT_TAKEN' else 'PROJECT_CANCELLED' end);
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
-- One claim that looks at everything before it says that there is nothing: exact, slower, and one at a time.
create or replace function app.claim_exact(p_tenant bigint, p_expert bigint, p_skill bigint, p_actor bigint, p_token_hash bytea, p_request text)
returns jsonb language plpgsql as $$
declare
  v_lanes bigint[];
  v_barred bigint[];
  v_held assignments;
  v_row ready;
  v_project projects;
  v_draw double precision := case when exists (select from gold_pools q where q.tenant_id = p_tenant) then app.chance() else 1 end;
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

-- Takes an expert's live lease away; what is reserved for them waits for them, and so does gold in its place.
create or replace function app.withdraw_lease(p_tenant bigint, p_expert bigint, p_skill bigint) returns boolean language plpgsql as $$
declare
  v_assignment assignments;
  v_again boolean;
begin
  select a.* into v_assignment from assignments a
  join lanes l on l.tenant_id = a.tenant_id and l.id = a.lane_id
  where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED'
    and (p_skill is null or p_skill = l.skill_id or p_skill = any (l.also_all));
  if not found then
    return false;
  end if;
  perform from projects p where p.tenant_id = p_tenant and p.id = v_assignment.project_id for key share;
  select t.allow is not null or t.kind = 'GOLD' and v_assignment.routing_reason = 'RESERVED' into strict v_again
  from tasks t where t.tenant_id = p_tenant and t.id = v_assignment.task_id;
  update assignments a set state = case when v_again then 'EXPIRED' else 'CANCELLED' end, ended_at = app.clock_now()
  where a.tenant_id = p_tenant and a.id = v_assignment.id and a.state = 'LEASED' and a.epoch = v_assignment.epoch
  returning * into v_assignment;
  if not found then
    return false;
  end if;
  perform app.return_slot(v_assignment, v_again);
  perform app.append_lease_event(v_assignment, 'CANCELLED');
  return true;
end
$$;

drop function app.reclaim_gold(assignments, bigint, bytea, text);
drop function app.is_gold_free(assignments);
