-- Fixes: what is kept of where workers were (a sealed sample, for seven days), who was given it, and what ways between cells have
-- been like. Where workers are now is in latest_fixes and, apart from the database, in the index; see docs/dispatch.md.
set local role touchstone_owner;

-- The key that a tenant's archive is sealed with, itself sealed by the key of the installation. Without the row the archive is noise.
create table fix_keys (
  tenant_id bigint primary key references tenants,
  sealed bytea not null check (length(sealed) between 40 and 200),
  created_at timestamptz(3) not null default app.clock_now()
);

-- One fix of a worker each thirty seconds of their device's clock. Position and accuracy are sealed (AES-256-GCM); whom and when
-- they are of is not, so that a trace can be found without opening others. No key to workers: it is written all the time.
create table fix_archive (
  tenant_id bigint not null,
  expert_id bigint not null,
  -- The beginning of the thirty seconds.
  bucket_at timestamptz(3) not null,
  device_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  sealed bytea not null check (length(sealed) between 40 and 100),
  primary key (tenant_id, expert_id, bucket_at)
) partition by range (bucket_at);
-- What nobody has prepared a day for; meant to stay empty.
create table fix_archive_rest partition of fix_archive default;

-- Who was given a worker's trace, and why: written in the transaction that gives it (rule 17).
create table trace_exports (
  tenant_id bigint not null,
  id bigint generated always as identity,
  access_log_id bigint not null,
  expert_id bigint not null,
  job_id bigint not null,
  reason text not null check (length(reason) between 10 and 500),
  from_at timestamptz(3) not null,
  to_at timestamptz(3) not null check (to_at >= from_at),
  fixes integer not null check (fixes >= 0),
  exported_by bigint not null,
  exported_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id),
  foreign key (tenant_id, exported_by) references identities (tenant_id, id)
);
create index trace_exports_by_expert on trace_exports (tenant_id, expert_id, id);
create trigger permanent before update or delete on trace_exports for each row execute function app.refuse_change();

-- What the router has said of ways between two H3 cells, of resolution 8 (and 7, 4 around them): seconds a metre of the straight
-- line, a moving mean and the slowest of late; or that there is none. It stands in when the router is away: a river stays a river.
create table cell_pairs (
  tenant_id bigint not null references tenants,
  from_cell text not null check (length(from_cell) = 15),
  to_cell text not null check (length(to_cell) = 15),
  seconds_a_metre double precision not null check (seconds_a_metre >= 0),
  worst_seconds_a_metre double precision not null check (worst_seconds_a_metre >= 0),
  is_barrier boolean not null,
  seen_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, from_cell, to_cell),
  check (is_barrier or seconds_a_metre > 0)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- Fixes of many workers of many tenants at once: the newest of each into latest_fixes, where it is newer; into the archive what is
-- sealed. In one order, so that nodes which write of the same workers wait for each other and never for ever.
create function app.keep_fixes(p_tenants bigint[], p_experts bigint[], p_device timestamptz[], p_received timestamptz[],
                               p_latitudes double precision[], p_longitudes double precision[], p_cells text[], p_sealed bytea[])
returns void language plpgsql as $$
begin
  insert into latest_fixes as l (tenant_id, expert_id, latitude, longitude, cell, device_at, received_at)
  select distinct on (f.tenant_id, f.expert_id) f.tenant_id, f.expert_id, f.latitude, f.longitude, f.cell, f.device_at, f.received_at
  from unnest(p_tenants, p_experts, p_device, p_received, p_latitudes, p_longitudes, p_cells)
       as f(tenant_id, expert_id, device_at, received_at, latitude, longitude, cell)
  join workers w on w.tenant_id = f.tenant_id and w.expert_id = f.expert_id
  order by f.tenant_id, f.expert_id, f.device_at desc
  on conflict (tenant_id, expert_id) do update set latitude = excluded.latitude, longitude = excluded.longitude,
    cell = excluded.cell, device_at = excluded.device_at, received_at = excluded.received_at
  where excluded.device_at > l.device_at;

  insert into fix_archive (tenant_id, expert_id, bucket_at, device_at, received_at, sealed)
  select f.tenant_id, f.expert_id, date_bin('30 seconds', f.device_at, 'epoch'), f.device_at, f.received_at, f.sealed
  from unnest(p_tenants, p_experts, p_device, p_received, p_sealed) as f(tenant_id, expert_id, device_at, received_at, sealed)
  order by 1, 2, 3
  on conflict do nothing;
