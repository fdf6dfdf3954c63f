-- Numbers take part in deciding how many answers a task gets; near classes of an order are nearer than far ones; tasks that are
-- reserved for named experts go on as far as their list reaches; a task may be critical.
set local role touchstone_owner;

-- Gets three to five answers, whatever the project's policy says.
alter table tasks add critical boolean not null default false;

-- How far apart numbers of a dimension may be and say the same: as it was declared, else by its values as
-- services/tasks/tolerances.ts has it (task types made before it was kept). Null: only equal numbers do.
create function app.tolerance_of(p_dimension jsonb) returns double precision language sql immutable as $$
  select case when p_dimension ->> 'scale' = 'interval' then coalesce(
    (p_dimension ->> 'tolerance')::double precision,
    case when jsonb_array_length(p_dimension -> 'values') >= 2 then greatest(
      ((p_dimension -> 'values' ->> 1)::double precision - (p_dimension -> 'values' ->> 0)::double precision) / 2,
      ((p_dimension -> 'values' ->> -1)::double precision - (p_dimension -> 'values' ->> 0)::double precision) / 20) end) end
$$;

-- The answers of some tasks, adjudications included, dimension by dimension, each weighed as redundancy/worker-model.ts does it:
-- by what the confidence stated with it means where that is calibrated, else by the expert's matrix, else by their
-- accuracy. p_numbers: numbers that are compared by their distance, or all else: numbers of which only equal ones say the
-- same are classes.
create function app.task_votes(p_tenant bigint, p_tasks bigint[], p_numbers boolean)
returns table (task_id bigint, dimension text, scale text, declared jsonb, tolerance double precision, label text,
               number double precision, accuracy double precision, matrix jsonb)
language sql stable as $$
  with sources as (
    select k.id as task_id, k.id as source_id from unnest(p_tasks) as k(id)
    union all
    select j.parent_id, j.task_id from adjudications j where j.tenant_id = p_tenant and j.parent_id = any (p_tasks)
  )
  select o.task_id, d.name, d.scale, d.declared, d.tolerance, coalesce(v.text_value, v.number_value::text),
         -- Beyond this a square could not be written down.
         least(1e100, greatest(-1e100, v.number_value)),
         least(0.99, greatest(0.01, coalesce(c.said, s.mean, x.quality_mean, 0.8))),
         case when c.said is null then s.matrices -> d.name end
  from sources o
  join tasks t on t.tenant_id = p_tenant and t.id = o.source_id
  join projects p on p.tenant_id = p_tenant and p.id = t.project_id
  join task_types y on y.tenant_id = p_tenant and y.id = p.task_type_id
  cross join lateral (
    select e ->> 'name' as name, coalesce(e -> 'values', '[]') as declared, f.tolerance,
           case when e ->> 'scale' = 'interval' and f.tolerance is null then 'nominal' else e ->> 'scale' end as scale
    from jsonb_array_elements(y.dimensions::jsonb) e
    cross join lateral (select app.tolerance_of(e) as tolerance) f
    where (f.tolerance is not null) = p_numbers
  ) d
  join answer_values v on v.tenant_id = p_tenant and v.task_id = o.source_id and v.dimension = d.name
  join assignments a on a.tenant_id = p_tenant and a.id = v.assignment_id and a.state in ('SUBMITTED', 'ACCEPTED')
  join answers n on n.tenant_id = p_tenant and n.assignment_id = v.assignment_id
  left join quality_scores s on s.tenant_id = p_tenant and s.expert_id = v.expert_id and s.skill_id = p.skill_id
    and s.task_type_id = p.task_type_id
  left join expert_skills x on x.tenant_id = p_tenant and x.expert_id = v.expert_id and x.skill_id = p.skill_id
  left join lateral (
    select 1 / (1 + exp(-(k.intercept + k.slope * ln(g.p / (1 - g.p))))) as said
    from confidence_calibrations k
    cross join lateral (select least(0.99, greatest(0.01, n.confidence::double precision)) as p) g
    where k.tenant_id = p_tenant and k.expert_id = v.expert_id and k.use = 'USABLE' and n.confidence is not null
  ) c on true
