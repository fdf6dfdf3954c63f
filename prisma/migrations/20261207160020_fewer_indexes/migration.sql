-- An event stands in one index at a time (docs/decisions/0089): until it is numbered among those that wait, then in its place in
-- its stream. It was in three, and in three more when it was numbered.
set local role touchstone_owner;

alter table stream_events drop constraint stream_events_pkey;
drop index stream_events_age;
drop index stream_events_waiting;
create unique index stream_events_waiting on stream_events (id) where seq is null;
-- What ended unanswered of late is counted, for alerts.
create index stream_events_expired on stream_events (created_at) where kind = 'EXPIRED';

-- Nothing reads lines by their account: balances are entries (ledger_entries) and what waits for its number (ledger_outbox), and
-- verify adds up all of them. Who has read a payload is found by its task's assignments (access_log_by_subject; docs/operations.md).
drop index ledger_lines_by_account;
drop index access_log_by_payload;

-- Trims what is older than p_age or beyond p_keep events of a stream, at most p_limit rows a call: of each stream whose first event is
-- that, from there on. Returns how many.
create or replace function app.trim_events(p_age interval, p_keep bigint, p_limit integer) returns integer language plpgsql as $$
declare
  v_before timestamptz(3) := app.clock_now() - p_age;
  v_count integer;
begin
  with old as materialized (
    select x.place, x.tenant_id, x.stream, x.epoch, x.seq
    from streams s
    cross join lateral (
      select e.created_at, e.epoch, e.seq from stream_events e
      where e.tenant_id = s.tenant_id and e.stream = s.stream and e.seq is not null
      order by e.epoch, e.seq limit 1
    ) f
    cross join lateral (
      select e.ctid as place, e.* from stream_events e
      where e.tenant_id = s.tenant_id and e.stream = s.stream and e.seq is not null
        and (e.created_at < v_before or e.epoch < s.epoch or e.seq <= s.head_seq - p_keep)
      order by e.epoch, e.seq limit p_limit
    ) x
    where f.created_at < v_before or f.epoch < s.epoch or f.seq <= s.head_seq - p_keep
    limit p_limit
  ), gone as (
    -- By their places: rows that have a number are only ever deleted.
    delete from stream_events e where e.ctid = any (array(select o.place from old o)) and e.seq is not null
    returning e.tenant_id, e.stream, e.epoch, e.seq
  ), edge as (
    select g.tenant_id, g.stream, g.epoch, max(g.seq) as seq from gone g group by g.tenant_id, g.stream, g.epoch
  ), moved as (
    update streams s set trimmed_seq = greatest(s.trimmed_seq, edge.seq)
    from edge where s.tenant_id = edge.tenant_id and s.stream = edge.stream and s.epoch = edge.epoch
  )
  select count(*)::int into v_count from gone;
  return v_count;
end
$$;

-- A number is written with its entries, and after its posting, which stays for ever: three key-share locks a posting, of rows that nothing
-- can take away, were a third of what numbering costs. `verify` looks for what refers to none.
alter table ledger_stamps drop constraint ledger_stamps_tenant_id_posting_id_fkey;
alter table ledger_entries drop constraint ledger_entries_tenant_id_posting_no_fkey;
