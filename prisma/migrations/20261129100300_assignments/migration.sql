-- Assignments (leases), answers, drafts, lease alarms, flags, payload grants, access log.
set local role touchstone_owner;

-- One row per task and expert for life (rule 3). lease_until is in no index, so that a heartbeat stays a HOT update.
-- No foreign key to tasks or projects: a claim would lock a row that others write (verify checks the references).
create table assignments (
  tenant_id bigint not null,
  id bigint generated always as identity,
  task_id bigint not null,
  expert_id bigint not null,
  project_id bigint not null,
  batch_id bigint not null,
  customer_id bigint not null,
  lane_id bigint not null,
  slot smallint not null,
  wanted smallint not null,
  tag bigint not null,
  state text not null check (state in
    ('LEASED', 'SUBMITTED', 'ACCEPTED', 'REJECTED', 'EXPIRED', 'RELEASED', 'CANCELLED', 'FLAGGED')),
  -- Fencing token: grows by one with each claim of this row.
  epoch integer not null check (epoch >= 1),
  lease_seconds integer not null,
  leased_at timestamptz(3) not null,
  lease_until timestamptz(3) not null,
  -- Heartbeats never extend beyond this: four leases in all.
  hold_until timestamptz(3) not null,
  submitted_at timestamptz(3),
  ended_at timestamptz(3),
  -- The price as it was when the work was taken.
  price_minor bigint not null,
  currency char(3) not null,
  primary key (tenant_id, id),
  check (slot between 1 and wanted),
  check (lease_until between leased_at and hold_until),
  check ((state = 'LEASED') = (ended_at is null)),
  check ((state in ('SUBMITTED', 'ACCEPTED', 'REJECTED')) = (submitted_at is not null)),
  -- Rule 4, by the database's clock: what was submitted was submitted inside its lease.
  check (submitted_at is null or (submitted_at >= leased_at and submitted_at < lease_until))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
-- Rule 3: never the same expert twice, whatever became of the first answer.
create unique index assignments_task_expert on assignments (tenant_id, task_id, expert_id);
-- Rule 1: at most one live claim an expert.
create unique index assignments_one_live on assignments (tenant_id, expert_id) where state = 'LEASED';
-- Rule 2: live plus counted answers fill distinct slots, and slots run from 1 to wanted.
create unique index assignments_slot on assignments (tenant_id, task_id, slot)
  where state in ('LEASED', 'SUBMITTED', 'ACCEPTED');
create index assignments_by_project on assignments (tenant_id, project_id, state);
create index assignments_by_expert on assignments (tenant_id, expert_id, id);
create index assignments_by_batch_submitted on assignments (tenant_id, batch_id, submitted_at)
  where submitted_at is not null;

-- Answers are permanent facts. The body is canonical JSON (RFC 8785) as text: returned byte for byte, and no
-- character that JSON can escape is refused by the column type.
create table answers (
  tenant_id bigint not null,
  assignment_id bigint not null,
  task_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  expert_id bigint not null,
  epoch integer not null,
  body text not null check (octet_length(body) <= 65536),
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  confidence real check (confidence between 0 and 1),
  submitted_at timestamptz(3) not null,
  primary key (tenant_id, assignment_id)
) partition by hash (tenant_id, assignment_id);
do $$ begin
  for n in 0..7 loop
    execute format('create table answers_%s partition of answers for values with (modulus 8, remainder %s)', n, n);
  end loop;
end $$;
create index answers_by_project on answers (tenant_id, project_id, assignment_id);

-- One typed value a dimension of an answer: what agreement and inference work on.
create table answer_values (
  tenant_id bigint not null,
  assignment_id bigint not null,
  dimension text not null,
  task_id bigint not null,
  customer_id bigint not null,
  expert_id bigint not null,
  text_value text,
  number_value double precision,
  primary key (tenant_id, assignment_id, dimension),
  check (num_nonnulls(text_value, number_value) = 1)
);
create index answer_values_by_task on answer_values (tenant_id, task_id, dimension);

-- What an expert has typed so far; survives expiry, release and late submits. JSON as text, at most 64 KiB.
create table drafts (
  tenant_id bigint not null,
  assignment_id bigint not null,
  expert_id bigint not null,
  epoch integer not null,
  body text not null check (octet_length(body) <= 65536),
  saved_at timestamptz(3) not null,
  primary key (tenant_id, assignment_id)
) with (fillfactor = 70);

-- When to look at a lease again. Written at claim, untouched by heartbeats; re-armed only when it fires and finds the
-- lease extended; what ended meanwhile is dropped when its alarm comes due.
create table lease_alarms (
  tenant_id bigint not null,
  assignment_id bigint not null,
  epoch integer not null,
  lane_id bigint not null,
  project_id bigint not null,
  due_at timestamptz(3) not null,
  -- False: due shortly before the end, to warn. True: warned, due at the end.
  warned boolean not null default false,
  primary key (tenant_id, assignment_id, epoch)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index lease_alarms_lane on lease_alarms (tenant_id, lane_id, due_at);
create index lease_alarms_due on lease_alarms (due_at);

-- "This cannot be answered", by one expert for one task: a permanent fact.
create table task_flags (
  tenant_id bigint not null,
  assignment_id bigint not null,
  task_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  expert_id bigint not null,
  reason text not null check (reason in ('UNREADABLE', 'AMBIGUOUS', 'MISSING_CONTEXT', 'OFFENSIVE', 'OTHER')),
  note text check (length(note) between 1 and 2000),
  flagged_at timestamptz(3) not null,
  primary key (tenant_id, assignment_id)
);
create index task_flags_by_task on task_flags (tenant_id, task_id);

-- A payload URL's token (its SHA-256), for one claim. Minted and audited in one transaction (rule 17).
create table payload_grants (
  token_hash bytea primary key check (length(token_hash) = 32),
  tenant_id bigint not null,
  access_log_id bigint not null,
  assignment_id bigint not null,
  epoch integer not null,
  expert_id bigint not null,
  task_id bigint not null,
  payload_key text not null,
  content_type text not null,
  created_at timestamptz(3) not null
);
create index payload_grants_by_assignment on payload_grants (tenant_id, assignment_id, epoch);

-- Who was given sight of what, written in the transaction that gave it. Partitioned by
-- time, so that months can be split off and dropped whole; until they are, all rows are in the default partition.
create table access_log (
  tenant_id bigint not null,
  id bigint generated always as identity,
  at timestamptz(3) not null default app.clock_now(),
  actor_id bigint not null,
  role text not null,
  subject_type text not null,
  subject_id bigint not null,
  payload_key text,
  purpose text not null,
  request_id text,
  primary key (tenant_id, id, at)
) partition by range (at);
create table access_log_rest partition of access_log default;
create index access_log_by_subject on access_log (tenant_id, subject_type, subject_id, id);
create index access_log_by_actor on access_log (tenant_id, actor_id, id);
create index access_log_by_payload on access_log (tenant_id, payload_key, id) where payload_key is not null;
