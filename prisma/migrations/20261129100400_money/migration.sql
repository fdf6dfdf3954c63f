-- Payouts and the ledger. Everything here is permanent: inserted once, never changed, by nobody (triggers and grants).
-- A submit only inserts; the sequencer stamps posting numbers, running balances and the hash chain afterwards.
set local role touchstone_owner;

create table postings (
  tenant_id bigint not null references tenants,
  id bigint generated always as identity,
  kind text not null check (kind in ('EARNING', 'REVERSAL')),
  project_id bigint not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id)
);

-- Amounts are in minor units of the currency: positive is owed to the account's owner, negative is owed by them.
create table ledger_lines (
  tenant_id bigint not null,
  posting_id bigint not null,
  line_no smallint not null check (line_no between 1 and 100),
  owner_kind text not null check (owner_kind in ('EXPERT', 'CUSTOMER', 'TENANT')),
  owner_id bigint not null,
  currency char(3) not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null,
  primary key (tenant_id, posting_id, line_no),
  foreign key (tenant_id, posting_id) references postings (tenant_id, id)
);
create index ledger_lines_by_account on ledger_lines (tenant_id, owner_kind, owner_id, currency, posting_id);

-- What one assignment earns, once a kind (rule 8).
create table payouts (
  tenant_id bigint not null,
  id bigint generated always as identity,
  assignment_id bigint not null,
  kind text not null check (kind in ('EARNING', 'REVERSAL')),
  posting_id bigint not null,
  expert_id bigint not null,
  customer_id bigint not null,
  project_id bigint not null,
  amount_minor bigint not null check ((kind = 'EARNING' and amount_minor >= 0) or (kind = 'REVERSAL' and amount_minor <= 0)),
  currency char(3) not null,
  created_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, posting_id) references postings (tenant_id, id),
  unique (tenant_id, posting_id)
);
create unique index payouts_once on payouts (tenant_id, assignment_id, kind);
create index payouts_by_expert on payouts (tenant_id, expert_id, id);
create index payouts_by_customer on payouts (tenant_id, customer_id, project_id, id);

-- Postings that await their number.
create table ledger_outbox (
  tenant_id bigint not null,
  posting_id bigint not null,
  primary key (tenant_id, posting_id)
);

-- The order of the books: a dense number a tenant, each hash over the one before it.
create table ledger_stamps (
  tenant_id bigint not null,
  posting_no bigint not null check (posting_no >= 1),
  posting_id bigint not null,
  hash bytea not null check (length(hash) = 32),
  stamped_at timestamptz(3) not null,
  primary key (tenant_id, posting_no),
  unique (tenant_id, posting_id),
  foreign key (tenant_id, posting_id) references postings (tenant_id, id)
);

-- Each account's gap-free chain of entries; the last one is its checkpoint.
create table ledger_entries (
  tenant_id bigint not null,
  owner_kind text not null,
  owner_id bigint not null,
  currency char(3) not null,
  entry_no bigint not null check (entry_no >= 1),
  posting_no bigint not null,
  amount_minor bigint not null,
  balance_minor bigint not null,
  primary key (tenant_id, owner_kind, owner_id, currency, entry_no),
  foreign key (tenant_id, posting_no) references ledger_stamps (tenant_id, posting_no)
);

do $$
declare
  permanent text;
begin
  foreach permanent in array array['postings', 'ledger_lines', 'payouts', 'ledger_stamps', 'ledger_entries',
                                   'answers', 'answer_values', 'task_flags'] loop
    execute format('create trigger permanent before update or delete on %I for each row execute function app.refuse_change()', permanent);
    execute format('create trigger permanent_truncate before truncate on %I for each statement execute function app.refuse_change()', permanent);
  end loop;
  -- Row triggers reach partitions by themselves; the one for truncate has to be made on each.
  foreach permanent in array array(select inhrelid::regclass::text from pg_inherits where inhparent = 'answers'::regclass) loop
    execute format('create trigger permanent_truncate before truncate on %s for each statement execute function app.refuse_change()', permanent);
  end loop;
end
$$;

-- A posting's lines come in one statement, at least two of them, and sum to zero in each currency.
create function app.check_posting_balances() returns trigger language plpgsql as $$
begin
  if exists (
    select from (
      select n.tenant_id, n.posting_id, count(*) as lines,
             (select count(*) from ledger_lines l where l.tenant_id = n.tenant_id and l.posting_id = n.posting_id) as all_lines
      from new_lines n
      group by n.tenant_id, n.posting_id
    ) p
    where p.lines < 2 or p.lines <> p.all_lines
  ) or exists (
    select from new_lines n
    group by n.tenant_id, n.posting_id, n.currency
    having sum(n.amount_minor) <> 0
  ) then
    raise exception 'A posting must be inserted whole and sum to zero in each currency.' using errcode = 'XR002';
  end if;
  return null;