$$;

-- The probability of each class of each dimension of some tasks that has classes, adjudications included:
--
--   P(z | answers) ~ product over answers of P(answer | z),
--
-- services/quality/redundancy/posterior.ts with a uniform prior. Errors are spread evenly over the other classes, and where
-- the classes have a declared order by redundancy/ordered.ts. Of a dimension whose classes are not declared all classes that
-- nobody has named are one row, whose label is null. position is the class's place in the declaration; votes is how many
-- said so.
create or replace function app.task_posteriors(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, dimension text, label text, "position" bigint, votes bigint, probability double precision)
language sql stable as $$
  with given as materialized (
    select g.* from app.task_votes(p_tenant, p_tasks, false) g
  ), heads as (
    select distinct g.task_id, g.dimension, g.scale, g.declared from given g
  ), classes as materialized (
    select h.task_id, h.dimension, e.label, e.position, h.scale = 'ordinal' and h.declared <> '[]' as is_ordered,
           row_number() over (partition by h.task_id, h.dimension order by e.position)::integer as rank
    from heads h
    cross join lateral (
      select min(z.position) as position, z.label from (
        -- Ordinal text is answered by its rank (tasks/answers.ts).
        select w.position, case when h.scale = 'nominal' then w.value #>> '{}'
                                when jsonb_typeof(w.value) = 'number' then (w.value #>> '{}')::double precision::text
                                else (w.position - 1)::text end as label
        from jsonb_array_elements(h.declared) with ordinality as w(value, position)
        union all
        select 1000000 + row_number() over (order by g.label collate "C"), g.label from given g
        where g.task_id = h.task_id and g.dimension = h.dimension
        union all
        select 2000000, null where h.declared = '[]'
      ) z group by z.label
    ) e
  ), sizes as (
    select c.task_id, c.dimension, greatest(2, count(*)) as classes from classes c group by c.task_id, c.dimension
  ), logs as (
    select c.task_id, c.dimension, c.label, c.position, count(*) filter (where g.label = c.label) as votes,
           sum(ln(greatest(0.01 / z.classes, coalesce(
             (g.matrix -> c.label ->> g.label)::double precision,
             case when g.label = c.label then g.accuracy
                  when c.is_ordered then (1 - g.accuracy) * power(q.q, abs(c.rank - w.rank) - 1) * (1 - q.q)
                                         / (2 - power(q.q, c.rank - 1) - power(q.q, z.classes - c.rank))
                  else (1 - g.accuracy) / (z.classes - 1) end)))) as log
    from classes c
    join sizes z on z.task_id = c.task_id and z.dimension = c.dimension
    join given g on g.task_id = c.task_id and g.dimension = c.dimension
    join classes w on w.task_id = g.task_id and w.dimension = g.dimension and w.label = g.label
    cross join lateral (select (1 - g.accuracy) / (1 + g.accuracy) as q) q
    group by c.task_id, c.dimension, c.label, c.position
  ), likely as (
    select l.*, exp(greatest(-700, l.log - max(l.log) over of_task)) as share from logs l window of_task as (partition by l.task_id, l.dimension)
  )
  select l.task_id, l.dimension, l.label, l.position, l.votes,
         l.share / sum(l.share) over (partition by l.task_id, l.dimension)
  from likely l
$$;

-- redundancy/numbers.ts: the quantile of the absolute value of Student's t with 4 degrees of freedom, and the logarithm of
-- its density without its constant. Sums of exponents stay above what a number can hold.
create function app.t4_quantile(p double precision) returns double precision language sql immutable as $$
  select 2 * sqrt(cos(asin(p) / 3) / sqrt(1 - p * p) - 1)
$$;
create function app.t4_log(p_off double precision, p_scatter double precision) returns double precision language sql immutable as $$
  select -2.5 * ln(1 + (p_off / p_scatter) ^ 2 / 4) - ln(p_scatter)
$$;

-- How probable it is that the truth is within the tolerance of a value: `around` of redundancy/numbers.ts, without the
-- constant that p_most takes out.
create function app.number_mass(p_values double precision[], p_scatters double precision[], p_tolerance double precision,
                                p_centre double precision, p_most double precision)
returns double precision language sql immutable as $$
  select sum(case when d.slice in (0, 64) then 0.5 else 1 end * exp(greatest(-700, d.log - p_most))) * p_tolerance / 32
  from (
    select s.slice, sum(app.t4_log(v.value - (p_centre + p_tolerance * (s.slice / 32.0::double precision - 1)), v.scatter)) as log
    from generate_series(0, 64) as s(slice)
    cross join unnest(p_values, p_scatters) as v(value, scatter)
    group by s.slice
  ) d
$$;

-- What some numbers say, of experts of these scatters: redundancy/numbers.ts, which says how. value is the likeliest, at_value
-- how many are within the tolerance of it; the largest cluster has most of them, around its middle, and may not be the only
-- one.
create function app.number_consensus(p_values double precision[], p_scatters double precision[], p_tolerance double precision,
  out value double precision, out probability double precision, out deviation double precision, out at_value bigint,
  out most bigint, out middle double precision, out middle_probability double precision, out is_tied boolean)
language plpgsql immutable as $$
declare
  v_places double precision[];
  v_logs double precision[];
  v_widths double precision[];
  v_most double precision;
  v_before double precision;
  v_all double precision;
  v_first double precision;
  v_last double precision;
  v_slack double precision := p_tolerance * (1 + 1e-9);
begin
  select array_agg(d.place), array_agg(d.width), array_agg(d.log), max(d.log) into v_places, v_widths, v_logs, v_most
  from (
    select p.n, p.place, p.width, sum(app.t4_log(v.value - p.place, v.scatter)) as log
    from (
      select g.n, u.place, u.width
      from (
        select row_number() over sorted as n, o.place, coalesce(o.place - lag(o.place) over sorted, 0) as before,
               coalesce(lead(o.place) over sorted - o.place, 0) as after
        from (
          select v.value + v.scatter * tan(((k + 0.5) / 24 - 0.5) * pi()) as place
          from unnest(p_values, p_scatters) as v(value, scatter) cross join generate_series(0, 23) as k
        ) o
        window sorted as (order by o.place)
      ) g
      cross join lateral (values (g.place - g.before / 2, g.before * 4 / 6), (g.place, (g.before + g.after) / 6)) as u(place, width)
    ) p
    cross join unnest(p_values, p_scatters) as v(value, scatter)
    group by p.n, p.place, p.width
  ) d;
  select min(p.place) into value from unnest(v_places, v_logs) as p(place, log) where p.log >= v_most - 1e-9;
  for step in 1..30 loop
    v_before := value;
    select sum(w.weight * w.value) / sum(w.weight) into value
    from (
      select v.value, 5 / (4 + ((v.value - number_consensus.value) / v.scatter) ^ 2) / v.scatter ^ 2 as weight
      from unnest(p_values, p_scatters) as v(value, scatter)
    ) w;
    exit when abs(value - v_before) <= 1e-9 * p_tolerance;
  end loop;
  select sum(w.share), sqrt(sum(w.share * (w.place - value) ^ 2) / sum(w.share)) into v_all, deviation
  from (
    select p.place, p.width * exp(greatest(-700, p.log - v_most)) as share
    from unnest(v_places, v_widths, v_logs) as p(place, width, log)
  ) w;
  probability := least(1, app.number_mass(p_values, p_scatters, p_tolerance, value, v_most) / v_all);

  select max(s.size), min(s.value) filter (where s.size = s.largest), max(s.value) filter (where s.size = s.largest)
  into most, v_first, v_last
  from (
    select c.value, c.size, max(c.size) over () as largest from (
      select f.value, (select count(*) from unnest(p_values) as v(value)
                       where v.value >= f.value and v.value - f.value <= v_slack + 1e-12 * abs(f.value)) as size
      from unnest(p_values) as f(value)
    ) c
  ) s;
  is_tied := v_last - v_first > v_slack + 1e-12 * abs(v_first);
  select avg(v.value) into middle from unnest(p_values) as v(value)
  where exists (
    select from unnest(p_values) as f(value)
    where v.value >= f.value and v.value - f.value <= v_slack + 1e-12 * abs(f.value)
      and most = (select count(*) from unnest(p_values) as o(value)
                  where o.value >= f.value and o.value - f.value <= v_slack + 1e-12 * abs(f.value)));
  middle_probability := least(1, app.number_mass(p_values, p_scatters, p_tolerance, middle, v_most) / v_all);
  select round(value::numeric, k.digits)::double precision, round(middle::numeric, k.digits)::double precision into value, middle
  from (select greatest(0, 6 - floor(log(p_tolerance))::integer) as digits) k;
  select count(*) into at_value from unnest(p_values) as v(value)
  where abs(v.value - number_consensus.value) <= v_slack + 1e-12 * abs(v.value);
end
$$;

-- What the answers of some tasks say of each of their numbers.
create function app.task_numbers(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, dimension text, tolerance double precision, value double precision, probability double precision,
               deviation double precision, votes bigint, most bigint, middle double precision,
               middle_probability double precision, is_tied boolean)
language sql stable as $$
  select g.task_id, g.dimension, g.tolerance, c.value, c.probability, c.deviation, c.at_value, c.most, c.middle,
         c.middle_probability, c.is_tied
  from (
    select v.task_id, v.dimension, v.tolerance, array_agg(v.number order by v.number, v.accuracy) as numbers,
           array_agg(v.tolerance / app.t4_quantile(v.accuracy) order by v.number, v.accuracy) as scatters
    from app.task_votes(p_tenant, p_tasks, true) v
    group by v.task_id, v.dimension, v.tolerance
  ) g
  cross join lateral app.number_consensus(g.numbers, g.scatters, g.tolerance) c
$$;

-- The most probable class or number of each dimension of some tasks; number and tolerance are null where it is a class.
create function app.task_best(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, dimension text, label text, probability double precision, votes bigint, number double precision,
               tolerance double precision)
language sql stable as $$
  select b.* from (
    select distinct on (q.task_id, q.dimension) q.task_id, q.dimension, q.label, q.probability, q.votes,
           null::double precision, null::double precision
    from app.task_posteriors(p_tenant, p_tasks) q
    where q.label is not null order by q.task_id, q.dimension, q.probability desc, q.position
  ) b
  union all
  select n.task_id, n.dimension, n.value::text, n.probability, n.votes, n.value, n.tolerance
  from app.task_numbers(p_tenant, p_tasks) n
$$;

-- A number as classes, for what one more answer is worth: redundancy/decide.ts.
create function app.as_classes(p_probability double precision) returns double precision[] language sql immutable as $$
  select c.p || array_fill((1 - c.p) / c.others, array[least(3, c.others)::integer])
  from (
    select p, greatest(1, ceil((1 - p) / p)) as others from (select greatest(1e-6, p_probability) as p) g
  ) c
$$;

-- The policy of a critical task: forCritical of redundancy/policy.ts. Of a project without one, so many answers.
create function app.critical_policy(p_policy jsonb, p_answers integer) returns jsonb language sql immutable as $$
  select case p_policy ->> 'kind'
    when 'FIXED' then p_policy || jsonb_build_object('answers', least(5, greatest(3, (p_policy ->> 'answers')::integer)))
    when 'AGREE' then p_policy || jsonb_build_object('agree', least(5, greatest(3, (p_policy ->> 'agree')::integer)), 'max', 5)
    when 'POSTERIOR' then p_policy || jsonb_build_object('min', least(5, greatest(3, (p_policy ->> 'min')::integer)),
      'max', least(5, greatest(3, (p_policy ->> 'min')::integer, (p_policy ->> 'max')::integer)))
    else jsonb_build_object('kind', 'FIXED', 'answers', least(5, greatest(3, p_answers))) end
$$;

-- What is to become of tasks that have all the answers they wanted: services/quality/redundancy/decide.ts, dimension by
-- dimension. A task goes on while one of its dimensions does; where none does, it is adjudicated if one has to be, and if
-- nobody among those who answered is past probation, it goes on by one, or is adjudicated at the maximum. A task that is
-- reserved for named experts goes on as far as its list reaches; where it is used up, that is the maximum.
create or replace function app.decide_tasks(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, project_id bigint, customer_id bigint, answers smallint, next text, more smallint, reason text, results jsonb)
language sql stable as $$
  with due as materialized (
    select k.id, k.project_id, k.customer_id, k.counted, k.policy, k.policy ->> 'kind' as kind, least(l.first, l.most, r.reach) as least,
           least(l.most, r.reach) as most,
           not exists (
             select from assignments a
             join expert_skills x on x.tenant_id = p_tenant and x.expert_id = a.expert_id and x.skill_id = k.skill_id and x.status = 'ACTIVE'
             where a.tenant_id = p_tenant and a.task_id = k.id and a.state in ('SUBMITTED', 'ACCEPTED')) as is_unproven
    from (
      select t.*, p.skill_id, case when t.critical then app.critical_policy(p.redundancy_policy, p.redundancy) else p.redundancy_policy end as policy
      from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
      where t.tenant_id = p_tenant and t.id = any (p_tasks)
        and t.kind = 'WORK' and t.state = 'DONE' and t.counted = t.wanted and p.state = 'RUNNING'
        and not exists (select from task_decisions d where d.tenant_id = p_tenant and d.task_id = t.id
                          and d.answers = t.counted and d.decided_by is null)
    ) k
    cross join lateral (
      select case k.policy ->> 'kind' when 'FIXED' then (k.policy ->> 'answers')::integer
               when 'AGREE' then (k.policy ->> 'agree')::integer else (k.policy ->> 'min')::integer end as first,
             coalesce((k.policy ->> 'max')::integer, (k.policy ->> 'answers')::integer) as most
    ) l
    -- As many answers as a reserved task can get: of those it has not had yet.
    cross join lateral (
      select case when k.allow is not null then k.counted + (
        select count(distinct e.expert_id)::integer from unnest(k.allow) as e(expert_id)
        where not e.expert_id = any (coalesce(k.block, '{}'))
          and not exists (select from assignments a where a.tenant_id = p_tenant and a.task_id = k.id and a.expert_id = e.expert_id
                            and a.state not in ('EXPIRED', 'RELEASED'))) end as reach
    ) r
    where k.policy is not null
  ), posteriors as materialized (
    select q.* from app.task_posteriors(p_tenant, array(select due.id from due)) q
  ), counts as (
    select q.task_id, q.dimension, max(q.votes) as most, array_agg(q.probability) as probabilities from posteriors q
    group by q.task_id, q.dimension
  ), heads as (
    select c.task_id, c.dimension, c.most, c.probabilities, b.label, b.probability,
           (select count(*) from posteriors q where q.task_id = c.task_id and q.dimension = c.dimension and q.votes = c.most) > 1 as is_tied
    from counts c
    cross join lateral (
      select q.label, q.probability from posteriors q join due on due.id = q.task_id
      where q.task_id = c.task_id and q.dimension = c.dimension and q.label is not null
      order by case when due.kind <> 'POSTERIOR' then q.votes end desc, round(q.probability::numeric, 12) desc, q.position limit 1
    ) b
    union all
    select n.task_id, n.dimension, n.most, app.as_classes(n.probability), b.value::text, b.probability, n.is_tied
    from app.task_numbers(p_tenant, array(select due.id from due)) n
    join due on due.id = n.task_id
    cross join lateral (
      select case when due.kind = 'POSTERIOR' or n.is_tied then n.value else n.middle end as value,
             case when due.kind = 'POSTERIOR' or n.is_tied then n.probability else n.middle_probability end as probability
    ) b
  ), judged as materialized (
    select due.id, h.dimension, h.label, h.probability,
           case when m.threshold is null then h.probability
                else 1 / (1 + exp(-(m.intercept + m.slope * ln(g.p / (1 - g.p))))) end as stated,
           case
             when due.kind = 'AGREE' and h.most < (due.policy ->> 'agree')::integer and due.counted < due.most
               then least(due.most - due.counted, (due.policy ->> 'agree')::integer - h.most)
             when due.kind <> 'POSTERIOR' then 0
             when h.probability >= greatest((due.policy ->> 'posterior')::double precision, coalesce(m.threshold, 0)) then 0
             when due.counted >= due.most then 0
             when w.is_worth_it then 1
             else 0
           end as more,
           case
             when due.kind <> 'POSTERIOR' then case when h.is_tied then 'TIE' end
             when h.probability >= greatest((due.policy ->> 'posterior')::double precision, coalesce(m.threshold, 0)) then null
             when due.counted >= due.most then 'MAXIMUM_REACHED'
             when not w.is_worth_it then 'NOT_WORTH_ITS_PRICE'
           end as unsettled
    from due
    join heads h on h.task_id = due.id
    left join stopping_models m on m.tenant_id = p_tenant and m.project_id = due.project_id and m.dimension = h.dimension
    cross join lateral (select least(0.99, greatest(0.01, h.probability)) as p) g
    cross join lateral (
      select case when due.kind <> 'POSTERIOR' or jsonb_typeof(due.policy -> 'price') is distinct from 'object' or due.counted >= due.most then true
             else app.gain_of_more(h.probabilities, coalesce(m.next_accuracy, 0.8), due.most - due.counted)
                    * (due.policy -> 'price' ->> 'error')::double precision > (due.policy -> 'price' ->> 'answer')::double precision
             end as is_worth_it
    ) w
  ), joined as (
    select due.id, due.project_id, due.customer_id, due.counted, due.most, due.is_unproven,
           (case when due.counted < due.least then due.least - due.counted else coalesce(max(j.more), 0) end)::smallint as more,
           coalesce(min(j.unsettled) filter (where j.unsettled = 'MAXIMUM_REACHED'), min(j.unsettled)) as unsettled,
           coalesce(jsonb_agg(jsonb_build_object('dimension', j.dimension, 'label', j.label, 'probability', j.probability,
             'stated', j.stated) order by j.dimension) filter (where j.dimension is not null), '[]') as results
    from due left join judged j on j.id = due.id
    group by due.id, due.project_id, due.customer_id, due.counted, due.least, due.most, due.is_unproven
  ), settled as (
    -- Done on the word of newcomers alone: one more, and at the maximum a stronger expert.
    select o.*, o.more <= 0 and o.unsettled is null and o.is_unproven as is_alone,
           o.more <= 0 and o.unsettled is null and o.is_unproven and o.counted < o.most as goes_on
    from joined o
  )
  select s.id, s.project_id, s.customer_id, s.counted,
         case when s.more > 0 or s.goes_on then 'MORE' when s.unsettled is not null or s.is_alone then 'ADJUDICATE' else 'STOP' end,
         (case when s.more > 0 then s.more when s.goes_on then 1 else 0 end)::smallint,
         case when s.is_alone then 'PROBATION_ALONE' when s.more <= 0 then s.unsettled end, s.results
  from settled s
$$;

-- Gives tasks that were just answered what the policy of their project says: more slots, an adjudication, or nothing more.
-- In the transaction of the answer (DESIGN 8.10). A task has all its slots taken here, so it is in no queue, and raising
-- what it wants is all there is to do: wanted is never lowered.
create or replace function app.adapt_tasks(p_tenant bigint, p_tasks bigint[]) returns void language plpgsql as $$
declare
  v_running bigint[];
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
  with decided as materialized (
    select d.* from app.decide_tasks(p_tenant, p_tasks) d where d.project_id = any (v_running)
  ), kept as (
    insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, results)
    select p_tenant, d.task_id, d.project_id, d.customer_id, d.answers, d.next, d.reason, d.results from decided d
    on conflict do nothing
    returning task_id
  ), raised as (
    update tasks t set wanted = t.wanted + d.more, state = 'OPEN', done_at = null
    from decided d
    where t.tenant_id = p_tenant and t.id = d.task_id and d.next = 'MORE' and t.state = 'DONE'
      and d.task_id in (select k.task_id from kept k)
    returning t.id, t.project_id, t.wanted, t.allow, t.block, d.more
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
    insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl)
    select p_tenant, g.id, g.lane_id, g.project_id, case when g.allow is null then 1 else 2 end, g.tag,
           (select array_agg(n::smallint order by n) from generate_series(g.wanted - g.more + 1, g.wanted) n), g.excl
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

