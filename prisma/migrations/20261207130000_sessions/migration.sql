-- Who of the experts is connected, on which nodes, and what short interruptions they had. Each node tells of its own connections
-- when they change and says that it lives; one that says so no more has lost its connections. See docs/live.md and decision 82.
set local role touchstone_owner;

-- One row a running node.
create table session_nodes (
  id uuid primary key,
  beat_at timestamptz(3) not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- One row an expert who has been connected; who changes what is known of an expert holds its lock.
create table expert_sessions (
  tenant_id bigint not null,
  expert_id bigint not null,
  -- Since when they are (or were) there without interruption.
  connected_at timestamptz(3) not null,
  -- Null while they are connected to some node.
  left_at timestamptz(3),
  primary key (tenant_id, expert_id),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id),
  check (left_at >= connected_at)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index expert_sessions_connected on expert_sessions (tenant_id, expert_id) where left_at is null;

create table expert_connections (
  tenant_id bigint not null,
  expert_id bigint not null,
  node_id uuid not null references session_nodes,
  sockets integer not null check (sockets >= 0),
  streams integer not null check (streams >= 0),
  since timestamptz(3) not null,
  primary key (tenant_id, expert_id, node_id),
  foreign key (tenant_id, expert_id) references expert_sessions (tenant_id, expert_id),
  check (sockets + streams > 0)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index expert_connections_of_node on expert_connections (node_id);

-- A last connection that ended without a goodbye, when they were back, and what became of the lease that they held.
create table expert_interruptions (
  tenant_id bigint not null,
  id bigint generated always as identity,
  expert_id bigint not null,
  lost_at timestamptz(3) not null,
  back_at timestamptz(3),
  assignment_id bigint,
  epoch integer,
  -- Whether the lease had not run out when they were back; null where they held none.
  lease_held boolean,
  primary key (tenant_id, id),
  foreign key (tenant_id, expert_id) references experts (tenant_id, id),
  check (back_at >= lost_at),
  check ((assignment_id is null) = (epoch is null)),
  check ((lease_held is not null) = (back_at is not null and assignment_id is not null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create unique index expert_interruptions_open on expert_interruptions (tenant_id, expert_id) where back_at is null;
create index expert_interruptions_of_expert on expert_interruptions (tenant_id, expert_id, lost_at);
create index expert_interruptions_age on expert_interruptions (lost_at);

do $$
begin
  perform app.protect('expert_sessions', 'false', 'false', array['OPERATOR']);
  perform app.protect('expert_connections', 'false', 'false', array['OPERATOR']);
  perform app.protect('expert_interruptions', 'false', 'false', array['OPERATOR']);
end
$$;
grant select on session_nodes, expert_sessions, expert_connections, expert_interruptions to touchstone_app;
grant select, insert, update, delete on session_nodes, expert_sessions, expert_connections, expert_interruptions to touchstone_system;

-- A node that has not said so for longer is taken for dead: it says so every five seconds.
create function app.is_node_alive(p_beat_at timestamptz) returns boolean language sql stable as $$
  select p_beat_at > app.clock_now() - interval '20 seconds'
$$;

-- Says that a node lives. False: it was not known (any more), and what was known of its connections is gone.
create function app.beat_node(p_node uuid) returns boolean language plpgsql as $$
begin
  update session_nodes n set beat_at = app.clock_now() where n.id = p_node;
  if found then
    return true;
  end if;
  insert into session_nodes (id, beat_at) values (p_node, app.clock_now());
  return false;
end
$$;

-- Whether a lease had not run out at an instant: it is held still, or was given up by its holder's hand or a cancel. Null for no lease.
create function app.lease_outlived(p_tenant bigint, p_assignment bigint, p_epoch integer, p_at timestamptz) returns boolean language sql stable as $$
  select case when p_assignment is not null then exists (
    select from assignments a where a.tenant_id = p_tenant and a.id = p_assignment and a.epoch = p_epoch
      and a.state <> 'EXPIRED' and (a.state <> 'LEASED' or a.lease_until > p_at)) end
$$;

-- Writes interruptions, with the leases that were held at the loss. p_back null: they are not back.
create function app.note_interruptions(p_tenants bigint[], p_experts bigint[], p_lost timestamptz[], p_back timestamptz[])
returns setof expert_interruptions language sql as $$
  insert into expert_interruptions (tenant_id, expert_id, lost_at, back_at, assignment_id, epoch, lease_held)
  select w.tenant_id, w.expert_id, w.lost_at, case when w.back_at < w.lost_at then w.lost_at else w.back_at end, l.id, l.epoch,
         case when w.back_at is not null then app.lease_outlived(w.tenant_id, l.id, l.epoch, w.back_at) end
  from unnest(p_tenants, p_experts, p_lost, p_back) as w(tenant_id, expert_id, lost_at, back_at)
  left join lateral (
    select a.id, a.epoch from assignments a
    where a.tenant_id = w.tenant_id and a.expert_id = w.expert_id and a.state = 'LEASED' and a.lease_until > w.lost_at limit 1
  ) l on true
  returning *
$$;

-- What a node tells, as rows, in the order of their locks.
create function app.told_rows(p_told jsonb)
returns table (tenant_id bigint, expert_id bigint, sockets integer, streams integer, changed_at timestamptz(3), goodbye boolean, blips jsonb)
language sql stable as $$
  select r.tenant, r.expert, r.sockets, r.streams, app.clock_now() - make_interval(secs => r.changed), r.goodbye, r.blips
  from jsonb_to_recordset(p_told) as r(tenant bigint, expert bigint, sockets integer, streams integer, changed double precision,
                                       goodbye boolean, blips jsonb)
  order by r.tenant, r.expert
$$;

-- A node tells how things stand with some experts on it, after app.beat_node in the same transaction. p_told: {tenant, expert,
-- sockets, streams, changed: seconds since the first connection came or the last one went, goodbye: whether that one took leave,
-- blips: [{lost, back}] in seconds ago}. Returns the interruptions that are over.
create function app.tell_sessions(p_node uuid, p_told jsonb) returns setof expert_interruptions language plpgsql as $$
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

  return query
  with back as (
    update expert_sessions s set left_at = null, connected_at = t.changed_at from app.told_rows(p_told) t
    where s.tenant_id = t.tenant_id and s.expert_id = t.expert_id and s.left_at is not null and t.sockets + t.streams > 0
    returning s.tenant_id, s.expert_id, s.connected_at
  ), never as (
    -- Their connection was there all the while: what was away was the node's word of it.
    delete from expert_interruptions i using back b
    where i.tenant_id = b.tenant_id and i.expert_id = b.expert_id and i.back_at is null and b.connected_at <= i.lost_at
  )
  update expert_interruptions i set back_at = b.connected_at,
    lease_held = app.lease_outlived(i.tenant_id, i.assignment_id, i.epoch, b.connected_at)
  from back b where i.tenant_id = b.tenant_id and i.expert_id = b.expert_id and i.back_at is null and b.connected_at > i.lost_at
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

-- Takes away what dead nodes have left: whoever was on one of them was lost when it last said that it lived, and is back already
-- where another node has them since. Returns the interruptions that are over.
create function app.sweep_nodes(p_node uuid) returns setof expert_interruptions language plpgsql as $$
declare
  v_node record;
  v_tenants bigint[]; v_experts bigint[]; v_lost timestamptz[]; v_back timestamptz[];
begin
  for v_node in
    select n.id, n.beat_at from session_nodes n where n.id <> p_node and not app.is_node_alive(n.beat_at) order by n.id for update skip locked
  loop
    perform from expert_sessions s join expert_connections c on c.tenant_id = s.tenant_id and c.expert_id = s.expert_id
    where c.node_id = v_node.id order by s.tenant_id, s.expert_id for update of s;
    with gone as (
      delete from expert_connections c where c.node_id = v_node.id returning c.tenant_id, c.expert_id
    ), found as (
      select g.tenant_id, g.expert_id, (
        select min(c.since) from expert_connections c join session_nodes n on n.id = c.node_id
        where c.tenant_id = g.tenant_id and c.expert_id = g.expert_id and c.node_id <> v_node.id and app.is_node_alive(n.beat_at)) as back_at
      from gone g
    ), moved as (
      update expert_sessions s set left_at = case when f.back_at is null then greatest(v_node.beat_at, s.connected_at) end,
        connected_at = case when f.back_at > v_node.beat_at then f.back_at else s.connected_at end
      from found f where s.tenant_id = f.tenant_id and s.expert_id = f.expert_id and s.left_at is null
      returning s.tenant_id, s.expert_id, greatest(v_node.beat_at, case when f.back_at is null then s.connected_at end) as lost_at, f.back_at
    )
    select array_agg(m.tenant_id), array_agg(m.expert_id), array_agg(m.lost_at), array_agg(m.back_at)
    into v_tenants, v_experts, v_lost, v_back from moved m where m.back_at is null or m.back_at > v_node.beat_at;
    return query select i.* from app.note_interruptions(v_tenants, v_experts, v_lost, v_back) i where i.back_at is not null;
    delete from session_nodes n where n.id = v_node.id;
  end loop;
end
$$;
