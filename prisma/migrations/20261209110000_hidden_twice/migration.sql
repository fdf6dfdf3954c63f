-- How often and how long a task may be out of sight for gold is bounded: at most twice, and each time as long as somebody can hold a task
-- where somebody holds the gold, an hour at most where it only waits, and then until a tick, which are minutes apart
-- (docs/decisions/0095, 0121).
set local role touchstone_owner;

-- How often gold was given in its place. What comes back to the queue after all of it was taken is not hidden any more.
alter table ready add hidings smallint not null default 0 check (hidings between 0 and 2);
alter table ready no force row level security;
update ready set hidings = 1 where phase = 3;
alter table ready force row level security;

-- What is out of sight waits, and no answer to it can be given now.
alter table pools drop constraint pools_check, add constraint pools_open_answers_check check (open_answers >= 0);

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
      -- Nor a third time in that of one task.
      and r.hidings < 2
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
  update ready r set phase = 3, gold_task_id = b.task_id, gold_slot = b.slot, hidden_at = v_now, hidings = r.hidings + 1
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

-- As before; a row that is made anew is not hidden any more.
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

  insert into ready as r (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl, passed, is_gold, hidings)
  values (p_assignment.tenant_id, p_assignment.task_id, p_assignment.lane_id, p_assignment.project_id,
          case when v_task.allow is null then 1 else 2 end, v_tag, array[p_assignment.slot], v_excl, v_passed, v_is_gold, 2)
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

-- As before; what a task comes to want more is not hidden any more.
create or replace function app.adapt_tasks(p_tenant bigint, p_tasks bigint[]) returns void language plpgsql as $$
declare
  v_running bigint[];
  v_decided app.decision[];
  v_adjudicate bigint[];
begin
  if not exists (select from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
                 where t.tenant_id = p_tenant and t.id = any (p_tasks) and t.state = 'DONE' and (p.redundancy_policy is not null or t.critical)) then
    return;
  end if;
  -- A cancel that is under way has this lock: the tasks of its project end as they are.
  select coalesce(array_agg(r.id), '{}') into v_running from (
    select p.id from projects p
    where p.tenant_id = p_tenant and p.state = 'RUNNING'
      and p.id in (select t.project_id from tasks t where t.tenant_id = p_tenant and t.id = any (p_tasks))
    for key share skip locked
  ) r;
  select coalesce(array_agg((d.task_id, d.project_id, d.customer_id, d.answers, d.next, d.more, d.reason, d.results)::app.decision
                            order by d.task_id), '{}') into v_decided
  from app.decide_tasks(p_tenant, p_tasks) d where d.project_id = any (v_running);
  if v_decided = '{}' then
    return;
  end if;
  v_decided := app.within_budget(p_tenant, v_decided);
  with decided as materialized (
    select d.* from unnest(v_decided) d
  ), kept as (
    insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
    select p_tenant, d.task_id, d.project_id, d.customer_id, d.answers, d.next, d.reason, case d.reason when 'BUDGET' then 0 end, d.results
    from decided d
    on conflict do nothing
    returning id, task_id, project_id, customer_id, reason
  ), raised as (
    update tasks t set wanted = t.wanted + d.more, state = 'OPEN', done_at = null
    from decided d
    where t.tenant_id = p_tenant and t.id = d.task_id and d.next = 'MORE' and t.state = 'DONE'
      and d.task_id in (select k.task_id from kept k)
    returning t.id, t.project_id, t.wanted, t.allow, t.block, d.more
  ), committed as (
    update project_budgets b set committed_minor = b.committed_minor + c.wanted * p.price_minor
    from (select r.project_id, sum(r.more) as wanted from raised r group by r.project_id) c
    join projects p on p.tenant_id = p_tenant and p.id = c.project_id
    where b.tenant_id = p_tenant and b.project_id = c.project_id
  ), stopped as (
    insert into budget_stops (tenant_id, project_id, task_id, customer_id, decision_id)
    select p_tenant, k.project_id, k.task_id, k.customer_id, k.id from kept k where k.reason = 'BUDGET'
    on conflict do nothing
  ), again as materialized (
    select r.*, p.lane_id, greatest(l.low_begun, h.tag) as tag, coalesce(r.block, '{}') || h.had as excl
    from raised r
    join projects p on p.tenant_id = p_tenant and p.id = r.project_id
    join lanes l on l.tenant_id = p_tenant and l.id = p.lane_id
    cross join lateral (
      select max(a.tag) as tag, coalesce(array_agg(a.expert_id) filter (where a.state not in ('EXPIRED', 'RELEASED')), '{}') as had
      from assignments a where a.tenant_id = p_tenant and a.task_id = r.id
    ) h
  ), opened as (
    insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl, hidings)
    select p_tenant, g.id, g.lane_id, g.project_id, case when g.allow is null then 1 else 2 end, g.tag,
           (select array_agg(n::smallint order by n) from generate_series(g.wanted - g.more + 1, g.wanted) n), g.excl, 2
    from again g
  ), directed as (
    insert into ready_directed (tenant_id, task_id, expert_id, lane_id, project_id, tag)
    select distinct p_tenant, g.id, e.expert_id, g.lane_id, g.project_id, g.tag
    from again g cross join lateral unnest(g.allow) as e(expert_id)
    where not e.expert_id = any (g.excl)
    on conflict do nothing
  )
  select coalesce(array_agg(d.task_id) filter (where d.next = 'ADJUDICATE'), '{}') into v_adjudicate
  from decided d where d.task_id in (select k.task_id from kept k);
  if v_adjudicate <> '{}' then
    perform app.open_adjudications(p_tenant, v_adjudicate);
  end if;
