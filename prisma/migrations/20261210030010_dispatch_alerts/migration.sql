-- How dispatch goes, told to who dispatches: alerts of a tenant beside those of single jobs, a stream of them, and acknowledging them.
-- See docs/dispatch.md.
set local role touchstone_owner;

-- What dispatchers hear of, and of nothing else.
create function app.is_of_dispatch(p_kind text) returns boolean language sql immutable as $$
  select p_kind in ('JOB_UNASSIGNED', 'JOB_NO_SHOW', 'JOBS_DUE_SOON', 'WINDOWS_MISSED', 'OFFERS_EXPIRING', 'ROUTES_GUESSED', 'WORKERS_SILENT')
$$;

alter table alerts drop constraint alerts_kind_check, add constraint alerts_kind_check check (app.is_of_dispatch(kind) or kind in (
  'DEADLINE_AT_RISK', 'SKILL_STARVED', 'SKILL_SHORT', 'EXPERT_PAUSED', 'GOLD_LEAKED', 'GOLD_SUSPENDED', 'EXPERT_FINDING', 'ADJUDICATIONS_WAITING',
  'BATCH_FAILED', 'LEASES_LAPSED', 'WEBHOOK_FAILING', 'BUDGET_EXHAUSTED', 'RETEST_STALLED'));

-- Whether a tenant's ways were told by a router of late.
create index offers_by_router on offers (tenant_id, offered_at) where eta_confidence = 'HIGH';

drop policy jobs_for_dispatchers on alerts;
create policy jobs_for_dispatchers on alerts for select to touchstone_app, touchstone_analyst
  using (tenant_id = (select app.tenant_id()) and (select app.scope_role()) = 'DISPATCHER' and app.is_of_dispatch(kind));

-- Tells of an alert with the change: to staff, to those of them who may not hear of gold, to who dispatches, and to the customer whose it is.
create or replace function app.tell_alert() returns trigger language plpgsql as $$
declare
  v_kind text := case when tg_op = 'INSERT' then 'RAISED' when new.resolved_at is distinct from old.resolved_at then 'RESOLVED' else 'ACKNOWLEDGED' end;
  v_body jsonb := jsonb_build_object('alertId', new.id, 'alertKind', new.kind, 'severity', new.severity, 'reason', new.reason,
    'projectId', new.project_id, 'batchId', new.batch_id, 'skillId', new.skill_id, 'expertId', new.expert_id,
    'openedAt', new.opened_at);
begin
  perform app.append_event(new.tenant_id, 'alert/staff', v_kind, v_body, null, null);
  if not new.about_gold then
    perform app.append_event(new.tenant_id, 'alert/staff/work', v_kind, v_body, null, null);
  end if;
  if app.is_of_dispatch(new.kind) then
    perform app.append_event(new.tenant_id, 'alert/staff/dispatch', v_kind, v_body, null, null);
  end if;
  if new.customer_id is not null then
    perform app.append_event(new.tenant_id, 'alert/customer/' || new.customer_id, v_kind, v_body, new.customer_id, null);
  end if;
  return null;
end
$$;

-- An alert of a tenant as a whole: raised when it has become bad, ended when it is good again, and between both as it was.
create function app.alert_while(p_tenant bigint, p_kind text, p_bad boolean, p_good boolean, p_severity text, p_reason text)
returns void language plpgsql as $$
begin
  if p_bad then
    perform app.raise_alert(p_tenant, p_kind, 'tenant', p_severity, p_reason, '{}');
  elsif p_good then
    perform app.resolve_alert(p_tenant, p_kind, 'tenant');
  end if;
end
$$;

