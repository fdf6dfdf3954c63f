-- Which truth inference a project uses is chosen on its gold, by a job, and kept as versions: what a task's answers amount to is a
-- function of them and of the version that holds.
set local role touchstone_owner;

-- What was chosen for a dimension of a project, on what, and what is known of those who answer: permanent, the highest number
-- holds. Of GOLD_BAYES and NUMBERS the weight of an answer is its expert's score; of all others it stands here and in
-- inference_experts, and changes with the version only.
create table inference_versions (
  tenant_id bigint not null,
  id bigint generated always as identity,
  project_id bigint not null,
  customer_id bigint not null,
  dimension text not null,
  number integer not null check (number >= 1),
  method text not null check (method in ('GOLD_BAYES', 'MAJORITY', 'ONE_COIN', 'DAWID_SKENE', 'HYBRID', 'ORDINAL', 'NUMBERS')),
  reason text not null check (reason in ('CHOSEN_ON_GOLD', 'TOO_LITTLE_GOLD')),
  -- Gold that was answered, its answers, and the items of as many answers as a task has that were made of those.
  gold_tasks integer not null check (gold_tasks >= 0),
  gold_answers integer not null check (gold_answers >= 0),
  gold_items integer not null check (gold_items >= 0),
  answers_an_item integer not null check (answers_an_item >= 1),
  -- Answers to other tasks that were learnt from.
  answers integer not null check (answers >= 0),
  -- [{method, accuracy, stated, loss, temper, doubt}], each on the same items of gold.
  trials jsonb not null,
  -- inference/calibration.ts, of the method, and of the weights by scores: what adjudications are graded by.
  temper double precision not null check (temper > 0),
  doubt double precision not null check (doubt between 0 and 1),
  scores_temper double precision not null check (scores_temper > 0),
  scores_doubt double precision not null check (scores_doubt between 0 and 1),
  -- confidence/platt.ts, of numbers.
  intercept double precision,
  slope double precision,
  -- P(class) before any answer; null: all are alike. Whoever has no row in inference_experts is of this accuracy, or answers by this matrix.
  prior jsonb,
  accuracy double precision check (accuracy between 0 and 1),
  matrix jsonb,
  -- Up to which answer and which grading was looked.
  last_assignment bigint not null,
  last_grading bigint not null,
  fitted_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  check ((accuracy is null) = (method in ('GOLD_BAYES', 'NUMBERS'))),
  check (reason <> 'TOO_LITTLE_GOLD' or accuracy is null and temper = 1 and doubt = 0 and intercept is null)
);
create unique index inference_versions_number on inference_versions (tenant_id, project_id, dimension, number desc);

create table inference_experts (
  tenant_id bigint not null,
  version_id bigint not null,
  expert_id bigint not null,
  accuracy double precision not null check (accuracy between 0 and 1),
  -- P(answer | truth) by truth and answer, as in quality_scores; null: accuracy is all that is known.
  matrix jsonb,
  primary key (tenant_id, version_id, expert_id),
  foreign key (tenant_id, version_id) references inference_versions (tenant_id, id)
);