-- Grades the answers of tasks whose adjudication has just been given: what is right is the most probable class of all answers,
-- or the number and all within the tolerance of it, the adjudicator's among them by their record; how sure that is stands
-- beside it. The adjudicator's own is not graded.
create or replace function app.grade_adjudications(p_tenant bigint, p_tasks bigint[]) returns void language plpgsql as $$
declare
  v_parents bigint[];
begin
  select coalesce(array_agg(j.parent_id), '{}') into v_parents
  from adjudications j join tasks t on t.tenant_id = p_tenant and t.id = j.task_id and t.state = 'DONE'
  where j.tenant_id = p_tenant and j.task_id = any (p_tasks);
  if v_parents = '{}' then
    return;
  end if;
  insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
                        truth, answered, is_right, stated, graded_at, weight)
  select p_tenant, a.id, a.task_id, a.project_id, a.expert_id, p.skill_id, p.task_type_id, b.dimension, 'ADJUDICATION',
         b.label, coalesce(v.text_value, v.number_value::text),
         case when b.tolerance is null then coalesce(v.text_value, v.number_value::text) = b.label
              else abs(v.number_value - b.number) <= b.tolerance * (1 + 1e-9) + 1e-12 * abs(b.number) end,
         n.confidence, app.clock_now(), b.probability
  from app.task_best(p_tenant, v_parents) b
  join answer_values v on v.tenant_id = p_tenant and v.task_id = b.task_id and v.dimension = b.dimension
  join assignments a on a.tenant_id = p_tenant and a.id = v.assignment_id and a.state in ('SUBMITTED', 'ACCEPTED')
  join answers n on n.tenant_id = p_tenant and n.assignment_id = v.assignment_id
  join projects p on p.tenant_id = p_tenant and p.id = a.project_id
  on conflict do nothing;
