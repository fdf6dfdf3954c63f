-- Row-level security and grants. Last, so that no table of the first migrations can be forgotten: the catalogue check
-- of `touchstone verify` fails for a table with a tenant and without these policies.
--
-- Reading: the tenant always; then by the role in scope. Writing: only in the SERVICE scope of the tenant, which our
-- own statements enter after authorisation. An unset scope matches nothing, for null equals nothing.
set local role touchstone_owner;

create function app.protect(p_table text, p_customer text, p_expert text, p_others text[], p_tenant text default 'tenant_id') returns void language plpgsql as $$
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
  execute format('create policy read_in_scope on %I for select to touchstone_app using (%s)', p_table, v_read);
  execute format('create policy insert_as_service on %I for insert to touchstone_app with check (%s)', p_table, v_write);
  execute format('create policy update_as_service on %I for update to touchstone_app using (%s) with check (%s)', p_table, v_write, v_write);
  execute format('create policy delete_as_service on %I for delete to touchstone_app using (%s)', p_table, v_write);
  execute format('create policy system_all on %I to touchstone_system using (true) with check (true)', p_table);
end
$$;

do $$
declare
  own_customer text := 'customer_id = (select app.customer_id())';
  own_expert text := 'expert_id = (select app.expert_id())';
  staff text[] := array['OPERATOR', 'ANALYST'];
  held_task text := 'exists (select from assignments a where a.tenant_id = %1$I.tenant_id and a.%2$I = %1$I.id and a.expert_id = (select app.expert_id()))';
begin
  perform app.protect('tenants', 'true', 'true', array['OPERATOR', 'ANALYST', 'DISPATCHER'], 'id');
  perform app.protect('customers', 'id = (select app.customer_id())', 'false', staff);
  perform app.protect('experts', 'false', 'id = (select app.expert_id())', array['OPERATOR', 'ANALYST', 'DISPATCHER']);
  perform app.protect('identities', 'id = (select app.actor_id())', 'id = (select app.actor_id())', array['OPERATOR']);
  perform app.protect('identity_roles', 'identity_id = (select app.actor_id())', 'identity_id = (select app.actor_id())', array['OPERATOR']);
  perform app.protect('skills', 'true', 'true', array['OPERATOR', 'ANALYST', 'DISPATCHER']);
  perform app.protect('expert_skills', 'false', own_expert, array['OPERATOR', 'ANALYST', 'DISPATCHER']);
  perform app.protect('task_types', 'customer_id is null or ' || own_customer,
    'exists (select from assignments a join projects p on p.tenant_id = a.tenant_id and p.id = a.project_id'
    ' where a.tenant_id = task_types.tenant_id and p.task_type_id = task_types.id and a.expert_id = (select app.expert_id()))', staff);
  perform app.protect('lanes', 'false', 'false', staff);
  perform app.protect('projects', own_customer, format(held_task, 'projects', 'project_id'), staff);
  perform app.protect('batches', own_customer, 'false', staff);
  perform app.protect('batch_errors', own_customer, 'false', staff);
  perform app.protect('tasks', own_customer, format(held_task, 'tasks', 'task_id'), staff);
  perform app.protect('flows', 'false', 'false', staff);
  perform app.protect('ready', 'false', 'false', staff);
  perform app.protect('ready_directed', 'false', 'false', staff);
  perform app.protect('assignments', own_customer, own_expert, staff);
  perform app.protect('answers', own_customer, own_expert, staff);
  perform app.protect('answer_values', own_customer, own_expert, staff);
  perform app.protect('drafts', 'false', own_expert, '{}');
  perform app.protect('lease_alarms', 'false', 'false', '{}');
  perform app.protect('task_flags', own_customer, own_expert, staff);
  perform app.protect('payload_grants', 'false', 'false', '{}');
  perform app.protect('access_log', 'false', 'false', array['OPERATOR']);
  perform app.protect('postings', 'false', 'false', staff);
  perform app.protect('ledger_lines', 'owner_kind = ''CUSTOMER'' and owner_id = (select app.customer_id())',
    'owner_kind = ''EXPERT'' and owner_id = (select app.expert_id())', staff);
  perform app.protect('ledger_entries', 'owner_kind = ''CUSTOMER'' and owner_id = (select app.customer_id())',
    'owner_kind = ''EXPERT'' and owner_id = (select app.expert_id())', staff);
  perform app.protect('ledger_stamps', 'false', 'false', staff);
  perform app.protect('ledger_outbox', 'false', 'false', staff);
  perform app.protect('payouts', own_customer, own_expert, staff);
  perform app.protect('streams', 'false', 'false', array['OPERATOR']);
  perform app.protect('stream_events', own_customer, own_expert, array['OPERATOR']);
  perform app.protect('forecasts', own_customer, 'false', staff);
end
$$;

-- Permanent facts: inserted and read. Nobody may truncate; only what is listed may be updated or deleted.
-- Partitions are reached through their parent only, whose policies then hold.
do $$
declare
  t text;
begin
  for t in
    select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and pg_get_userbyid(c.relowner) = 'touchstone_owner'
  loop
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
  end loop;
end
$$;
revoke select on stream_epoch from touchstone_app;
grant insert on tenants, customers, experts, identities, identity_roles, skills, expert_skills, task_types, lanes, projects,
  batches, batch_errors, tasks, flows, ready, ready_directed, assignments, answers, answer_values, drafts, lease_alarms,
  task_flags, payload_grants, access_log, postings, ledger_lines, ledger_outbox, payouts, stream_events
  to touchstone_app;
-- (Row locks need the right to update a column; the columns listed for experts and projects are the ones that change.)
grant update (status) on experts to touchstone_app;
grant update (display_name) on identities to touchstone_app;
grant update (status, quality_mean, quality_lower, updated_at) on expert_skills to touchstone_app;
grant update (name, deadline, weight, lease_seconds, state, cancel_policy, cancelled_at) on projects to touchstone_app;
grant update on batches, flows, ready, assignments, drafts, lease_alarms to touchstone_app;
grant update (counted, state, done_at, wanted) on tasks to touchstone_app;
grant delete on ready, ready_directed, drafts, lease_alarms, identity_roles to touchstone_app;

-- Background work: alarms end leases, the sequencer numbers, storing opens tasks, risk forecasts are kept.
grant insert on tenants, batch_errors, tasks, flows, ready, ready_directed, stream_events, streams, ledger_stamps, ledger_entries, forecasts
  to touchstone_system;
grant update on assignments, ready, lease_alarms, batches, flows, streams, stream_events, forecasts to touchstone_system;
grant update (counted, state, done_at) on tasks to touchstone_system;
grant update (state) on projects to touchstone_system;
grant update (posting_id) on ledger_outbox to touchstone_system;
grant delete on ready, ready_directed, lease_alarms, ledger_outbox, stream_events, payload_grants to touchstone_system;
