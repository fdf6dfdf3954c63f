-- One look at the tasks of a batch of submits says whether anything follows: nothing does before a task has all it wanted.
set local role touchstone_owner;

-- Submits, and what follows from them for their tasks and for who answered.
create or replace function app.submit_all(p_tenant bigint, p_submissions app.submission[]) returns jsonb[] language plpgsql as $$
declare
  v_out jsonb[] := app.store_answers(p_tenant, p_submissions);
  v_work bigint[];
  v_adjudications bigint[];
begin
  select array_agg(distinct t.id) filter (where t.kind = 'WORK'), array_agg(distinct t.id) filter (where t.kind = 'ADJUDICATION')
  into v_work, v_adjudications
  from unnest(p_submissions) s
  join assignments a on a.tenant_id = p_tenant and a.id = s.assignment_id and a.expert_id = s.expert_id
  join tasks t on t.tenant_id = p_tenant and t.id = a.task_id and t.state = 'DONE';
  if v_work is not null then
    perform app.adapt_tasks(p_tenant, v_work);
  end if;
  if v_adjudications is not null then
    perform app.grade_adjudications(p_tenant, v_adjudications);
  end if;
  return v_out;
end
$$;