-- How dispatch goes in each tenant that has workers or has had something to do with it lately, or has such an alert: jobs that nobody has and that are
-- due within half an hour (two minutes after they were asked for); windows of the last hour in which nobody came; of the automatic
-- offers of a quarter of an hour how many ended unanswered, and of ten minutes how many rest on estimates; of workers who have been on
-- shift for a minute and a half (of a thousand at most) and have reported within the week (who plans only never does) how many have said
-- nothing in that time. Those whose last place is forgotten by now are silent, too: an outage is not over because it is long.
create function app.dispatch_health() returns table (tenant_id bigint, due_soon integer, missed integer, answered integer, expired_share float8,
  offered integer, guessed_share float8, had_router boolean, seen integer, silent_share float8) language sql stable as $$
  with soon as (
    select j.tenant_id, count(*)::int as n from jobs j
    where j.due_by between app.clock_now() and app.clock_now() + interval '30 minutes' and j.state in ('OPEN', 'OFFERED', 'UNASSIGNED_ALERT')
      and j.created_at <= app.clock_now() - interval '2 minutes'
    group by j.tenant_id
  ), missed as (
    select j.tenant_id, count(*)::int as n from jobs j
    where j.due_by between app.clock_now() - interval '1 hour' and app.clock_now() and j.state <> 'CANCELLED'
      and coalesce(j.checked_in_at, app.clock_now()) > j.due_by
    group by j.tenant_id
  ), offered as (
    select o.tenant_id,
      count(*) filter (where o.state <> 'LIVE')::int as answered, avg((o.state = 'EXPIRED')::int) filter (where o.state <> 'LIVE')::float8 as expired,
      count(*) filter (where o.offered_at > app.clock_now() - interval '10 minutes')::int as n,
      avg((o.eta_confidence = 'LOW')::int) filter (where o.offered_at > app.clock_now() - interval '10 minutes')::float8 as guessed
    from offers o where o.offered_at > app.clock_now() - interval '15 minutes' and o.kind = 'AUTO' group by o.tenant_id
  ), tenants_seen(tenant_id) as (
    select w.id from tenants w where exists (select from workers x where x.tenant_id = w.id and x.active)
    union select s.tenant_id from soon s union select m.tenant_id from missed m union select o.tenant_id from offered o
    union select a.tenant_id from alerts a where a.resolved_at is null and a.cause = 'tenant' and app.is_of_dispatch(a.kind)
  )
  select t.tenant_id, coalesce(s.n, 0), coalesce(m.n, 0), coalesce(o.answered, 0), coalesce(o.expired, 0), coalesce(o.n, 0), coalesce(o.guessed, 0),
    case when coalesce(o.guessed, 0) > 0 then exists (
      select from offers h where h.tenant_id = t.tenant_id and h.eta_confidence = 'HIGH' and h.offered_at > app.clock_now() - interval '7 days') else false end,
    w.n, w.silent
  from tenants_seen t
  left join soon s on s.tenant_id = t.tenant_id
  left join missed m on m.tenant_id = t.tenant_id
  left join offered o on o.tenant_id = t.tenant_id
  cross join lateral app.dispatch_settings_of(t.tenant_id) z
  cross join lateral (
    select count(*)::int as n, coalesce(avg((l.received_at is null or l.received_at < app.clock_now() - interval '90 seconds')::int), 0)::float8 as silent
    from (
      select x as worker, f.received_at from workers x
      left join latest_fixes f on f.tenant_id = x.tenant_id and f.expert_id = x.expert_id
      where x.tenant_id = t.tenant_id and x.active
        and (f.expert_id is not null or exists (
          select from fix_archive a where a.tenant_id = x.tenant_id and a.expert_id = x.expert_id and a.bucket_at > app.clock_now() - interval '7 days'))
      order by x.expert_id limit 1000
    ) l
    where app.is_in_shift(l.worker, z.time_zone, app.clock_now() - interval '90 seconds', app.clock_now())
  ) w
$$;

-- Raises and ends the alerts of dispatch that time alone brings about. A share is judged from ten on (of offers: twenty answered).
create function app.watch_dispatch() returns void language plpgsql as $$
declare
  h record;
begin
  for h in select * from app.dispatch_health() order by tenant_id
  loop
    perform app.alert_while(h.tenant_id, 'JOBS_DUE_SOON', h.due_soon > 0, h.due_soon = 0, 'CRITICAL',
      format('%s jobs that nobody has are due within half an hour.', h.due_soon));
    perform app.alert_while(h.tenant_id, 'WINDOWS_MISSED', h.missed > 0, h.missed = 0, 'WARNING',
      format('In %s windows of the last hour nobody came in time.', h.missed));
    perform app.alert_while(h.tenant_id, 'OFFERS_EXPIRING', h.answered >= 20 and h.expired_share >= 0.5, h.answered < 20 or h.expired_share < 0.3, 'WARNING',
      format('%s %% of %s offers of the last quarter of an hour ended unanswered.', round(100 * h.expired_share), h.answered));
    perform app.alert_while(h.tenant_id, 'ROUTES_GUESSED', h.had_router and h.offered >= 10 and h.guessed_share >= 0.5,
      not h.had_router or h.offered < 10 or h.guessed_share < 0.3, 'WARNING',
      format('%s %% of %s offers of the last ten minutes rest on estimates: the road router is late or away.', round(100 * h.guessed_share), h.offered));
    perform app.alert_while(h.tenant_id, 'WORKERS_SILENT', h.seen >= 10 and h.silent_share >= 0.5, h.seen < 10 or h.silent_share < 0.3, 'WARNING',
      format('%s %% of %s workers on shift have said nothing for a minute and a half.', round(100 * h.silent_share), h.seen));
  end loop;
end
$$;
