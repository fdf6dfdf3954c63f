-- How many answers a task gets, decided when it has those that it wanted; and who decides where answers disagree.
set local role touchstone_owner;

alter table projects
  -- services/quality/redundancy/policy.ts as JSON. Null: each task has the answers that it was opened with, and no more.
  add redundancy_policy jsonb check (redundancy_policy ->> 'kind' in ('FIXED', 'AGREE', 'POSTERIOR')),
  -- Where adjudications wait: what the project asks of an expert, with a higher minimum of quality.
  add adjudication_lane_id bigint;

-- What the score of an expert says of one skill and task type: what services/quality/scores keeps of the facts. Kept by the
-- fold alone, and made anew from the facts by anybody who doubts it.
create table quality_scores (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  task_type_id bigint not null,
  -- scores/score.ts as JSON text: numbers come back to the last bit.
  state text not null,
  seen integer not null check (seen >= 1),
  mean double precision not null check (mean between 0 and 1),
  lower double precision not null,
  upper double precision not null,
  -- P(answer | truth) by dimension, truth and answer, where there is enough gold for it.
  matrices jsonb not null default '{}',
  updated_at timestamptz(3) not null,
  primary key (tenant_id, expert_id, skill_id, task_type_id),
  check (0 <= lower and lower <= mean and mean <= upper and upper <= 1)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index quality_scores_by_skill on quality_scores (tenant_id, skill_id, task_type_id);

-- How well an expert knows what they know: services/quality/confidence/calibration.ts over what they stated on gold.
create table confidence_calibrations (
  tenant_id bigint not null,
  expert_id bigint not null,
  pairs integer not null check (pairs >= 1),
  stated double precision not null,
  actual double precision not null,
  error double precision not null,
  brier double precision not null,
  intercept double precision not null,
  slope double precision not null check (slope >= 0),
  use text not null check (use in ('USABLE', 'TOO_FEW', 'SAYS_NOTHING')),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, expert_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What the revealed items of a project say of stopping (redundancy/stopping.ts), and who would answer next.
create table stopping_models (
  tenant_id bigint not null,
  project_id bigint not null,
  dimension text not null,
  -- Nulls: too few items are revealed.
  threshold double precision,
  intercept double precision,
  slope double precision,
  items integer not null,
  next_accuracy double precision not null check (next_accuracy between 0 and 1),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, project_id, dimension)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What was decided of a task with so many answers, for good: by the rule in the transaction of the answer that made them
-- so many, or by a human who escalated it.
create table task_decisions (
  tenant_id bigint not null,
  id bigint generated always as identity,
  task_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  answers smallint not null check (answers >= 1),
  next text not null check (next in ('STOP', 'MORE', 'ADJUDICATE')),
  reason text check (length(reason) between 1 and 500),
  -- Null: the rule.
  decided_by bigint,
  -- [{dimension, label, probability, stated}], the best answer then.
  results jsonb not null,
  decided_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  check (next <> 'ADJUDICATE' or reason is not null)
);
-- The rule decides once for so many answers, however often the last of them is sent.
create unique index task_decisions_once on task_decisions (tenant_id, task_id, answers) where decided_by is null;
create index task_decisions_by_project on task_decisions (tenant_id, project_id, id);

-- A task that adjudicates another: one at most. Apart from tasks, because its expert may read the task's own row.
create table adjudications (
  tenant_id bigint not null,
  task_id bigint not null,
  parent_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, task_id),
  check (task_id <> parent_id)
);
create unique index adjudications_parent on adjudications (tenant_id, parent_id);
create index adjudications_by_project on adjudications (tenant_id, project_id);

-- An adjudication has the name of the item that it is about: it looks like any other task of the project. Lines below 1 are
-- ours, not the upload's.
drop index tasks_external_id;
create unique index tasks_external_id on tasks (tenant_id, batch_id, external_id) where external_id is not null and line > 0;

do $$
declare
  own_customer text := 'customer_id = (select app.customer_id())';
  staff text[] := array['OPERATOR', 'ANALYST'];
  t text;
begin
  -- An expert who saw a score move with an answer would know that it was gold (rule 10): they are shown the days' ends.
  perform app.protect('quality_scores', 'false', 'false', staff);
  perform app.protect('confidence_calibrations', 'false', 'false', staff);
  perform app.protect('stopping_models', 'false', 'false', staff);
  perform app.protect('task_decisions', own_customer, 'false', staff);
  perform app.protect('adjudications', own_customer, 'false', staff);
  foreach t in array array['quality_scores', 'confidence_calibrations', 'stopping_models', 'task_decisions', 'adjudications', 'task_types'] loop
    execute format('grant select on %I to touchstone_app, touchstone_system, touchstone_line', t);
    execute format('create policy line_as_service on %I to touchstone_line using (tenant_id = (select app.service_tenant()))', t);
  end loop;
  foreach t in array array['task_decisions', 'adjudications'] loop
    execute format('grant insert on %I to touchstone_app, touchstone_line', t);
    execute format('create trigger permanent before update or delete on %I for each row execute function app.refuse_change()', t);
    execute format('create trigger permanent_truncate before truncate on %I for each statement execute function app.refuse_change()', t);
  end loop;
end
$$;
-- Rule 11: requests and the line read scores and write none.
grant insert, update, delete on quality_scores, confidence_calibrations, stopping_models to touchstone_system;
grant update (redundancy, redundancy_policy, adjudication_lane_id) on projects to touchstone_app;
grant update (wanted) on tasks to touchstone_line;
grant insert on tasks to touchstone_line;

-- The probability of each class of each nominal and ordinal dimension of some tasks, adjudications included:
--
--   P(z | answers) ~ product over answers of P(answer | z),
--
-- services/quality/redundancy/posterior.ts with a uniform prior, each answer weighed by worker-model.ts: by what the
-- confidence stated with it means where that is calibrated, else by the expert's matrix, else by their accuracy. Of a
-- dimension whose classes are not declared all classes that nobody has named are one row, whose label is null. position is
-- the class's place in the declaration; votes is how many said so.
create function app.task_posteriors(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, dimension text, label text, "position" bigint, votes bigint, probability double precision)
language sql stable as $$
  with sources as (
    select k.id as task_id, k.id as source_id from unnest(p_tasks) as k(id)
    union all
    select j.parent_id, j.task_id from adjudications j where j.tenant_id = p_tenant and j.parent_id = any (p_tasks)
  ), given as materialized (
    select o.task_id, d.name as dimension, d.scale, d.declared, coalesce(v.text_value, v.number_value::text) as label,
           least(0.99, greatest(0.01, coalesce(c.said, s.mean, x.quality_mean, 0.8))) as accuracy,
           case when c.said is null then s.matrices -> d.name end as matrix
    from sources o
    join tasks t on t.tenant_id = p_tenant and t.id = o.source_id
    join projects p on p.tenant_id = p_tenant and p.id = t.project_id
    join task_types y on y.tenant_id = p_tenant and y.id = p.task_type_id
    cross join lateral (
      select e ->> 'name' as name, e ->> 'scale' as scale, coalesce(e -> 'values', '[]') as declared
      from jsonb_array_elements(y.dimensions::jsonb) e where e ->> 'scale' in ('nominal', 'ordinal')
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
  ), heads as (
    select distinct g.task_id, g.dimension, g.scale, g.declared from given g
  ), classes as materialized (
    select h.task_id, h.dimension, e.label, e.position from heads h
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
             case when g.label = c.label then g.accuracy else (1 - g.accuracy) / (z.classes - 1) end)))) as log
    from classes c
    join sizes z on z.task_id = c.task_id and z.dimension = c.dimension
    join given g on g.task_id = c.task_id and g.dimension = c.dimension
    group by c.task_id, c.dimension, c.label, c.position
  ), likely as (
    select l.*, exp(l.log - max(l.log) over of_task) as share from logs l window of_task as (partition by l.task_id, l.dimension)
  )
  select l.task_id, l.dimension, l.label, l.position, l.votes,
         l.share / sum(l.share) over (partition by l.task_id, l.dimension)
  from likely l
