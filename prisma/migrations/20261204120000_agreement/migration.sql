-- Agreement, kept as answers come and go: what Krippendorff's alpha and Cohen's kappa need of the counted answers of finished
-- tasks, moved by the answers of one task at a time (decision 59). All of it is a fold: it can be thrown away and made anew.
set local role touchstone_owner;

-- Tasks whose counted answers may be others than those folded. One row a change, never "there is one already" (see grading_dues).
create table agreement_dues (
  tenant_id bigint not null,
  id bigint generated always as identity,
  task_id bigint not null,
  primary key (tenant_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- The answers that are in the figures: of each task those, by their assignments, smallest first. Answers never change, so
-- their names are enough to take them out again.
create table agreement_units (
  tenant_id bigint not null,
  task_id bigint not null,
  counted bigint[] not null check (cardinality(counted) >= 2),
  primary key (tenant_id, task_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- How often answers to the same task met, by what they said. Kept twice: of a project, and of a skill and task type over all
-- projects (project 0, customer 0).
--   expert 0:        of everybody: ordered pairs, smaller class first (agreement/coincidences.ts)
--   expert, peer 0:  of one expert with their peers: they said, the peer said (of skills only)
--   expert < peer:   of two experts, as tasks of two answers (of projects only)
-- size: answers of the task, by which a pair is weighted 1 / (size - 1).
create table agreement_cells (
  tenant_id bigint not null,
  project_id bigint not null,
  skill_id bigint not null,
  task_type_id bigint not null,
  dimension text not null,
  expert_id bigint not null,
  peer_id bigint not null,
  size smallint not null,
  said text not null,
  heard text not null,
  customer_id bigint not null,
  pairs bigint not null,
  -- Squared differences of the pairs, added up exactly.
  spread numeric not null,
  primary key (tenant_id, project_id, skill_id, expert_id, peer_id, task_type_id, dimension, size, said, heard)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What else is needed of the same answers: how many tasks and answers, and of numbers their sum and the sum of their
-- squares, exactly; of values that are too many to count in pairs the sum of the squares of how often each was said.
create table agreement_totals (
  tenant_id bigint not null,
  project_id bigint not null,
  skill_id bigint not null,
  task_type_id bigint not null,
  dimension text not null,
  expert_id bigint not null,
  peer_id bigint not null,
  customer_id bigint not null,
  tasks bigint not null,
  answers bigint not null,
  total numeric not null,
  squares numeric not null,
  primary key (tenant_id, project_id, skill_id, expert_id, peer_id, task_type_id, dimension)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- How often each value was said, by its digest, where values are too many to count in pairs.
create table agreement_values (
  tenant_id bigint not null,
  project_id bigint not null,
  skill_id bigint not null,
  task_type_id bigint not null,
  dimension text not null,
  digest text not null,
  customer_id bigint not null,
  answers bigint not null,
  primary key (tenant_id, project_id, skill_id, task_type_id, dimension, digest)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

do $$
declare
  -- Of their projects customers see how answers agree, not whose.
  own_customer text := 'customer_id = (select app.customer_id())';
  staff text[] := array['OPERATOR', 'ANALYST'];
  t text;
begin
  perform app.protect('agreement_dues', 'false', 'false', staff);
  perform app.protect('agreement_units', 'false', 'false', staff);
  perform app.protect('agreement_cells', own_customer || ' and expert_id = 0', 'false', staff);
  perform app.protect('agreement_totals', own_customer || ' and expert_id = 0', 'false', staff);
  perform app.protect('agreement_values', own_customer, 'false', staff);
  foreach t in array array['agreement_dues', 'agreement_units', 'agreement_cells', 'agreement_totals', 'agreement_values'] loop
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
    execute format('grant insert, update, delete on %I to touchstone_system', t);
  end loop;
end
$$;
create policy line_as_service on agreement_dues to touchstone_line using (tenant_id = (select app.service_tenant()));
grant insert on agreement_dues to touchstone_app, touchstone_line;

-- A task is due when it is finished, or no longer, or finished with more or fewer answers; and when one of its answers begins or
-- ceases to count by itself.
create function app.note_agreement() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'tasks' then
    insert into agreement_dues (tenant_id, task_id) values (new.tenant_id, new.id);
  else
    insert into agreement_dues (tenant_id, task_id) values (new.tenant_id, new.task_id);
  end if;
  return null;
end
$$;
create trigger agreement after update of state, counted on tasks for each row
  when (new.kind = 'WORK' and greatest(old.counted, new.counted) >= 2
        and (old.state = 'DONE', old.counted) is distinct from (new.state = 'DONE', new.counted)
        and (old.state = 'DONE' or new.state = 'DONE'))
  execute function app.note_agreement();
create trigger agreement after update of state on assignments for each row
  when (old.state in ('SUBMITTED', 'ACCEPTED', 'REJECTED')
        and (old.state in ('SUBMITTED', 'ACCEPTED')) <> (new.state in ('SUBMITTED', 'ACCEPTED')))
  execute function app.note_agreement();

-- How a dimension is measured, so that what is kept of it is bounded whatever is answered:
--   CLASSES  nominal and ordinal of at most 50 declared values: every pair of values is counted
--   VALUES   other nominal ones: whether two answers are the same, and how often each value was said
--   NUMBERS  interval, and ordinal of more or undeclared values: sums, on an interval scale
create function app.agreement_form(p_dimension jsonb) returns text language sql immutable as $$
  select case
    when p_dimension ->> 'scale' in ('nominal', 'ordinal') and jsonb_array_length(coalesce(p_dimension -> 'values', '[]')) between 1 and 50 then 'CLASSES'
    when p_dimension ->> 'scale' = 'nominal' then 'VALUES'
    else 'NUMBERS' end
$$;

-- Two experts are compared over tasks of at most so many answers: the only figure that costs a task the square of its answers.
create function app.agreement_pairs_max() returns bigint language sql immutable as $$ select 20::bigint $$;

-- What some counted answers say, dimension by dimension, where at least two of the given answers to the task say anything.
create function app.agreement_given(p_tenant bigint, p_assignments bigint[])
returns table (task_id bigint, project_id bigint, customer_id bigint, skill_id bigint, task_type_id bigint, dimension text, form text,
               expert_id bigint, said text, number numeric, size bigint, is_first boolean)
language sql stable as $$
  with units as materialized (
    select a.id, a.task_id, a.expert_id, p.id as project_id, p.customer_id, p.skill_id, p.task_type_id
    from unnest(p_assignments) as g(id)
    join assignments a on a.tenant_id = p_tenant and a.id = g.id
    join projects p on p.tenant_id = p_tenant and p.id = a.project_id
  ), declared as materialized (
    select y.id as task_type_id, d ->> 'name' as dimension, app.agreement_form(d) as form
    from task_types y cross join lateral jsonb_array_elements(y.dimensions::jsonb) d
    where y.tenant_id = p_tenant and y.id in (select u.task_type_id from units u)
  ), given as (
    select u.task_id, u.project_id, u.customer_id, u.skill_id, u.task_type_id, v.dimension, d.form, u.expert_id,
           -- (Nought added: -0 is 0. By its text a number is the decimal that was answered, and sums of those are exact.)
           coalesce(v.text_value, (v.number_value + 0)::text) as said, (v.number_value + 0)::text::numeric as number,
           count(*) over of_task as size, row_number() over (of_task order by u.id) = 1 as is_first
    from units u
    join answer_values v on v.tenant_id = p_tenant and v.assignment_id = u.id
    join declared d on d.task_type_id = u.task_type_id and d.dimension = v.dimension
    where d.form <> 'NUMBERS' or v.number_value is not null
    window of_task as (partition by u.task_id, v.dimension)
  )
  select * from given g where g.size > 1
$$;

-- The rows of agreement_cells that some counted answers amount to.
create function app.agreement_cells_of(p_tenant bigint, p_assignments bigint[])
returns table (project_id bigint, skill_id bigint, task_type_id bigint, dimension text, expert_id bigint, peer_id bigint, size smallint,
               said text, heard text, customer_id bigint, pairs bigint, spread numeric)
language sql stable as $$
  with given as materialized (
    select * from app.agreement_given(p_tenant, p_assignments)
  ), said as materialized (
    select g.task_id, g.dimension, g.said, count(*) as answers from given g where g.form <> 'NUMBERS' group by 1, 2, 3
  ), sums as materialized (
    select g.task_id, g.dimension, sum(g.number) as total, sum(g.number * g.number) as squares from given g where g.form = 'NUMBERS' group by 1, 2
  ), met as materialized (
    select g.project_id, g.customer_id, g.skill_id, g.task_type_id, g.dimension, g.expert_id, g.size::smallint as size, g.said, c.said as heard,
           c.answers - (c.said = g.said)::integer as pairs, 0::numeric as spread
    from given g join said c on c.task_id = g.task_id and c.dimension = g.dimension
    where g.form = 'CLASSES' and c.answers > (c.said = g.said)::integer
    union all
    select g.project_id, g.customer_id, g.skill_id, g.task_type_id, g.dimension, g.expert_id, g.size::smallint, o.said, 'SAME', o.pairs, 0
    from given g join said c on c.task_id = g.task_id and c.dimension = g.dimension and c.said = g.said
    cross join lateral (values ('SAME', c.answers - 1), ('OTHER', g.size - c.answers)) as o(said, pairs)
    where g.form = 'VALUES' and o.pairs > 0
    union all
    -- Of x to all others: the sum of (x - y)^2 is m x^2 - 2 x (sum of y) + (sum of y^2), x itself among them.
    select g.project_id, g.customer_id, g.skill_id, g.task_type_id, g.dimension, g.expert_id, g.size::smallint, '', '', g.size - 1,
           g.size * g.number * g.number - 2 * g.number * c.total + c.squares
    from given g join sums c on c.task_id = g.task_id and c.dimension = g.dimension
    where g.form = 'NUMBERS'
  )
  select m.project_id, m.skill_id, m.task_type_id, m.dimension, 0::bigint, 0::bigint, m.size, least(m.said collate "C", m.heard collate "C"),
         greatest(m.said collate "C", m.heard collate "C"), m.customer_id, sum(m.pairs)::bigint, sum(m.spread)
  from met m group by 1, 2, 3, 4, 7, 8, 9, 10
  union all
  select 0, m.skill_id, m.task_type_id, m.dimension, 0, 0, m.size, least(m.said collate "C", m.heard collate "C"),
         greatest(m.said collate "C", m.heard collate "C"), 0, sum(m.pairs)::bigint, sum(m.spread)
  from met m group by 2, 3, 4, 7, 8, 9
  union all
  select 0, m.skill_id, m.task_type_id, m.dimension, m.expert_id, 0, m.size, m.said, m.heard, 0, sum(m.pairs)::bigint, sum(m.spread)
  from met m group by 2, 3, 4, 5, 7, 8, 9
  union all
  select g.project_id, g.skill_id, g.task_type_id, g.dimension, g.expert_id, o.expert_id, 2, v.said, v.heard, g.customer_id, count(*), sum(v.spread)
  from given g
  join given o on o.task_id = g.task_id and o.dimension = g.dimension and o.expert_id > g.expert_id
  cross join lateral (select
    case g.form when 'CLASSES' then g.said when 'VALUES' then case when g.said = o.said then 'SAME' else 'OTHER' end else '' end as said,
    case g.form when 'CLASSES' then o.said when 'VALUES' then 'SAME' else '' end as heard,
    case g.form when 'NUMBERS' then (g.number - o.number) * (g.number - o.number) else 0 end as spread) v
  where g.size <= app.agreement_pairs_max() group by 1, 2, 3, 4, 5, 6, 8, 9, 10
$$;

-- How often some counted answers say each value that is not counted in pairs.
create function app.agreement_values_of(p_tenant bigint, p_assignments bigint[])
returns table (project_id bigint, skill_id bigint, task_type_id bigint, dimension text, digest text, customer_id bigint, answers bigint)
language sql stable as $$
  select s.project_id, g.skill_id, g.task_type_id, g.dimension, encode(sha256(convert_to(g.said, 'UTF8')), 'hex'), s.customer_id, count(*)
  from app.agreement_given(p_tenant, p_assignments) g
  cross join lateral (values (g.project_id, g.customer_id), (0, 0)) as s(project_id, customer_id)
  where g.form = 'VALUES' group by 1, 2, 3, 4, 5, 6
$$;

-- The rows of agreement_totals that some counted answers amount to, but for the squares of how often values were said.
create function app.agreement_totals_of(p_tenant bigint, p_assignments bigint[])
returns table (project_id bigint, skill_id bigint, task_type_id bigint, dimension text, expert_id bigint, peer_id bigint, customer_id bigint,
               tasks bigint, answers bigint, total numeric, squares numeric)
language sql stable as $$
  with given as materialized (
    select * from app.agreement_given(p_tenant, p_assignments)
  )
  select s.project_id, g.skill_id, g.task_type_id, g.dimension, 0::bigint, 0::bigint, s.customer_id, count(*) filter (where g.is_first), count(*),
         coalesce(sum(g.number) filter (where g.form = 'NUMBERS'), 0), coalesce(sum(g.number * g.number) filter (where g.form = 'NUMBERS'), 0)
  from given g cross join lateral (values (g.project_id, g.customer_id), (0, 0)) as s(project_id, customer_id)
  group by 1, 2, 3, 4, 7
  union all
  select 0, g.skill_id, g.task_type_id, g.dimension, g.expert_id, 0, 0, count(*), count(*), 0, 0
  from given g group by 2, 3, 4, 5
  union all
  select g.project_id, g.skill_id, g.task_type_id, g.dimension, g.expert_id, o.expert_id, g.customer_id, count(*), 2 * count(*), 0, 0
  from given g join given o on o.task_id = g.task_id and o.dimension = g.dimension and o.expert_id > g.expert_id
  where g.size <= app.agreement_pairs_max() group by 1, 2, 3, 4, 5, 6, 7
$$;

-- The answers of tasks that count now: of finished work that has at least two.
create function app.agreement_counted(p_tenant bigint, p_tasks bigint[]) returns table (task_id bigint, counted bigint[])
language sql stable as $$
  select t.id, array_agg(a.id order by a.id)
  from unnest(p_tasks) as g(id)
  join tasks t on t.tenant_id = p_tenant and t.id = g.id and t.state = 'DONE' and t.kind = 'WORK'
  join assignments a on a.tenant_id = p_tenant and a.task_id = t.id and a.state in ('SUBMITTED', 'ACCEPTED')
  group by t.id having count(*) >= 2
$$;

-- Puts answers into the figures and takes others out. One at a time: the caller has the turn.
create function app.move_agreement(p_tenant bigint, p_in bigint[], p_out bigint[]) returns void language plpgsql as $$
begin
  insert into agreement_cells as k (tenant_id, project_id, skill_id, task_type_id, dimension, expert_id, peer_id, size, said, heard,
                                    customer_id, pairs, spread)
  select p_tenant, d.project_id, d.skill_id, d.task_type_id, d.dimension, d.expert_id, d.peer_id, d.size, d.said, d.heard, d.customer_id,
         sum(d.side * d.pairs), sum(d.side * d.spread)
  from (select c.*, 1 as side from app.agreement_cells_of(p_tenant, p_in) c
        union all
        select c.*, -1 from app.agreement_cells_of(p_tenant, p_out) c) d
  group by d.project_id, d.skill_id, d.task_type_id, d.dimension, d.expert_id, d.peer_id, d.size, d.said, d.heard, d.customer_id
  having sum(d.side * d.pairs) <> 0 or sum(d.side * d.spread) <> 0
  on conflict (tenant_id, project_id, skill_id, task_type_id, dimension, expert_id, peer_id, size, said, heard) do update
    set pairs = k.pairs + excluded.pairs, spread = k.spread + excluded.spread;
  with moved as materialized (
    select d.project_id, d.skill_id, d.task_type_id, d.dimension, d.digest, d.customer_id, sum(d.side * d.answers)::bigint as answers
    from (select v.*, 1 as side from app.agreement_values_of(p_tenant, p_in) v
          union all
          select v.*, -1 from app.agreement_values_of(p_tenant, p_out) v) d
    group by 1, 2, 3, 4, 5, 6 having sum(d.side * d.answers) <> 0
  ), said as (
    insert into agreement_values as k (tenant_id, project_id, skill_id, task_type_id, dimension, digest, customer_id, answers)
    select p_tenant, m.* from moved m
    on conflict (tenant_id, project_id, skill_id, task_type_id, dimension, digest) do update set answers = k.answers + excluded.answers
    returning project_id, skill_id, task_type_id, dimension, digest, customer_id, answers
  ), squared as (
    -- n^2 now less what it was: (n - d)^2.
    select s.project_id, s.skill_id, s.task_type_id, s.dimension, 0::bigint as expert_id, 0::bigint as peer_id, s.customer_id,
           sum((2 * s.answers - m.answers)::numeric * m.answers) as squares
    from said s join moved m using (project_id, skill_id, task_type_id, dimension, digest)
    group by s.project_id, s.skill_id, s.task_type_id, s.dimension, s.customer_id
  )
  insert into agreement_totals as k (tenant_id, project_id, skill_id, task_type_id, dimension, expert_id, peer_id, customer_id, tasks,
                                     answers, total, squares)
  select p_tenant, d.project_id, d.skill_id, d.task_type_id, d.dimension, d.expert_id, d.peer_id, d.customer_id,
         sum(d.side * d.tasks), sum(d.side * d.answers), sum(d.side * d.total), sum(d.side * d.squares)
  from (select c.*, 1 as side from app.agreement_totals_of(p_tenant, p_in) c
        union all
        select c.*, -1 from app.agreement_totals_of(p_tenant, p_out) c
        union all
        select q.project_id, q.skill_id, q.task_type_id, q.dimension, q.expert_id, q.peer_id, q.customer_id, 0, 0, 0, q.squares, 1 from squared q) d
  group by d.project_id, d.skill_id, d.task_type_id, d.dimension, d.expert_id, d.peer_id, d.customer_id
  having (sum(d.side * d.tasks), sum(d.side * d.answers), sum(d.side * d.total), sum(d.side * d.squares)) <> (0, 0, 0, 0)
  on conflict (tenant_id, project_id, skill_id, task_type_id, dimension, expert_id, peer_id) do update
    set tasks = k.tasks + excluded.tasks, answers = k.answers + excluded.answers, total = k.total + excluded.total,
        squares = k.squares + excluded.squares;
end
$$;

-- Folds what is due of one tenant, at most so many changes; null where somebody else is at it. What is due is taken before
-- the facts are read, in one statement: what is recorded from then on is due again.
create function app.fold_agreement(p_limit integer) returns integer language plpgsql as $$
declare
  v_tenant bigint;
  v_tasks bigint[];
  v_taken integer;
  v_in bigint[];
  v_out bigint[];
begin
  if not pg_try_advisory_xact_lock(7252, 0) then
    return null;
  end if;
  -- Whose turn it is is drawn, so that a tenant with much to fold keeps no other from its own.
  select d.tenant_id into v_tenant from agreement_dues d
  where d.tenant_id >= (select l.tenant_id + floor(random() * (h.tenant_id - l.tenant_id + 1))::bigint
                        from (select min(tenant_id) as tenant_id from agreement_dues) l, (select max(tenant_id) as tenant_id from agreement_dues) h)
  order by d.tenant_id, d.id limit 1;
  if not found then
    return 0;
  end if;
  with taken as (
    delete from agreement_dues d
    where d.tenant_id = v_tenant and d.id in (select o.id from agreement_dues o where o.tenant_id = v_tenant order by o.id limit p_limit)
    returning d.task_id
  )
  select array_agg(distinct t.task_id), count(*) into v_tasks, v_taken from taken t;
  with changed as materialized (
    select g.id, u.counted as had, c.counted as has
    from unnest(v_tasks) as g(id)
    left join agreement_units u on u.tenant_id = v_tenant and u.task_id = g.id
    left join app.agreement_counted(v_tenant, v_tasks) c on c.task_id = g.id
    where u.counted is distinct from c.counted
  ), gone as (
    delete from agreement_units u using changed c where u.tenant_id = v_tenant and u.task_id = c.id and c.has is null
  ), kept as (
    insert into agreement_units (tenant_id, task_id, counted) select v_tenant, c.id, c.has from changed c where c.has is not null
    on conflict (tenant_id, task_id) do update set counted = excluded.counted
  )
  select array(select unnest(c.has) from changed c), array(select unnest(c.had) from changed c) into v_in, v_out;
  if v_in <> '{}' or v_out <> '{}' then
    perform app.move_agreement(v_tenant, v_in, v_out);
  end if;
  return v_taken;
end
$$;

-- Throws away what is kept of a tenant's agreement; all of it is due again.
create function app.refold_agreement(p_tenant bigint) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7252, 0);
  delete from agreement_units where tenant_id = p_tenant;
  delete from agreement_cells where tenant_id = p_tenant;
  delete from agreement_totals where tenant_id = p_tenant;
  delete from agreement_values where tenant_id = p_tenant;
  insert into agreement_dues (tenant_id, task_id)
  select t.tenant_id, t.id from tasks t where t.tenant_id = p_tenant and t.state = 'DONE' and t.kind = 'WORK' and t.counted >= 2;
end
$$;

-- What was finished before is due.
alter table tasks no force row level security;
alter table agreement_dues no force row level security;
insert into agreement_dues (tenant_id, task_id)
select t.tenant_id, t.id from tasks t where t.state = 'DONE' and t.kind = 'WORK' and t.counted >= 2 order by t.tenant_id, t.id;
alter table tasks force row level security;
alter table agreement_dues force row level security;
