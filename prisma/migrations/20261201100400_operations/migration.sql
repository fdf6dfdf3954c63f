-- Operations: months of the access log, autovacuum by what each table lives through, and what clears up.

-- How old the oldest snapshot is can only be read by a role that sees other sessions. Where the migrating login may not
-- give that, the metric says NaN, and a superuser can: grant pg_read_all_stats to touchstone_system.
do $$
begin
  grant pg_read_all_stats to touchstone_system;
exception when insufficient_privilege then
  raise notice 'touchstone_system may not read the age of snapshots: a superuser can grant it pg_read_all_stats.';
end
$$;

set local role touchstone_owner;

-- The access log by months (UTC), so that old ones can be detached and kept elsewhere, and none grows without end. What
-- was logged before is one partition up to the end of this month; the default partition takes what nobody has prepared
-- for, and is meant to stay empty.
do $$
declare
  v_next timestamptz;
begin
  v_next := date_trunc('month', (now() at time zone 'UTC') + interval '1 month') at time zone 'UTC';
  alter table access_log detach partition access_log_rest;
  alter table access_log_rest rename to access_log_before;
  execute format('alter table access_log attach partition access_log_before for values from (minvalue) to (%L)', v_next);
  create table access_log_rest partition of access_log default;
end
$$;

-- Makes sure that the log has a partition for each of the next months. Returns how many it made. Only the owner may:
-- `touchstone migrate` does it each time, and the housekeeping job where its login may become the owner. Attached rather
-- than created in place, which would lock the log against every claim; a lock that is not to be had soon is left for the
-- next time.
create function app.prepare_access_log(p_months integer) returns integer language plpgsql as $$
declare
  v_from timestamp;
  v_name text;
  v_made integer := 0;
begin
  perform set_config('lock_timeout', '2s', true);
  perform pg_advisory_xact_lock(hashtext('app.prepare_access_log'));
  for v_from in
    select m from generate_series(date_trunc('month', now() at time zone 'UTC') + interval '1 month',
                                  date_trunc('month', now() at time zone 'UTC') + make_interval(months => p_months), interval '1 month') m
  loop
    v_name := 'access_log_' || to_char(v_from, 'YYYY_MM');
    continue when to_regclass(v_name) is not null;
    execute format('create table %I (like access_log including defaults including constraints)', v_name);
    execute format('alter table access_log attach partition %I for values from (%L) to (%L)', v_name,
                   v_from at time zone 'UTC', (v_from + interval '1 month') at time zone 'UTC');
    v_made := v_made + 1;
  end loop;
  return v_made;
end
$$;
select app.prepare_access_log(12);

-- Autovacuum, by what a row lives through. The defaults (a fifth of the table) let a queue's index walk over a million
-- dead entries first. Scale 0 where the table stays small and is written all the time: then a number of dead rows
-- decides. The rest keep a share, for a vacuum reads every index of a large table.
--
-- Moved on at each claim, submit and expiry: never HOT at a submit, for the state stands in partial indexes.
alter table assignments set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);
-- Counted once a submit; HOT until the last answer.
alter table tasks set (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);
-- Inserted, numbered and trimmed after a day: each row dies twice.
alter table stream_events set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 1);
-- One row a stream, rewritten with every batch of numbers, many times a second.
alter table streams set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
-- A queue: each row lives from the submit to its number, milliseconds later.
alter table ledger_outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
-- Rewritten as somebody types, gone at the submit. The texts are out of line: they are what grows.
alter table drafts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1,
                        toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_threshold = 1000);
-- Inserted at each claim and taken away a day after its end: half of the table dies a day.
alter table payload_grants set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 1);
-- Small rows that move with each upload, forecast or counted claim: room on the page keeps them HOT.
alter table flows set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
alter table forecasts set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
alter table batches set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
alter table tallies set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
alter table expert_days set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
-- Locked by every claim, heartbeat and expiry, hardly ever changed. Locks leave no dead rows, but those that are shared
-- (heartbeats, returned slots) leave multixacts, which only a vacuum that freezes takes away: it comes early, and these
-- tables are small.
alter table experts set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
                         autovacuum_multixact_freeze_min_age = 100000, autovacuum_multixact_freeze_max_age = 50000000);
alter table projects set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
                          autovacuum_multixact_freeze_min_age = 100000, autovacuum_multixact_freeze_max_age = 50000000);
alter table expert_skills set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- What housekeeping takes away (docs/decisions/0030): drafts that nobody can come back to, days of caps that are over.
-- Grants of payloads it may delete already.
grant delete on drafts, expert_days to touchstone_system;
