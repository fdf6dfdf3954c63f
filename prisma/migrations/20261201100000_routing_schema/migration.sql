-- Routing at scale: what a lane asks for, what an expert brings, marks and pressure of lanes, why a claim was given.
set local role touchstone_owner;

-- What an expert brings beside skills. Languages are BCP 47 tags in lower case.
alter table experts
  add languages text[] not null default '{}',
  add tags text[] not null default '{}',
  -- Claims that the expert may take in a UTC day; null: as many as they like.
  add daily_cap integer check (daily_cap >= 1);
-- What the expert would rather do (1) or not (-1). It weighs; it never refuses work.
alter table expert_skills add preference smallint not null default 0 check (preference between -1 and 1);

-- A lane is everything that a project asks of an expert, so that "may have it" is an index prefix of the queue and never
-- a filter over its rows: the skill and its minimum, further skills (all of some, any of others) and theirs, languages
-- and tags, all of them. Arrays are sorted and without repeats.
alter table lanes
  add also_all bigint[] not null default '{}',
  add also_any bigint[] not null default '{}',
  add also_min double precision not null default 0 check (also_min between 0 and 1),
  add languages text[] not null default '{}',
  add tags text[] not null default '{}',
  -- Low-water marks: no row of that phase that is older than a moment has a smaller tag. Hints: they spare a claim the
  -- walk over dead rows, and an exact look never reads them.
  add low_untouched bigint not null default 0,
  add low_begun bigint not null default 0,
  -- What the last two looks of app.refresh_lanes saw (see there), and when.
  add seen_untouched bigint not null default 0,
  add seen_begun bigint not null default 0,
  add refreshed_at timestamptz(3) not null default app.clock_now(),
  -- Hours of work that wait, for each expert who is there to do it (services/routing/pools).
  add pressure double precision not null default 1 check (pressure between 0 and 1000000),
  drop constraint lanes_tenant_id_skill_id_min_quality_key,
  add constraint lanes_requirement unique (tenant_id, skill_id, min_quality, also_all, also_any, also_min, languages, tags),
  -- Marks and pressure move every second or so: heap-only updates need room on the page.
  set (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

alter table projects
  add required_all bigint[] not null default '{}',
  add required_any bigint[] not null default '{}',
  add required_min double precision not null default 0 check (required_min between 0 and 1),
  add languages text[] not null default '{}',
  add tags text[] not null default '{}',
  -- Tasks of the project that one expert may take; null: as many as there are.
  add max_per_expert integer check (max_per_expert >= 1);

-- Who must not see a customer's work.
create table conflicts (
  tenant_id bigint not null,
  expert_id bigint not null,
  customer_id bigint not null,
  reason text not null check (length(reason) between 1 and 500),
  created_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, expert_id, customer_id),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id),
  foreign key (tenant_id, customer_id) references customers (tenant_id, id)
);

-- How many tasks an expert has of a project that bounds it: counted under the expert's own lock, never by others.
create table tallies (
  tenant_id bigint not null,
  expert_id bigint not null,
  project_id bigint not null,
  taken integer not null check (taken >= 0),
  is_full boolean not null,
  primary key (tenant_id, expert_id, project_id)
) with (fillfactor = 70);
create index tallies_full on tallies (tenant_id, expert_id, project_id) where is_full;

-- How many claims an expert with a daily cap has taken in a UTC day.
create table expert_days (
  tenant_id bigint not null,
  expert_id bigint not null,
  day date not null,
  taken integer not null check (taken >= 0),
  primary key (tenant_id, expert_id, day)
) with (fillfactor = 70);

-- Why this expert was given this task, and how pressed the skill was then. Null: claimed before reasons were kept.
alter table assignments
  add routing_reason text check (routing_reason in ('RESERVED', 'BEGUN', 'SCARCE_SKILL', 'PREFERRED', 'DEADLINE', 'NEXT')),
  add routing_pressure double precision;

-- A deadline's lift multiplies a flow's weight for the rows that come next.
alter table flows
  add lift double precision not null default 1 check (lift between 1 and 8),
  add lifted_until timestamptz(3);

-- The head of one project inside a lane: for experts who are barred from others of its projects, and for lifts.
drop index ready_by_project;
create index ready_by_project on ready (tenant_id, project_id, phase, tag, task_id);

-- Only a cancel asks for a project's leases, and only for live ones: an index over all of them cost each claim and each
-- submit an entry.
drop index assignments_by_project;
-- Its condition says the same in words that only its own readers use: with state = 'LEASED' the planner would take it for
-- claims, submits and heartbeats too, while it knows of few leases, and each of them would read every live lease there is.
create index assignments_live_by_project on assignments (tenant_id, project_id) where ended_at is null;

do $$
begin
  perform app.protect('conflicts', 'false', 'false', array['OPERATOR']);
  perform app.protect('tallies', 'false', 'false', array['OPERATOR', 'ANALYST']);
  perform app.protect('expert_days', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on conflicts, tallies, expert_days to touchstone_app, touchstone_system;
grant insert, delete on conflicts to touchstone_app;
grant insert, update on tallies, expert_days to touchstone_app, touchstone_system;
grant update (languages, tags, daily_cap) on experts to touchstone_app;
grant update (preference) on expert_skills to touchstone_app;
grant update (low_untouched, low_begun, seen_untouched, seen_begun, refreshed_at, pressure) on lanes to touchstone_app, touchstone_system;
grant update (max_per_expert) on projects to touchstone_app;
