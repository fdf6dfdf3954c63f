-- When tasks that are out of sight come back: by the deadlines of batches too (app.bring_back; docs/decisions/0095).
set local role touchstone_owner;

-- Seconds to the next deadline of a project or of its open batches; null: there is none. 0 once the project's has passed.
create function app.seconds_left(p_project projects) returns double precision language sql stable as $$
  select case when least(p_project.deadline, b.next) is not null
              then greatest(0, extract(epoch from least(p_project.deadline, b.next) - app.clock_now())) end
  from (
    select min(b.deadline) as next from open_batches o
    join batches b on b.tenant_id = o.tenant_id and b.id = o.batch_id and b.deadline > app.clock_now()
    where o.tenant_id = p_project.tenant_id and o.project_id = p_project.id
  ) b
$$;

-- The last tick of a project's clock: one to two leases apart, at most an hour, closer near a deadline. In steps, so that the clock does not
-- slide as a deadline comes nearer.
create function app.tick_before(p_project projects) returns timestamptz language sql stable as $$
  select to_timestamp(floor(extract(epoch from app.clock_now()) / t.tick) * t.tick)
  from (
    select 5 * power(2, floor(log(2, (greatest(5, least(3600, 2 * p_project.lease_seconds, app.seconds_left(p_project) / 20)) / 5)::numeric))) as tick
  ) t
$$;
