-- Trimming goes through the streams by turns: one row of each stream was read at every round, and streams are never cleared.
set local role touchstone_owner;

drop function app.trim_events(interval, bigint, integer);

-- Trims what is older than p_age or beyond p_keep events of a stream: of p_streams streams in the order of their keys, from one on,
-- at most p_limit rows. How many, and from which stream to go on; null: all have been looked at. A stream of which something may be
-- left is looked at again.
create function app.trim_events(p_age interval, p_keep bigint, p_limit integer, p_streams integer, p_tenant bigint, p_stream text,
                                out trimmed integer, out next_tenant bigint, out next_stream text)
language plpgsql as $$
declare
  v_before timestamptz(3) := app.clock_now() - p_age;
begin
  select s.tenant_id, s.stream into next_tenant, next_stream from streams s
  where (s.tenant_id, s.stream) >= (p_tenant, p_stream)
  order by s.tenant_id, s.stream offset p_streams limit 1;

  with old as materialized (
    select x.place, s.tenant_id, s.stream
    from (
      select * from streams o where (o.tenant_id, o.stream) >= (p_tenant, p_stream)
      order by o.tenant_id, o.stream limit p_streams
    ) s
    cross join lateral (
      select e.created_at, e.epoch, e.seq from stream_events e
      where e.tenant_id = s.tenant_id and e.stream = s.stream and e.seq is not null
      order by e.epoch, e.seq limit 1
    ) f
    cross join lateral (
      select e.ctid as place from stream_events e
      where e.tenant_id = s.tenant_id and e.stream = s.stream and e.seq is not null
        and (e.created_at < v_before or e.epoch < s.epoch or e.seq <= s.head_seq - p_keep)
      order by e.epoch, e.seq limit p_limit
    ) x
    where f.created_at < v_before or f.epoch < s.epoch or f.seq <= s.head_seq - p_keep
    order by s.tenant_id, s.stream limit p_limit
  ), gone as (
    -- By their places: rows that have a number are only ever deleted.
    delete from stream_events e where e.ctid = any (array(select o.place from old o)) and e.seq is not null
    returning e.tenant_id, e.stream, e.epoch, e.seq
  ), edge as (
    select g.tenant_id, g.stream, g.epoch, max(g.seq) as seq from gone g group by g.tenant_id, g.stream, g.epoch
  ), moved as (
    update streams s set trimmed_seq = greatest(s.trimmed_seq, edge.seq)
    from edge where s.tenant_id = edge.tenant_id and s.stream = edge.stream and s.epoch = edge.epoch
  ), last as (
    select o.tenant_id, o.stream from old o order by o.tenant_id desc, o.stream desc limit 1
  )
  select c.trimmed, case when c.trimmed < p_limit then next_tenant else l.tenant_id end,
         case when c.trimmed < p_limit then next_stream else l.stream end
  into trimmed, next_tenant, next_stream
  from (select count(*)::int as trimmed from gone) c left join last l on true;
end
$$;