end
$$;

-- The last tick of a project's clock: one to two leases apart, at most 320 s, closer near a deadline. In steps, so that the clock does not
-- slide as a deadline comes nearer.
create or replace function app.tick_before(p_project projects) returns timestamptz language sql stable as $$
  select to_timestamp(floor(extract(epoch from app.clock_now()) / t.tick) * t.tick)
  from (
    select 5 * power(2, floor(log(2, (greatest(5, least(320, 2 * p_project.lease_seconds, app.seconds_left(p_project) / 20)) / 5)::numeric))) as tick
  ) t
$$;

-- Whether the gold in whose place a task is out of sight stood for it still at an instant, or has since: somebody holds it, it waits in the
-- queue (which counts for so many seconds after the task was hidden), or that it ended is no older.
drop function app.is_standing(ready);
create function app.is_standing(p_row ready, p_at timestamptz, p_wait double precision) returns boolean language sql stable as $$
  select exists (select from assignments a where a.tenant_id = p_row.tenant_id and a.task_id = p_row.gold_task_id
                   and (a.state = 'LEASED' or a.ended_at >= p_at)
                   and a.slot between p_row.gold_slot and p_row.gold_slot + p_row.need - 1)
      or p_row.hidden_at > p_at - make_interval(secs => p_wait)
         and exists (select from ready w cross join lateral unnest(w.free_slots) as f(slot)
                     where w.tenant_id = p_row.tenant_id and w.task_id = p_row.gold_task_id
                       and f.slot between p_row.gold_slot and p_row.gold_slot + p_row.need - 1)
      or exists (select from golds g where g.tenant_id = p_row.tenant_id and g.task_id = p_row.gold_task_id and g.ended_at >= p_at)
$$;

-- Tasks of a project that are out of sight come back together: at ticks of the clock, minutes apart (less where a
-- deadline is near), so that what comes tells how many of the tasks that were begun between two ticks were gold, and not
-- which. Then come those whose golds were held by nobody, and waited for nobody or too long, when the clock ticked: whoever looks later sees the
-- same. And, whatever their gold does, those that were out of sight as long as one can hold a task (less, but a lease, where a
-- deadline is near). Lanes are locked before the pool, as by whoever opens tasks. Returns how many came.
create or replace function app.bring_back(p_tenant bigint, p_project bigint) returns integer language plpgsql as $$
declare
  c_at_once constant integer := 5000;
  c_wait_most constant integer := 3600;
  v_project projects;
  v_line timestamptz;
  v_left double precision;
  v_latest double precision;
  v_wait double precision;
  v_count integer;
begin
  select * into v_project from projects p where p.tenant_id = p_tenant and p.id = p_project for key share;
  if v_project.state is distinct from 'RUNNING' then
    return 0;
  end if;
  v_line := app.tick_before(v_project);
  if exists (select from gold_pools q where q.tenant_id = p_tenant and q.project_id = p_project and q.looked_at >= v_line) then
    return 0;
  end if;
  v_left := app.seconds_left(v_project);
  v_latest := greatest(v_project.lease_seconds, least(4 * v_project.lease_seconds, v_left / 4));
  v_wait := least(v_latest, c_wait_most, v_left / 4);
  perform from lanes l
  where l.tenant_id = p_tenant and l.id in (v_project.lane_id, v_project.adjudication_lane_id) order by l.id for no key update;
  with due as materialized (
    select r.task_id from ready r
    where r.tenant_id = p_tenant and r.project_id = p_project and r.phase = 3 and r.hidden_at < v_line
      and (r.hidden_at <= v_line - make_interval(secs => v_latest) or not app.is_standing(r, v_line, v_wait))
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
  -- Where more may be due of the same tick, the next look goes on.
  update gold_pools q set looked_at = app.clock_now()
  where q.tenant_id = p_tenant and q.project_id = p_project and v_count < c_at_once;
  return v_count;
end
$$;
