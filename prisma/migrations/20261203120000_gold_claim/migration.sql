-- The claim gives gold: in place of a task that it would have given, at the expert's rate, and never instead of nothing.
set local role touchstone_owner;

-- The same payload is gold once in a project: a second one would be the same gold again to whoever had the first.
alter table golds add payload_key text not null;
create unique index golds_payload_once on golds (tenant_id, project_id, payload_key);
grant usage on sequence tasks_id_seq to touchstone_app, touchstone_system;

-- Now with the highest rate of gold that the skill may have, which the claim needs and is in the row that it reads anyway.
drop function app.lanes_of(bigint, bigint, bigint);
-- Lanes that an expert may be given work from: the skill held, not paused and at or above the lane's minimum (rule 5),
-- and all else that the lane asks for. p_skill null: any skill. An SQL function, so that it is planned with its caller.
create function app.lanes_of(p_tenant bigint, p_expert bigint, p_skill bigint)
returns table (lane_id bigint, skill_id bigint, pressure double precision, preference smallint,
               low_untouched bigint, low_begun bigint, gold_rate_most double precision) language sql stable as $$
  select l.id, l.skill_id, l.pressure, s.preference, l.low_untouched, l.low_begun, s.gold_rate_most
  from experts x
  join expert_skills s on s.tenant_id = x.tenant_id and s.expert_id = x.id
  join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality <= s.quality_lower
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

-- Why the exact look gives a row.
create function app.reason_of(p_row ready) returns text language sql immutable as $$
  select case when p_row.phase = 2 then 'RESERVED' when p_row.phase = 1 then 'BEGUN' else 'NEXT' end
$$;

-- The share of an expert's claims that become gold, as last judged; else a newcomer's (services/quality/gold/rate.ts).
create function app.gold_rate(p_tenant bigint, p_expert bigint, p_skill bigint, p_task_type bigint)
returns table (rate double precision, reason text) language sql stable as $$
  select coalesce(g.rate, case s.status when 'ACTIVE' then 0.25 else 0.4 end),
         coalesce(g.reason, case s.status when 'ACTIVE' then 'EVIDENCE' else 'PROBATION' end)
  from expert_skills s
  left join gold_rates g on g.tenant_id = s.tenant_id and g.expert_id = s.expert_id and g.skill_id = s.skill_id and g.task_type_id = p_task_type
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill
$$;

-- Makes leases of gold in place of leases of locked queue rows, for those whose draw is below their rate and who have not
-- been shown all of it. The arrays go together, as for app.lease_tasks; the queue rows stay as they are. Of a project's
-- gold it takes the class that is furthest behind its target among what this expert was shown
-- (services/quality/gold/balance.ts), and of that one the first after a place that is drawn. Each showing is an exposure
-- and a slot of the gold's task; a gold that somebody else is just being given is passed over.
create function app.lease_golds(p_rows ready[], p_tasks bigint[], p_experts bigint[], p_reasons text[], p_pressures double precision[],
                                p_draws double precision[], p_capped boolean)
returns assignments[] language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_made assignments[];
  v_labels text[]; v_rates double precision[]; v_drawn double precision[]; v_whys text[];