end
$$;

-- Makes the archive's days: yesterday, today and the days ahead (UTC). Attached rather than created in place, which would lock the
-- archive. A day of which the rest has rows already stays there. Only the owner may: `touchstone migrate` does it each time, and the
-- job where its login may become the owner. Returns how many it made.
create function app.prepare_fix_days(p_ahead integer) returns integer language plpgsql as $$
declare
  v_day date;
  v_name text;
  v_made integer := 0;
begin
  if p_ahead not between 0 and 30 then
    raise exception 'Days ahead are 0 to 30, not %.', p_ahead using errcode = 'XR002';
  end if;
  perform set_config('lock_timeout', '2s', true);
  perform pg_advisory_xact_lock(hashtext('app.fix_days'));
  for v_day in select d::date from generate_series((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + p_ahead, interval '1 day') d
  loop
    v_name := 'fix_archive_' || to_char(v_day, 'YYYY_MM_DD');
    continue when to_regclass('public.' || v_name) is not null
      or exists (select from fix_archive_rest r where r.bucket_at >= v_day::timestamp at time zone 'UTC'
                 and r.bucket_at < (v_day + 1)::timestamp at time zone 'UTC');
    execute format('create table %I (like fix_archive including defaults including constraints)', v_name);
    execute format('alter table fix_archive attach partition %I for values from (%L) to (%L)', v_name,
                   v_day::timestamp at time zone 'UTC', (v_day + 1)::timestamp at time zone 'UTC');
    v_made := v_made + 1;
  end loop;
  return v_made;
end
$$;

-- Drops the days that began seven days ago or earlier: no fix is kept for longer than that. Only the owner may; where the job's
-- login may not become it, app.clear_old_fixes deletes the same, row by row. Returns how many days those were.
create function app.drop_fix_days() returns integer language plpgsql as $$
declare
  v_name text;
  v_dropped integer := 0;
begin
  perform set_config('lock_timeout', '2s', true);
  perform pg_advisory_xact_lock(hashtext('app.fix_days'));
  for v_name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'fix_archive'::regclass and c.relname ~ '^fix_archive_\d{4}_\d\d_\d\d$'
      and to_date(right(c.relname, 10), 'YYYY_MM_DD')::timestamp at time zone 'UTC' <= app.clock_now() - interval '7 days'
  loop
    execute format('drop table %I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  return v_dropped;
end
$$;

-- What was not dropped with its day, and where people were seen last, after seven days. Returns how many rows those were.
create function app.clear_old_fixes() returns integer language plpgsql as $$
declare
  v_rest integer;
  v_latest integer;
begin
  delete from fix_archive where bucket_at <= app.clock_now() - interval '7 days';
  get diagnostics v_rest = row_count;
  delete from latest_fixes where received_at <= app.clock_now() - interval '7 days';
  get diagnostics v_latest = row_count;
  return v_rest + v_latest;
end
$$;

select app.prepare_fix_days(7);

do $$
begin
  perform app.protect('fix_keys', 'false', 'false', '{}');
  perform app.protect('fix_archive', 'false', 'false', '{}');
  perform app.protect('trace_exports', 'false', 'expert_id = (select app.expert_id())', array['OPERATOR']);
  perform app.protect('cell_pairs', 'false', 'false', '{}');
end
$$;
grant select on fix_keys, fix_archive, trace_exports, cell_pairs to touchstone_app, touchstone_system;
grant insert on fix_keys, fix_archive, cell_pairs to touchstone_system;
grant insert on trace_exports to touchstone_app;
grant update (seconds_a_metre, worst_seconds_a_metre, is_barrier, seen_at) on cell_pairs to touchstone_system;
grant delete on fix_archive, cell_pairs to touchstone_system;
