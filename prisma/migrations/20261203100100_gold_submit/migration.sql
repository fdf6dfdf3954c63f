-- Submits of gold: graded, not counted; paid like any other, by the tenant; not told to those who listen to the project.
-- An assignment whose customer is 0 is gold.
set local role touchstone_owner;

-- Grades answers to gold against their keys, one fact a dimension of the key. p_won may hold other work too. The lock makes
-- a suspension come before the grading, which is then void at once, or after it, when it is voided with the others.
create function app.grade_golds(p_won assignments[], p_submissions app.submission[]) returns void language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
begin
  perform from golds o
  where o.tenant_id = (p_won[1]).tenant_id and o.task_id = any (array(select w.task_id from unnest(p_won) w where w.customer_id = 0))
  order by o.task_id for key share;
  with graded as (
    insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
                          truth, answered, is_right, stated, graded_at)
    select w.tenant_id, w.id, w.task_id, w.project_id, w.expert_id, p.skill_id, p.task_type_id, k.dimension, 'GOLD',
           coalesce(k.text_value, k.number_value::text), coalesce(v.text, v.number::text),
           coalesce(case when k.text_value is null then abs(v.number - k.number_value) <= k.tolerance * (1 + 1e-9) + 1e-12 * abs(k.number_value) else v.text = k.text_value end, false),
           s.confidence, v_now
    from unnest(p_won) w
    join unnest(p_submissions) s on s.assignment_id = w.id
    join projects p on p.tenant_id = w.tenant_id and p.id = w.project_id
    join gold_keys k on k.tenant_id = w.tenant_id and k.task_id = w.task_id
    left join lateral jsonb_to_recordset(s."values") as v(dimension text, text text, number double precision)
      on v.dimension = k.dimension
    where w.customer_id = 0
    returning tenant_id, id, task_id
  )
  insert into voided_gradings (tenant_id, grading_id, reason, at)
  select g.tenant_id, g.id, o.reason, v_now
  from graded g join golds o on o.tenant_id = g.tenant_id and o.task_id = g.task_id
  where o.state = 'SUSPENDED' or o.reason = 'LEAKED';
end
$$;

-- Posts what assignments earn: two lines each, from the customer, or for gold from the tenant, to the expert. The unique index
-- on payouts refuses a second one of a kind.
create or replace function app.post_earnings(p_assignments assignments[], p_at timestamptz) returns void language plpgsql as $$
begin
  with earned as materialized (
    select a.*, nextval('postings_id_seq') as posting_id from unnest(p_assignments) a
  ), posted as (
    insert into postings (tenant_id, id, kind, project_id, created_at) overriding system value
    select e.tenant_id, e.posting_id, 'EARNING', e.project_id, p_at from earned e
  ), lined as (
    insert into ledger_lines (tenant_id, posting_id, line_no, owner_kind, owner_id, currency, amount_minor)
    select e.tenant_id, e.posting_id, l.line_no, l.owner_kind, l.owner_id, e.currency, l.amount_minor
    from earned e
    cross join lateral (values (1, 'EXPERT', e.expert_id, e.price_minor),
      (2, case e.customer_id when 0 then 'TENANT' else 'CUSTOMER' end, case e.customer_id when 0 then e.tenant_id else e.customer_id end,
       -e.price_minor))
      as l(line_no, owner_kind, owner_id, amount_minor)
  ), paid as (
    insert into payouts (tenant_id, assignment_id, kind, posting_id, expert_id, customer_id, project_id, amount_minor, currency, created_at)
    select e.tenant_id, e.id, 'EARNING', e.posting_id, e.expert_id, e.customer_id, e.project_id, e.price_minor, e.currency, p_at
    from earned e
  )
  insert into ledger_outbox (tenant_id, posting_id) select e.tenant_id, e.posting_id from earned e;
end
$$;

-- Where it is told what happens to a lease. Gold has a stream of its own, which nobody may listen to: a project's listeners
-- hear of the customer's work only, and yet what happens to gold costs the same.
create function app.lease_stream(p_assignment assignments) returns text language sql immutable as $$
  select case p_assignment.customer_id when 0 then 'gold/project/' else 'lease/project/' end || p_assignment.project_id
$$;

create or replace function app.append_lease_events(p_assignments assignments[], p_kind text) returns void language plpgsql as $$
begin
  insert into stream_events (tenant_id, stream, kind, body, customer_id)
  select a.tenant_id, app.lease_stream(a), p_kind, jsonb_build_object(
    'assignmentId', a.id, 'taskId', a.task_id, 'projectId', a.project_id, 'batchId', a.batch_id, 'expertId', a.expert_id,
    'epoch', a.epoch, 'leaseUntil', a.lease_until), a.customer_id
  from unnest(p_assignments) a;
end
$$;

