-- From which chance on a deadline is at risk, and whether that lifts the project's tasks: one fact a change, for good. And
-- what was lifted so, from when to when. The queue takes notice in its next round (src/services/routing/rebalance.ts), with
-- the bounds of every lift: at most eight times the weight, only next rows, nobody else's share taken whole.
set local role touchstone_owner;

create table risk_policies (
  tenant_id bigint not null,
  id bigint generated always as identity,
  project_id bigint not null,
  customer_id bigint not null,
  -- A batch is at risk while its chance is below this.
  threshold double precision not null check (threshold between 0.5 and 0.99),
  -- How many times its weight the project counts while a batch of it is at risk; null: it is not lifted for that.
  lift double precision check (lift > 1 and lift <= 8),
  set_by bigint,
  set_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, project_id) references projects (tenant_id, id)
);
create index risk_policies_by_project on risk_policies (tenant_id, project_id, id desc);

create table project_lifts (
  tenant_id bigint not null,
  id bigint generated always as identity,
  project_id bigint not null,
  customer_id bigint not null,
  lift double precision not null check (lift > 1 and lift <= 8),
  -- The batch that was at risk when it began, and its chance then; null: nothing could be said of it.
  batch_id bigint not null,
  probability double precision,
  began_at timestamptz(3) not null default app.clock_now(),
  ended_at timestamptz(3),
  -- ON_TRACK: no batch is at risk any more; POLICY: another one holds.
  end_reason text check (end_reason in ('ON_TRACK', 'POLICY')),
  primary key (tenant_id, id),
  foreign key (tenant_id, project_id) references projects (tenant_id, id),
  check ((ended_at is null) = (end_reason is null))
);
create unique index project_lifts_one_live on project_lifts (tenant_id, project_id) where ended_at is null;

do $$
declare
  t text;
begin
  foreach t in array array['risk_policies', 'project_lifts'] loop
    perform app.protect(t, 'customer_id = (select app.customer_id())', 'false', array['OPERATOR', 'ANALYST']);
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
  end loop;
  grant insert on risk_policies to touchstone_app;
  create trigger permanent before update or delete on risk_policies for each row execute function app.refuse_change();
  create trigger permanent_truncate before truncate on risk_policies for each statement execute function app.refuse_change();
  grant insert on project_lifts to touchstone_system;
  grant update (ended_at, end_reason) on project_lifts to touchstone_system;
  -- The next round of a skill whose lifts have changed is due at once.
  grant update (balanced_at) on skill_pools to touchstone_system;
end
$$;
