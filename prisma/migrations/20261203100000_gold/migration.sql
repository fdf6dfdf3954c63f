-- Gold: tasks whose answer is known. A gold is a row of tasks like any other (same ids, payload, price, skip rights), but it
-- is the tenant's own: customer_id 0 and no batch, so that no customer's list, progress, spend or export has it, and it is
-- never in the queue: the claim gives it in place of a task that it would have given (next migration).
set local role touchstone_owner;

-- ADJUDICATION: a further answer where answers disagree; it is in the queue like other work.
alter table tasks
  add kind text not null default 'WORK' check (kind in ('WORK', 'GOLD', 'ADJUDICATION')),
  alter batch_id drop not null,
  add constraint tasks_gold check ((kind = 'GOLD') = (customer_id = 0) and (kind = 'GOLD') = (batch_id is null));

-- What a gold is beside its task. Narrow, and its counter is in no index: each showing updates it.
create table golds (
  tenant_id bigint not null,
  task_id bigint not null,
  project_id bigint not null,
  -- Its class, for balance: what the key says of the first dimension that has few values; '' where there is none.
  label text not null check (length(label) <= 1000),
  -- Where it stands among the gold of its class: the claim begins to look at a place that it draws.
  turn double precision not null default random(),
  state text not null default 'ACTIVE' check (state in ('ACTIVE', 'RETIRED', 'SUSPENDED')),
  source text not null check (source in ('HAND', 'IMPORT', 'MINTED')),
  -- What it was minted from.
  source_task_id bigint,
  -- Experts it was shown to; each has a slot of the task of their own, numbered by it.
  exposures integer not null default 0,
  exposures_max integer not null default 40,
  -- Who knows it: never shown to them.
  barred bigint[] not null default '{}',
  created_by bigint,
  created_at timestamptz(3) not null default app.clock_now(),
  ended_at timestamptz(3),
  reason text check (length(reason) between 1 and 500),
  primary key (tenant_id, task_id),
  foreign key (tenant_id, task_id) references tasks (tenant_id, id),
  foreign key (tenant_id, project_id) references projects (tenant_id, id),
  check (exposures between 0 and exposures_max and exposures_max between 1 and 1000),
  check ((source = 'MINTED') = (source_task_id is not null)),
  check ((state = 'ACTIVE') = (ended_at is null)),
  check ((state = 'ACTIVE') = (reason is null))
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- The only index that a claim reads.
create index golds_pool on golds (tenant_id, project_id, label, turn) where state = 'ACTIVE';
create unique index golds_minted_once on golds (tenant_id, source_task_id) where source_task_id is not null;

-- The key: what is right, one value a dimension.
create table gold_keys (
  tenant_id bigint not null,
  task_id bigint not null,
  dimension text not null,
  text_value text,
  number_value double precision,
  -- How far a number may be off and still be right.
  tolerance double precision not null default 0 check (tolerance >= 0),
  primary key (tenant_id, task_id, dimension),
  foreign key (tenant_id, task_id) references golds (tenant_id, task_id),
  check (num_nonnulls(text_value, number_value) = 1)
);

-- Classes of a project's gold and the share that each is to have among what one expert is shown. No row: no gold.
create table gold_pools (
  tenant_id bigint not null,
  project_id bigint not null,
  labels text[] not null check (cardinality(labels) >= 1),
  targets double precision[] not null check (cardinality(targets) = cardinality(labels)),
  primary key (tenant_id, project_id),
  foreign key (tenant_id, project_id) references projects (tenant_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What an expert was shown of a project's gold. assignments_task_expert refuses a second time (rules 3 and 10); this spares
-- the claim to try.
create table gold_tallies (
  tenant_id bigint not null,
  expert_id bigint not null,
  project_id bigint not null,
  shown bigint[] not null,
  -- How many of each class.
  by_class jsonb not null,
  primary key (tenant_id, expert_id, project_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- The share of an expert's claims that become gold, as services/quality/gold last judged it. No row: see app.gold_rate.
-- Below one half always: somebody on probation cannot tell gold by counting.
create table gold_rates (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  task_type_id bigint not null,
  rate double precision not null check (rate >= 0 and rate < 0.5),
  reason text not null check (length(reason) between 1 and 50),
  computed_at timestamptz(3) not null,
  primary key (tenant_id, expert_id, skill_id, task_type_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- No rate of the skill is higher: spares most claims the look. Read by the claim with the skill itself.
alter table expert_skills add gold_rate_most double precision not null default 0.45
  check (gold_rate_most >= 0 and gold_rate_most < 0.5);

-- Claims that became gold, and the chance that decided: permanent.
create table gold_draws (
  tenant_id bigint not null,
  assignment_id bigint not null,
  task_id bigint not null,
  expert_id bigint not null,
  project_id bigint not null,
  rate double precision not null,
  -- The uniform number that was drawn: below the rate.
  drawn double precision not null,
  reason text not null,
  drawn_at timestamptz(3) not null,
  primary key (tenant_id, assignment_id),
  check (drawn >= 0 and drawn < rate)
);

-- What an answer was worth, by a key or by an adjudication: permanent facts, the only ones that move a score (rule 11).
create table gradings (
  tenant_id bigint not null,
  id bigint generated always as identity,
  assignment_id bigint not null,
  task_id bigint not null,
  project_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  task_type_id bigint not null,
  dimension text not null,
  kind text not null check (kind in ('GOLD', 'ADJUDICATION')),
  -- What was right and what was answered, numbers as text. Null: the dimension was left open.
  truth text not null,
  answered text,
  is_right boolean not null,
  -- How sure the expert said they were.
  stated real check (stated between 0 and 1),
  graded_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, assignment_id, dimension, kind),
  check (not is_right or answered is not null)
);
create index gradings_by_expert on gradings (tenant_id, expert_id, skill_id, task_type_id, id);
create index gradings_by_task on gradings (tenant_id, task_id, id);

-- A grading that counts no longer, and why: a fact of its own. Folds leave its grading out.
create table voided_gradings (
  tenant_id bigint not null,
  grading_id bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  at timestamptz(3) not null,
  primary key (tenant_id, grading_id),
  foreign key (tenant_id, grading_id) references gradings (tenant_id, id)
);

-- What the watch found of gold and of experts. Not a judgement: an analyst's reading.
create table gold_findings (
  tenant_id bigint not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('LEAKED', 'UNHEALTHY', 'QUICK_ON_GOLD', 'PEER_GAP', 'SHARED_ERRORS')),
  -- Of which gold, or of which experts and project.
  task_id bigint,
  project_id bigint not null,
  experts bigint[] not null default '{}',
  -- The numbers that it rests on.
  evidence jsonb not null,
  found_at timestamptz(3) not null,
  primary key (tenant_id, id),
  check ((kind in ('LEAKED', 'UNHEALTHY')) = (task_id is not null))
);
-- Said once.
create unique index gold_findings_once on gold_findings (tenant_id, kind, project_id, task_id, experts) nulls not distinct;

do $$
declare
  t text;
begin
  foreach t in array array['golds', 'gold_keys', 'gold_pools', 'gold_tallies', 'gold_rates', 'gold_draws', 'gradings',
                           'voided_gradings', 'gold_findings'] loop
    perform app.protect(t, 'false', 'false', array['OPERATOR', 'ANALYST']);
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
  end loop;
  -- What a batch of the line touches.
  foreach t in array array['golds', 'gold_keys', 'gold_pools', 'gold_tallies', 'gold_rates', 'gold_draws', 'gradings', 'voided_gradings'] loop
    execute format('create policy line_as_service on %I to touchstone_line using (tenant_id = (select app.service_tenant()))', t);
    execute format('grant select on %I to touchstone_line', t);
  end loop;
  foreach t in array array['gold_draws', 'gradings', 'voided_gradings', 'gold_findings'] loop
    execute format('create trigger permanent before update or delete on %I for each row execute function app.refuse_change()', t);
    execute format('create trigger permanent_truncate before truncate on %I for each statement execute function app.refuse_change()', t);
  end loop;
end
$$;
grant insert on golds, gold_keys, gold_pools, gold_tallies, gold_draws, gradings, voided_gradings to touchstone_app;
grant insert on gold_tallies, gold_draws, gradings, voided_gradings to touchstone_line;
grant insert on golds, gold_keys, gold_pools, gold_rates, voided_gradings, gold_findings to touchstone_system;
grant update (exposures, state, ended_at, reason) on golds to touchstone_app, touchstone_system;
grant update (exposures) on golds to touchstone_line;
grant update on gold_tallies to touchstone_app, touchstone_line;
grant update on gold_pools to touchstone_app, touchstone_system;
grant delete on gold_pools to touchstone_app, touchstone_system;
grant update on gold_rates to touchstone_system;
grant update (gold_rate_most) on expert_skills to touchstone_system;
