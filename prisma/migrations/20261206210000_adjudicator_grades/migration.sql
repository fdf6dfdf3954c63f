-- An adjudication grades by what the adjudicator said, as far as the adjudicator is to be believed. (By what was most probable of all
-- answers three who agree on something wrong outvoted the adjudicator, rose by it, and had the one who was right paused: rule 11.)
set local role touchstone_owner;

create or replace function app.grade_adjudications(p_tenant bigint, p_tasks bigint[]) returns void language plpgsql as $$
declare
  v_done bigint[];
begin
  select coalesce(array_agg(j.task_id), '{}') into v_done
  from adjudications j join tasks t on t.tenant_id = p_tenant and t.id = j.task_id and t.state = 'DONE'
  where j.tenant_id = p_tenant and j.task_id = any (p_tasks);
  if v_done = '{}' then
    return;
  end if;
  insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
                        truth, answered, is_right, stated, graded_at, weight)
  select p_tenant, a.id, a.task_id, a.project_id, a.expert_id, p.skill_id, p.task_type_id, b.dimension, 'ADJUDICATION',
         b.label, coalesce(v.text_value, v.number_value::text),
         case when b.tolerance is null then coalesce(v.text_value, v.number_value::text) = b.label
              else abs(v.number_value - b.number) <= b.tolerance * (1 + 1e-9) + 1e-12 * abs(b.number) end,
         n.confidence, app.clock_now(), b.probability
  -- Of the adjudication itself, its one answer, by scores: what a project has chosen rests on agreement too.
  from app.task_best(p_tenant, v_done, false) b
  join adjudications j on j.tenant_id = p_tenant and j.task_id = b.task_id
  join answer_values v on v.tenant_id = p_tenant and v.task_id = j.parent_id and v.dimension = b.dimension
  join assignments a on a.tenant_id = p_tenant and a.id = v.assignment_id and a.state in ('SUBMITTED', 'ACCEPTED')
  join answers n on n.tenant_id = p_tenant and n.assignment_id = v.assignment_id
  join projects p on p.tenant_id = p_tenant and p.id = a.project_id
  on conflict do nothing;
end
$$;
