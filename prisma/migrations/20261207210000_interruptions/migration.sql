-- Interruptions are bounded: of an expert twenty an hour are kept, further ones are counted. And what nodes tell of somebody who
-- came, was lost and is back since the last telling is taken for what it was. See docs/live.md and decision 94.
set local role touchstone_owner;

-- How many were lost after this one and not kept, for there had been too many within an hour.
alter table expert_interruptions add more integer not null default 0 check (more >= 0);

-- Whether a lease had not run out at an instant: it was held, or was given up by its holder's hand or a cancel. Null for no lease.
-- (A lease that ran out since then stands as EXPIRED, with the end that it had.)
create or replace function app.lease_outlived(p_tenant bigint, p_assignment bigint, p_epoch integer, p_at timestamptz) returns boolean language sql stable as $$
  select case when p_assignment is not null then exists (
    select from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.epoch = p_epoch
      and (a.state not in ('LEASED', 'EXPIRED') or a.lease_until > p_at)) end
$$;

-- Writes interruptions, with the leases that were held at the loss. p_back null: they are not back. Beyond twenty of an expert
-- within an hour they are counted in the last one that is kept. A node tells at most eleven at once, so that there is one.
create or replace function app.note_interruptions(p_tenants bigint[], p_experts bigint[], p_lost timestamptz[], p_back timestamptz[])
returns setof expert_interruptions language sql as $$
  with told as (
    select w.*, row_number() over (partition by w.tenant_id, w.expert_id order by w.lost_at) as place
    from unnest(p_tenants, p_experts, p_lost, p_back) as w(tenant_id, expert_id, lost_at, back_at)
  ), placed as (
    select t.*, t.place + k.kept > 20 as is_more from told t
    cross join lateral (
      select count(*) as kept from (
        select from expert_interruptions i
        where i.tenant_id = t.tenant_id and i.expert_id = t.expert_id and i.lost_at > t.lost_at - interval '1 hour' limit 20) x
    ) k
  ), counted as (
    update expert_interruptions i set more = i.more + m.more
    from (select p.tenant_id, p.expert_id, count(*)::int as more from placed p where p.is_more group by p.tenant_id, p.expert_id) m
    cross join lateral (
      select i.id from expert_interruptions i where i.tenant_id = m.tenant_id and i.expert_id = m.expert_id
      order by i.lost_at desc, i.id desc limit 1) l
    where i.tenant_id = m.tenant_id and i.id = l.id
  )
  insert into expert_interruptions (tenant_id, expert_id, lost_at, back_at, assignment_id, epoch, lease_held)
  select w.tenant_id, w.expert_id, w.lost_at, case when w.back_at < w.lost_at then w.lost_at else w.back_at end, l.id, l.epoch,
         case when w.back_at is not null then app.lease_outlived(w.tenant_id, l.id, l.epoch, w.back_at) end
  from placed w
  left join lateral (
    select a.id, a.epoch from assignments a
    where a.tenant_id = w.tenant_id and a.expert_id = w.expert_id and a.state = 'LEASED' and a.lease_until > w.lost_at limit 1
  ) l on true
  where not w.is_more
  returning *
$$;

-- What a node tells, as rows, in the order of their locks.
drop function app.told_rows(jsonb);
create function app.told_rows(p_told jsonb)
returns table (tenant_id bigint, expert_id bigint, sockets integer, streams integer, came_at timestamptz(3), changed_at timestamptz(3), goodbye boolean,
               blips jsonb)
language sql stable as $$
  select r.tenant, r.expert, r.sockets, r.streams, app.clock_now() - make_interval(secs => r.came), app.clock_now() - make_interval(secs => r.changed),
         r.goodbye, r.blips
  from jsonb_to_recordset(p_told) as r(tenant bigint, expert bigint, sockets integer, streams integer, came double precision,
                                       changed double precision, goodbye boolean, blips jsonb)
  order by r.tenant, r.expert
$$;

