-- When experts work, as forecasts know it: hours of the past weeks, folded from answers; and what is left of a batch in experts' time.
set local role touchstone_owner;

-- Seconds that an expert was at work in each hour of a week (weeks begin on Thursdays, as the epoch did). Of claims that came to an
-- answer, from the claim on; an expert has one at a time, so nothing counts twice.
create table expert_weeks (
  tenant_id bigint not null,
  expert_id bigint not null,
  -- Whole weeks since 1970.
  week integer not null,
  seconds smallint[] not null check (cardinality(seconds) = 168),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, expert_id, week),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index expert_weeks_changed on expert_weeks (tenant_id, updated_at);
create index expert_weeks_old on expert_weeks (week);

-- Up to when the answers of a batch are in expert_weeks. Batch 0: a tenant's gold.
create table hour_marks (
  tenant_id bigint not null,
  batch_id bigint not null,
  through timestamptz(3) not null,
  looked_at timestamptz(3) not null,
  primary key (tenant_id, batch_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index hour_marks_turn on hour_marks (looked_at);

-- What is left of a batch in experts' time as last computed, so that others can be forecast beside it; and what its forecast hangs on.
alter table forecasts
  add work_seconds double precision check (work_seconds >= 0),
  add work_spread double precision check (work_spread >= 0),
  add open_tasks bigint check (open_tasks >= 0),
  add handling_seconds double precision check (handling_seconds > 0),
  add capacity jsonb;
-- What the hours of experts alone said of the time until it is done, by the median: what such forecasts are calibrated on.
alter table forecast_marks add capacity_seconds double precision check (capacity_seconds > 0);

do $$
declare
  t text;
begin
  foreach t in array array['expert_weeks', 'hour_marks'] loop
    perform app.protect(t, 'false', 'false', array['OPERATOR', 'ANALYST']);
    execute format('grant select on %I to touchstone_app', t);
    execute format('grant select, insert, update, delete on %I to touchstone_system', t);
  end loop;
end
$$;

-- Two weeks hour by hour, together; nobody works longer than an hour in an hour.
create function app.add_hours(p_one smallint[], p_other smallint[]) returns smallint[] language sql immutable as $$
  select array_agg(least(3600, coalesce(u.one, 0) + coalesce(u.other, 0))::smallint order by u.place)
  from unnest(p_one, p_other) with ordinality as u(one, other, place)
$$;

-- Folds answers into the weeks of those who gave them: of at most so many batches, of each at most so many answers, whoever was looked
-- at longest ago first. Answers of the last ten seconds wait, for their transactions may not have ended. Returns how many were folded.
create function app.fold_hours(p_batches integer, p_answers integer) returns integer language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_oldest timestamptz(3) := v_now - interval '63 days';
  v_folded integer;
begin
  insert into hour_marks (tenant_id, batch_id, through, looked_at)
  select n.tenant_id, n.id, v_oldest, 'epoch'
  from (select b.tenant_id, b.id from batches b where b.state = 'OPEN' and not exists (
          select from hour_marks m where m.tenant_id = b.tenant_id and m.batch_id = b.id)
        union all
        select t.id, 0 from tenants t where not exists (select from hour_marks m where m.tenant_id = t.id and m.batch_id = 0)) n
  limit p_batches
  on conflict do nothing;
  with due as materialized (
    select m.tenant_id, m.batch_id, m.through from hour_marks m order by m.looked_at limit p_batches for update skip locked
  ), answered as materialized (
    select d.batch_id, a.*, count(*) over (partition by d.tenant_id, d.batch_id) as found,
           max(a.submitted_at) over (partition by d.tenant_id, d.batch_id) as last
    from due d
    cross join lateral (
      select o.tenant_id, o.expert_id, o.leased_at, o.submitted_at from assignments o
      where o.tenant_id = d.tenant_id and o.batch_id = d.batch_id
        and o.submitted_at > greatest(d.through, v_oldest) and o.submitted_at <= v_now - interval '10 seconds'
      order by o.submitted_at limit p_answers
    ) a
  ), taken as materialized (
    -- Of a full page the last instant waits: it may have more answers than are on it.
    select * from answered a where a.found < p_answers or a.submitted_at < a.last
  ), moved as (
    update hour_marks m set looked_at = v_now, through = greatest(m.through, coalesce(k.through, m.through))
    from due d
    left join (select t.tenant_id, t.batch_id, max(t.submitted_at) as through from taken t group by 1, 2) k
      on k.tenant_id = d.tenant_id and k.batch_id = d.batch_id
    where m.tenant_id = d.tenant_id and m.batch_id = d.batch_id
  ), hours as (
    select t.tenant_id, t.expert_id, h.hour,
           sum(least(extract(epoch from t.submitted_at), (h.hour + 1) * 3600) - greatest(extract(epoch from t.leased_at), h.hour * 3600)) as seconds
    from taken t
    cross join lateral generate_series(floor(extract(epoch from t.leased_at) / 3600)::bigint,
                                       floor(extract(epoch from t.submitted_at) / 3600)::bigint) as h(hour)
    group by 1, 2, 3
  ), weeks as (
    select h.tenant_id, h.expert_id, floor(h.hour / 168.0)::integer as week,
           jsonb_object_agg((h.hour % 168)::text, least(3600, round(h.seconds))) as seconds
    from hours h group by 1, 2, 3
  ), written as (
    insert into expert_weeks as w (tenant_id, expert_id, week, seconds, updated_at)
    select k.tenant_id, k.expert_id, k.week,
           array(select coalesce((k.seconds ->> s.place::text)::smallint, 0::smallint) from generate_series(0, 167) as s(place) order by s.place), v_now
    from weeks k
    order by 1, 2, 3
    on conflict (tenant_id, expert_id, week) do update set seconds = app.add_hours(w.seconds, excluded.seconds), updated_at = excluded.updated_at
  )
  select count(*) into v_folded from taken;
  delete from expert_weeks w where (w.tenant_id, w.expert_id, w.week) in (
    select o.tenant_id, o.expert_id, o.week from expert_weeks o where o.week < floor(extract(epoch from v_oldest) / 604800)::integer - 1 limit 1000);
  return v_folded;
end
$$;
