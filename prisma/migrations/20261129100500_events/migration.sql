-- Stream events: written with the change they tell of (rule 12), numbered by one sequencer after commit, read by
-- subscribers, trimmed after a day. They are not the permanent facts; those stand in their domain's tables.
set local role touchstone_owner;

-- One row. A restored database is given the next epoch, so that old cursors are recognised as foreign.
create table stream_epoch (
  singleton boolean primary key default true check (singleton),
  epoch integer not null default 1 check (epoch >= 1)
);
insert into stream_epoch default values;

create table streams (
  tenant_id bigint not null references tenants,
  stream text not null,
  epoch integer not null,
  head_seq bigint not null check (head_seq >= 0),
  -- Events up to here were trimmed; a cursor before it starts afresh.
  trimmed_seq bigint not null default 0,
  primary key (tenant_id, stream)
) with (fillfactor = 70);

create table stream_events (
  tenant_id bigint not null,
  id bigint generated always as identity primary key,
  stream text not null check (length(stream) between 1 and 200),
  -- Null until the sequencer has numbered it; readers only look at numbered rows.
  epoch integer,
  seq bigint,
  kind text not null,
  body jsonb not null,
  -- Whom it is about, for row-level security.
  customer_id bigint,
  expert_id bigint,
  created_at timestamptz(3) not null default app.clock_now(),
  check ((seq is null) = (epoch is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
create unique index stream_events_order on stream_events (tenant_id, stream, epoch, seq) where seq is not null;
create index stream_events_waiting on stream_events (id) where seq is null;
create index stream_events_age on stream_events (created_at);

create function app.append_event(p_tenant bigint, p_stream text, p_kind text, p_body jsonb, p_customer bigint, p_expert bigint)
returns void language plpgsql as $$
begin
  insert into stream_events (tenant_id, stream, kind, body, customer_id, expert_id)
  values (p_tenant, p_stream, p_kind, p_body, p_customer, p_expert);
end
$$;

-- What happened to a lease: on the project's stream always, on the expert's own where it concerns their hands.
create function app.append_lease_event(p_assignment assignments, p_kind text) returns void language plpgsql as $$
declare
  v_body jsonb := jsonb_build_object(
    'assignmentId', p_assignment.id, 'taskId', p_assignment.task_id, 'projectId', p_assignment.project_id,
    'batchId', p_assignment.batch_id, 'expertId', p_assignment.expert_id, 'epoch', p_assignment.epoch,
    'leaseUntil', p_assignment.lease_until);
begin
  perform app.append_event(p_assignment.tenant_id, 'lease/project/' || p_assignment.project_id, p_kind, v_body, p_assignment.customer_id, null);
  if p_kind in ('EXPIRING', 'EXPIRED', 'CANCELLED') then
    perform app.append_event(p_assignment.tenant_id, 'lease/expert/' || p_assignment.expert_id, p_kind, v_body, null, p_assignment.expert_id);
  end if;
end
$$;

-- Numbers what waits, densely in each stream, and returns the streams that moved with their new heads. Only for the
-- holder of the sequencer's lock. Without it nothing is renumbered and no head goes back: what another transaction has
-- numbered meanwhile is left as it is, and the unique index refuses a second event under one number.
create function app.stamp_events(p_limit integer)
returns table (tenant_id bigint, stream text, epoch integer, head_seq bigint) language sql volatile as $$
  with waiting as materialized (
    select e.id, e.tenant_id, e.stream from stream_events e where e.seq is null order by e.id limit p_limit
  ), numbered as materialized (
    select w.id, w.tenant_id, w.stream,
           case when s.epoch = ep.epoch then s.head_seq else 0 end
             + row_number() over (partition by w.tenant_id, w.stream order by w.id) as seq,
           ep.epoch
    from waiting w
    cross join stream_epoch ep
    left join streams s on s.tenant_id = w.tenant_id and s.stream = w.stream
  ), stamped as (
    update stream_events e set seq = n.seq, epoch = n.epoch from numbered n where e.id = n.id and e.seq is null
  )
  insert into streams as s (tenant_id, stream, epoch, head_seq)
  select n.tenant_id, n.stream, n.epoch, max(n.seq) from numbered n group by n.tenant_id, n.stream, n.epoch
  on conflict (tenant_id, stream) do update set
    trimmed_seq = case when s.epoch = excluded.epoch then s.trimmed_seq else 0 end,
    epoch = excluded.epoch,
    head_seq = case when s.epoch = excluded.epoch then greatest(s.head_seq, excluded.head_seq) else excluded.head_seq end
  returning s.tenant_id, s.stream, s.epoch, s.head_seq
$$;

-- Trims what is older than p_age or beyond p_keep events of a stream, at most p_limit rows a call. Returns how many.
create function app.trim_events(p_age interval, p_keep bigint, p_limit integer) returns integer language plpgsql as $$
declare
  v_count integer;
begin
  with gone as (
    delete from stream_events e using (
      select x.id from stream_events x
      join streams s on s.tenant_id = x.tenant_id and s.stream = x.stream
      where x.seq is not null
        and (x.created_at < app.clock_now() - p_age or x.epoch < s.epoch or x.seq <= s.head_seq - p_keep)
      order by x.id limit p_limit
    ) old
    where e.id = old.id
    returning e.tenant_id, e.stream, e.epoch, e.seq
  ), edge as (
    select g.tenant_id, g.stream, g.epoch, max(g.seq) as seq from gone g group by g.tenant_id, g.stream, g.epoch
  ), moved as (
    update streams s set trimmed_seq = greatest(s.trimmed_seq, edge.seq)
    from edge where s.tenant_id = edge.tenant_id and s.stream = edge.stream and s.epoch = edge.epoch
  )
  select count(*)::int into v_count from gone;
  return v_count;
end
$$;

-- The forecast of a batch as last computed, and whether its deadline was last seen at risk (hysteresis needs memory).
create table forecasts (
  tenant_id bigint not null,
  batch_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  computed_at timestamptz(3) not null,
  remaining bigint not null check (remaining >= 0),
  answers_per_hour double precision not null check (answers_per_hour >= 0),
  expected_done_at timestamptz(3),
  deadline timestamptz(3),
  probability_on_time double precision check (probability_on_time between 0 and 1),
  at_risk boolean not null default false,
  primary key (tenant_id, batch_id),
  foreign key (tenant_id, batch_id) references batches (tenant_id, id)
);