create or replace function app.append_lease_event(p_assignment assignments, p_kind text) returns void language plpgsql as $$
declare
  v_body jsonb := jsonb_build_object(
    'assignmentId', p_assignment.id, 'taskId', p_assignment.task_id, 'projectId', p_assignment.project_id,
    'batchId', p_assignment.batch_id, 'expertId', p_assignment.expert_id, 'epoch', p_assignment.epoch,
    'leaseUntil', p_assignment.lease_until);
begin
  perform app.append_event(p_assignment.tenant_id, app.lease_stream(p_assignment), p_kind, v_body, p_assignment.customer_id, null);
  if p_kind in ('EXPIRING', 'EXPIRED', 'CANCELLED') then
    perform app.append_event(p_assignment.tenant_id, 'lease/expert/' || p_assignment.expert_id, p_kind, v_body, null, p_assignment.expert_id);
  end if;
end
$$;

-- Submits of several assignments, none of them twice (rule 4): the one conditional update decides. Answers, their values,
-- the tasks' counts, the payouts and the events are in the same transaction. Answers in the order given.
-- Gold counts for no task.
create or replace function app.submit_all(p_tenant bigint, p_submissions app.submission[]) returns jsonb[] language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_out jsonb[] := array_fill(null::jsonb, array[cardinality(p_submissions)]);
  v_won assignments[];
  v_flagged tasks[];
  v_task tasks;
  v_given app.submission;
  v_one assignments;
begin
  -- LIKE, for with = the planner sees that the index of live leases would do: it then reads all of them to find a few, and
  -- knows of less than there are.
  with won as (
    update assignments a set state = 'SUBMITTED', submitted_at = v_now, ended_at = v_now
    from unnest(p_submissions) s
    where a.tenant_id = p_tenant and a.id = s.assignment_id and a.expert_id = s.expert_id
      and a.state like 'LEASED' and a.epoch = s.epoch and a.lease_until > v_now
    returning a as row
  )
  select coalesce(array_agg(w.row), '{}') into v_won from won w;
  if v_won <> '{}' then
    with stored as materialized (
      select w.task_id, w.project_id, w.customer_id, s.* from unnest(v_won) w join unnest(p_submissions) s on s.assignment_id = w.id
    ), answered as (
      insert into answers (tenant_id, assignment_id, task_id, project_id, customer_id, expert_id, epoch, body, digest, confidence, submitted_at)
      select p_tenant, s.assignment_id, s.task_id, s.project_id, s.customer_id, s.expert_id, s.epoch, s.body, s.digest, s.confidence, v_now
      from stored s
    )
    insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value, number_value)
    select p_tenant, s.assignment_id, v.dimension, s.task_id, s.customer_id, s.expert_id, v.text, v.number
    from stored s
    cross join lateral jsonb_to_recordset(s."values") as v(dimension text, text text, number double precision);

    with gone as (
      delete from lease_alarms l using unnest(v_won) w
      where l.tenant_id = p_tenant and l.assignment_id = w.id and l.epoch = w.epoch
    ), cleared as (
      delete from drafts d using unnest(v_won) w where d.tenant_id = p_tenant and d.assignment_id = w.id
    ), counts as materialized (
      select w.task_id, count(*)::smallint as answers from unnest(v_won) w where w.customer_id <> 0 group by w.task_id
    ), counted as (
      update tasks t
      set counted = t.counted + c.answers,
          state = case when t.counted + c.answers >= t.wanted then 'DONE' else t.state end,
          done_at = case when t.counted + c.answers >= t.wanted then v_now else t.done_at end
      from counts c where t.tenant_id = p_tenant and t.id = c.task_id
      returning t as row
    )
    select array_agg(c.row) filter (where (c.row).state = 'OPEN' and (c.row).allow is not null) into v_flagged from counted c;
    foreach v_task in array coalesce(v_flagged, '{}') loop
      perform app.close_if_flagged(v_task, p.flag_quorum) from projects p
      where p.tenant_id = p_tenant and p.id = v_task.project_id;
    end loop;
    if exists (select from unnest(v_won) w where w.customer_id = 0) then
      perform app.grade_golds(v_won, p_submissions);
    end if;
    perform app.post_earnings(v_won, v_now);
    perform app.append_lease_events(v_won, 'SUBMITTED');
    foreach v_one in array v_won loop
      for j in 1 .. cardinality(p_submissions) loop
        if (p_submissions[j]).assignment_id = v_one.id then
          v_out[j] := app.receipt_json(v_one, (p_submissions[j]).digest);
        end if;
      end loop;
    end loop;
  end if;
  for j in 1 .. cardinality(p_submissions) loop
    if v_out[j] is null then
      v_given := p_submissions[j];
      v_out[j] := app.submit_again(p_tenant, v_given.expert_id, v_given.assignment_id, v_given.epoch, v_given.body, v_given.digest);
    end if;
  end loop;
  return v_out;
end
$$;
