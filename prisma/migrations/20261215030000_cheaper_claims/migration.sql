-- Claims with fewer statements and smaller ones (docs/decisions/0168).

-- As before; each expert is looked up once, then their skills, then the lanes of these: left to itself the planner looks the
-- expert up again for every lane.
create or replace function app.lanes_of(p_tenant bigint, p_expert bigint, p_skill bigint)
returns table (lane_id bigint, skill_id bigint, pressure double precision, preference smallint, low_untouched bigint, low_begun bigint,
               shift bigint, is_idle boolean, gold_rate_most double precision) language sql stable as $$
  select l.id, l.skill_id, l.pressure, s.preference, l.low_untouched, l.low_begun, l.shift, l.is_idle, s.gold_rate_most
  from (
    select y.id, y.languages, y.tags from experts y
    where y.tenant_id = p_tenant and y.id between p_expert and p_expert and y.status = 'ACTIVE'
    order by y.id limit 1
  ) x
  cross join lateral (
    select o.* from expert_skills o
    where o.tenant_id = p_tenant and o.expert_id = x.id
      and o.status in ('PROBATION', 'ACTIVE') and (p_skill is null or o.skill_id = p_skill)
    offset 0
  ) s
  join lanes l on l.tenant_id = p_tenant and l.skill_id = s.skill_id and l.min_quality <= app.taken_for(s, l.task_type_id)
  where l.languages <@ x.languages and l.tags <@ x.tags
    and (l.also_all = '{}' or not exists (
      select from unnest(l.also_all) as a(skill_id)
      where not exists (select from expert_skills o where o.tenant_id = p_tenant and o.expert_id = x.id
                          and o.skill_id = a.skill_id and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min)))
    and (l.also_any = '{}' or exists (
      select from expert_skills o where o.tenant_id = p_tenant and o.expert_id = x.id
        and o.skill_id = any (l.also_any) and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min))
$$;

