-- Gold is given in place of tasks that look like it (20261208110000_gold_looks).
set local role touchstone_owner;

-- Makes leases of gold in place of leases of locked queue rows, for those whose draw is below their rate and who have not
-- been shown all of it; only gold that looks as the task does. The arrays go together, as for app.lease_tasks; the queue rows stay as they are. Only who begins a task
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
    select k.*, r.lane_id, r.tag, case r.phase when 0 then r.need else 1 end as need, p as project, app.look_of(t.external_id, t.content_type) as look, q.labels,
           q.targets, e.rate, e.reason as why, app.chance() as place,
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
           where o.tenant_id = (d.project).tenant_id and o.project_id = (d.project).id and o.label = l.label and o.look = d.look
             and o.state = 'ACTIVE' and o.aside is null
             and o.turn >= d.place and o.exposures + d.need <= o.exposures_max
             and not o.task_id = any (d.shown) and not d.expert_id = any (o.barred)
             and not exists (select from ready w where w.tenant_id = o.tenant_id and w.task_id = o.task_id and w.phase = 1)
           order by o.turn limit 1)
          union all
          (select o.task_id, greatest(o.slots, o.exposures) as slots from golds o
           where o.tenant_id = (d.project).tenant_id and o.project_id = (d.project).id and o.label = l.label and o.look = d.look
             and o.state = 'ACTIVE' and o.aside is null
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
