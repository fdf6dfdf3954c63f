-- Webhooks without anything to send are left alone, and who tells one without the scope of a tenant hears why it cannot. See
-- docs/webhooks.md.
set local role touchstone_owner;

-- Writes what a tenant's webhook is to be told, in the transaction of the change. A tenant without one is told nothing; one whose
-- webhook is disabled is told when it is enabled again. Whoever calls it holds the lock of the subject's row, and is in the scope of
-- the tenant: out of it no webhook would be seen, and the change would go untold.
create or replace function app.tell_webhook(p_tenant bigint, p_subject text, p_type text, p_data jsonb) returns bigint language plpgsql as $$
declare
  v_epoch integer;
  v_id bigint;
begin
  select e.epoch into v_epoch from stream_epoch e;
  if not found then
    raise exception 'app.tell_webhook is called outside the scope of a tenant' using errcode = '42501';
  end if;
  insert into webhook_deliveries (tenant_id, epoch, subject, type, data, created_at, due_at)
  select w.tenant_id, v_epoch, p_subject, p_type, jsonb_strip_nulls(p_data), app.clock_now(), app.clock_now() from webhooks w where w.tenant_id = p_tenant
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
      -- A lock is a write: not of those, by far the most, that have nothing to send.
      and exists (select from webhook_deliveries d where d.tenant_id = w.tenant_id and d.state = 'PENDING' and d.due_at <= v_now
                  and (d.leased_until is null or d.leased_until <= v_now))
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
