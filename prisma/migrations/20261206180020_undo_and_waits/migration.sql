-- A dismissal takes back all it can where one part of it cannot be; and adjudications of every project are looked at.
set local role touchstone_owner;

-- Takes back what followed by itself from a finding that means nothing, and the pauses that were made from it and still stand:
-- gradings that it made void count again, but for those that another finding which stands makes void too; a gold that was suspended
-- is given again, but for where another one has been given with its payload since: there it stays suspended. Gold that was retired stays
-- so: who knew it, or was thought to, may have told its answer. What a human has suspended counts no more than before.
create or replace function app.undo_finding(p_tenant bigint, p_actor bigint, p_finding bigint) returns jsonb language plpgsql as $$
declare
  v_finding gold_findings;
  v_gradings bigint[];
  v_resumed boolean := false;
  v_stays boolean := false;
  v_lifted integer := 0;
  v_pause record;
begin
  select * into strict v_finding from gold_findings f where f.tenant_id = p_tenant and f.id = p_finding;
  if v_finding.kind in ('LEAKED', 'UNHEALTHY', 'QUICK_ON_GOLD') then
    if v_finding.kind <> 'QUICK_ON_GOLD' then
      perform from golds o where o.tenant_id = p_tenant and o.task_id = v_finding.task_id for update;
    end if;
    v_gradings := array(
      select g.id from gradings g
      join voided_gradings v on v.tenant_id = g.tenant_id and v.grading_id = g.id
        and v.reason in ('UNHEALTHY', 'LEAKED')
      where g.tenant_id = p_tenant and g.kind = 'GOLD' and g.project_id = v_finding.project_id
        and case v_finding.kind when 'QUICK_ON_GOLD' then g.expert_id = any (v_finding.experts) else g.task_id = v_finding.task_id end
        and not exists (
          select from gold_findings o
          where o.tenant_id = p_tenant and o.id <> p_finding and o.project_id = g.project_id
            and (o.kind in ('LEAKED', 'UNHEALTHY') and o.task_id = g.task_id or o.kind = 'QUICK_ON_GOLD' and g.expert_id = any (o.experts))
            and not exists (select from finding_decisions d where d.tenant_id = p_tenant and d.finding_id = o.id and d.decision = 'DISMISSED'))
        and not exists (
          select from golds o where o.tenant_id = p_tenant and o.task_id = g.task_id and o.state = 'SUSPENDED' and o.reason <> 'UNHEALTHY'));
    insert into restored_gradings (tenant_id, grading_id, finding_id, reason, voided_at)
    select p_tenant, v.grading_id, p_finding, v.reason, v.at from voided_gradings v
    where v.tenant_id = p_tenant and v.grading_id = any (v_gradings)
    on conflict do nothing;
    delete from voided_gradings v where v.tenant_id = p_tenant and v.grading_id = any (v_gradings);
  end if;
  if v_finding.kind = 'UNHEALTHY' then
    -- Whoever gives the same payload at this moment has its row first, or waits for ours: golds_payload_once.
    begin
      update golds o set state = 'ACTIVE', ended_at = null, reason = null
      where o.tenant_id = p_tenant and o.task_id = v_finding.task_id and o.state = 'SUSPENDED' and o.reason = 'UNHEALTHY';
      v_resumed := found;
    exception when unique_violation then
      v_stays := true;
    end;
  end if;
  for v_pause in
    select distinct p.expert_id, p.skill_id from finding_decisions d
    join pauses p on p.tenant_id = d.tenant_id and p.expert_id = d.expert_id and p.resumed_at is null and p.paused_by = d.decided_by
      and p.reason = d.reason and p.paused_at between d.decided_at - interval '1 s' and d.decided_at
    where d.tenant_id = p_tenant and d.finding_id = p_finding and d.decision = 'PAUSED'
  loop
    perform app.resume_expert(p_tenant, p_actor, v_pause.expert_id, v_pause.skill_id);
    v_lifted := v_lifted + 1;
  end loop;
  return jsonb_build_object('goldResumed', v_resumed, 'goldStays', v_stays, 'resultsRestored', cardinality(coalesce(v_gradings, '{}')), 'pausesLifted', v_lifted);
end
$$;

-- Looks at adjudications that wait in running projects, of each project at those that wait longest, at most p_limit, and keeps of which
-- projects nobody may take some of them: the skill, not paused, at the bar of their lane and all else that it asks for (app.lanes_of),
-- and neither barred from the task nor from its customer. A wait ends only where its project was looked at. Answers of how many projects.
create or replace function app.watch_adjudications(p_limit integer) returns integer language plpgsql as $$
declare
  v_projects integer;
begin
  with waiting as materialized (
    select p.tenant_id, p.id as project_id, r.lane_id, r.task_id, r.excl, p.customer_id
    from projects p
    cross join lateral (
      select q.lane_id, q.task_id, q.excl from ready q
      where q.tenant_id = p.tenant_id and q.project_id = p.id and q.lane_id = p.adjudication_lane_id
        and exists (select from adjudications j where j.tenant_id = q.tenant_id and j.task_id = q.task_id)
      order by q.task_id
      limit p_limit
    ) r
    where p.state = 'RUNNING' and p.adjudication_lane_id is not null
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
