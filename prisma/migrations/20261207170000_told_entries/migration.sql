-- Events of an account say from which entry on they tell.
set local role touchstone_owner;

create or replace function app.stamp_postings(p_limit integer) returns integer language plpgsql as $$
declare
  v_tenants bigint[]; v_postings bigint[]; v_texts text[];
  v_nos bigint[] := '{}'; v_hashes bytea[] := '{}';
  v_tenant bigint;
  v_no bigint;
  v_hash bytea;
begin
  with waiting as materialized (
    select o.tenant_id, o.posting_id from ledger_outbox o order by o.posting_id limit p_limit for update skip locked
  ), told as (
    select w.tenant_id, w.posting_id,
           p.kind || '|' || p.project_id || '|' || extract(epoch from p.created_at)::numeric(20, 3) || '|' ||
           string_agg(l.line_no || ':' || l.owner_kind || ':' || l.owner_id || ':' || l.currency || ':' || l.amount_minor, ',' order by l.line_no) as text
    from waiting w
    join postings p on p.tenant_id = w.tenant_id and p.id = w.posting_id
    join ledger_lines l on l.tenant_id = p.tenant_id and l.posting_id = p.id
    group by w.tenant_id, w.posting_id, p.kind, p.project_id, p.created_at
  )
  select array_agg(t.tenant_id order by t.tenant_id, t.posting_id), array_agg(t.posting_id order by t.tenant_id, t.posting_id),
         array_agg(t.text order by t.tenant_id, t.posting_id)
  into v_tenants, v_postings, v_texts from told t;
  if v_postings is null then
    return 0;
  end if;

  for n in 1 .. cardinality(v_postings) loop
    if v_tenant is distinct from v_tenants[n] then
      v_tenant := v_tenants[n];
      v_no := null;
      v_hash := null;
      select s.posting_no, s.hash into v_no, v_hash
      from ledger_stamps s where s.tenant_id = v_tenant order by s.posting_no desc limit 1;
    end if;
    v_no := coalesce(v_no, 0) + 1;
    v_hash := sha256(coalesce(v_hash, ''::bytea) || convert_to(v_no || '|' || v_texts[n], 'UTF8'));
    v_nos := v_nos || v_no;
    v_hashes := v_hashes || v_hash;
  end loop;

  insert into ledger_stamps (tenant_id, posting_no, posting_id, hash, stamped_at)
  select s.tenant_id, s.posting_no, s.posting_id, s.hash, app.clock_now()
  from unnest(v_tenants, v_postings, v_nos, v_hashes) as s(tenant_id, posting_id, posting_no, hash);

  with lines as materialized (
    select l.tenant_id, l.owner_kind, l.owner_id, l.currency, s.posting_no, l.amount_minor,
           row_number() over account as n, sum(l.amount_minor) over account as total
    from unnest(v_tenants, v_postings, v_nos) as s(tenant_id, posting_id, posting_no)
    join ledger_lines l on l.tenant_id = s.tenant_id and l.posting_id = s.posting_id
    window account as (partition by l.tenant_id, l.owner_kind, l.owner_id, l.currency order by s.posting_no, l.line_no
                       rows unbounded preceding)
  ), accounts as materialized (
    select a.*, e.entry_no, e.balance_minor
    from (select distinct l.tenant_id, l.owner_kind, l.owner_id, l.currency from lines l) a
    left join lateral (
      select e.entry_no, e.balance_minor from ledger_entries e
      where e.tenant_id = a.tenant_id and e.owner_kind = a.owner_kind and e.owner_id = a.owner_id and e.currency = a.currency
      order by e.entry_no desc limit 1
    ) e on true
  ), entered as (
    insert into ledger_entries (tenant_id, owner_kind, owner_id, currency, entry_no, posting_no, amount_minor, balance_minor)
    select l.tenant_id, l.owner_kind, l.owner_id, l.currency, coalesce(a.entry_no, 0) + l.n, l.posting_no, l.amount_minor,
           coalesce(a.balance_minor, 0) + l.total
    from lines l
    join accounts a using (tenant_id, owner_kind, owner_id, currency)
    returning *
  )
  -- What was posted for an expert since the last round, in one event a currency, with the balance that it led to. Its first entry
  -- tells who begins to listen meanwhile what they will be told of, and so what their first balance must leave out.
  insert into stream_events (tenant_id, stream, kind, body, expert_id)
  select e.tenant_id, 'payout/expert/' || e.owner_id, 'POSTED', jsonb_build_object(
           'currency', e.currency, 'amountMinor', sum(e.amount_minor)::text, 'postings', count(*),
           'balanceMinor', (array_agg(e.balance_minor order by e.entry_no desc))[1]::text, 'firstEntry', min(e.entry_no), 'at', app.clock_now()), e.owner_id
  from entered e
  where e.owner_kind = 'EXPERT'
  group by e.tenant_id, e.owner_id, e.currency;

  delete from ledger_outbox o using unnest(v_tenants, v_postings) as s(tenant_id, posting_id)
  where o.tenant_id = s.tenant_id and o.posting_id = s.posting_id;
  return cardinality(v_postings);
end
$$;
