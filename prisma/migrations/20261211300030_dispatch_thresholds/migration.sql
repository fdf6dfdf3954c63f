-- When dispatch raises alerts is its tenant's to say; and of workers on shift all are counted, however many there are.
set local role touchstone_owner;

alter table dispatch_settings
  -- Within how long a job that nobody has is due, and for how long a window in which nobody came is told.
  add column alert_due_soon_seconds integer not null default 1800 check (alert_due_soon_seconds between 60 and 86400),
  add column alert_missed_seconds integer not null default 3600 check (alert_missed_seconds between 60 and 86400),
  -- From which share on an alert is raised, and below which each ends.
  add column alert_expired_share double precision not null default 0.5 check (alert_expired_share between 0.01 and 1),
  add column alert_guessed_share double precision not null default 0.5 check (alert_guessed_share between 0.01 and 1),
  add column alert_silent_share double precision not null default 0.5 check (alert_silent_share between 0.01 and 1),
  add column alert_calm_share double precision not null default 0.3 check (alert_calm_share between 0 and 1),
  -- Of so many at least a share is judged.
  add column alert_expired_least integer not null default 20 check (alert_expired_least between 1 and 100000),
  add column alert_guessed_least integer not null default 10 check (alert_guessed_least between 1 and 100000),
  add column alert_silent_least integer not null default 10 check (alert_silent_least between 1 and 100000),
  -- Who has said nothing for so long is silent: of each half minute a fix is written down, of the last quarter of an hour.
  add column alert_silent_seconds integer not null default 90 check (alert_silent_seconds between 90 and 900),
  -- What ends an alert does not raise it again.
  add constraint alerts_calm_down check (alert_calm_share <= least(alert_expired_share, alert_guessed_share, alert_silent_share));
grant update (alert_due_soon_seconds, alert_missed_seconds, alert_expired_share, alert_guessed_share, alert_silent_share, alert_calm_share,
  alert_expired_least, alert_guessed_least, alert_silent_least, alert_silent_seconds) on dispatch_settings to touchstone_app;

create or replace function app.dispatch_settings_of(p_tenant bigint) returns dispatch_settings language plpgsql stable as $$
declare
  v_settings dispatch_settings;
begin
  select * into v_settings from dispatch_settings s where s.tenant_id = p_tenant;
  if not found then
    v_settings := row(p_tenant, 'UTC', 1, 2, 0.1, 20, 900, 600, 900, 25000, 1800, 3600, 0.5, 0.5, 0.5, 0.3, 20, 10, 10, 90);
  end if;
  return v_settings;
end
$$;

