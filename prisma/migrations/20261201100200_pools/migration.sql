-- Pools: what waits and who is there for it, by skill and task type, as last measured.
set local role touchstone_owner;

create table pools (
  tenant_id bigint not null,
  id bigint generated always as identity,
  skill_id bigint not null,
  task_type_id bigint not null,
  queue_depth integer not null check (queue_depth >= 0),
  open_answers bigint not null check (open_answers >= queue_depth),
  oldest_open_at timestamptz(3),
  computed_at timestamptz(3) not null,
  primary key (tenant_id, id),
  unique (tenant_id, skill_id, task_type_id),
  foreign key (tenant_id, skill_id) references skills (tenant_id, id),
  foreign key (tenant_id, task_type_id) references task_types (tenant_id, id),
  check ((queue_depth = 0) = (oldest_open_at is null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Experts and pressure are a skill's, whatever the task type.
create table skill_pools (
  tenant_id bigint not null,
  skill_id bigint not null,
  queue_depth integer not null check (queue_depth >= 0),
  open_answers bigint not null,
  oldest_open_at timestamptz(3),
  -- Who was at work in the last half hour, and who could be: unpaused, and qualified for some of it.
  experts_available integer not null,
  experts_qualified integer not null check (experts_qualified >= experts_available),
  seconds_per_answer double precision not null check (seconds_per_answer > 0),
  capacity_per_hour double precision not null check (capacity_per_hour >= 0),
  pressure double precision not null check (pressure between 0 and 1000000),
  computed_at timestamptz(3) not null,
  -- What subscribers were last told, and what deadlines were last weighed against.
  told_depth integer not null default 0,
  told_pressure double precision not null default 0,
  balanced_capacity double precision not null default 0,
  balanced_at timestamptz(3),
  primary key (tenant_id, skill_id),
  foreign key (tenant_id, skill_id) references skills (tenant_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

do $$
begin
  perform app.protect('pools', 'false', 'false', array['OPERATOR', 'ANALYST']);
  perform app.protect('skill_pools', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on pools, skill_pools to touchstone_app, touchstone_system;
grant insert, update on pools, skill_pools to touchstone_system;
grant update (balanced_capacity, balanced_at) on skill_pools to touchstone_app;

-- Sets a flow's next rows close again at its present weight, from the lane's virtual time on: after a lift has ended, for
-- else the flow would wait until the lane has come to where its rows stood before; and after its weight was raised. Rows
-- only move forward, at most p_limit of them. True once the rows behind them stand where they belong: nothing is left to
-- do in later rounds.
create function app.close_ranks(p_tenant bigint, p_lane bigint, p_project bigint, p_limit integer) returns boolean language plpgsql as $$
declare
  v_start bigint := app.lane_head(p_tenant, p_lane);
  v_weight double precision;
  v_done boolean;
  v_count integer;
begin
  perform from flows f where f.tenant_id = p_tenant and f.lane_id = p_lane and f.project_id = p_project for no key update;
  select p.weight into strict v_weight from projects p where p.tenant_id = p_tenant and p.id = p_project;
  with next as materialized (
    select r.task_id, r.tag, r.need from ready r
    where r.tenant_id = p_tenant and r.project_id = p_project and r.phase = 0
    order by r.tag, r.task_id limit 2 * p_limit
  ), placed as materialized (
    select n.task_id, n.tag, row_number() over w as place, n.need * 1000 / v_weight as step,
           v_start + ((sum(n.need) over w - n.need) * 1000 / v_weight)::bigint as target
    from next n window w as (order by n.tag, n.task_id)
  ), locked as materialized (
    select r.task_id from ready r
    where r.tenant_id = p_tenant and r.task_id in (select p.task_id from placed p where p.place <= p_limit and p.target < p.tag)
    for update skip locked
  ), moved as (
    update ready r set tag = p.target from placed p join locked l on l.task_id = p.task_id
    where r.tenant_id = p_tenant and r.task_id = p.task_id
    returning 1
  )
  select coalesce((select p.tag <= p.target + 2 * p.step from placed p order by p.place desc limit 1), true),
         (select count(*) from moved)
  into v_done, v_count;
  if v_count > 0 then
    perform app.lower_marks(p_tenant, p_lane, v_start);
  end if;
  if v_done then
    update flows f set lifted_until = null
    where f.tenant_id = p_tenant and f.lane_id = p_lane and f.project_id = p_project and f.lift = 1;
  end if;
  return v_done;
end
$$;