-- As before; the lanes of first skills are gathered in memory, and why a lane was chosen is found out for that one alone.
--
-- Claims of several experts, none of them twice. Answers in their order: HELD, LEASED, NOT_FOUND; BUSY where something
-- was in other hands (ask again); LOOK where the quick look found nothing (ask app.claim_exact).
--
-- One look at the head of each lane that somebody wants serves all who want it, and the lanes of everybody's first skill are
-- looked at together:
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
  c_few constant integer := 3;
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
  l_busy integer[]; l_pressure double precision[]; l_liking smallint[]; l_gold double precision[];
  f_skill bigint[] := '{}';
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
  v_low bigint[] := '{}'; v_asked integer[] := '{}'; v_shared integer[] := '{}'; v_seen integer[]; v_first bigint;
  v_is_choice boolean; v_most double precision; v_least double precision;
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
         array_agg(s.is_idle), array_agg(s.busy), array_agg(s.urgency), array_agg(s.preference), array_agg(s.gold_rate_most)
  into l_i, l_skill, l_lane, l_begun, l_untouched, l_shift, l_idle, l_busy, l_pressure, l_liking, l_gold
  from (
    select h.*, h.skill_luck / case when h.even then 1
             else power(greatest(0.05, least(20, h.urgency)), 2) * power(4, h.preference) end as turn
    from (
      select e.i, e.even, o.*, g.luck, first_value(g.luck) over skill as skill_luck, min(o.lane_id) over skill as first_lane,
             max(o.pressure) filter (where not o.is_idle) over skill as urgency, count(*) filter (where not o.is_idle) over skill as busy
      from unnest(w_i, w_even) as e(i, even)
      cross join lateral app.lanes_of(p_tenant, v_experts[e.i], (p_requests[e.i]).skill_id) o
      cross join lateral (select -ln(1 - app.chance()) as luck where o.lane_id is not null) g
      window skill as (partition by e.i, o.skill_id order by o.lane_id rows between unbounded preceding and unbounded following)
    ) h
    order by h.i, h.urgency is null, turn, h.first_lane, h.is_idle, h.low_untouched + h.shift, h.luck, h.lane_id
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

  -- Of a few, each looks when its turn comes, and only where it must.
  if cardinality(w_i) <= c_few then
    f_skill := array(select distinct on (s.i) s.skill from unnest(l_i, l_skill) with ordinality as s(i, skill, at) order by s.i, s.at);
  else
    v_i := null;
    for v_j in 1 .. cardinality(l_i) loop
      continue when l_i[v_j] = v_i and l_skill[v_j] <> v_first;
      if v_i is distinct from l_i[v_j] then
        v_i := l_i[v_j];
        v_first := l_skill[v_j];
        f_skill := f_skill || v_first;
      end if;
      continue when l_idle[v_j];
      v_k := array_position(k_lane, l_lane[v_j]);
      if v_k is null then
        k_lane := k_lane || l_lane[v_j];
        v_k := cardinality(k_lane);
        v_low[v_k] := l_untouched[v_j];
        v_asked[v_k] := 0;
        v_shared[v_k] := 0;
      end if;
      v_asked[v_k] := v_asked[v_k] + 1;
      v_shared[v_k] := greatest(v_shared[v_k], l_busy[v_j]);
    end loop;
    for v_k in 1 .. cardinality(k_lane) loop
      v_asked[v_k] := c_near + v_asked[v_k] / greatest(1, v_shared[v_k] / 2);
    end loop;
    select array_agg(s.k), array_agg(s.task_id), array_agg(s.tag), array_agg(s.project_id), array_agg(s.need)
    into v_seen, v_tasks, v_tags, v_projects, v_needs
    from (
      select w.k::integer, r.task_id, r.tag, r.project_id, r.need::integer
      from unnest(k_lane, v_low, v_asked) with ordinality as w(lane, low, most, k)
      cross join lateral app.untouched_rows(p_tenant, w.lane, w.low, w.most) r
      order by w.k, r.tag, r.task_id
    ) s;
    k_from := array_fill(1, array[cardinality(k_lane)]);
    k_to := array_fill(0, array[cardinality(k_lane)]);
    v_at := cardinality(c_task);
    for v_j in 1 .. coalesce(cardinality(v_seen), 0) loop
      v_k := v_seen[v_j];
      if k_to[v_k] = 0 then
        k_from[v_k] := v_at + v_j;
      end if;
      k_to[v_k] := v_at + v_j;
    end loop;
    for v_k in 1 .. cardinality(k_lane) loop
      k_full[v_k] := k_to[v_k] - k_from[v_k] + 1 >= v_asked[v_k];
    end loop;
    k_open := k_from;
    k_head := k_from;
    k_begun_from := array_fill(null::integer, array[cardinality(k_lane)]);
    k_begun_to := k_begun_from;
    if v_tasks is not null then
      c_task := c_task || v_tasks;
      c_tag := c_tag || v_tags;
      c_project := c_project || v_projects;
      c_need := c_need || v_needs;
      c_left := c_left || v_needs;
    end if;
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
            -- As a variable: what is computed in the statement is for row-level security a filter, and reads from the lane's beginning.
            v_from := coalesce(c_tag[k_to[v_k]], l_untouched[v_m]);
            select array_agg(r.task_id), array_agg(r.tag), array_agg(r.project_id), array_agg(r.need::integer)
            into v_tasks, v_tags, v_projects, v_needs
            from app.untouched_rows(p_tenant, l_lane[v_m], v_from, v_limit + k_to[v_k] - k_from[v_k] + 1) r
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
          -- Where there is but one skill with work, it is no choice.
          v_is_choice := false;
          v_most := null;
          v_least := null;
          for v_j in v_lp .. cardinality(l_i) loop
            exit when l_i[v_j] <> v_i;
            v_is_choice := v_is_choice or l_busy[v_j] > 0 and l_skill[v_j] <> l_skill[v_best];
            v_least := least(v_least, nullif(l_pressure[v_j], 0));
            v_most := greatest(v_most, l_pressure[v_j]);
          end loop;
          v_reason := case when not v_is_choice then 'NEXT'
                           when l_pressure[v_best] = v_most and v_most >= 1.5 * v_least then 'SCARCE_SKILL'
                           when l_liking[v_best] = 1 then 'PREFERRED' else 'NEXT' end;
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

-- As before; the slots, the alarms and the events go with the leases that they come of, in one statement.
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
    returning a.tenant_id, a.id, a.task_id, a.project_id, a.batch_id, a.customer_id, a.expert_id, a.epoch, a.slot, a.lane_id,
      a.lease_until, a.lease_seconds, a as lease
  ), taken as materialized (
    select t.slots, t.experts, h.place, h.free_slots <@ t.slots as is_emptied
    from (select m.tenant_id, m.task_id, array_agg(m.slot) as slots, array_agg(m.expert_id) as experts from made m group by 1, 2) t
    cross join lateral (
      select r.ctid as place, r.free_slots from ready r
      where r.tenant_id = t.tenant_id and r.task_id between t.task_id and t.task_id order by r.task_id limit 1
    ) h
  ), emptied as (
    delete from ready r using (select t.place from taken t where t.is_emptied limit cardinality(p_tasks)) t
    where r.ctid = t.place
  ), narrowed as (
    update ready r
    set free_slots = array(select f.slot from unnest(r.free_slots) with ordinality as f(slot, n) where not f.slot = any (t.slots) order by f.n),
        phase = greatest(r.phase, 1::smallint), excl = r.excl || t.experts,
        passed = array(select b.expert from unnest(r.passed) as b(expert) where not b.expert = any (t.experts))
    from (select * from taken o where not o.is_emptied limit cardinality(p_tasks)) t
    where r.ctid = t.place
  ), alarmed as (
    insert into lease_alarms (tenant_id, assignment_id, epoch, lane_id, project_id, due_at)
    select m.tenant_id, m.id, m.epoch, m.lane_id, m.project_id, m.lease_until - app.lease_warning(m.lease_seconds) from made m
  ), told as (
    insert into stream_events (tenant_id, stream, kind, body, customer_id)
    select m.tenant_id, case m.customer_id when 0 then 'gold/project/' else 'lease/project/' end || m.project_id, 'LEASED',
           app.lease_body(m.id, m.task_id, m.project_id, m.batch_id, m.expert_id, m.epoch, m.lease_until), m.customer_id
    from made m
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
  if exists (select from unnest(p_rows) r where r.phase = 2) then
    perform app.take_directed((v_made[1]).tenant_id, v_made);
  end if;
  if p_capped then
    perform app.count_taken(v_made);
  end if;
  return v_made;
end
$$;

-- Its statement is part of the one above.
drop function app.take_slots(bigint, assignments[]);