-- A node tells how things stand with some experts on it. p_told: {tenant, expert, sockets, streams, changed: seconds since the first
-- connection came or the last one went, came: seconds since they came first of what was not told yet, goodbye: whether the last
-- one took leave, blips: [{lost, back}] in seconds ago}. Whoever calls it holds a lock of the node's row, so that nobody buries it
-- meanwhile. Returns the interruptions that are over.
create or replace function app.tell_sessions(p_node uuid, p_told jsonb) returns setof expert_interruptions language plpgsql as $$
declare
  v_tenants bigint[]; v_experts bigint[]; v_lost timestamptz[]; v_back timestamptz[];
begin
  insert into expert_sessions (tenant_id, expert_id, connected_at)
  select t.tenant_id, t.expert_id, t.changed_at from app.told_rows(p_told) t
  on conflict do nothing;
  -- Nodes that tell of the same expert do it one after the other: whoever goes last sees whether anybody has them.
  perform from expert_sessions s join app.told_rows(p_told) t on t.tenant_id = s.tenant_id and t.expert_id = s.expert_id
  order by s.tenant_id, s.expert_id for update of s;

  delete from expert_connections c using app.told_rows(p_told) t
  where c.tenant_id = t.tenant_id and c.expert_id = t.expert_id and c.node_id = p_node and t.sockets + t.streams = 0;
  insert into expert_connections as c (tenant_id, expert_id, node_id, sockets, streams, since)
  select t.tenant_id, t.expert_id, p_node, t.sockets, t.streams, t.changed_at from app.told_rows(p_told) t
  where t.sockets + t.streams > 0
  on conflict (tenant_id, expert_id, node_id) do update set sockets = excluded.sockets, streams = excluded.streams, since = excluded.since;

  -- Gone and back before it was told: an interruption where no other node had them meanwhile.
  select array_agg(t.tenant_id), array_agg(t.expert_id), array_agg(app.clock_now() - make_interval(secs => b.lost)),
         array_agg(app.clock_now() - make_interval(secs => b.back))
  into v_tenants, v_experts, v_lost, v_back
  from app.told_rows(p_told) t cross join jsonb_to_recordset(t.blips) as b(lost double precision, back double precision)
  where not exists (select from expert_connections c join session_nodes n on n.id = c.node_id
                    where c.tenant_id = t.tenant_id and c.expert_id = t.expert_id and c.node_id <> p_node and app.is_node_alive(n.beat_at));
  return query select * from app.note_interruptions(v_tenants, v_experts, v_lost, v_back);

  -- Back, if only to be gone again: what they were lost by before is over since they came first.
  return query
  with back as (
    update expert_sessions s set left_at = null, connected_at = case when t.sockets + t.streams > 0 then t.changed_at else t.came_at end
    from app.told_rows(p_told) t
    where s.tenant_id = t.tenant_id and s.expert_id = t.expert_id and s.left_at is not null
    returning s.tenant_id, s.expert_id, t.came_at
  ), never as (
    -- Their connection was there all the while: what was away was the node's word of it.
    delete from expert_interruptions i using back b
    where i.tenant_id = b.tenant_id and i.expert_id = b.expert_id and i.back_at is null and b.came_at <= i.lost_at
  )
  update expert_interruptions i set back_at = b.came_at,
    lease_held = app.lease_outlived(i.tenant_id, i.assignment_id, i.epoch, b.came_at)
  from back b where i.tenant_id = b.tenant_id and i.expert_id = b.expert_id and i.back_at is null and b.came_at > i.lost_at
  returning i.*;

  with gone as (
    update expert_sessions s set left_at = greatest(t.changed_at, s.connected_at) from app.told_rows(p_told) t
    where s.tenant_id = t.tenant_id and s.expert_id = t.expert_id and s.left_at is null and t.sockets + t.streams = 0
      and not exists (select from expert_connections c join session_nodes n on n.id = c.node_id
                      where c.tenant_id = t.tenant_id and c.expert_id = t.expert_id and app.is_node_alive(n.beat_at))
    returning s.tenant_id, s.expert_id, s.left_at, t.goodbye
  )
  select array_agg(g.tenant_id), array_agg(g.expert_id), array_agg(g.left_at) into v_tenants, v_experts, v_lost from gone g where not g.goodbye;
  perform app.note_interruptions(v_tenants, v_experts, v_lost, array_fill(null::timestamptz, array[coalesce(cardinality(v_lost), 0)]));
end
$$;