$$;

-- What one further answer is expected to add to the probability of being right: services/quality/redundancy/value.ts, by
-- the same sum over the possible counts of k answers, k up to five, of the four most probable classes.
create function app.gain_of_more(p_posterior double precision[], p_accuracy double precision, p_left integer)
returns double precision language sql immutable as $$
  with likeliest as (
    select array_agg(b.p / b.total order by b.p desc) as p, count(*)::integer as classes from (
      select q.p, sum(q.p) over () as total from (select p from unnest(p_posterior) as u(p) order by p desc limit 4) q
    ) b
  ), ways as (
    select k, array[a, b, c, k - a - b - c] as counts,
           f[k + 1] / (f[a + 1] * f[b + 1] * f[c + 1] * f[k - a - b - c + 1]) as ways
    from (select array[1, 1, 2, 6, 24, 120]::double precision[] as f) factorials
    cross join generate_series(1, least(p_left, 5)) as k
    cross join generate_series(0, k) as a
    cross join generate_series(0, k - a) as b
    cross join generate_series(0, k - a - b) as c
  ), expected as (
    select w.k, sum(w.ways * m.most) as maximum
    from ways w cross join likeliest s
    cross join lateral (
      select max(s.p[i] * power(p_accuracy, w.counts[i]) * power((1 - p_accuracy) / (s.classes - 1), w.k - w.counts[i])) as most
      from generate_series(1, s.classes) as i
    ) m
    -- Counts of classes that there are not.
    where not exists (select from generate_series(s.classes + 1, 4) as i where w.counts[i] > 0)
    group by w.k
  )
  select greatest(0, max((e.maximum - s.p[1]) / e.k)) from expected e cross join likeliest s