begin
  if not 0.5 > any (p_draws) then
    return '{}';
  end if;
  with drawn as materialized (
    select k.*, r.lane_id, r.tag, p as project, q.labels, q.targets, e.rate, e.reason as why, app.chance() as place,
           coalesce(y.shown, '{}') as shown, coalesce(y.by_class, '{}') as by_class
    from unnest(p_tasks, p_experts, p_reasons, p_pressures, p_draws) as k(task_id, expert_id, reason, pressure, draw)
    join unnest(p_rows) r on r.task_id = k.task_id
    join projects p on p.tenant_id = r.tenant_id and p.id = r.project_id and p.state = 'RUNNING'
    join gold_pools q on q.tenant_id = r.tenant_id and q.project_id = r.project_id
    cross join lateral app.gold_rate(r.tenant_id, k.expert_id, p.skill_id, p.task_type_id) e
    left join gold_tallies y on y.tenant_id = r.tenant_id and y.expert_id = k.expert_id and y.project_id = r.project_id
    where k.draw < 0.5 and k.draw < e.rate and not k.expert_id = any (r.excl)
      -- Only a claim that would have succeeded becomes gold.
      and not exists (select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id
                        and a.expert_id = k.expert_id and a.state not in ('EXPIRED', 'RELEASED'))
  ), chosen as materialized (
    select d.*, c.label, c.gold_id
    from drawn d
    cross join lateral (
      select l.label, g.task_id as gold_id
      from unnest(d.labels, d.targets) as l(label, target)
      cross join lateral (
        select f.task_id from (
          (select o.task_id from golds o
           where o.tenant_id = (d.project).tenant_id and o.project_id = (d.project).id and o.label = l.label and o.state = 'ACTIVE'
             and o.turn >= d.place and o.exposures < o.exposures_max
             and not o.task_id = any (d.shown) and not d.expert_id = any (o.barred)
           order by o.turn limit 1)
          union all
          (select o.task_id from golds o
           where o.tenant_id = (d.project).tenant_id and o.project_id = (d.project).id and o.label = l.label and o.state = 'ACTIVE'
             and o.turn < d.place and o.exposures < o.exposures_max
             and not o.task_id = any (d.shown) and not d.expert_id = any (o.barred)
           order by o.turn limit 1)
        ) f limit 1
      ) g
      order by round((l.target * (cardinality(d.shown) + 1))::numeric, 9) - coalesce((d.by_class ->> l.label)::integer, 0) desc, app.chance()
      limit 1
    ) c
  ), locked as materialized (
    select o.task_id, o.exposures, o.exposures_max from golds o
    where o.tenant_id = (p_rows[1]).tenant_id and o.task_id = any (array(select c.gold_id from chosen c)) and o.state = 'ACTIVE'
    for no key update skip locked
  ), placed as (
    select c.*, t.wanted, l.exposures_max, l.exposures + row_number() over (partition by c.gold_id order by c.expert_id) as slot
    from chosen c
    join locked l on l.task_id = c.gold_id
    join tasks t on t.tenant_id = (c.project).tenant_id and t.id = c.gold_id
  ), made as (
    insert into assignments as a (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
                                  state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency,
                                  routing_reason, routing_pressure)
    select (c.project).tenant_id, c.gold_id, c.expert_id, (c.project).id, 0, 0, c.lane_id, c.slot, c.wanted, c.tag,
           'LEASED', 1, (c.project).lease_seconds, v_now, v_now + make_interval(secs => (c.project).lease_seconds),
           v_now + make_interval(secs => 4 * (c.project).lease_seconds), (c.project).price_minor, (c.project).currency,
           case when c.reason in ('NEXT', 'BEGUN') and f.lift > 1 and f.lifted_until > v_now then 'DEADLINE' else c.reason end, c.pressure
    from placed c
    left join flows f on f.tenant_id = (c.project).tenant_id and f.lane_id = c.lane_id and f.project_id = (c.project).id
    where c.slot <= c.exposures_max
    on conflict (tenant_id, task_id, expert_id) do nothing
    returning a as lease
  )
  select coalesce(array_agg(m.lease), '{}'), array_agg(c.label), array_agg(c.rate), array_agg(c.draw), array_agg(c.why)
  into v_made, v_labels, v_rates, v_drawn, v_whys
  from made m join chosen c on c.expert_id = (m.lease).expert_id;
  if v_made = '{}' then
    return v_made;
  end if;
  update golds o set exposures = o.exposures + m.showings
  from (select n.tenant_id, n.task_id, count(*) as showings from unnest(v_made) n group by n.tenant_id, n.task_id) m
  where o.tenant_id = m.tenant_id and o.task_id = m.task_id;
  insert into gold_tallies as y (tenant_id, expert_id, project_id, shown, by_class)
  select (v_made[n]).tenant_id, (v_made[n]).expert_id, (v_made[n]).project_id, array[(v_made[n]).task_id], jsonb_build_object(v_labels[n], 1)
  from generate_subscripts(v_made, 1) n
  on conflict (tenant_id, expert_id, project_id) do update set
    shown = y.shown || excluded.shown,
    by_class = y.by_class || (select jsonb_object_agg(c.key, c.value::integer + coalesce((y.by_class ->> c.key)::integer, 0))
                              from jsonb_each_text(excluded.by_class) c);
  insert into gold_draws (tenant_id, assignment_id, task_id, expert_id, project_id, rate, drawn, reason, drawn_at)
  select (v_made[n]).tenant_id, (v_made[n]).id, (v_made[n]).task_id, (v_made[n]).expert_id, (v_made[n]).project_id,
         v_rates[n], v_drawn[n], v_whys[n], v_now
  from generate_subscripts(v_made, 1) n;
  perform app.begin_leases(v_made, p_capped);
  return v_made;
