-- What is due of a tenant is taken in the order of how pressing it is, and no more in that of time alone. See decision 156.
set local role touchstone_owner;

-- What waits longest to be assigned, and what is due first of each priority.
create index jobs_to_assign on jobs (tenant_id, state, assign_at, id) where assign_at is not null;
create index jobs_pressing on jobs (tenant_id, state, priority, due_by, assign_at) where assign_at is not null;
drop index jobs_to_open, jobs_to_try_again;

-- How pressing a job is, least is most: the seconds that are left of a job of priority 5, of one of priority 10 half of them; the score
-- weighs slack by the same. What cannot be begun in time any more costs a statement and is told at once.
create function app.pressing(p_job jobs) returns double precision language sql stable as $$
  select greatest(0, extract(epoch from (p_job).due_by - app.clock_now())::float8) * 5 / (p_job).priority
$$;

-- The most pressing jobs of a tenant that are to be assigned by now, at most p_limit that nobody was looked for yet and as many that it was
-- in vain (again). Where more wait than that, it is chosen among those that wait longest and, of each priority, those that are due
-- first within the day: p_limit each, whatever waits. (What is due later has not waited for long, or is among the former.)
create function app.due_jobs_of(p_tenant bigint, p_limit integer) returns table (id bigint, turn bigint, again integer) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_state text;
  v_ids bigint[];
begin
  foreach v_state in array array['OPEN', 'UNASSIGNED_ALERT']
  loop
    v_ids := array(
      select j.id from jobs j
      where j.tenant_id = p_tenant and j.state = v_state and j.assign_at is not null and j.assign_at <= app.clock_now()
      order by j.assign_at, j.id limit p_limit);
    continue when cardinality(v_ids) = 0;
    if cardinality(v_ids) = p_limit then
      v_ids := v_ids || array(
        select d.id from generate_series(1, 10) as p(priority)
        cross join lateral (
          select j.id from jobs j
          where j.tenant_id = p_tenant and j.state = v_state and j.priority = p.priority and j.assign_at is not null
            and j.due_by <= app.clock_now() + interval '1 day' and j.assign_at <= app.clock_now()
          order by j.due_by limit p_limit
        ) d);
    end if;
    return query
      select j.id, row_number() over (order by app.pressing(j), j.assign_at, j.id), (v_state <> 'OPEN')::int
      from jobs j where j.tenant_id = p_tenant and j.id = any (v_ids)
      order by 2 limit p_limit;
  end loop;
end
$$;
