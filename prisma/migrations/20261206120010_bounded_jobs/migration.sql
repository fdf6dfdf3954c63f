-- Background work that reads no more for there being more: folds go on from a checkpoint, looks are given by what is new; and
-- what fails waits by itself, so that the rest goes on.
set local role touchstone_owner;

-- What the results of an expert in a skill amount to up to a grading, in the order in which they count: a fold goes on from there.
create table score_checkpoints (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  -- Every grading of the pair up to this one is in it, and no other.
  grading_id bigint not null,
  -- scores/fold.ts as JSON text.
  state text not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, expert_id, skill_id)
);
create index gradings_in_order on gradings (tenant_id, expert_id, skill_id, id);
create index gradings_stated on gradings (tenant_id, expert_id, id) where kind = 'GOLD' and stated is not null;
-- Something that was folded counts no longer, or again: the fold begins with the first result.
alter table grading_dues add anew boolean not null default false;
-- The experts of a skill whose scores moved last.
create index quality_scores_latest on quality_scores (tenant_id, skill_id, updated_at desc);

-- Work that failed and is tried again later, less and less often; the rest goes on without it.
create table work_failures (
  tenant_id bigint not null,
  job text not null check (job in ('scores', 'effects', 'stopping', 'gold', 'watch')),
  -- An expert, a gold or a project; and the skill, where it is work of an expert and a skill (else 0).
  subject_id bigint not null,
  skill_id bigint not null default 0,
  failures integer not null check (failures >= 1),
  -- A SQLSTATE, or the name of what was thrown: never its text, which may hold what experts wrote.
  error text not null check (length(error) between 1 and 100),
  failed_at timestamptz(3) not null,
  retry_at timestamptz(3) not null,
  primary key (tenant_id, job, subject_id, skill_id)
);

-- Projects with results that no look of the watch over experts has seen, one row a fact.
create table watch_dues (
  tenant_id bigint not null,
  id bigint generated always as identity,
  project_id bigint not null,
  primary key (tenant_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index watch_dues_oldest on watch_dues (id);
alter table project_watches
  -- Null: never.
  alter looked_at drop not null,
  -- There are results that no look has seen.
  add is_fresh boolean not null default true;
create index project_watches_fresh on project_watches (looked_at nulls first) where is_fresh;
create index project_watches_last on project_watches (tenant_id, looked_at desc nulls last);
insert into watch_dues (tenant_id, project_id) select distinct g.tenant_id, g.project_id from gradings g;

do $$
declare
  t text;
begin
  foreach t in array array['score_checkpoints', 'work_failures', 'watch_dues'] loop
    perform app.protect(t, 'false', 'false', array['OPERATOR']);
    execute format('grant select on %I to touchstone_app', t);
    execute format('grant select, insert, update, delete on %I to touchstone_system', t);
  end loop;
end
$$;
create policy line_as_service on watch_dues to touchstone_line using (tenant_id = (select app.service_tenant()));
grant insert on watch_dues to touchstone_app, touchstone_line;
-- A policy that changes takes with it what was fitted for the one before.
grant delete on stopping_models to touchstone_app;

-- Whatever a fold reads says whose fold is due, in the transaction that records it; results also where a look is due.
create or replace function app.note_due() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'gradings' then
    insert into grading_dues (tenant_id, expert_id, skill_id) select distinct n.tenant_id, n.expert_id, n.skill_id from noted n;
    insert into watch_dues (tenant_id, project_id) select distinct n.tenant_id, n.project_id from noted n;
  elsif tg_table_name = 'voided_gradings' then
    insert into grading_dues (tenant_id, expert_id, skill_id, anew)
    select distinct g.tenant_id, g.expert_id, g.skill_id, true from noted n join gradings g on g.tenant_id = n.tenant_id and g.id = n.grading_id;
  else
    insert into grading_dues (tenant_id, expert_id, skill_id)
    select distinct n.tenant_id, n.expert_id, n.skill_id from noted n where n.skill_id is not null;
  end if;
  return null;
end
$$;
