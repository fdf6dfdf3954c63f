-- Task types, projects, batches, tasks, and the queue of what can be claimed.
set local role touchstone_owner;

create table task_types (
  tenant_id bigint not null references tenants,
  id bigint generated always as identity,
  -- Null: offered to every customer of the tenant. Otherwise the one customer that owns it.
  customer_id bigint,
  name text not null check (length(name) between 1 and 200),
  version integer not null check (version >= 1),
  kind text not null check (kind in ('SINGLE_CHOICE', 'PAIRWISE', 'RUBRIC', 'FREE_FORM')),
  -- What was asked for, the JSON Schema it compiles to, and the values that agreement is computed on. JSON as text:
  -- it comes back byte for byte.
  definition text not null,
  answer_schema text not null,
  dimensions text not null,
  instructions text not null default '',
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers (tenant_id, id),
  unique nulls not distinct (tenant_id, customer_id, name, version)
);

-- A lane is one index range of the queue: a skill and a minimum of measured quality. "Good enough" is then a prefix
-- of the index and not a filter over rows.
create table lanes (
  tenant_id bigint not null,
  id bigint generated always as identity,
  skill_id bigint not null,
  min_quality double precision not null check (min_quality between 0 and 1),
  primary key (tenant_id, id),
  unique (tenant_id, skill_id, min_quality),
  foreign key (tenant_id, skill_id) references skills (tenant_id, id)
);

create table projects (
  tenant_id bigint not null,
  id bigint generated always as identity,
  customer_id bigint not null,
  name text not null check (length(name) between 1 and 200),
  task_type_id bigint not null,
  skill_id bigint not null,
  lane_id bigint not null,
  min_quality double precision not null check (min_quality between 0 and 1),
  price_minor bigint not null check (price_minor between 0 and 1000000000),
  currency char(3) not null check (currency ~ '^[A-Z]{3}$'),
  -- Answers wanted for each task, unless the task says otherwise.
  redundancy smallint not null check (redundancy between 1 and 1000),
  weight integer not null default 10 check (weight between 1 and 1000),
  lease_seconds integer not null,
  flag_quorum smallint not null default 2 check (flag_quorum between 1 and 10),
  pay_on text not null default 'SUBMIT' check (pay_on = 'SUBMIT'),
  deadline timestamptz(3),
  state text not null default 'RUNNING' check (state in ('RUNNING', 'CANCELLED')),
  cancel_policy text check (cancel_policy in ('STOP', 'FINISH')),
  cancelled_at timestamptz(3),
  -- Where it was made. Only imports, the demo and tests may lease for less than a minute.
  origin text not null default 'API' check (origin in ('API', 'IMPORT', 'DEMO', 'TEST')),
  idempotency_key text not null check (length(idempotency_key) between 1 and 200),
  request_digest text not null,
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers (tenant_id, id),
  foreign key (tenant_id, task_type_id) references task_types (tenant_id, id),
  foreign key (tenant_id, lane_id) references lanes (tenant_id, id),
  unique (tenant_id, customer_id, idempotency_key),
  check (lease_seconds between case when origin = 'API' then 60 else 1 end and 28800),
  check ((state = 'CANCELLED') = (cancelled_at is not null and cancel_policy is not null))
);
create index projects_by_customer on projects (tenant_id, customer_id, id);

create table batches (
  tenant_id bigint not null,
  id bigint generated always as identity,
  project_id bigint not null,
  customer_id bigint not null,
  name text not null check (length(name) between 1 and 200),
  -- STORING until every payload is durable; then OPEN. FAILED: the upload itself cannot be read (see failure).
  state text not null default 'STORING' check (state in ('STORING', 'OPEN', 'FAILED', 'CANCELLED')),
  failure text,
  deadline timestamptz(3),
  format text not null check (format in ('JSONL', 'CSV')),
  raw_key text not null,
  raw_bytes bigint not null check (raw_bytes >= 0),
  -- How far storing has come: rows of the upload that were dealt with. Moves in the transaction that adds their tasks.
  rows_done bigint not null default 0 check (rows_done >= 0),
  task_count bigint not null default 0,
  error_count bigint not null default 0,
  idempotency_key text not null check (length(idempotency_key) between 1 and 200),
  content_digest text not null,
  created_at timestamptz(3) not null default app.clock_now(),
  stored_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, project_id) references projects (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers (tenant_id, id),
  unique (tenant_id, project_id, idempotency_key),
  check ((state = 'OPEN') = (stored_at is not null)),
  check ((state = 'FAILED') = (failure is not null)),
  check (rows_done = task_count + error_count)
);
create index batches_by_project on batches (tenant_id, project_id, id);
create index batches_storing on batches (id) where state = 'STORING';

