-- Alerts: what somebody should look at, one row a cause, raised and ended in the transaction of the change itself. See
-- docs/live.md and decision 68.
set local role touchstone_owner;

create table alerts (
  tenant_id bigint not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('DEADLINE_AT_RISK', 'SKILL_STARVED', 'SKILL_SHORT', 'EXPERT_PAUSED', 'GOLD_LEAKED',
    'GOLD_SUSPENDED', 'EXPERT_FINDING', 'ADJUDICATIONS_WAITING', 'BATCH_FAILED', 'LEASES_LAPSED', 'WEBHOOK_FAILING')),
  -- What it is about, such as batch/12: with the kind, the cause.
  cause text not null check (length(cause) between 1 and 100),
  severity text not null check (severity in ('INFO', 'WARNING', 'CRITICAL')),
  reason text not null check (length(reason) between 1 and 2000),
  -- Whose: null for what concerns the tenant's staff alone.
  customer_id bigint,
  project_id bigint,
  batch_id bigint,
  skill_id bigint,
  expert_id bigint,
  -- Not for staff who may act as experts too.
  about_gold boolean not null default false,
  opened_at timestamptz(3) not null,
  -- When the cause was last seen to be there still, to a minute.
  last_seen_at timestamptz(3) not null,
  acknowledged_at timestamptz(3),
  acknowledged_by bigint,
  note text check (length(note) between 1 and 500),
  resolved_at timestamptz(3),
  primary key (tenant_id, id),
  check ((acknowledged_at is null) = (acknowledged_by is null)),
  check (note is null or acknowledged_at is not null),
  check (not about_gold or customer_id is null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
-- A cause is told of once while it lasts, whoever sees it and however many at once.
create unique index alerts_open on alerts (tenant_id, kind, cause) where resolved_at is null;
create index alerts_by_customer on alerts (tenant_id, customer_id, id) where customer_id is not null;

do $$
begin
  perform app.protect('alerts', 'customer_id = (select app.customer_id())', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select, insert, delete on alerts to touchstone_system;
grant select, insert on alerts to touchstone_app;
grant update (last_seen_at, resolved_at, acknowledged_at, acknowledged_by, note) on alerts to touchstone_app, touchstone_system;

-- Says that a cause is there. p_about: customerId, projectId, batchId, skillId, expertId, aboutGold; what is left out is null.
create function app.raise_alert(p_tenant bigint, p_kind text, p_cause text, p_severity text, p_reason text, p_about jsonb)
returns void language plpgsql as $$
begin
  update alerts a set last_seen_at = app.clock_now()
  where a.tenant_id = p_tenant and a.kind = p_kind and a.cause = p_cause and a.resolved_at is null
    and a.last_seen_at < app.clock_now() - interval '1 minute';
  if exists (select from alerts a where a.tenant_id = p_tenant and a.kind = p_kind and a.cause = p_cause and a.resolved_at is null) then
    return;
  end if;
  -- Another transaction may raise it at this moment: the index makes this one wait for it, and then there is one.
  insert into alerts (tenant_id, kind, cause, severity, reason, customer_id, project_id, batch_id, skill_id, expert_id, about_gold,
                      opened_at, last_seen_at)
  values (p_tenant, p_kind, p_cause, p_severity, left(p_reason, 2000), (p_about ->> 'customerId')::bigint, (p_about ->> 'projectId')::bigint,
          (p_about ->> 'batchId')::bigint, (p_about ->> 'skillId')::bigint, (p_about ->> 'expertId')::bigint,
          coalesce((p_about ->> 'aboutGold')::boolean, false), app.clock_now(), app.clock_now())
  on conflict do nothing;
end
$$;

-- Says that a cause is there no more. Where it was not told of, nothing is done.
create function app.resolve_alert(p_tenant bigint, p_kind text, p_cause text) returns void language plpgsql as $$
begin
  update alerts a set resolved_at = app.clock_now()
  where a.tenant_id = p_tenant and a.kind = p_kind and a.cause = p_cause and a.resolved_at is null;
end
$$;

-- Tells of an alert with the change: to staff, to those of them who may not hear of gold, and to the customer whose it is.
create function app.tell_alert() returns trigger language plpgsql as $$
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
  if new.customer_id is not null then
    perform app.append_event(new.tenant_id, 'alert/customer/' || new.customer_id, v_kind, v_body, new.customer_id, null);
  end if;
  return null;
end
$$;
create trigger told after insert on alerts for each row execute function app.tell_alert();
create trigger told_again after update on alerts for each row
  when (old.resolved_at is distinct from new.resolved_at or old.acknowledged_at is distinct from new.acknowledged_at)
  execute function app.tell_alert();

-- A deadline, as the forecast judges it.
create function app.alert_risk() returns trigger language plpgsql as $$
begin
  if not new.at_risk then
    perform app.resolve_alert(new.tenant_id, 'DEADLINE_AT_RISK', 'batch/' || new.batch_id);
    return null;
  end if;
  perform app.raise_alert(new.tenant_id, 'DEADLINE_AT_RISK', 'batch/' || new.batch_id, 'WARNING',
    format('Batch "%s" of project "%s" will probably miss its deadline, %s UTC: %s answers are missing, and the chance to be in time is %s %%.',
           b.name, p.name, to_char(new.deadline at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), new.remaining, round(100 * new.probability_on_time)),
    jsonb_build_object('customerId', new.customer_id, 'projectId', new.project_id, 'batchId', new.batch_id))
  from batches b join projects p on p.tenant_id = b.tenant_id and p.id = b.project_id
  where b.tenant_id = new.tenant_id and b.id = new.batch_id;
  return null;
end
$$;
create trigger alerted after insert or update on forecasts for each row when (new.at_risk) execute function app.alert_risk();
create trigger alert_ended after update on forecasts for each row when (old.at_risk and not new.at_risk) execute function app.alert_risk();

-- A skill in which work waits for a minute and nobody qualifies, or for each who is there a working day of it. It ends at
-- three quarters of that, so that a figure that trembles is no news each time.
create function app.alert_pool() returns trigger language plpgsql as $$
declare
  c_short constant double precision := 8;
  c_ended constant double precision := 6;
  v_starved boolean := new.queue_depth > 0 and new.experts_qualified = 0;
  v_waited boolean := new.queue_depth > 0 and new.oldest_open_at < app.clock_now() - interval '1 minute';
  v_cause text := 'skill/' || new.skill_id;
  v_name text;
begin
  select s.name into v_name from skills s where s.tenant_id = new.tenant_id and s.id = new.skill_id;
  if v_starved and v_waited then
    perform app.raise_alert(new.tenant_id, 'SKILL_STARVED', v_cause, 'CRITICAL',
      format('%s tasks wait in the skill "%s", and no expert who is not paused qualifies for any of them.', new.queue_depth, v_name),
      jsonb_build_object('skillId', new.skill_id));
  elsif not v_starved then
    perform app.resolve_alert(new.tenant_id, 'SKILL_STARVED', v_cause);
  end if;
  if v_waited and not v_starved and new.pressure >= c_short then
    perform app.raise_alert(new.tenant_id, 'SKILL_SHORT', v_cause, 'WARNING',
      format('Work of about %s hours waits in the skill "%s" for each expert who is there: %s answers, %s experts at work of %s who qualify.',
             round(new.pressure), v_name, new.open_answers, new.experts_available, new.experts_qualified),
      jsonb_build_object('skillId', new.skill_id));
  elsif v_starved or new.queue_depth = 0 or new.pressure < c_ended then
    perform app.resolve_alert(new.tenant_id, 'SKILL_SHORT', v_cause);
  end if;
  return null;
end
$$;
create trigger alerted after insert on skill_pools for each row when (new.queue_depth > 0) execute function app.alert_pool();
create trigger alerted_again after update of queue_depth, pressure on skill_pools for each row
  when (old.queue_depth > 0 or new.queue_depth > 0) execute function app.alert_pool();

-- An expert who is paused: by results as a warning, by a human so that others know.
create function app.alert_pause() returns trigger language plpgsql as $$
declare
  v_cause text := 'expert/' || new.expert_id || coalesce('/skill/' || new.skill_id, '');
begin
  if new.resumed_at is not null then
    perform app.resolve_alert(new.tenant_id, 'EXPERT_PAUSED', v_cause);
    return null;
  end if;
  perform app.raise_alert(new.tenant_id, 'EXPERT_PAUSED', v_cause, case when new.paused_by is null then 'WARNING' else 'INFO' end,
    format('Expert "%s" is paused in %s, by %s: %s.', x.handle,
           coalesce('"' || (select s.name from skills s where s.tenant_id = new.tenant_id and s.id = new.skill_id) || '"', 'all skills'),
           case when new.paused_by is null then 'results' else 'somebody' end, rtrim(new.reason, '.')),
    jsonb_build_object('expertId', new.expert_id, 'skillId', new.skill_id))
  from experts x where x.tenant_id = new.tenant_id and x.id = new.expert_id;
  return null;
end
$$;
create trigger alerted after insert on pauses for each row when (new.resumed_at is null) execute function app.alert_pause();
create trigger alert_ended after update on pauses for each row
  when (old.resumed_at is null and new.resumed_at is not null) execute function app.alert_pause();

-- What the watch finds. Of gold one alert a project, for leaks come together; of experts one a finding. A finding that is
-- decided about has been looked at.
create function app.alert_finding() returns trigger language plpgsql as $$
declare
  v_finding gold_findings;
begin
  if tg_table_name = 'finding_decisions' then
    select f.* into strict v_finding from gold_findings f where f.tenant_id = new.tenant_id and f.id = new.finding_id;
    if v_finding.task_id is null then
      perform app.resolve_alert(new.tenant_id, 'EXPERT_FINDING', 'finding/' || v_finding.id);
    elsif not exists (select from gold_findings f where f.tenant_id = new.tenant_id and f.project_id = v_finding.project_id and f.kind = v_finding.kind
                        and not exists (select from finding_decisions d where d.tenant_id = f.tenant_id and d.finding_id = f.id)) then
      perform app.resolve_alert(new.tenant_id, case v_finding.kind when 'LEAKED' then 'GOLD_LEAKED' else 'GOLD_SUSPENDED' end, 'project/' || v_finding.project_id);
    end if;
    return null;
  end if;
  perform app.raise_alert(new.tenant_id,
    case new.kind when 'LEAKED' then 'GOLD_LEAKED' when 'UNHEALTHY' then 'GOLD_SUSPENDED' else 'EXPERT_FINDING' end,
    case when new.task_id is null then 'finding/' || new.id else 'project/' || new.project_id end, 'WARNING',
    format(case new.kind
      when 'LEAKED' then 'Gold of project "%s" seems to be known and is retired: see qualityFindings.'
      when 'UNHEALTHY' then 'Gold of project "%s" seems to have a wrong key and is suspended: see qualityFindings.'
      else 'The watch found something about experts in project "%s": see qualityFindings.' end, p.name),
    jsonb_build_object('projectId', new.project_id, 'aboutGold', true))
  from projects p where p.tenant_id = new.tenant_id and p.id = new.project_id;
  return null;
end
$$;
create trigger alerted after insert on gold_findings for each row execute function app.alert_finding();
create trigger alert_ended after insert on finding_decisions for each row execute function app.alert_finding();

create function app.alert_batch() returns trigger language plpgsql as $$
begin
  perform app.raise_alert(new.tenant_id, 'BATCH_FAILED', 'batch/' || new.id, 'WARNING',
    format('Batch "%s" could not be stored: %s', new.name, new.failure),
    jsonb_build_object('customerId', new.customer_id, 'projectId', new.project_id, 'batchId', new.id));
  return null;
end
$$;
create trigger alerted after update of state on batches for each row
  when (old.state <> 'FAILED' and new.state = 'FAILED') execute function app.alert_batch();

-- Adjudications that wait are few among tasks. (state is in another index already: no update is less HOT for this one.)
create index tasks_adjudicating on tasks (created_at) where kind = 'ADJUDICATION' and state = 'OPEN';

-- What nobody changes and time alone brings about.
create function app.watch_alerts() returns void language plpgsql as $$
declare
  c_waits constant interval := '30 minutes';
  c_many constant integer := 100;
  v_row record;
begin
  for v_row in
    select t.tenant_id, t.project_id, t.customer_id, p.name, count(*) as tasks
    from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
    where t.kind = 'ADJUDICATION' and t.state = 'OPEN' and p.state = 'RUNNING' and t.created_at < app.clock_now() - c_waits
    group by t.tenant_id, t.project_id, t.customer_id, p.name
  loop
    perform app.raise_alert(v_row.tenant_id, 'ADJUDICATIONS_WAITING', 'project/' || v_row.project_id, 'WARNING',
      format('%s tasks of project "%s" on which answers disagree have waited for a stronger expert for half an hour or more.', v_row.tasks, v_row.name),
      jsonb_build_object('customerId', v_row.customer_id, 'projectId', v_row.project_id));
  end loop;
  update alerts a set resolved_at = app.clock_now()
  where a.resolved_at is null and a.kind = 'ADJUDICATIONS_WAITING'
    and not exists (select from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
                    where t.tenant_id = a.tenant_id and t.project_id = a.project_id and t.kind = 'ADJUDICATION' and t.state = 'OPEN'
                      and p.state = 'RUNNING' and t.created_at < app.clock_now() - c_waits);
  for v_row in
    select e.tenant_id, count(*) as leases from stream_events e
    where e.created_at > app.clock_now() - interval '1 minute' and e.kind = 'EXPIRED' and e.stream like 'lease/expert/%'
    group by e.tenant_id having count(*) >= c_many
  loop
    perform app.raise_alert(v_row.tenant_id, 'LEASES_LAPSED', 'tenant', 'CRITICAL',
      format('%s leases ended unanswered within a minute: a node, a network or a customer''s site may have been out.', v_row.leases), '{}');
  end loop;
  -- Over when for five minutes not so many have ended in one.
  update alerts a set resolved_at = app.clock_now()
  where a.resolved_at is null and a.kind = 'LEASES_LAPSED' and a.last_seen_at < app.clock_now() - interval '5 minutes';
end
$$;
