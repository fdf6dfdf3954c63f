-- A worker is told who was given the trace of which job of theirs, and why: in a list and in a stream of their own. See decision 155.
set local role touchstone_owner;

-- In which role they asked.
alter table trace_exports add column role text check (role in ('DISPATCHER', 'OPERATOR'));
alter table trace_exports no force row level security;
alter table access_log no force row level security;
alter table trace_exports disable trigger permanent;
update trace_exports t set role = l.role from access_log l where l.tenant_id = t.tenant_id and l.id = t.access_log_id;
alter table trace_exports enable trigger permanent;
alter table access_log force row level security;
alter table trace_exports force row level security;
alter table trace_exports alter column role set not null;

-- In the transaction that gives it: nobody is given a trace of which its worker is not told.
create function app.tell_trace_export() returns trigger language plpgsql as $$
begin
  perform app.append_event(new.tenant_id, 'trace/expert/' || new.expert_id, 'EXPORTED',
    jsonb_build_object('exportId', new.id, 'jobId', new.job_id, 'exportedBy', new.exported_by, 'role', new.role, 'reason', new.reason,
      'fromAt', new.from_at, 'toAt', new.to_at, 'fixes', new.fixes), null, new.expert_id);
  return null;
end
$$;
create trigger told after insert on trace_exports for each row execute function app.tell_trace_export();
