-- Analysts ask what nobody foresaw, so what they ask runs as a role of its own that can only read: touchstone_analyst. It
-- sees exactly what the ANALYST scope showed touchstone_app (the same policies, one more role in them) and nothing in any
-- other scope, owns nothing and may change nothing, whatever a statement tries.
do $$
declare
  v_login text;
begin
  if not exists (select from pg_roles where rolname = 'touchstone_analyst') then
    begin
      create role touchstone_analyst nologin nobypassrls;
    exception when duplicate_object or unique_violation then
      null; -- another database of this cluster is being migrated at the same moment
    end;
  end if;
  if not pg_has_role(current_user, 'touchstone_analyst', 'usage') then
    execute format('grant touchstone_analyst to %I', current_user);
  end if;
  -- Whoever serves requests answers analysts.
  for v_login in
    select m.member::regrole::text from pg_auth_members m
    where m.roleid = 'touchstone_app'::regrole and not pg_has_role(m.member, 'touchstone_analyst', 'member')
  loop
    execute format('grant touchstone_analyst to %s', v_login);
  end loop;
  -- Only a superuser may give this away; elsewhere the operator does (docs/operations.md), and until then the statement's
  -- time bounds what it spills to disk.
  begin
    grant set on parameter temp_file_limit to touchstone_analyst;
  exception when insufficient_privilege then
    null;
  end;
end
$$;
grant usage on schema public to touchstone_analyst;

set local role touchstone_owner;
grant usage on schema app to touchstone_analyst;

do $$
declare
  v_policy record;
  v_table text;
begin
  for v_policy in
    select p.polname as name, p.polrelid::regclass::text as shown from pg_policy p
    where 'touchstone_app'::regrole = any (p.polroles) and p.polcmd in ('r', '*')
  loop
    execute format('alter policy %I on %s to touchstone_app, touchstone_analyst', v_policy.name, v_policy.shown);
  end loop;
  for v_table in
    select p.polrelid::regclass::text from pg_policy p where p.polname = 'read_in_scope'
  loop
    execute format('create policy analyst_scope on %s as restrictive for select to touchstone_analyst using ((select app.scope_role()) = ''ANALYST'')', v_table);
    if has_table_privilege('touchstone_app', v_table, 'select') then
      execute format('grant select on %s to touchstone_analyst', v_table);
    end if;
  end loop;
end
$$;

-- As before, and for tables to come: what requests may read, analysts may, in their scope (`verify` says where the two
-- have come apart; what requests may not read is taken from analysts again).
create or replace function app.protect(p_table text, p_customer text, p_expert text, p_others text[], p_tenant text default 'tenant_id') returns void language plpgsql as $$
declare
  v_tenant text := format('%I = (select app.tenant_id())', p_tenant);
  v_read text := v_tenant || format(
    ' and case (select app.scope_role()) when ''SERVICE'' then true when ''OPERATOR'' then %L'
    ' when ''ANALYST'' then %L when ''DISPATCHER'' then %L when ''CUSTOMER'' then (%s) when ''EXPERT'' then (%s) else false end',
    'OPERATOR' = any (p_others), 'ANALYST' = any (p_others), 'DISPATCHER' = any (p_others), p_customer, p_expert);
  v_write text := v_tenant || ' and (select app.scope_role()) = ''SERVICE''';
begin
  execute format('alter table %I enable row level security', p_table);
  execute format('alter table %I force row level security', p_table);
  execute format('create policy read_in_scope on %I for select to touchstone_app, touchstone_analyst using (%s)', p_table, v_read);
  execute format('create policy insert_as_service on %I for insert to touchstone_app with check (%s)', p_table, v_write);
  execute format('create policy update_as_service on %I for update to touchstone_app using (%s) with check (%s)', p_table, v_write, v_write);
  execute format('create policy delete_as_service on %I for delete to touchstone_app using (%s)', p_table, v_write);
  execute format('create policy system_all on %I to touchstone_system using (true) with check (true)', p_table);
  execute format('create policy analyst_scope on %I as restrictive for select to touchstone_analyst using ((select app.scope_role()) = ''ANALYST'')', p_table);
  execute format('grant select on %I to touchstone_analyst', p_table);
end
$$;

-- The scope of an analyst, for the rest of the transaction, and what cannot be set for a connection everywhere: not every
-- system can tell that a client has gone, and not every login may bound what it writes to disk.
create function app.enter_analyst(p_tenant bigint, p_actor bigint, p_temp_kilobytes int) returns int language plpgsql
as $$
begin
  perform app.enter_scope(p_tenant, 'ANALYST', p_actor, null, null);
  begin
    perform set_config('client_connection_check_interval', '500', true);
  exception when others then
    null;
  end;
  begin
    perform set_config('temp_file_limit', p_temp_kilobytes::text, true);
  exception when insufficient_privilege then
    null;
  end;
  return pg_backend_pid();
end
$$;