-- As before, by the tenant's thresholds; of workers on shift, all of them: shifts are looked at once each, not once for each who works them.
drop function app.dispatch_health();
create function app.dispatch_health() returns table (settings dispatch_settings, due_soon integer, missed integer, answered integer, expired_share float8,
  offered integer, guessed_share float8, had_router boolean, seen integer, silent_share float8) language sql stable as $$
  with tenants_seen(tenant_id) as (
    select w.id from tenants w where exists (select from workers x where x.tenant_id = w.id and x.active)
    union select j.tenant_id from jobs j
    where j.due_by between app.clock_now() - interval '1 day' and app.clock_now() + interval '1 day' and j.state <> 'CANCELLED'
    union select o.tenant_id from offers o where o.offered_at > app.clock_now() - interval '15 minutes' and o.kind = 'AUTO'
    union select a.tenant_id from alerts a where a.resolved_at is null and a.cause = 'tenant' and app.is_of_dispatch(a.kind)
  ), told as materialized (
    select t.tenant_id, app.dispatch_settings_of(t.tenant_id) as settings from tenants_seen t
  ), soon as (
    select j.tenant_id, count(*)::int as n from jobs j
    join told z on z.tenant_id = j.tenant_id
    where j.due_by between app.clock_now() and app.clock_now() + interval '1 day' and j.state in ('OPEN', 'OFFERED', 'UNASSIGNED_ALERT')
      and j.due_by <= app.clock_now() + make_interval(secs => (z.settings).alert_due_soon_seconds)
      and j.created_at <= app.clock_now() - interval '2 minutes'
    group by j.tenant_id
  ), missed as (
    select j.tenant_id, count(*)::int as n from jobs j
    join told z on z.tenant_id = j.tenant_id
    where j.due_by between app.clock_now() - interval '1 day' and app.clock_now() and j.state <> 'CANCELLED'
      and j.due_by >= app.clock_now() - make_interval(secs => (z.settings).alert_missed_seconds)
      and coalesce(j.checked_in_at, app.clock_now()) > j.due_by
    group by j.tenant_id
  ), offered as (
    select o.tenant_id,
      count(*) filter (where o.state <> 'LIVE')::int as answered, avg((o.state = 'EXPIRED')::int) filter (where o.state <> 'LIVE')::float8 as expired,
      count(*) filter (where o.offered_at > app.clock_now() - interval '10 minutes')::int as n,
      avg((o.eta_confidence = 'LOW')::int) filter (where o.offered_at > app.clock_now() - interval '10 minutes')::float8 as guessed
    from offers o where o.offered_at > app.clock_now() - interval '15 minutes' and o.kind = 'AUTO' group by o.tenant_id
  )
  select t.settings, coalesce(s.n, 0), coalesce(m.n, 0), coalesce(o.answered, 0), coalesce(o.expired, 0), coalesce(o.n, 0), coalesce(o.guessed, 0),
    case when coalesce(o.guessed, 0) > 0 then exists (
      select from offers h where h.tenant_id = t.tenant_id and h.eta_confidence = 'HIGH' and h.offered_at > app.clock_now() - interval '7 days') else false end,
    w.n, w.silent
  from told t
  left join soon s on s.tenant_id = t.tenant_id
  left join missed m on m.tenant_id = t.tenant_id
  left join offered o on o.tenant_id = t.tenant_id
  cross join lateral (select app.clock_now() - make_interval(secs => (t.settings).alert_silent_seconds) as at) since
  cross join lateral (
    select count(*)::int as n, coalesce(avg((f.received_at is null or f.received_at < since.at)::int), 0)::float8 as silent
    from (
      select x.shift_days, x.shift_start, x.shift_end, min(x.expert_id) as one from workers x
      where x.tenant_id = t.tenant_id and x.active group by x.shift_days, x.shift_start, x.shift_end
    ) shift
    join workers y on y.tenant_id = t.tenant_id and y.expert_id = shift.one
      and app.is_in_shift(y, (t.settings).time_zone, since.at, app.clock_now())
    join workers x on x.tenant_id = t.tenant_id and x.active
      and x.shift_start = shift.shift_start and x.shift_end = shift.shift_end and x.shift_days = shift.shift_days
    left join latest_fixes f on f.tenant_id = x.tenant_id and f.expert_id = x.expert_id
    where f.expert_id is not null or exists (
      select from fix_archive a where a.tenant_id = x.tenant_id and a.expert_id = x.expert_id and a.bucket_at > app.clock_now() - interval '7 days')
  ) w
$$;

-- As before, by the tenant's thresholds.
create or replace function app.watch_dispatch() returns void language plpgsql as $$
declare
  h record;
  s dispatch_settings;
begin
  for h in select * from app.dispatch_health() d order by (d.settings).tenant_id
  loop
    s := h.settings;
    perform app.alert_while(s.tenant_id, 'JOBS_DUE_SOON', h.due_soon > 0, h.due_soon = 0, 'CRITICAL',
      format('%s jobs that nobody has are due within %s minutes.', h.due_soon, ceil(s.alert_due_soon_seconds / 60.0)));
    perform app.alert_while(s.tenant_id, 'WINDOWS_MISSED', h.missed > 0, h.missed = 0, 'WARNING',
      format('In %s windows of the last %s minutes nobody came in time.', h.missed, ceil(s.alert_missed_seconds / 60.0)));
    perform app.alert_while(s.tenant_id, 'OFFERS_EXPIRING', h.answered >= s.alert_expired_least and h.expired_share >= s.alert_expired_share,
      h.answered < s.alert_expired_least or h.expired_share < s.alert_calm_share, 'WARNING',
      format('%s %% of %s offers of the last quarter of an hour ended unanswered.', round(100 * h.expired_share), h.answered));
    perform app.alert_while(s.tenant_id, 'ROUTES_GUESSED', h.had_router and h.offered >= s.alert_guessed_least and h.guessed_share >= s.alert_guessed_share,
      not h.had_router or h.offered < s.alert_guessed_least or h.guessed_share < s.alert_calm_share, 'WARNING',
      format('%s %% of %s offers of the last ten minutes rest on estimates: the road router is late or away.', round(100 * h.guessed_share), h.offered));
    perform app.alert_while(s.tenant_id, 'WORKERS_SILENT', h.seen >= s.alert_silent_least and h.silent_share >= s.alert_silent_share,
      h.seen < s.alert_silent_least or h.silent_share < s.alert_calm_share, 'WARNING',
      format('%s %% of %s workers on shift have said nothing for %s seconds.', round(100 * h.silent_share), h.seen, s.alert_silent_seconds));
  end loop;
end
$$;
