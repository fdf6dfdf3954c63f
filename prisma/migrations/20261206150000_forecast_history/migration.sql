-- Forecasts that learn from finished batches, and are scored when theirs has ended (decisions 72, 73).
set local role touchstone_owner;

-- What is known of the time until a batch is done: its .05, .1, … .95 quantiles in seconds from computed_at; null where nothing can be said. How
-- many finished batches it was learned from: with too few it goes by the rate. When it ended: its last answer, while nothing is
-- left to come.
alter table forecasts
  add seconds double precision[] check (cardinality(seconds) = 19),
  add finished smallint not null default 0 check (finished >= 0),
  add answers bigint not null default 0 check (answers >= 0),
  add ended_at timestamptz(3);
create index forecasts_ended on forecasts (tenant_id, project_id, ended_at) where ended_at is not null;
create index forecasts_ended_of_customer on forecasts (tenant_id, customer_id, ended_at) where ended_at is not null;

-- How far a batch was when it was first seen past each twentieth of its answers: what others are compared with once it has ended.
create table forecast_marks (
  tenant_id bigint not null,
  batch_id bigint not null,
  -- Percent of the answers that were in: 5, 10, … 95.
  share smallint not null check (share between 5 and 95),
  customer_id bigint not null,
  at timestamptz(3) not null,
  elapsed_seconds double precision not null check (elapsed_seconds >= 0),
  answers bigint not null check (answers > 0),
  remaining bigint not null check (remaining > 0),
  primary key (tenant_id, batch_id, share),
  foreign key (tenant_id, batch_id) references batches (tenant_id, id)
);

-- Every forecast that is held to account: at each mark, and whenever a batch came to be at risk or no longer was. What became of
-- it is filled in when the batch has ended, and taken away if it goes on.
create table forecast_log (
  tenant_id bigint not null,
  id bigint generated always as identity,
  batch_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  made_at timestamptz(3) not null,
  share smallint not null check (share between 0 and 95),
  finished smallint not null,
  seconds double precision[] not null check (cardinality(seconds) = 19),
  deadline timestamptz(3),
  probability double precision check (probability between 0 and 1),
  at_risk boolean not null,
  -- When the batch was done; how far off the forecast was (scores.ts).
  ended_at timestamptz(3),
  crps_seconds double precision,
  pinball_seconds double precision[],
  brier double precision,
  held boolean,
  after_median boolean,
  primary key (tenant_id, id),
  check ((ended_at is null) = (crps_seconds is null) and (ended_at is null) = (held is null)),
  foreign key (tenant_id, batch_id) references batches (tenant_id, id)
);
create index forecast_log_by_batch on forecast_log (tenant_id, batch_id);
create index forecast_log_scored on forecast_log (tenant_id, project_id, ended_at) where ended_at is not null;
alter table forecast_log set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
alter table forecast_marks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

do $$
declare
  own_customer text := 'customer_id = (select app.customer_id())';
  staff text[] := array['OPERATOR', 'ANALYST'];
  t text;
begin
  foreach t in array array['forecast_marks', 'forecast_log'] loop
    perform app.protect(t, own_customer, 'false', staff);
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
    execute format('grant insert on %I to touchstone_system', t);
  end loop;
end
$$;
grant update (ended_at, crps_seconds, pinball_seconds, brier, held, after_median) on forecast_log to touchstone_system;