-- Rows of an upload that could not become tasks. Kept up to a bound per batch; error_count has them all.
create table batch_errors (
  tenant_id bigint not null,
  batch_id bigint not null,
  line bigint not null,
  customer_id bigint not null,
  reason text not null check (length(reason) between 1 and 1000),
  primary key (tenant_id, batch_id, line),
  foreign key (tenant_id, batch_id) references batches (tenant_id, id)
);

-- Facts about what is to be answered. A claim never touches these rows; a submit counts its own task once.
create table tasks (
  tenant_id bigint not null,
  id bigint generated always as identity,
  project_id bigint not null,
  batch_id bigint not null,
  customer_id bigint not null,
  line bigint not null,
  -- The customer's own name for the item, where they gave one.
  external_id text check (length(external_id) between 1 and 500),
  payload_key text not null,
  payload_bytes bigint not null,
  content_type text not null,
  wanted smallint not null check (wanted between 1 and 1000),
  counted smallint not null default 0,
  state text not null default 'OPEN' check (state in ('OPEN', 'DONE', 'CANCELLED', 'FLAGGED')),
  -- Only these experts (null: any), and never these.
  allow bigint[] check (cardinality(allow) between 1 and 1000),
  block bigint[] check (cardinality(block) between 1 and 1000),
  created_at timestamptz(3) not null default app.clock_now(),
  done_at timestamptz(3),
  primary key (tenant_id, id),
  foreign key (tenant_id, batch_id) references batches (tenant_id, id),
  unique (tenant_id, batch_id, line),
  check (counted between 0 and wanted),
  check (state <> 'DONE' or counted = wanted),
  check ((state = 'DONE') = (done_at is not null))
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
create unique index tasks_external_id on tasks (tenant_id, batch_id, external_id) where external_id is not null;
-- Progress, forecast and cancel of one project or batch.
create index tasks_by_project on tasks (tenant_id, project_id, state, id);
create index tasks_by_batch_state on tasks (tenant_id, batch_id, state);

-- One flow per project in a lane: start-time fair queueing decided at enqueue, so that a claim counts nothing.
create table flows (
  tenant_id bigint not null,
  lane_id bigint not null,
  project_id bigint not null,
  last_tag bigint not null default 0,
  primary key (tenant_id, lane_id, project_id)
);

-- The queue: one narrow row per task that still needs somebody; gone with its last free slot.
--   phase 0: nobody has touched it, so nobody is excluded; 1: look at excl; 2: only through ready_directed
--   tag:   virtual finish time of the fair queue; small is soon
create table ready (
  tenant_id bigint not null,
  task_id bigint not null,
  lane_id bigint not null,
  project_id bigint not null,
  phase smallint not null check (phase in (0, 1, 2)),
  tag bigint not null,
  free_slots smallint[] not null check (cardinality(free_slots) >= 1),
  need smallint generated always as (cardinality(free_slots)) stored,
  -- Who can never have it: barred, or holds or has answered or flagged it.
  excl bigint[] not null default '{}',
  -- Who gave it back: offered to them again only when nothing else is left.
  passed bigint[] not null default '{}',
  primary key (tenant_id, task_id),
  check (phase <> 0 or (excl = '{}' and passed = '{}'))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);
-- The only index a claim reads.
create index ready_queue on ready (tenant_id, lane_id, phase, tag, task_id);
-- Cancel and forecast.
create index ready_by_project on ready (tenant_id, project_id);

-- Tasks with an allow-list, once per expert allowed: each expert's own small queue.
create table ready_directed (
  tenant_id bigint not null,
  task_id bigint not null,
  expert_id bigint not null,
  lane_id bigint not null,
  project_id bigint not null,
  tag bigint not null,
  primary key (tenant_id, task_id, expert_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
create index ready_directed_queue on ready_directed (tenant_id, expert_id, tag, task_id);
create index ready_directed_by_project on ready_directed (tenant_id, project_id);
