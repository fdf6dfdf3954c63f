-- The line's own role. Its batches (app.serve) run in the SERVICE scope of one tenant, and only there; for touchstone_app
-- every look at a table carries the conditions of all scopes with it, and to set them up anew for each of a batch's
-- thirty statements cost 1.2 of the 2.5 ms of a claim by itself, 0.7 of the 1.6 ms of a submit.
do $$
declare
  v_login text;
begin
  if not exists (select from pg_roles where rolname = 'touchstone_line') then
    begin
      create role touchstone_line nologin nobypassrls;
    exception when duplicate_object or unique_violation then
      null; -- another database of this cluster is being migrated at the same moment
    end;
  end if;
  if not pg_has_role(current_user, 'touchstone_line', 'usage') then
    execute format('grant touchstone_line to %I', current_user);
  end if;
  -- Whoever serves requests runs the line.
  for v_login in
    select m.member::regrole::text from pg_auth_members m
    where m.roleid = 'touchstone_app'::regrole and not pg_has_role(m.member, 'touchstone_line', 'member')
  loop
    execute format('grant touchstone_line to %s', v_login);
  end loop;
end
$$;
grant usage on schema public to touchstone_line;

set local role touchstone_owner;
grant usage on schema app to touchstone_line;

-- The tenant of a SERVICE scope; null in any other, and null sees nothing.
create function app.service_tenant() returns bigint language sql stable parallel safe
as $$ select case when current_setting('app.role', true) = 'SERVICE' then nullif(current_setting('app.tenant', true), '')::bigint end $$;

do $$
declare
  t text;
begin
  foreach t in array array['experts', 'expert_skills', 'lanes', 'projects', 'tasks', 'flows', 'ready', 'ready_directed',
    'assignments', 'answers', 'answer_values', 'drafts', 'lease_alarms', 'task_flags', 'payload_grants', 'access_log', 'postings',
    'ledger_lines', 'ledger_outbox', 'payouts', 'stream_events', 'conflicts', 'tallies', 'expert_days']
  loop
    execute format('create policy line_as_service on %I to touchstone_line using (tenant_id = (select app.service_tenant()))', t);
    execute format('grant select on %I to touchstone_line', t);
  end loop;
end
$$;
-- (Row locks need the right to update a column.)
grant update (status) on experts to touchstone_line;
grant update (state) on projects to touchstone_line;
grant update (low_untouched, low_begun, seen_untouched, seen_begun) on lanes to touchstone_line;
grant update (counted, state, done_at) on tasks to touchstone_line;
grant insert, update on ready, assignments, drafts, lease_alarms, tallies, expert_days to touchstone_line;
grant delete on ready, ready_directed, drafts, lease_alarms to touchstone_line;
grant insert on ready_directed, answers, answer_values, payload_grants, access_log, postings, ledger_lines, ledger_outbox, payouts,
  stream_events to touchstone_line;
grant usage on sequence postings_id_seq to touchstone_line;

-- A posting's rows are written in one statement with its number, and stay as they are: to look the posting up again for
-- each of them, and to lock it, proved nothing. `verify` looks for what refers to no posting.
alter table ledger_lines drop constraint ledger_lines_tenant_id_posting_id_fkey;
alter table payouts drop constraint payouts_tenant_id_posting_id_fkey;
-- The tenant of a scope exists: nothing deletes one.
alter table postings drop constraint postings_tenant_id_fkey;