end
$$;

-- Sends a task that is done to a stronger expert, with the reason of whoever asks. p_customer null: any customer's.
create or replace function app.escalate_task(p_tenant bigint, p_actor bigint, p_task bigint, p_customer bigint, p_reason text) returns jsonb language plpgsql as $$
declare
  v_task tasks;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_task from tasks t where t.tenant_id = p_tenant and t.id = p_task and (p_customer is null or t.customer_id = p_customer);
  if not found then
    return jsonb_build_object('outcome', 'NOT_FOUND');
  end if;
  perform from projects p where p.tenant_id = p_tenant and p.id = v_task.project_id and p.state = 'RUNNING' for key share;
  if not found then
    return jsonb_build_object('outcome', 'NOT_RUNNING');
  end if;
  perform app.stronger_lane(p_tenant, v_task.project_id);
  select * into strict v_task from tasks t where t.tenant_id = p_tenant and t.id = p_task for update;
  if v_task.state <> 'DONE' or v_task.counted = 0 then
    return jsonb_build_object('outcome', 'NOT_DONE');
  elsif v_task.kind <> 'WORK' or exists (select from adjudications j where j.tenant_id = p_tenant and p_task in (j.parent_id, j.task_id)) then
    return jsonb_build_object('outcome', 'ADJUDICATED');
  end if;
  insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
  select p_tenant, p_task, v_task.project_id, v_task.customer_id, v_task.counted, 'ADJUDICATE', p_reason, p_actor,
         coalesce(jsonb_agg(jsonb_build_object('dimension', b.dimension, 'label', b.label, 'probability', b.probability,
           'stated', b.probability)), '[]')
  from app.task_best(p_tenant, array[p_task]) b;
  perform app.open_adjudications(p_tenant, array[p_task]);
  return jsonb_build_object('outcome', 'OK');
end
$$;