end
$$;

-- What every lease begins with, whatever it is of: it counts against caps, has its alarm, and is told.
create function app.begin_leases(p_made assignments[], p_capped boolean) returns void language plpgsql as $$
begin
  if p_capped then
    perform app.count_taken(p_made);
  end if;
  insert into lease_alarms (tenant_id, assignment_id, epoch, lane_id, project_id, due_at)
  select m.tenant_id, m.id, m.epoch, m.lane_id, m.project_id, m.lease_until - app.lease_warning(m.lease_seconds)
  from unnest(p_made) m;
  perform app.append_lease_events(p_made, 'LEASED');
end
$$;

-- Whether gold that was given back or ran out could be taken again: as long as a slot of other work would be free, which is
-- until somebody else is given something of the project.
create function app.is_gold_free(p_assignment assignments) returns boolean language sql stable as $$
  select exists (select from golds o where o.tenant_id = p_assignment.tenant_id and o.task_id = p_assignment.task_id and o.state = 'ACTIVE')
     and (p_assignment.state = 'LEASED' or not exists (
       select from assignments o
       where o.tenant_id = p_assignment.tenant_id and o.project_id = p_assignment.project_id and o.ended_at is null
         and o.expert_id <> p_assignment.expert_id and o.leased_at >= p_assignment.ended_at))
$$;

-- Takes gold back at the next epoch, in the slot that it had. The caller has locked the expert and asked what a claim asks.
create function app.reclaim_gold(p_assignment assignments, p_actor bigint, p_token_hash bytea, p_request text) returns jsonb language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_project projects;
  v_made assignments;
begin
  perform from golds o where o.tenant_id = p_assignment.tenant_id and o.task_id = p_assignment.task_id for key share;
  select * into strict v_project from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id for key share;
  if v_project.state <> 'RUNNING' then
    return jsonb_build_object('outcome', 'PROJECT_CANCELLED');
  elsif not app.is_gold_free(p_assignment) then
    return jsonb_build_object('outcome', 'SLOT_TAKEN');
  end if;
  update assignments a
  set state = 'LEASED', epoch = a.epoch + 1, lease_seconds = v_project.lease_seconds, leased_at = v_now,
      lease_until = v_now + make_interval(secs => v_project.lease_seconds),
      hold_until = v_now + make_interval(secs => 4 * v_project.lease_seconds), ended_at = null,
      price_minor = v_project.price_minor, currency = v_project.currency, routing_reason = 'BEGUN', routing_pressure = null
  where a.tenant_id = p_assignment.tenant_id and a.id = p_assignment.id and a.epoch = p_assignment.epoch and a.state in ('EXPIRED', 'RELEASED')
  returning * into v_made;
  if not found then
    return app.lost_json(p_assignment.tenant_id, p_assignment.expert_id, p_assignment.id, 0);
  end if;
  perform app.begin_leases(array[v_made], true);
  perform app.grant_payload(v_made, p_token_hash, p_actor, p_request);
  return jsonb_build_object('outcome', 'LEASED', 'assignment', app.held_json(v_made));
end
$$;

-- One lease, for whoever has locked one row (reclaim, the exact look). Null where it cannot be.
create or replace function app.lease_task(p_row ready, p_expert bigint, p_project projects) returns assignments language plpgsql as $$
declare
  v_made assignments[] := app.lease_tasks(array[p_row], array[p_row.task_id], array[p_expert],
    array[app.reason_of(p_row)], array[null::double precision], true);
begin
  return v_made[1];
