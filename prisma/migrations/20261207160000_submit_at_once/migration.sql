-- A batch of submits in one statement (docs/decisions/0088).
set local role touchstone_owner;

-- The same texts as by a regular expression, which took longer to match than the row to write.
alter table answers drop constraint answers_digest_check,
  add constraint answers_digest_check check (length(digest) = 64 and digest = encode(decode(digest, 'hex'), 'hex'));

-- A posting's lines come in one statement, at least two of them, and sum to zero in each currency. One look at the lines: the sum
-- over all currencies must be nought in any case, and where there is but one, that is all.
create or replace function app.check_posting_balances() returns trigger language plpgsql as $$
begin
  if exists (
    select from new_lines n
    group by n.tenant_id, n.posting_id
    having count(*) < 2 or min(n.line_no) > 1 or sum(n.amount_minor) <> 0
      or min(n.currency) <> max(n.currency) and exists (
        select from new_lines c where c.tenant_id = n.tenant_id and c.posting_id = n.posting_id
        group by c.currency having sum(c.amount_minor) <> 0)
  ) then
    raise exception 'A posting must be inserted whole and sum to zero in each currency.' using errcode = 'XR002';
  end if;
  return null;
end
$$;

-- What happened to a lease, as its stream tells it. An SQL function, so that it is planned with its caller.
create function app.lease_body(p_id bigint, p_task bigint, p_project bigint, p_batch bigint, p_expert bigint, p_epoch integer, p_until timestamptz)
returns jsonb language sql stable as $$
  select jsonb_build_object('assignmentId', p_id, 'taskId', p_task, 'projectId', p_project, 'batchId', p_batch, 'expertId', p_expert,
    'epoch', p_epoch, 'leaseUntil', p_until)
$$;

-- Stores answers, none of them twice (rule 4): the one conditional update decides. Answers, their values, the tasks' counts, what
-- they earn and the events are one statement, and so one look at each row. Answers in the order given; the work and the
-- adjudications that have all their answers now.
--
-- An assignment earns two lines, from the customer, or for gold (whose customer is 0) from the tenant, to the expert; the unique
-- index on payouts refuses a second one of a kind. Gold counts for no task.
--
-- Its plan is for large tables, and made once: by index, from one row to the next.
drop function app.store_answers(bigint, app.submission[]);
drop function app.post_earnings(assignments[], timestamptz);
create function app.store_answers(p_tenant bigint, p_submissions app.submission[], out receipts jsonb[], out done bigint[], out adjudicated bigint[])
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_at integer[];
  v_found jsonb[];
  v_golds bigint[];
  v_flagged tasks[];
  v_task tasks;
