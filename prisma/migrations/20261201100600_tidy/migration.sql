-- What batches left without a caller goes; counts against caps cost the same however much an expert has done.
set local role touchstone_owner;

-- Submits post through app.post_earnings.
drop function app.post_earning(assignments, timestamptz);

-- A cap is set when its project is made and stays.
revoke update (max_per_expert) on projects from touchstone_app;

-- Counts claims against caps: of the day, and of projects that have one. The first claim that is counted reads what the
-- expert has taken before, for a cap may have come to be set since; every later one adds to that and reads nothing: the
-- history of an expert may be long. Called under the experts' own locks, so nobody else counts the same claim's first.
create or replace function app.count_taken(p_taken assignments[]) returns void language plpgsql as $$
begin
  insert into expert_days as d (tenant_id, expert_id, day, taken)
  select n.tenant_id, n.expert_id, n.day,
         case when n.is_counted then 1
              else (select count(*) from assignments a where a.tenant_id = n.tenant_id and a.expert_id = n.expert_id
                      and a.leased_at >= n.day::timestamp at time zone 'UTC') end
  from (
    select t.tenant_id, t.expert_id, c.day,
           exists (select from expert_days d where d.tenant_id = t.tenant_id and d.expert_id = t.expert_id and d.day = c.day) as is_counted
    from unnest(p_taken) t
    join experts x on x.tenant_id = t.tenant_id and x.id = t.expert_id and x.daily_cap is not null
    cross join lateral (select (t.leased_at at time zone 'UTC')::date as day) c
  ) n
  on conflict (tenant_id, expert_id, day) do update set taken = d.taken + 1;

  insert into tallies as y (tenant_id, expert_id, project_id, taken, is_full)
  select n.tenant_id, n.expert_id, n.project_id, n.taken, n.taken >= n.max_per_expert
  from (
    select t.tenant_id, t.expert_id, t.project_id, p.max_per_expert,
           case when exists (select from tallies y where y.tenant_id = t.tenant_id and y.expert_id = t.expert_id
                               and y.project_id = t.project_id) then 1
                else (select count(*) from assignments a where a.tenant_id = t.tenant_id and a.expert_id = t.expert_id
                        and a.project_id = t.project_id and a.state not in ('EXPIRED', 'RELEASED')) end as taken
    from unnest(p_taken) t
    join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
    where p.max_per_expert is not null
  ) n
  on conflict (tenant_id, expert_id, project_id) do update
    set taken = y.taken + 1, is_full = y.taken + 1 >= (select p.max_per_expert from projects p
                                                       where p.tenant_id = y.tenant_id and p.id = y.project_id);
end
$$;