end
$$;
create trigger balanced after insert on ledger_lines
  referencing new table as new_lines for each statement execute function app.check_posting_balances();

-- Posts what an assignment earns: two lines, from the customer to the expert. The unique index on payouts refuses a
-- second one of a kind.
create function app.post_earning(p_assignment assignments, p_at timestamptz) returns void language plpgsql as $$
declare
  v_posting bigint;
begin
  insert into postings (tenant_id, kind, project_id, created_at)
  values (p_assignment.tenant_id, 'EARNING', p_assignment.project_id, p_at)
  returning id into v_posting;
  insert into ledger_lines (tenant_id, posting_id, line_no, owner_kind, owner_id, currency, amount_minor)
  values
    (p_assignment.tenant_id, v_posting, 1, 'EXPERT', p_assignment.expert_id, p_assignment.currency, p_assignment.price_minor),
    (p_assignment.tenant_id, v_posting, 2, 'CUSTOMER', p_assignment.customer_id, p_assignment.currency, -p_assignment.price_minor);
  insert into payouts (tenant_id, assignment_id, kind, posting_id, expert_id, customer_id, project_id, amount_minor, currency, created_at)
  values (p_assignment.tenant_id, p_assignment.id, 'EARNING', v_posting, p_assignment.expert_id,
          p_assignment.customer_id, p_assignment.project_id, p_assignment.price_minor, p_assignment.currency, p_at);
  insert into ledger_outbox (tenant_id, posting_id) values (p_assignment.tenant_id, v_posting);
end
$$;

-- The bytes that a posting's hash covers; verify computes the same.
create function app.posting_text(p_tenant bigint, p_posting bigint) returns text language sql stable as $$
  select p.kind || '|' || p.project_id || '|' || extract(epoch from p.created_at)::numeric(20, 3) || '|' ||
         string_agg(l.line_no || ':' || l.owner_kind || ':' || l.owner_id || ':' || l.currency || ':' || l.amount_minor, ',' order by l.line_no)
  from postings p
  join ledger_lines l on l.tenant_id = p.tenant_id and l.posting_id = p.id
  where p.tenant_id = p_tenant and p.id = p_posting
  group by p.kind, p.project_id, p.created_at
$$;

-- Numbers the postings that wait, in the order of their ids among those committed. Returns how many. One caller at a
-- time: the sequencer holds an advisory lock; the primary keys refuse a second number in any case.
create function app.stamp_postings(p_limit integer) returns integer language plpgsql as $$
declare
  waiting record;
  line record;
  v_no bigint;
  v_hash bytea;
  v_count integer := 0;
begin
  for waiting in
    select tenant_id, posting_id from ledger_outbox order by posting_id limit p_limit for update skip locked
  loop
    select s.posting_no, s.hash into v_no, v_hash
    from ledger_stamps s where s.tenant_id = waiting.tenant_id order by s.posting_no desc limit 1;
    v_no := coalesce(v_no, 0) + 1;
    v_hash := sha256(coalesce(v_hash, ''::bytea) || convert_to(v_no || '|' || app.posting_text(waiting.tenant_id, waiting.posting_id), 'UTF8'));
    insert into ledger_stamps (tenant_id, posting_no, posting_id, hash, stamped_at)
    values (waiting.tenant_id, v_no, waiting.posting_id, v_hash, app.clock_now());
    for line in
      select owner_kind, owner_id, currency, amount_minor from ledger_lines
      where tenant_id = waiting.tenant_id and posting_id = waiting.posting_id order by line_no
    loop
      insert into ledger_entries (tenant_id, owner_kind, owner_id, currency, entry_no, posting_no, amount_minor, balance_minor)
      select waiting.tenant_id, line.owner_kind, line.owner_id, line.currency,
             coalesce(last.entry_no, 0) + 1, v_no, line.amount_minor, coalesce(last.balance_minor, 0) + line.amount_minor
      from (select 1) one
      left join lateral (
        select e.entry_no, e.balance_minor from ledger_entries e
        where e.tenant_id = waiting.tenant_id and e.owner_kind = line.owner_kind
          and e.owner_id = line.owner_id and e.currency = line.currency
        order by e.entry_no desc limit 1
      ) last on true;
    end loop;
    delete from ledger_outbox where tenant_id = waiting.tenant_id and posting_id = waiting.posting_id;
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