end
$$;

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
create or replace function app.claim_all(p_tenant bigint, p_requests app.claim_request[]) returns jsonb[] language plpgsql as $$
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
  -- What is drawn for gold: below the expert's rate, the claim becomes gold if there is one for them.
  w_draw double precision[] := '{}';
  v_has_gold boolean := exists (select from gold_pools q where q.tenant_id = p_tenant);
  -- Their lanes, in the order to try them: rows of request l_i.
  l_i integer[]; l_lane bigint[]; l_begun bigint[]; l_untouched bigint[]; l_pressure double precision[]; l_reason text[];
  l_gold double precision[];
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
  q_draw double precision[]; v_golds assignments[] := '{}';
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
      w_draw := w_draw || case when v_has_gold then app.chance() else 1 end;
    end if;
  end loop;
  if w_i = '{}' then
    return v_out;
  end if;

  select array_agg(s.i), array_agg(s.lane_id), array_agg(s.low_begun), array_agg(s.low_untouched), array_agg(s.pressure), array_agg(s.reason), array_agg(s.gold_rate_most)
  into l_i, l_lane, l_begun, l_untouched, l_pressure, l_reason, l_gold
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
    s_task := '{}'; s_tag := '{}'; q_i := '{}'; q_at := '{}'; q_task := '{}'; q_expert := '{}'; q_reason := '{}'; q_pressure := '{}'; q_draw := '{}';
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
      -- A claim that may become gold takes the head as it stands: should it, the queue is as if nobody had come.
      if v_reason <> 'RESERVED' and w_draw[v_w] < l_gold[v_l] and v_pick <> v_fresh and (c_row[v_pick]).phase = 0 then
        v_pick := v_fresh;
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
      q_draw := q_draw || w_draw[v_w];
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
    if v_has_gold then
      v_golds := app.lease_golds(v_rows, q_task, q_expert, q_reason, q_pressure, q_draw, v_has_cap);
    end if;
    if v_golds = '{}' then
      v_made := app.lease_tasks(v_rows, q_task, q_expert, q_reason, q_pressure, v_has_cap);
    else
      select v_golds || app.lease_tasks(v_rows, array_agg(k.task_id), array_agg(k.expert_id), array_agg(k.reason), array_agg(k.pressure), v_has_cap)
      into v_made
      from (select * from unnest(q_task, q_expert, q_reason, q_pressure) with ordinality as k(task_id, expert_id, reason, pressure, n)
            where not k.expert_id = any (array(select g.expert_id from unnest(v_golds) g)) order by k.n) k;
    end if;
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
  end loop;
  perform app.grant_payload(v_held, p_token_hash, p_actor, p_request);
  return jsonb_build_object('outcome', 'LEASED', 'assignment', app.held_json(v_held));
end
$$;

-- Gold was never in the queue and does not come back to it.
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
  if v_task.state <> 'OPEN' or v_task.kind = 'GOLD' then
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

-- Closes a task as FLAGGED where as many experts as the project's quorum have said that it cannot be answered, or all
-- who are left of those it is reserved for: else it would wait for ever. The caller has locked the task.
create or replace function app.close_if_flagged(p_task tasks, p_quorum smallint) returns boolean language plpgsql as $$
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
  if p_task.kind = 'GOLD' then
    update golds o set state = 'RETIRED', ended_at = app.clock_now(), reason = 'FLAGGED'
    where o.tenant_id = p_task.tenant_id and o.task_id = p_task.id and o.state = 'ACTIVE';
  end if;
  update tasks t set state = 'FLAGGED' where t.tenant_id = p_task.tenant_id and t.id = p_task.id;
  perform app.close_task_queue(p_task.tenant_id, p_task.id);
  return true;
end
$$;

-- Whether the slot of an ended or lapsed assignment could be taken again by its expert just now. A slot is free where it
-- waits in the queue, and where the lease on it has run out and nobody has marked that yet.
create or replace function app.is_reclaimable(p_assignment assignments) returns boolean language sql stable as $$
  select p_assignment.state in ('LEASED', 'EXPIRED', 'RELEASED')
     and p_assignment.lane_id = any (app.expert_lanes(p_assignment.tenant_id, p_assignment.expert_id, null))
     and exists (select from projects p where p.tenant_id = p_assignment.tenant_id and p.id = p_assignment.project_id and p.state = 'RUNNING')
     and exists (select from tasks t where t.tenant_id = p_assignment.tenant_id and t.id = p_assignment.task_id and t.state = 'OPEN')
     and case p_assignment.customer_id when 0 then app.is_gold_free(p_assignment) else (
       exists (select from assignments o where o.tenant_id = p_assignment.tenant_id and o.task_id = p_assignment.task_id
                 and o.state = 'LEASED' and o.lease_until <= app.clock_now())
       or exists (select from ready r where r.tenant_id = p_assignment.tenant_id and r.task_id = p_assignment.task_id
                    and not p_assignment.expert_id = any (r.excl))
     ) end
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
     or v_assignment.project_id = any (app.barred_projects(p_tenant, p_expert)) then
    return jsonb_build_object('outcome', 'NOT_QUALIFIED');
  end if;
  if v_assignment.customer_id = 0 then
    return app.reclaim_gold(v_assignment, p_actor, p_token_hash, p_request);
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
