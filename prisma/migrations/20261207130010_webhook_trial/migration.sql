-- What trying webhooks and alerts against hostile receivers and operators has shown. See docs/webhooks.md.
set local role touchstone_owner;

-- A restored database gives the numbers of messages once more that were sent after its backup, and receivers drop an id that they
-- have seen: so the epoch that a message was written in is part of its id. (Before the first restore it is 1, and says nothing.)
alter table webhook_deliveries add epoch integer not null default 1 check (epoch >= 1);
alter table webhook_deliveries alter epoch drop default;
grant select on stream_epoch to touchstone_app;

-- Writes what a tenant's webhook is to be told, in the transaction of the change. A tenant without one is told nothing; one whose
-- webhook is disabled is told when it is enabled again. Whoever calls it holds the lock of the subject's row.
create or replace function app.tell_webhook(p_tenant bigint, p_subject text, p_type text, p_data jsonb) returns bigint language plpgsql as $$
declare
  v_id bigint;
begin
  insert into webhook_deliveries (tenant_id, epoch, subject, type, data, created_at, due_at)
  select w.tenant_id, (select e.epoch from stream_epoch e), p_subject, p_type, jsonb_strip_nulls(p_data), app.clock_now(), app.clock_now() from webhooks w where w.tenant_id = p_tenant
  returning id into v_id;
  return v_id;
end
$$;

-- Takes deliveries that are due, for p_seconds: of each subject its oldest that waits, and of each tenant at most p_each at a
-- time over all nodes. What is due and not the oldest of its subject is set behind that one, or it would be looked at again and
-- again; app.end_delivery fetches it back.
create or replace function app.take_deliveries(p_limit integer, p_each integer, p_seconds double precision) returns setof webhook_deliveries language plpgsql as $$
declare
  c_looked constant integer := 256;
  c_behind constant interval := '5 seconds';
  v_now timestamptz := app.clock_now();
begin
  return query
  with ready as materialized (
    select w.tenant_id, p_each - (select count(*) from webhook_deliveries b where b.tenant_id = w.tenant_id and b.leased_until > v_now) as free
    from webhooks w where w.state = 'ENABLED'
    -- Not while messages are made due again: two takes would see different ones as the oldest of a subject.
    for key share of w skip locked
  ), looked as materialized (
    select r.tenant_id, r.free, d.id, d.due_at, h.id as head, greatest(v_now + c_behind, h.due_at, h.leased_until) as behind,
           exists (select from webhook_deliveries b where b.tenant_id = r.tenant_id and b.subject = d.subject and b.leased_until > v_now) as is_taken
    from ready r
    cross join lateral (
      select o.id, o.subject, o.due_at from webhook_deliveries o
      where o.tenant_id = r.tenant_id and o.state = 'PENDING' and o.due_at <= v_now order by o.due_at, o.id limit c_looked
    ) d
    cross join lateral (
      select e.id, e.due_at, e.leased_until from webhook_deliveries e
      where e.tenant_id = r.tenant_id and e.subject = d.subject and e.state = 'PENDING' order by e.id limit 1
    ) h
    where r.free > 0
  ), later as (
    select d.tenant_id, d.id, l.behind from webhook_deliveries d join looked l on l.tenant_id = d.tenant_id and l.id = d.id
    where l.id <> l.head and d.state = 'PENDING'
    for update of d skip locked
  ), moved as (
    update webhook_deliveries d set due_at = l.behind from later l where d.tenant_id = l.tenant_id and d.id = l.id
  ), heads as (
    select l.*, row_number() over (partition by l.tenant_id order by l.due_at, l.id) as place from looked l
    where l.id = l.head and not l.is_taken
  ), chosen as materialized (
    select d.tenant_id, d.id from webhook_deliveries d join heads h on h.tenant_id = d.tenant_id and h.id = d.id
    where h.place <= h.free and d.state = 'PENDING' and d.due_at <= v_now and (d.leased_until is null or d.leased_until <= v_now)
    order by h.place, d.due_at limit p_limit
    for update of d skip locked
  )
  update webhook_deliveries d set leased_until = v_now + make_interval(secs => p_seconds), fence = d.fence + 1, attempts = d.attempts + 1,
    first_attempt_at = coalesce(d.first_attempt_at, v_now)
  from chosen c where d.tenant_id = c.tenant_id and d.id = c.id
  returning d.*;
end
$$;

-- What became of an attempt at p_url: DELIVERED; RETRY after p_after seconds; DEAD when it has been tried for three days; LOST when
-- somebody else has taken it since. p_error null: it was accepted. p_gone: the receiver wants no more. Where the webhook goes
-- elsewhere by now, the attempt says nothing about it, and the message is due there at once.
drop function app.end_delivery(bigint, bigint, integer, integer, text, double precision, boolean);
create function app.end_delivery(p_tenant bigint, p_id bigint, p_fence integer, p_status integer, p_error text, p_after double precision, p_gone boolean, p_url text)
returns text language plpgsql as $$
declare
  c_days constant interval := '3 days';
  c_failing constant interval := '15 minutes';
  v_row webhook_deliveries;
  v_webhook webhooks;
  v_there boolean;
begin
  -- Before the message, as everybody who changes both does.
  perform from webhooks w where w.tenant_id = p_tenant for no key update;
  select w.url = p_url into v_there from webhooks w where w.tenant_id = p_tenant;
  update webhook_deliveries d set
    state = case when p_error is null then 'DELIVERED' when d.first_attempt_at < app.clock_now() - c_days then 'DEAD' else 'PENDING' end,
    ended_at = case when p_error is null or d.first_attempt_at < app.clock_now() - c_days then app.clock_now() end,
    due_at = app.clock_now() + make_interval(secs => case when v_there then p_after else 0 end), leased_until = null, status = p_status, error = left(p_error, 500)
  where d.tenant_id = p_tenant and d.id = p_id and d.fence = p_fence and d.state = 'PENDING'
  returning * into v_row;
  if not found then
    return 'LOST';
  end if;
  if not v_there then
    return case v_row.state when 'PENDING' then 'RETRY' else v_row.state end;
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

-- Says that a cause is there. p_about: customerId, projectId, batchId, skillId, expertId, aboutGold; what is left out is null.
create or replace function app.raise_alert(p_tenant bigint, p_kind text, p_cause text, p_severity text, p_reason text, p_about jsonb)
returns void language plpgsql as $$
begin
  update alerts a set last_seen_at = app.clock_now()
  where a.tenant_id = p_tenant and a.kind = p_kind and a.cause = p_cause and a.resolved_at is null
    and a.last_seen_at < app.clock_now() - interval '1 minute';
  -- Somebody may end it at this moment (acknowledge it): this waits for them, and then it is another one.
  perform from alerts a where a.tenant_id = p_tenant and a.kind = p_kind and a.cause = p_cause and a.resolved_at is null for share;
  if found then
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