begin
  receipts := array_fill(null::jsonb, array[cardinality(p_submissions)]);
  -- LIKE, for with = the planner sees that the index of live leases would do: it then reads all of them to find a few, and
  -- knows of less than there are.
  with won as (
    update assignments a set state = 'SUBMITTED', submitted_at = v_now, ended_at = v_now
    from unnest(p_submissions) with ordinality as s(expert_id, assignment_id, epoch, body, digest, confidence, "values", n)
    where a.tenant_id = p_tenant and a.id = s.assignment_id and a.expert_id = s.expert_id
      and a.state like 'LEASED' and a.epoch = s.epoch and a.lease_until > v_now
    returning a.id, a.task_id, a.project_id, a.batch_id, a.customer_id, a.expert_id, a.epoch, a.lease_until, a.price_minor, a.currency,
      s.n, s.body, s.digest, s.confidence, s."values", nextval('postings_id_seq') as posting_id
  ), answered as (
    insert into answers (tenant_id, assignment_id, task_id, project_id, customer_id, expert_id, epoch, body, digest, confidence, submitted_at)
    select p_tenant, w.id, w.task_id, w.project_id, w.customer_id, w.expert_id, w.epoch, w.body, w.digest, w.confidence, v_now
    from won w
  ), valued as (
    insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value, number_value)
    select p_tenant, w.id, v.dimension, w.task_id, w.customer_id, w.expert_id, v.text, v.number
    from won w
    cross join lateral jsonb_to_recordset(w."values") as v(dimension text, text text, number double precision)
  ), gone as (
    delete from lease_alarms l where l.tenant_id = p_tenant and l.assignment_id = any (array(select w.id from won w))
  ), cleared as (
    delete from drafts d where d.tenant_id = p_tenant and d.assignment_id = any (array(select w.id from won w))
  ), counted as (
    update tasks t
    set counted = t.counted + c.answers,
        state = case when t.counted + c.answers >= t.wanted then 'DONE' else t.state end,
        done_at = case when t.counted + c.answers >= t.wanted then v_now else t.done_at end
    from (select w.task_id, count(*)::smallint as answers from won w where w.customer_id <> 0 group by w.task_id) c
    where t.tenant_id = p_tenant and t.id = c.task_id
    returning t.id, t.kind, t.state, case when t.state = 'OPEN' and t.allow is not null then t end as directed
  ), posted as (
    insert into postings (tenant_id, id, kind, project_id, created_at) overriding system value
    select p_tenant, w.posting_id, 'EARNING', w.project_id, v_now from won w
  ), lined as (
    insert into ledger_lines (tenant_id, posting_id, line_no, owner_kind, owner_id, currency, amount_minor)
    select p_tenant, w.posting_id, l.line_no, l.owner_kind, l.owner_id, w.currency, l.amount_minor
    from won w
    cross join lateral (values (1, 'EXPERT', w.expert_id, w.price_minor),
      (2, case w.customer_id when 0 then 'TENANT' else 'CUSTOMER' end, case w.customer_id when 0 then p_tenant else w.customer_id end,
       -w.price_minor)) as l(line_no, owner_kind, owner_id, amount_minor)
  ), paid as (
    insert into payouts (tenant_id, assignment_id, kind, posting_id, expert_id, customer_id, project_id, amount_minor, currency, created_at)
    select p_tenant, w.id, 'EARNING', w.posting_id, w.expert_id, w.customer_id, w.project_id, w.price_minor, w.currency, v_now
    from won w
  ), awaited as (
    insert into ledger_outbox (tenant_id, posting_id) select p_tenant, w.posting_id from won w
  ), told as (
    insert into stream_events (tenant_id, stream, kind, body, customer_id)
    select p_tenant, case w.customer_id when 0 then 'gold/project/' else 'lease/project/' end || w.project_id, 'SUBMITTED',
           app.lease_body(w.id, w.task_id, w.project_id, w.batch_id, w.expert_id, w.epoch, w.lease_until), w.customer_id
    from won w
  ), ended as (
    select array_agg(c.id) filter (where c.state = 'DONE' and c.kind = 'WORK') as done,
           array_agg(c.id) filter (where c.state = 'DONE' and c.kind = 'ADJUDICATION') as adjudicated,
           array_agg(c.directed) filter (where not c.directed is null) as directed
    from counted c
  )
  select array_agg(w.n), array_agg(app.receipt_json(w.id, w.digest, v_now, w.price_minor, w.currency, w.customer_id)),
         array_agg(w.id) filter (where w.customer_id = 0),
         (select e.done from ended e), (select e.adjudicated from ended e), (select e.directed from ended e)
  into v_at, v_found, v_golds, done, adjudicated, v_flagged
  from won w;

  for j in 1 .. coalesce(cardinality(v_at), 0) loop
    receipts[v_at[j]] := v_found[j];
  end loop;
  foreach v_task in array coalesce(v_flagged, '{}') loop
    perform app.close_if_flagged(v_task, p.flag_quorum) from projects p
    where p.tenant_id = p_tenant and p.id = v_task.project_id;
  end loop;
  if v_golds is not null then
    perform app.grade_golds(array(select a from assignments a where a.tenant_id = p_tenant and a.id = any (v_golds)), p_submissions);
  end if;
end
$$;

create function app.receipt_json(p_id bigint, p_digest text, p_at timestamptz, p_price bigint, p_currency text, p_customer bigint)
returns jsonb language sql stable as $$
  select jsonb_build_object('outcome', 'SUBMITTED', 'assignmentId', p_id, 'digest', p_digest, 'submittedAt', p_at,
    'priceMinor', p_price::text, 'currency', p_currency, 'isGold', p_customer = 0)
$$;
create or replace function app.receipt_json(p_assignment assignments, p_digest text) returns jsonb language plpgsql stable as $$
begin
  return app.receipt_json(p_assignment.id, p_digest, p_assignment.submitted_at, p_assignment.price_minor, p_assignment.currency,
    p_assignment.customer_id);
end
$$;

-- Submits, and what follows from them for their tasks and for who answered. What stored nothing is looked at by itself.
create or replace function app.submit_all(p_tenant bigint, p_submissions app.submission[]) returns jsonb[] language plpgsql as $$
declare
  v_out jsonb[];
  v_done bigint[];
  v_adjudicated bigint[];
  v_given app.submission;
begin
  select s.receipts, s.done, s.adjudicated into v_out, v_done, v_adjudicated from app.store_answers(p_tenant, p_submissions) s;
  for j in 1 .. cardinality(p_submissions) loop
    if v_out[j] is null then
      v_given := p_submissions[j];
      v_out[j] := app.submit_again(p_tenant, v_given.expert_id, v_given.assignment_id, v_given.epoch, v_given.body, v_given.digest);
    end if;
  end loop;
  if v_done is not null then
    perform app.adapt_tasks(p_tenant, v_done);
  end if;
  if v_adjudicated is not null then
    perform app.grade_adjudications(p_tenant, v_adjudicated);
  end if;
  return v_out;
end
$$;