$$;

-- What is to become of tasks that have all the answers they wanted: services/quality/redundancy/decide.ts, dimension by
-- dimension. A task goes on while one of its dimensions does; where none does, it is adjudicated if one has to be. Tasks
-- reserved for named experts and adjudications have what they were opened with.
create function app.decide_tasks(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, project_id bigint, customer_id bigint, answers smallint, next text, more smallint, reason text, results jsonb)
language sql stable as $$
  with due as materialized (
    select t.id, t.project_id, t.customer_id, t.counted, p.redundancy_policy as policy, p.redundancy_policy ->> 'kind' as kind,
           case p.redundancy_policy ->> 'kind' when 'FIXED' then (p.redundancy_policy ->> 'answers')::integer
             when 'AGREE' then (p.redundancy_policy ->> 'agree')::integer else (p.redundancy_policy ->> 'min')::integer end as least,
           coalesce((p.redundancy_policy ->> 'max')::integer, (p.redundancy_policy ->> 'answers')::integer) as most
    from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
    where t.tenant_id = p_tenant and t.id = any (p_tasks)
      and t.kind = 'WORK' and t.state = 'DONE' and t.counted = t.wanted and t.allow is null
      and p.redundancy_policy is not null and p.state = 'RUNNING'
      and not exists (select from task_decisions d where d.tenant_id = p_tenant and d.task_id = t.id
                        and d.answers = t.counted and d.decided_by is null)
  ), posteriors as materialized (
    select q.* from app.task_posteriors(p_tenant, array(select due.id from due)) q
  ), counts as (
    select q.task_id, q.dimension, max(q.votes) as most, array_agg(q.probability) as probabilities from posteriors q
    group by q.task_id, q.dimension
  ), heads as (
    select c.*, (select count(*) from posteriors q where q.task_id = c.task_id and q.dimension = c.dimension and q.votes = c.most) as leaders,
           b.label, b.probability
    from counts c
    cross join lateral (
      select q.label, q.probability from posteriors q join due on due.id = q.task_id
      where q.task_id = c.task_id and q.dimension = c.dimension and q.label is not null
      order by case when due.kind <> 'POSTERIOR' then q.votes end desc, round(q.probability::numeric, 12) desc, q.position limit 1
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
             when due.kind <> 'POSTERIOR' then case when h.leaders > 1 then 'TIE' end
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
    select due.id, due.project_id, due.customer_id, due.counted,
           (case when due.counted < due.least then due.least - due.counted else coalesce(max(j.more), 0) end)::smallint as more,
           coalesce(min(j.unsettled) filter (where j.unsettled = 'MAXIMUM_REACHED'), min(j.unsettled)) as unsettled,
           coalesce(jsonb_agg(jsonb_build_object('dimension', j.dimension, 'label', j.label, 'probability', j.probability,
             'stated', j.stated) order by j.dimension) filter (where j.dimension is not null), '[]') as results
    from due left join judged j on j.id = due.id
    group by due.id, due.project_id, due.customer_id, due.counted, due.least
  )
  select o.id, o.project_id, o.customer_id, o.counted,
         case when o.more > 0 then 'MORE' when o.unsettled is not null then 'ADJUDICATE' else 'STOP' end,
         case when o.more > 0 then o.more else 0 end, case when o.more <= 0 then o.unsettled end, o.results
  from joined o
$$;

-- The lane of a project's adjudications: all that the project asks for, and a lower bound of quality of at least 0.8 and
-- above the project's own.
create function app.stronger_lane(p_tenant bigint, p_project bigint) returns bigint language plpgsql as $$
declare
  v_project projects;
  v_min double precision;
  v_lane bigint;
begin
  select * into strict v_project from projects p where p.tenant_id = p_tenant and p.id = p_project for no key update;
  if v_project.adjudication_lane_id is not null then
    return v_project.adjudication_lane_id;
  end if;
  v_min := least(1, round(greatest(0.8, v_project.min_quality + 0.05)::numeric, 2));
  insert into lanes (tenant_id, skill_id, min_quality, also_all, also_any, also_min, languages, tags)
  values (p_tenant, v_project.skill_id, v_min, v_project.required_all, v_project.required_any, v_project.required_min,
          v_project.languages, v_project.tags)
  on conflict on constraint lanes_requirement do nothing;
  select l.id into strict v_lane from lanes l
  where l.tenant_id = p_tenant and l.skill_id = v_project.skill_id and l.min_quality = v_min
    and l.also_all = v_project.required_all and l.also_any = v_project.required_any and l.also_min = v_project.required_min
    and l.languages = v_project.languages and l.tags = v_project.tags;
  update projects p set adjudication_lane_id = v_lane where p.tenant_id = p_tenant and p.id = p_project;
  return v_lane;
end
$$;

-- Opens the adjudication of tasks of running projects whose key-share lock the caller holds: a task like any other of its
-- batch, that wants one answer, of somebody stronger who has not seen the item. In front of its lane, as returned work is.
create function app.open_adjudications(p_tenant bigint, p_tasks bigint[]) returns void language plpgsql as $$
begin
  with parents as materialized (
    select t.*, p.adjudication_lane_id as lane_id,
           array(select x.expert_id from (select unnest(t.block) as expert_id union
             select a.expert_id from assignments a where a.tenant_id = p_tenant and a.task_id = t.id) x limit 1000) as barred
    from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
    where t.tenant_id = p_tenant and t.id = any (p_tasks)
      and t.kind = 'WORK' and not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = t.id)
  ), opened as (
    insert into tasks (tenant_id, project_id, batch_id, customer_id, kind, line, external_id, payload_key, payload_bytes, content_type,
                       wanted, block)
    select p_tenant, o.project_id, o.batch_id, o.customer_id, 'ADJUDICATION', -o.id, o.external_id, o.payload_key, o.payload_bytes, o.content_type,
           1, o.barred
    from parents o
    returning id, line, block
  ), related as (
    insert into adjudications (tenant_id, task_id, parent_id, project_id, customer_id)
    select p_tenant, n.id, o.id, o.project_id, o.customer_id from opened n join parents o on o.id = -n.line
  )
  insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl)
  select p_tenant, n.id, o.lane_id, o.project_id, 1, l.low_begun, array[1::smallint], n.block
  from opened n
  join parents o on o.id = -n.line
  join lanes l on l.tenant_id = p_tenant and l.id = o.lane_id;
