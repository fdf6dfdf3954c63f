-- What is left of batches, kept as it comes: a forecast asks for a few rows of a batch, however many tasks it has and had (decision 99).
set local role touchstone_owner;

-- Tasks of batches by what they want and have. A fold: it can be thrown away and made anew (app.tally_anew).
create table task_tallies (
  tenant_id bigint not null,
  project_id bigint not null,
  batch_id bigint not null,
  customer_id bigint not null,
  kind text not null,
  state text not null,
  wanted smallint not null,
  counted smallint not null,
  tasks bigint not null,
  primary key (tenant_id, project_id, batch_id, kind, state, wanted, counted)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What has changed since, a few rows a statement: whoever asks adds both up, so nobody waits for the fold.
create table task_deltas (
  tenant_id bigint not null,
  project_id bigint not null,
  batch_id bigint not null,
  customer_id bigint not null,
  tasks integer not null,
  wanted smallint not null,
  counted smallint not null,
  kind text not null,
  state text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index task_deltas_by_batch on task_deltas (tenant_id, project_id, batch_id);

-- Batches of which something is open, or was until they are forecast next. moves: how often something of it was folded.
create table open_batches (
  tenant_id bigint not null,
  project_id bigint not null,
  batch_id bigint not null,
  customer_id bigint not null,
  moves bigint not null,
  primary key (tenant_id, project_id, batch_id),
  foreign key (tenant_id, batch_id) references batches (tenant_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

do $$
declare
  own_customer text := 'customer_id = (select app.customer_id())';
  staff text[] := array['OPERATOR', 'ANALYST'];
  t text;
begin
  foreach t in array array['task_tallies', 'task_deltas', 'open_batches'] loop
    perform app.protect(t, own_customer, 'false', staff);
    execute format('grant select on %I to touchstone_app', t);
    execute format('grant select, insert, update, delete on %I to touchstone_system', t);
  end loop;
end
$$;
create policy line_as_service on task_deltas to touchstone_line using (tenant_id = (select app.service_tenant()));
grant insert on task_deltas to touchstone_app, touchstone_line;

-- Notes what a statement has changed. Gold is in no batch.
create function app.note_opened() returns trigger language plpgsql as $$
begin
  insert into task_deltas (tenant_id, project_id, batch_id, customer_id, tasks, wanted, counted, kind, state)
  select n.tenant_id, n.project_id, n.batch_id, n.customer_id, count(*), n.wanted, n.counted, n.kind, n.state
  from opened n where n.batch_id is not null group by 1, 2, 3, 4, 6, 7, 8, 9;
  return null;
end
$$;
create trigger tallies after insert on tasks referencing new table as opened for each statement execute function app.note_opened();

create function app.note_changed() returns trigger language plpgsql as $$
begin
  insert into task_deltas (tenant_id, project_id, batch_id, customer_id, tasks, wanted, counted, kind, state)
  select c.tenant_id, c.project_id, c.batch_id, c.customer_id, sum(c.tasks), c.wanted, c.counted, c.kind, c.state
  from (select n.tenant_id, n.project_id, n.batch_id, n.customer_id, n.wanted, n.counted, n.kind, n.state, 1 as tasks from is_now n
        union all
        select o.tenant_id, o.project_id, o.batch_id, o.customer_id, o.wanted, o.counted, o.kind, o.state, -1 from was o) c
  where c.batch_id is not null
  group by 1, 2, 3, 4, 6, 7, 8, 9 having sum(c.tasks) <> 0;
  return null;
end
$$;
create trigger tallies_again after update on tasks referencing old table as was new table as is_now for each statement
  execute function app.note_changed();

-- Hours are folded of batches in which something has moved; what has not moved for as long as hours are kept is forgotten.
alter table hour_marks add due_at timestamptz(3);
drop index hour_marks_turn;
create index hour_marks_turn on hour_marks (looked_at) where due_at is not null;
create index hour_marks_idle on hour_marks (looked_at) where due_at is null;

-- What is at risk, and claims of a batch that came to nothing, by when.
create index forecasts_at_risk on forecasts (tenant_id, project_id) where at_risk;
create index assignments_lost on assignments (tenant_id, batch_id, ended_at) where state in ('EXPIRED', 'RELEASED');

-- Takes up to so many changes into the tallies, and notes their batches as open and their hours as due. One at a time; returns how many.
create function app.fold_tasks(p_rows integer) returns integer language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_folded integer;
begin
  -- The space of forecasts; its first is their turn.
  if not pg_try_advisory_xact_lock(x'7058'::integer, 2) then
    return 0;
  end if;
  with taken as materialized (
    delete from task_deltas d where d.ctid = any (array(select o.ctid from task_deltas o limit p_rows)) returning d.*
  ), kept as (
    insert into task_tallies as y (tenant_id, project_id, batch_id, customer_id, kind, state, wanted, counted, tasks)
    select t.tenant_id, t.project_id, t.batch_id, t.customer_id, t.kind, t.state, t.wanted, t.counted, sum(t.tasks)
    from taken t group by 1, 2, 3, 4, 5, 6, 7, 8 having sum(t.tasks) <> 0 order by 1, 2, 3, 5, 6, 7, 8
    on conflict (tenant_id, project_id, batch_id, kind, state, wanted, counted) do update set tasks = y.tasks + excluded.tasks
  ), moved as materialized (
    select distinct t.tenant_id, t.project_id, t.batch_id, t.customer_id from taken t
  ), opened as (
    insert into open_batches as o (tenant_id, project_id, batch_id, customer_id, moves)
    select m.tenant_id, m.project_id, m.batch_id, m.customer_id, 1 from moved m order by 1, 2, 3
    on conflict (tenant_id, project_id, batch_id) do update set moves = o.moves + 1
  ), due as (
    insert into hour_marks as h (tenant_id, batch_id, through, looked_at, due_at)
    select m.tenant_id, m.batch_id, v_now - interval '63 days', 'epoch', v_now from moved m order by 1, 2
    on conflict (tenant_id, batch_id) do update set due_at = excluded.due_at
      where h.due_at is null or h.due_at < v_now - interval '5 seconds'
  )
  select count(*) into v_folded from taken;
  return v_folded;
end
$$;

-- Counts all tasks of a tenant anew; null: of all. Nobody may write meanwhile.
create function app.tally_anew(p_tenant bigint) returns void language sql as $$
  lock table tasks in share mode;
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
revoke all on function app.tally_anew(bigint) from public;

-- Folds answers into the weeks of those who gave them: of at most so many batches in which something has moved, of each at most so many
-- answers, whoever was looked at longest ago first. Answers of the last ten seconds wait, for their transactions may not have ended.
-- Returns how many were folded.
create or replace function app.fold_hours(p_batches integer, p_answers integer) returns integer language plpgsql as $$
declare
  v_now timestamptz(3) := app.clock_now();
  v_oldest timestamptz(3) := v_now - interval '63 days';
  v_folded integer;
begin
  insert into hour_marks (tenant_id, batch_id, through, looked_at, due_at)
  select t.id, 0, v_oldest, 'epoch', 'infinity' from tenants t
  where not exists (select from hour_marks m where m.tenant_id = t.id and m.batch_id = 0)
  limit p_batches
  on conflict do nothing;
  with due as materialized (
    select m.tenant_id, m.batch_id, m.through from hour_marks m where m.due_at is not null
    order by m.looked_at limit p_batches for update skip locked
  ), answered as materialized (
    select d.batch_id, a.*, count(*) over (partition by d.tenant_id, d.batch_id) as found,
           max(a.submitted_at) over (partition by d.tenant_id, d.batch_id) as last
    from due d
    cross join lateral (
      select o.tenant_id, o.expert_id, o.leased_at, o.submitted_at from assignments o
      where o.tenant_id = d.tenant_id and o.batch_id = d.batch_id
        and o.submitted_at > greatest(d.through, v_oldest) and o.submitted_at <= v_now - interval '10 seconds'
      order by o.submitted_at limit p_answers
    ) a
  ), taken as materialized (
    -- Of a full page the last instant waits: it may have more answers than are on it.
    select * from answered a where a.found < p_answers or a.submitted_at < a.last
  ), moved as (
    -- No longer due where there is nothing new, and has not been for longer than a transaction takes.
    update hour_marks m set looked_at = v_now, through = greatest(m.through, coalesce(k.through, m.through)),
      due_at = case when m.due_at > v_now - interval '15 seconds' or k.through is not null or exists (
                      select from assignments o where o.tenant_id = d.tenant_id and o.batch_id = d.batch_id
                        and o.submitted_at > greatest(d.through, v_oldest))
                 then m.due_at end
    from due d
    left join (select t.tenant_id, t.batch_id, max(t.submitted_at) as through from taken t group by 1, 2) k
      on k.tenant_id = d.tenant_id and k.batch_id = d.batch_id
    where m.tenant_id = d.tenant_id and m.batch_id = d.batch_id
  ), hours as (
    select t.tenant_id, t.expert_id, h.hour,
           sum(least(extract(epoch from t.submitted_at), (h.hour + 1) * 3600) - greatest(extract(epoch from t.leased_at), h.hour * 3600)) as seconds
    from taken t
    cross join lateral generate_series(floor(extract(epoch from t.leased_at) / 3600)::bigint,
                                       floor(extract(epoch from t.submitted_at) / 3600)::bigint) as h(hour)
    group by 1, 2, 3
  ), weeks as (
    select h.tenant_id, h.expert_id, floor(h.hour / 168.0)::integer as week,
           jsonb_object_agg((h.hour % 168)::text, least(3600, round(h.seconds))) as seconds
    from hours h group by 1, 2, 3
  ), written as (
    insert into expert_weeks as w (tenant_id, expert_id, week, seconds, updated_at)
    select k.tenant_id, k.expert_id, k.week,
           array(select coalesce((k.seconds ->> s.place::text)::smallint, 0::smallint) from generate_series(0, 167) as s(place) order by s.place), v_now
    from weeks k
    order by 1, 2, 3
    on conflict (tenant_id, expert_id, week) do update set seconds = app.add_hours(w.seconds, excluded.seconds), updated_at = excluded.updated_at
  )
  select count(*) into v_folded from taken;
  delete from expert_weeks w where (w.tenant_id, w.expert_id, w.week) in (
    select o.tenant_id, o.expert_id, o.week from expert_weeks o where o.week < floor(extract(epoch from v_oldest) / 604800)::integer - 1 limit 1000);
  delete from hour_marks m where (m.tenant_id, m.batch_id) in (
    select o.tenant_id, o.batch_id from hour_marks o where o.due_at is null and o.looked_at < v_oldest order by o.looked_at limit 1000) and m.due_at is null;
  return v_folded;
end
$$;

-- What there is now.
do $$
declare
  t text;
  v_tables text[] := array['tasks', 'batches', 'forecasts', 'hour_marks', 'task_tallies', 'task_deltas', 'open_batches'];
begin
  foreach t in array v_tables loop
    execute format('alter table %I no force row level security', t);
  end loop;
  perform app.tally_anew(null);
  insert into hour_marks (tenant_id, batch_id, through, looked_at)
  select b.tenant_id, b.id, app.clock_now() - interval '63 days', 'epoch' from batches b where b.state = 'OPEN' on conflict do nothing;
  update hour_marks set due_at = case batch_id when 0 then 'infinity' else app.clock_now() end;
  foreach t in array v_tables loop
    execute format('alter table %I force row level security', t);
  end loop;
end
$$;
