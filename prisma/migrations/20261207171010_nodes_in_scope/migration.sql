-- Which epoch the streams are in and which nodes live is nobody’s, so that a scope of any tenant is enough; none sees nothing, and
-- analysts see it in their scope alone, as everything that they may read.
set local role touchstone_owner;

do $$
declare
  v_table text;
begin
  foreach v_table in array array['stream_epoch', 'session_nodes'] loop
    execute format('alter table %I enable row level security', v_table);
    execute format('create policy read_in_scope on %I for select to touchstone_app, touchstone_analyst using ((select app.tenant_id()) is not null)', v_table);
    execute format('create policy analyst_scope on %I as restrictive for select to touchstone_analyst using ((select app.scope_role()) = ''ANALYST'')', v_table);
    execute format('create policy system_all on %I to touchstone_system using (true) with check (true)', v_table);
  end loop;
end
$$;