end
$$;

-- Gives tasks that were just answered what the policy of their project says: more slots, an adjudication, or nothing more.
-- In the transaction of the answer (DESIGN 8.10). A task has all its slots taken here, so it is in no queue, and raising
-- what it wants is all there is to do: wanted is never lowered.
create function app.adapt_tasks(p_tenant bigint, p_tasks bigint[]) returns void language plpgsql as $$
declare
  v_running bigint[];
  v_adjudicate bigint[];
begin
  if not exists (select from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
                 where t.tenant_id = p_tenant and t.id = any (p_tasks) and t.state = 'DONE' and p.redundancy_policy is not null) then
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
    returning t.id, t.project_id, t.wanted, t.block, d.more
  ), opened as (
    insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots, excl)
    select p_tenant, r.id, p.lane_id, r.project_id, 1, greatest(l.low_begun, h.tag),
           (select array_agg(n::smallint order by n) from generate_series(r.wanted - r.more + 1, r.wanted) n), coalesce(r.block, '{}') || h.had
    from raised r
    join projects p on p.tenant_id = p_tenant and p.id = r.project_id
    join lanes l on l.tenant_id = p_tenant and l.id = p.lane_id
    cross join lateral (
      select max(a.tag) as tag, coalesce(array_agg(a.expert_id) filter (where a.state not in ('EXPIRED', 'RELEASED')), '{}') as had
      from assignments a where a.tenant_id = p_tenant and a.task_id = r.id
    ) h
  )
  select coalesce(array_agg(d.task_id) filter (where d.next = 'ADJUDICATE'), '{}') into v_adjudicate
  from decided d where d.task_id in (select k.task_id from kept k);
  if v_adjudicate <> '{}' then
    perform app.open_adjudications(p_tenant, v_adjudicate);
  end if;
end
$$;

-- Submits, and what follows from them for their tasks. What app.submit_all was stores the answers.
alter function app.submit_all(bigint, app.submission[]) rename to store_answers;
create function app.submit_all(p_tenant bigint, p_submissions app.submission[]) returns jsonb[] language plpgsql as $$
declare
  v_out jsonb[] := app.store_answers(p_tenant, p_submissions);
begin
  perform app.adapt_tasks(p_tenant, array(
    select distinct a.task_id from unnest(p_submissions) s
    join assignments a on a.tenant_id = p_tenant and a.id = s.assignment_id and a.expert_id = s.expert_id));
  return v_out;
end
$$;

-- Sends a task that is done to a stronger expert, with the reason of whoever asks. p_customer null: any customer's.
create function app.escalate_task(p_tenant bigint, p_actor bigint, p_task bigint, p_customer bigint, p_reason text) returns jsonb language plpgsql as $$
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
  from (select distinct on (q.dimension) q.* from app.task_posteriors(p_tenant, array[p_task]) q where q.label is not null
        order by q.dimension, q.probability desc, q.position) b;
  perform app.open_adjudications(p_tenant, array[p_task]);
  return jsonb_build_object('outcome', 'OK');
end
$$;
