-- Adjudications that nobody can be asked about are told of; and a customer says how many are opened for a project's first gold.
set local role touchstone_owner;

-- Finished tasks that may be sent to a stronger expert to make the first gold of a project that has none; the customer pays for
-- them as for any adjudication, and may say none.
alter table projects add first_gold_max smallint not null default 20 check (first_gold_max between 0 and 20);
grant update (first_gold_max) on projects to touchstone_app;

-- Projects of which adjudications wait and no expert may take them: as long as that is so.
create table adjudication_waits (
  tenant_id bigint not null,
  project_id bigint not null,
  customer_id bigint not null,
  -- How many, of those that were looked at, and what is asked of who takes them.
  tasks integer not null check (tasks >= 1),
  min_quality double precision not null,
  since timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, project_id)
);
do $$
begin
  perform app.protect('adjudication_waits', 'customer_id = (select app.customer_id())', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on adjudication_waits to touchstone_app, touchstone_system;
grant insert, update, delete on adjudication_waits to touchstone_system;

-- Told when it begins and when it ends, to staff and to the project's customer.
create function app.tell_wait() returns trigger language plpgsql as $$
declare
  v_wait adjudication_waits := case when tg_op = 'DELETE' then old else new end;
  v_kind text := case when tg_op = 'DELETE' then 'ADJUDICATIONS_GO_ON' else 'ADJUDICATIONS_WAIT' end;
  v_body jsonb := jsonb_build_object('projectId', v_wait.project_id)
    || case when tg_op = 'DELETE' then '{}' else jsonb_build_object('reason', 'NOBODY_REACHES_THE_BAR') end;
begin
  perform app.append_event(v_wait.tenant_id, 'quality/project/' || v_wait.project_id, v_kind, v_body, v_wait.customer_id, null);
  perform app.append_event(v_wait.tenant_id, 'quality/staff', v_kind, v_body, null, null);
  return null;
end
$$;
create trigger told after insert or delete on adjudication_waits for each row execute function app.tell_wait();

-- Looks at adjudications that wait in running projects, at most p_limit, and keeps of which projects nobody may take some of them: the
-- skill, not paused, at the bar of their lane and all else that it asks for (app.lanes_of), and neither barred from the task nor from
-- its customer. Answers of how many projects.
create function app.watch_adjudications(p_limit integer) returns integer language plpgsql as $$
declare
  v_projects integer;
begin
  with waiting as materialized (
    select r.tenant_id, r.project_id, r.lane_id, r.task_id, r.excl, p.customer_id
    from projects p
    join ready r on r.tenant_id = p.tenant_id and r.project_id = p.id and r.lane_id = p.adjudication_lane_id
    where p.state = 'RUNNING' and p.adjudication_lane_id is not null
      and exists (select from adjudications j where j.tenant_id = r.tenant_id and j.task_id = r.task_id)
    limit p_limit
  ), able as materialized (
    select l.tenant_id, l.id as lane_id, l.min_quality, array(
             select x.id from expert_skills s
             join experts x on x.tenant_id = s.tenant_id and x.id = s.expert_id and x.status = 'ACTIVE'
             where s.tenant_id = l.tenant_id and s.skill_id = l.skill_id and s.status in ('PROBATION', 'ACTIVE')
               and s.taken_for >= l.min_quality and l.languages <@ x.languages and l.tags <@ x.tags
               and (l.also_all = '{}' or not exists (
                 select from unnest(l.also_all) as a(skill_id)
                 where not exists (select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id
                                     and o.skill_id = a.skill_id and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min)))
               and (l.also_any = '{}' or exists (
                 select from expert_skills o where o.tenant_id = x.tenant_id and o.expert_id = x.id
                   and o.skill_id = any (l.also_any) and o.status in ('PROBATION', 'ACTIVE') and o.quality_lower >= l.also_min))
             limit 2000) as experts
    from (select distinct w.tenant_id, w.lane_id from waiting w) k
    join lanes l on l.tenant_id = k.tenant_id and l.id = k.lane_id
  ), stuck as materialized (
    select w.tenant_id, w.project_id, w.customer_id, count(*)::integer as tasks, max(a.min_quality) as min_quality
    from waiting w
    join able a on a.tenant_id = w.tenant_id and a.lane_id = w.lane_id
    where not exists (
      select from unnest(a.experts) as e(id)
      where not e.id = any (coalesce(w.excl, '{}'))
        and not exists (select from conflicts c where c.tenant_id = w.tenant_id and c.expert_id = e.id and c.customer_id = w.customer_id))
    group by w.tenant_id, w.project_id, w.customer_id
  ), ended as (
    delete from adjudication_waits o
    where not exists (select from stuck s where s.tenant_id = o.tenant_id and s.project_id = o.project_id)
  ), kept as (
    insert into adjudication_waits as o (tenant_id, project_id, customer_id, tasks, min_quality)
    select s.tenant_id, s.project_id, s.customer_id, s.tasks, s.min_quality from stuck s
    order by s.tenant_id, s.project_id
    on conflict (tenant_id, project_id) do update set tasks = excluded.tasks, min_quality = excluded.min_quality
      where (o.tasks, o.min_quality) is distinct from (excluded.tasks, excluded.min_quality)
  )
  select count(*)::integer into v_projects from stuck;
  return v_projects;
end
$$;

-- Sends the latest finished tasks of a project to adjudication, at most p_limit now and p_most, or what its customer allows, in all;
-- answers how many. Only of running projects with a redundancy policy, whose adjudications have a lane. Whoever has the
-- project or a task in hand is left alone.
create or replace function app.adjudicate_for_gold(p_tenant bigint, p_project bigint, p_limit integer, p_most integer) returns integer language plpgsql as $$
declare
  v_tasks bigint[];
  v_most integer;
begin
  select least(p_most, p.first_gold_max) into v_most from projects p
  where p.tenant_id = p_tenant and p.id = p_project and p.state = 'RUNNING' and p.redundancy_policy is not null
    and p.adjudication_lane_id is not null
  for key share skip locked;
  if not found then
    return 0;
  end if;
  select coalesce(array_agg(k.id), '{}') into v_tasks from (
    select t.id from tasks t
    where t.tenant_id = p_tenant and t.project_id = p_project and t.state = 'DONE' and t.kind = 'WORK' and t.allow is null
      and not exists (select from adjudications j where j.tenant_id = p_tenant and j.parent_id = t.id)
    order by t.id desc
    limit greatest(0, least(p_limit, v_most - (
      select count(*) from task_decisions d where d.tenant_id = p_tenant and d.project_id = p_project and d.reason = 'FIRST_GOLD')::integer))
    for update skip locked
  ) k;
  -- Decided by nobody who could be asked, and not by the rule, which decides once for so many answers.
  insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
  select p_tenant, t.id, t.project_id, t.customer_id, t.counted, 'ADJUDICATE', 'FIRST_GOLD', 0, '[]'
  from tasks t where t.tenant_id = p_tenant and t.id = any (v_tasks);
  perform app.open_adjudications(p_tenant, v_tasks);
  return cardinality(v_tasks);
end
$$;
