-- What of a forecast subscribers were last told, so that what changes by little at a time is told too; and what its rate was seen by.
set local role touchstone_owner;

alter table forecasts
  add told jsonb,
  add observed bigint check (observed >= 0),
  add window_seconds double precision check (window_seconds > 0);

-- By how much the possible futures differed then: that is in every forecast by hours, and no fault of it.
alter table forecast_marks add capacity_spread double precision check (capacity_spread >= 0);

-- LAPSED: no judging renewed it.
alter table project_lifts
  drop constraint project_lifts_end_reason_check,
  add constraint project_lifts_end_reason_check check (end_reason in ('ON_TRACK', 'POLICY', 'LATE', 'LAPSED'));

-- Counts all tasks of a tenant anew; null: of all. Nobody may write or fold meanwhile. For a superuser: row-level security holds for all others.
create or replace function app.tally_anew(p_tenant bigint) returns void language sql as $$
  lock table tasks in share mode;
  select pg_advisory_xact_lock(x'7058'::integer, 2);
  delete from task_deltas d where p_tenant is null or d.tenant_id = p_tenant;
  delete from task_tallies y where p_tenant is null or y.tenant_id = p_tenant;
  insert into task_tallies (tenant_id, project_id, batch_id, customer_id, kind, state, wanted, counted, tasks)
  select t.tenant_id, t.project_id, t.batch_id, t.customer_id, t.kind, t.state, t.wanted, t.counted, count(*)
  from tasks t where (p_tenant is null or t.tenant_id = p_tenant) and t.batch_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8;
  insert into open_batches (tenant_id, project_id, batch_id, customer_id, moves)
  select b.tenant_id, b.project_id, b.id, b.customer_id, 1 from batches b
  where (p_tenant is null or b.tenant_id = p_tenant)
    and (exists (select from task_tallies y
                 where y.tenant_id = b.tenant_id and y.project_id = b.project_id and y.batch_id = b.id and y.state = 'OPEN')
         or not exists (select from forecasts f where f.tenant_id = b.tenant_id and f.batch_id = b.id and f.remaining = 0))
  on conflict do nothing;
$$;
