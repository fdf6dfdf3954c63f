-- One signed webhook a tenant. What is to be told is written with the change, sent by whichever node takes it, and kept for
-- replays. See docs/webhooks.md and decision 69.
set local role touchstone_owner;

create table webhooks (
  tenant_id bigint primary key references tenants,
  url text not null check (length(url) between 1 and 2000),
  state text not null default 'ENABLED' check (state in ('ENABLED', 'DISABLED')),
  -- Why it is disabled.
  reason text check (length(reason) between 1 and 500),
  changed_by bigint,
  changed_at timestamptz(3) not null,
  -- Since when no delivery has succeeded, and what the last one met.
  failing_since timestamptz(3),
  last_error text check (length(last_error) between 1 and 500),
  delivered_at timestamptz(3),
  check ((state = 'DISABLED') = (reason is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Secrets, sealed with a key that is not in the database. One is current; earlier ones sign too until they end.
create table webhook_secrets (
  tenant_id bigint not null references webhooks,
  id bigint generated always as identity,
  sealed bytea not null,
  created_at timestamptz(3) not null,
  ends_at timestamptz(3),
  primary key (tenant_id, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create unique index webhook_secrets_current on webhook_secrets (tenant_id) where ends_at is null;

create table webhook_deliveries (
  tenant_id bigint not null references webhooks,
  -- Of one subject in the order of its changes: the changes hold the lock of its row.
  id bigint generated always as identity,
  subject text not null check (length(subject) between 1 and 100),
  type text not null check (type ~ '^[a-z]+\.[a-z]+$'),
  -- With ids as the database has them; what is sent has the opaque ones.
  data jsonb not null,
  created_at timestamptz(3) not null,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'DEAD')),
  attempts integer not null default 0 check (attempts >= 0),
  first_attempt_at timestamptz(3),
  due_at timestamptz(3) not null,
  -- Somebody is at it until then; the fence tells them from whoever took it later.
  leased_until timestamptz(3),
  fence integer not null default 0,
  ended_at timestamptz(3),
  -- What the last attempt met.
  status smallint,
  error text check (length(error) between 1 and 500),
  primary key (tenant_id, id),
  check ((state = 'PENDING') = (ended_at is null)),
  check (state = 'PENDING' or leased_until is null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index webhook_deliveries_pending on webhook_deliveries (tenant_id, subject, id) where state = 'PENDING';
create index webhook_deliveries_age on webhook_deliveries (created_at);

do $$
begin
  perform app.protect('webhooks', 'false', 'false', array['OPERATOR']);
  perform app.protect('webhook_secrets', 'false', 'false', '{}');
  perform app.protect('webhook_deliveries', 'false', 'false', array['OPERATOR']);
end
$$;
grant select on webhooks, webhook_deliveries to touchstone_app, touchstone_system;
-- Requests may exchange secrets, and never read one.
grant select (tenant_id, id, created_at, ends_at), insert, update (ends_at) on webhook_secrets to touchstone_app;
grant select, delete on webhook_secrets to touchstone_system;
grant insert, update (url, state, reason, changed_by, changed_at, failing_since, last_error) on webhooks to touchstone_app;
grant update (state, reason, changed_by, changed_at, failing_since, last_error, delivered_at) on webhooks to touchstone_system;
grant insert on webhook_deliveries to touchstone_app, touchstone_system;
grant update (state, attempts, first_attempt_at, due_at, ended_at) on webhook_deliveries to touchstone_app;
grant update, delete on webhook_deliveries to touchstone_system;

-- Writes what a tenant's webhook is to be told, in the transaction of the change. A tenant without one is told nothing; one whose
-- webhook is disabled is told when it is enabled again. Whoever calls it holds the lock of the subject's row.
create function app.tell_webhook(p_tenant bigint, p_subject text, p_type text, p_data jsonb) returns bigint language plpgsql as $$
declare
  v_id bigint;
begin
  insert into webhook_deliveries (tenant_id, subject, type, data, created_at, due_at)
  select w.tenant_id, p_subject, p_type, jsonb_strip_nulls(p_data), app.clock_now(), app.clock_now() from webhooks w where w.tenant_id = p_tenant
  returning id into v_id;
  return v_id;
end
$$;

create function app.tell_webhook_of() returns trigger language plpgsql as $$
declare
  v_new jsonb := to_jsonb(new);
  v_old jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) end;
begin
  case tg_table_name
    when 'alerts' then
      perform app.tell_webhook(new.tenant_id, 'alert/' || new.id,
        case when tg_op = 'INSERT' then 'alert.raised' when v_old -> 'resolved_at' <> v_new -> 'resolved_at' then 'alert.resolved' else 'alert.acknowledged' end,
        jsonb_build_object('alertId', new.id, 'kind', v_new -> 'kind', 'severity', v_new -> 'severity', 'reason', v_new -> 'reason',
          'customerId', v_new -> 'customer_id', 'projectId', v_new -> 'project_id', 'batchId', v_new -> 'batch_id',
          'skillId', v_new -> 'skill_id', 'expertId', v_new -> 'expert_id', 'note', v_new -> 'note'));
    when 'projects' then
      perform app.tell_webhook(new.tenant_id, 'project/' || new.id,
        case when tg_op = 'INSERT' then 'project.created' when v_old -> 'state' = v_new -> 'state' then 'project.updated' else 'project.' || lower(v_new ->> 'state') end,
        jsonb_build_object('projectId', new.id, 'customerId', new.customer_id, 'name', v_new -> 'name', 'state', new.state, 'deadline', v_new -> 'deadline'));
    when 'batches' then
      perform app.tell_webhook(new.tenant_id, 'batch/' || new.id,
        case when tg_op = 'INSERT' then 'batch.created' when v_old -> 'state' = v_new -> 'state' then 'batch.updated'
             when new.state = 'OPEN' then 'batch.opened' else 'batch.' || lower(v_new ->> 'state') end,
        jsonb_build_object('batchId', new.id, 'projectId', v_new -> 'project_id', 'customerId', new.customer_id, 'name', v_new -> 'name', 'state', new.state,
          'deadline', v_new -> 'deadline', 'taskCount', v_new -> 'task_count', 'errorCount', v_new -> 'error_count', 'failure', v_new -> 'failure'));
    else
      -- forecasts: what of a batch is left.
      perform app.tell_webhook(new.tenant_id, 'batch/' || (v_new ->> 'batch_id'),
        case when (v_new ->> 'remaining')::bigint = 0 then 'batch.finished' else 'batch.reopened' end,
        jsonb_build_object('batchId', v_new -> 'batch_id', 'projectId', v_new -> 'project_id', 'customerId', new.customer_id));
  end case;
  return null;
end
$$;
create trigger webhook after insert on alerts for each row execute function app.tell_webhook_of();
create trigger webhook_again after update on alerts for each row
  when (old.resolved_at is distinct from new.resolved_at or old.acknowledged_at is distinct from new.acknowledged_at)
  execute function app.tell_webhook_of();
create trigger webhook after insert on projects for each row execute function app.tell_webhook_of();
create trigger webhook_again after update on projects for each row
  when ((old.state, old.deadline, old.name) is distinct from (new.state, new.deadline, new.name)) execute function app.tell_webhook_of();
create trigger webhook after insert on batches for each row execute function app.tell_webhook_of();
create trigger webhook_again after update on batches for each row
  when ((old.state, old.deadline) is distinct from (new.state, new.deadline)) execute function app.tell_webhook_of();
create trigger webhook after insert on forecasts for each row when (new.remaining = 0) execute function app.tell_webhook_of();
create trigger webhook_again after update of remaining on forecasts for each row
  when ((old.remaining = 0) <> (new.remaining = 0)) execute function app.tell_webhook_of();

-- Takes deliveries that are due, for p_seconds: of each subject its oldest that waits, and of each tenant at most p_each at a
-- time over all nodes, so that a slow receiver holds up nobody else.
create function app.take_deliveries(p_limit integer, p_each integer, p_seconds double precision) returns setof webhook_deliveries language plpgsql as $$
declare
  v_now timestamptz := app.clock_now();
begin
  return query
  with heads as materialized (
    select h.tenant_id, h.id, h.due_at, row_number() over (partition by h.tenant_id order by h.due_at, h.id) as place,
           (select count(*) from webhook_deliveries b where b.tenant_id = h.tenant_id and b.state = 'PENDING' and b.leased_until > v_now) as busy
    from webhooks w
    cross join lateral (
      select distinct on (d.subject) d.tenant_id, d.subject, d.id, d.due_at from webhook_deliveries d
      where d.tenant_id = w.tenant_id and d.state = 'PENDING' order by d.subject, d.id
    ) h
    where w.state = 'ENABLED' and h.due_at <= v_now
      -- (A replay may set an earlier one behind one that is on its way.)
      and not exists (select from webhook_deliveries b where b.tenant_id = h.tenant_id and b.subject = h.subject
                        and b.state = 'PENDING' and b.leased_until > v_now)
  ), chosen as materialized (
    select d.tenant_id, d.id from webhook_deliveries d join heads h on h.tenant_id = d.tenant_id and h.id = d.id
    where h.place <= p_each - h.busy and d.state = 'PENDING' and d.due_at <= v_now and (d.leased_until is null or d.leased_until <= v_now)
    order by h.place, d.due_at limit p_limit
    for update of d skip locked
  )
  update webhook_deliveries d set leased_until = v_now + make_interval(secs => p_seconds), fence = d.fence + 1, attempts = d.attempts + 1,
    first_attempt_at = coalesce(d.first_attempt_at, v_now)
  from chosen c where d.tenant_id = c.tenant_id and d.id = c.id
  returning d.*;
end
$$;

-- What became of an attempt: DELIVERED; RETRY after p_after seconds; DEAD when it has been tried for three days; LOST when
-- somebody else has taken it since. p_error null: it was accepted. p_gone: the receiver wants no more.
create function app.end_delivery(p_tenant bigint, p_id bigint, p_fence integer, p_status integer, p_error text, p_after double precision, p_gone boolean)
returns text language plpgsql as $$
declare
  c_days constant interval := '3 days';
  c_failing constant interval := '15 minutes';
  v_row webhook_deliveries;
  v_webhook webhooks;
begin
  update webhook_deliveries d set
    state = case when p_error is null then 'DELIVERED' when d.first_attempt_at < app.clock_now() - c_days then 'DEAD' else 'PENDING' end,
    ended_at = case when p_error is null or d.first_attempt_at < app.clock_now() - c_days then app.clock_now() end,
    due_at = app.clock_now() + make_interval(secs => p_after), leased_until = null, status = p_status, error = left(p_error, 500)
  where d.tenant_id = p_tenant and d.id = p_id and d.fence = p_fence and d.state = 'PENDING'
  returning * into v_row;
  if not found then
    return 'LOST';
  end if;
  if p_error is null then
    update webhooks w set failing_since = null, last_error = null, delivered_at = app.clock_now()
    where w.tenant_id = p_tenant and (w.failing_since is not null or w.delivered_at is null or w.delivered_at < app.clock_now() - interval '10 seconds');
    perform app.resolve_alert(p_tenant, 'WEBHOOK_FAILING', 'webhook');
    return 'DELIVERED';
  end if;
  update webhooks w set failing_since = coalesce(w.failing_since, app.clock_now()), last_error = left(p_error, 500),
    state = case when p_gone then 'DISABLED' else w.state end,
    reason = case when p_gone then coalesce(w.reason, 'The receiver answered 410: it wants no more.') else w.reason end
  where w.tenant_id = p_tenant returning * into v_webhook;
  if p_gone or v_row.state = 'DEAD' or v_webhook.failing_since <= app.clock_now() - c_failing then
    perform app.raise_alert(p_tenant, 'WEBHOOK_FAILING', 'webhook', 'WARNING',
      format('The webhook has taken nothing since %s UTC: %s', to_char(v_webhook.failing_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI'), p_error), '{}');
  end if;
  return case v_row.state when 'DEAD' then 'DEAD' else 'RETRY' end;
end
$$;