-- When the method of each running project was last looked at: projects take turns, over all nodes and restarts.
create table inference_turns (
  tenant_id bigint not null,
  project_id bigint not null,
  looked_at timestamptz(3) not null,
  primary key (tenant_id, project_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index inference_turns_oldest on inference_turns (looked_at, project_id);

-- By which method the answers weigh that the model was played on; null: by scores, before any version.
alter table stopping_models add version_id bigint;

do $$
declare
  staff text[] := array['OPERATOR', 'ANALYST'];
  t text;
begin
  perform app.protect('inference_versions', 'customer_id = (select app.customer_id())', 'false', staff);
  perform app.protect('inference_experts', 'false', 'false', staff);
  perform app.protect('inference_turns', 'false', 'false', staff);
  foreach t in array array['inference_versions', 'inference_experts'] loop
    execute format('grant select on %I to touchstone_app, touchstone_system, touchstone_line', t);
    execute format('grant insert on %I to touchstone_system', t);
    execute format('create policy line_as_service on %I to touchstone_line using (tenant_id = (select app.service_tenant()))', t);
    execute format('create trigger permanent before update or delete on %I for each row execute function app.refuse_change()', t);
    execute format('create trigger permanent_truncate before truncate on %I for each statement execute function app.refuse_change()', t);
  end loop;
end
$$;
grant select on inference_turns to touchstone_app, touchstone_system;
grant insert, update, delete on inference_turns to touchstone_system;

-- confidence/platt.ts: what a probability means under a map; without one, itself.
create function app.platt(p_intercept double precision, p_slope double precision, p double precision) returns double precision language sql immutable as $$
  select case when p_intercept is null then p else 1 / (1 + exp(-(p_intercept + p_slope * ln(g.p / (1 - g.p))))) end
  from (select least(0.99, greatest(0.01, p)) as p) g
$$;

drop function app.task_votes(bigint, bigint[], boolean);
drop function app.task_posteriors(bigint, bigint[]);
drop function app.task_numbers(bigint, bigint[]);
drop function app.task_best(bigint, bigint[]);

-- The answers of some tasks, adjudications included, dimension by dimension, each weighed as redundancy/worker-model.ts does it:
-- by what the confidence stated with it means where that is calibrated, else by the expert's matrix, else by their
-- accuracy; or, where another method was chosen for the project and p_chosen, as its version says. p_numbers: numbers that are
-- compared by their distance, or all else: numbers of which only equal ones say the same are classes.
create function app.task_votes(p_tenant bigint, p_tasks bigint[], p_numbers boolean, p_chosen boolean)
returns table (task_id bigint, dimension text, scale text, declared jsonb, tolerance double precision, label text,
               number double precision, accuracy double precision, matrix jsonb, project_id bigint, version_id bigint)
language sql stable as $$
  with sources as (
    select k.id as task_id, k.id as source_id from unnest(p_tasks) as k(id)
    union all
    select j.parent_id, j.task_id from adjudications j where j.tenant_id = p_tenant and j.parent_id = any (p_tasks)
  )
  select o.task_id, d.name, d.scale, d.declared, d.tolerance, coalesce(v.text_value, v.number_value::text),
         -- Beyond this a square could not be written down.
         least(1e100, greatest(-1e100, v.number_value)),
         least(0.99, greatest(0.01, case when i.is_frozen then coalesce(w.accuracy, i.accuracy)
                                         else coalesce(c.said, s.mean, x.quality_mean, 0.8) end)),
         case when i.is_frozen then case when w.expert_id is null then i.matrix else w.matrix end
              when c.said is null then s.matrices -> d.name end,
         p.id, i.id
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
  left join lateral (
    select r.id, r.accuracy, r.matrix, p_chosen and r.accuracy is not null as is_frozen from inference_versions r
    where r.tenant_id = p_tenant and r.project_id = p.id and r.dimension = d.name order by r.number desc limit 1
  ) i on true
  left join inference_experts w on i.is_frozen and w.tenant_id = p_tenant and w.version_id = i.id and w.expert_id = v.expert_id
$$;

-- The probability of each class of each dimension of some tasks that has classes, adjudications included:
--
--   P(z | answers) ~ P(z) x product over answers of P(answer | z),
--
-- services/quality/redundancy/posterior.ts. Errors are spread evenly over the other classes, and where the classes have a
-- declared order by redundancy/ordered.ts. Of a dimension whose classes are not declared all classes that nobody has named are one
-- row, whose label is null. position is the class's place in the declaration; votes is how many said so. stated is what the
-- probability means by the project's gold: by the stopping model's map where tasks stop by it, else tempered and doubted.
-- Not p_chosen: by the weight of scores, whatever was chosen; what moves scores may not rest on agreement (rule 11).
create function app.task_posteriors(p_tenant bigint, p_tasks bigint[], p_chosen boolean default true)
returns table (task_id bigint, dimension text, label text, "position" bigint, votes bigint, probability double precision,
               stated double precision, version_id bigint)
language sql stable as $$
  with given as materialized (
    select g.* from app.task_votes(p_tenant, p_tasks, false, p_chosen) g
  ), heads as (
    select distinct g.task_id, g.dimension, g.scale, g.declared, g.project_id, g.version_id from given g
  ), classes as materialized (
    select h.task_id, h.dimension, h.project_id, h.version_id, e.label, e.position, h.scale = 'ordinal' and h.declared <> '[]' as is_ordered,
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
    select c.task_id, c.dimension, c.project_id, c.version_id, c.label, c.position, z.classes,
           count(*) filter (where g.label = c.label) as votes,
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
    group by c.task_id, c.dimension, c.project_id, c.version_id, c.label, c.position, z.classes
  ), likely as (
    select l.*, exp(greatest(-700, l.log - max(l.log) over of_task)) as share
    from (
      select o.task_id, o.dimension, o.project_id, o.version_id, o.label, o.position, o.classes, o.votes,
             o.log + case when p_chosen then coalesce(ln((i.prior ->> o.label)::double precision), 0) else 0 end as log,
             coalesce(case when p_chosen then i.temper else i.scores_temper end, 1) as temper,
             coalesce(case when p_chosen then i.doubt else i.scores_doubt end, 0) as doubt
      from logs o left join inference_versions i on i.tenant_id = p_tenant and i.id = o.version_id
    ) l
    window of_task as (partition by l.task_id, l.dimension)
  ), believed as (
    select l.*, l.share / sum(l.share) over (partition by l.task_id, l.dimension) as p from likely l
  ), tempered as (
    -- inference/calibration.ts: an impossible class is not believed to be impossible.
    select b.*, exp(b.temper * (ln(greatest(1e-9, b.p)) - ln(greatest(1e-9, max(b.p) over of_task)))) as tempered,
           max(b.p) over of_task as top, row_number() over (of_task order by round(b.p::numeric, 12) desc, b.position) as place
    from believed b
    window of_task as (partition by b.task_id, b.dimension)
  )
  select t.task_id, t.dimension, t.label, t.position, t.votes, t.p,
         case when m.threshold is null
                then (1 - t.doubt) * t.tempered / sum(t.tempered) over (partition by t.task_id, t.dimension) + t.doubt / t.classes
              when t.place = 1 then app.platt(m.intercept, m.slope, t.p)
              else (1 - app.platt(m.intercept, m.slope, t.top)) * t.p / greatest(1e-300, 1 - t.top) end,
         t.version_id
  from tempered t
  left join projects p on p_chosen and p.tenant_id = p_tenant and p.id = t.project_id and p.redundancy_policy ->> 'kind' = 'POSTERIOR'
  left join stopping_models m on m.tenant_id = p_tenant and m.project_id = p.id and m.dimension = t.dimension
    and m.version_id is not distinct from t.version_id
$$;

-- What the answers of some tasks say of each of their numbers.
create function app.task_numbers(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, dimension text, tolerance double precision, value double precision, probability double precision,
               deviation double precision, votes bigint, most bigint, middle double precision,
               middle_probability double precision, is_tied boolean,
               stated double precision, intercept double precision, slope double precision, version_id bigint)
language sql stable as $$
  select g.task_id, g.dimension, g.tolerance, c.value, c.probability, c.deviation, c.at_value, c.most, c.middle,
         c.middle_probability, c.is_tied, app.platt(i.intercept, i.slope, c.probability), i.intercept, i.slope, i.id
  from (
    select v.task_id, v.dimension, v.tolerance, v.version_id, array_agg(v.number order by v.number, v.accuracy) as numbers,
           array_agg(v.tolerance / app.t4_quantile(v.accuracy) order by v.number, v.accuracy) as scatters
    from app.task_votes(p_tenant, p_tasks, true, true) v
    group by v.task_id, v.dimension, v.tolerance, v.version_id
  ) g
  cross join lateral app.number_consensus(g.numbers, g.scatters, g.tolerance) c
  left join inference_versions i on i.tenant_id = p_tenant and i.id = g.version_id
$$;

-- The most probable class or number of each dimension of some tasks; number and tolerance are null where it is a class.
create function app.task_best(p_tenant bigint, p_tasks bigint[], p_chosen boolean default true)
returns table (task_id bigint, dimension text, label text, probability double precision, votes bigint, number double precision,
               tolerance double precision, stated double precision, version_id bigint)
language sql stable as $$
  select b.* from (
    select distinct on (q.task_id, q.dimension) q.task_id, q.dimension, q.label, q.probability, q.votes,
           null::double precision, null::double precision, q.stated, q.version_id
    from app.task_posteriors(p_tenant, p_tasks, p_chosen) q
    where q.label is not null order by q.task_id, q.dimension, q.probability desc, q.position
  ) b
  union all
  select n.task_id, n.dimension, n.value::text, n.probability, n.votes, n.value, n.tolerance, n.stated, n.version_id
  from app.task_numbers(p_tenant, p_tasks) n
$$;

-- What is to become of tasks that have all the answers they wanted: services/quality/redundancy/decide.ts, dimension by
-- dimension. A task goes on while one of its dimensions does; where none does, it is adjudicated if one has to be, and if
-- nobody among those who answered is past probation, it goes on by one, or is adjudicated at the maximum. A task that is
-- reserved for named experts goes on as far as its list reaches; where it is used up, that is the maximum. Each result says by
-- which method and version.
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
    select q.task_id, q.dimension, max(q.votes) as most, array_agg(q.probability) as probabilities, max(q.version_id) as version_id from posteriors q
    group by q.task_id, q.dimension
  ), heads as (
    select c.task_id, c.dimension, c.most, c.probabilities, b.label, b.probability, b.stated, c.version_id,
           (select count(*) from posteriors q where q.task_id = c.task_id and q.dimension = c.dimension and q.votes = c.most) > 1 as is_tied
    from counts c
    cross join lateral (
      select q.label, q.probability, q.stated from posteriors q join due on due.id = q.task_id
      where q.task_id = c.task_id and q.dimension = c.dimension and q.label is not null
      order by case when due.kind <> 'POSTERIOR' then q.votes end desc, round(q.probability::numeric, 12) desc, q.position limit 1
    ) b
    union all
    select n.task_id, n.dimension, n.most, app.as_classes(n.probability), b.value::text, b.probability,
           app.platt(n.intercept, n.slope, b.probability), n.version_id, n.is_tied
    from app.task_numbers(p_tenant, array(select due.id from due)) n
    join due on due.id = n.task_id
    cross join lateral (
      select case when due.kind = 'POSTERIOR' or n.is_tied then n.value else n.middle end as value,
             case when due.kind = 'POSTERIOR' or n.is_tied then n.probability else n.middle_probability end as probability
    ) b
  ), judged as materialized (
    select due.id, h.dimension, h.label, h.probability, h.stated, coalesce(i.method, 'GOLD_BAYES') as method, i.number as version,
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
      and m.version_id is not distinct from h.version_id
    left join inference_versions i on i.tenant_id = p_tenant and i.id = h.version_id
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
             'stated', j.stated, 'method', j.method, 'version', j.version) order by j.dimension) filter (where j.dimension is not null), '[]') as results
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

-- Grades the answers of tasks whose adjudication has just been given: what is right is the most probable class of all answers,
-- or the number and all within the tolerance of it, by the scores of who answered, the adjudicator among them; how sure that is by the
-- project's gold stands beside it. The adjudicator's own is not graded.
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
         n.confidence, app.clock_now(), b.stated
  from app.task_best(p_tenant, v_parents, false) b
  join answer_values v on v.tenant_id = p_tenant and v.task_id = b.task_id and v.dimension = b.dimension
  join assignments a on a.tenant_id = p_tenant and a.id = v.assignment_id and a.state in ('SUBMITTED', 'ACCEPTED')
  join answers n on n.tenant_id = p_tenant and n.assignment_id = v.assignment_id
  join projects p on p.tenant_id = p_tenant and p.id = a.project_id
  on conflict do nothing;
end
$$;

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
           'stated', b.stated, 'method', coalesce(i.method, 'GOLD_BAYES'), 'version', i.number)), '[]')
  from app.task_best(p_tenant, array[p_task]) b
  left join inference_versions i on i.tenant_id = p_tenant and i.id = b.version_id;
  perform app.open_adjudications(p_tenant, array[p_task]);
  return jsonb_build_object('outcome', 'OK');
end
$$;
