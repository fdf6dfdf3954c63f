-- No task of a project with a redundancy policy is done on the word of experts on probation alone.
set local role touchstone_owner;

-- What is to become of tasks that have all the answers they wanted: services/quality/redundancy/decide.ts, dimension by
-- dimension. A task goes on while one of its dimensions does; where none does, it is adjudicated if one has to be, and if
-- nobody among those who answered is past probation, it goes on by one, or is adjudicated at the maximum. Tasks
-- reserved for named experts and adjudications have what they were opened with.
create or replace function app.decide_tasks(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, project_id bigint, customer_id bigint, answers smallint, next text, more smallint, reason text, results jsonb)
language sql stable as $$
  with due as materialized (
    select t.id, t.project_id, t.customer_id, t.counted, p.redundancy_policy as policy, p.redundancy_policy ->> 'kind' as kind,
           case p.redundancy_policy ->> 'kind' when 'FIXED' then (p.redundancy_policy ->> 'answers')::integer
             when 'AGREE' then (p.redundancy_policy ->> 'agree')::integer else (p.redundancy_policy ->> 'min')::integer end as least,
           coalesce((p.redundancy_policy ->> 'max')::integer, (p.redundancy_policy ->> 'answers')::integer) as most,
           not exists (
             select from assignments a
             join expert_skills x on x.tenant_id = p_tenant and x.expert_id = a.expert_id and x.skill_id = p.skill_id and x.status = 'ACTIVE'
             where a.tenant_id = p_tenant and a.task_id = t.id and a.state in ('SUBMITTED', 'ACCEPTED')) as is_unproven
    from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
    where t.tenant_id = p_tenant and t.id = any (p_tasks)
      and t.kind = 'WORK' and t.state = 'DONE' and t.counted = t.wanted and t.allow is null
      and p.redundancy_policy is not null and p.state = 'RUNNING'
      and not exists (select from task_decisions d where d.tenant_id = p_tenant and d.task_id = t.id
                        and d.answers = t.counted and d.decided_by is null)
  ), posteriors as materialized (
    select q.* from app.task_posteriors(p_tenant, array(select due.id from due)) q
  ), counts as (
    select q.task_id, q.dimension, max(q.votes) as most, array_agg(q.probability) as probabilities from posteriors q
    group by q.task_id, q.dimension
  ), heads as (
    select c.*, (select count(*) from posteriors q where q.task_id = c.task_id and q.dimension = c.dimension and q.votes = c.most) as leaders,
           b.label, b.probability
    from counts c
    cross join lateral (
      select q.label, q.probability from posteriors q join due on due.id = q.task_id
      where q.task_id = c.task_id and q.dimension = c.dimension and q.label is not null
      order by case when due.kind <> 'POSTERIOR' then q.votes end desc, round(q.probability::numeric, 12) desc, q.position limit 1
    ) b
  ), judged as materialized (
    select due.id, h.dimension, h.label, h.probability,
           case when m.threshold is null then h.probability
                else 1 / (1 + exp(-(m.intercept + m.slope * ln(g.p / (1 - g.p))))) end as stated,
           case
             when due.kind = 'AGREE' and h.most < (due.policy ->> 'agree')::integer and due.counted < due.most
               then least(due.most - due.counted, (due.policy ->> 'agree')::integer - h.most)
             when due.kind <> 'POSTERIOR' then 0
             when h.probability >= greatest((due.policy ->> 'posterior')::double precision, coalesce(m.threshold, 0)) then 0
             when due.counted >= due.most then 0
             when w.is_worth_it then 1
             else 0
           end as more,
           case
             when due.kind <> 'POSTERIOR' then case when h.leaders > 1 then 'TIE' end
             when h.probability >= greatest((due.policy ->> 'posterior')::double precision, coalesce(m.threshold, 0)) then null
             when due.counted >= due.most then 'MAXIMUM_REACHED'
             when not w.is_worth_it then 'NOT_WORTH_ITS_PRICE'
           end as unsettled
    from due
    join heads h on h.task_id = due.id
    left join stopping_models m on m.tenant_id = p_tenant and m.project_id = due.project_id and m.dimension = h.dimension
    cross join lateral (select least(0.99, greatest(0.01, h.probability)) as p) g
    cross join lateral (
      select case when due.kind <> 'POSTERIOR' or jsonb_typeof(due.policy -> 'price') is distinct from 'object' or due.counted >= due.most then true
             else app.gain_of_more(h.probabilities, coalesce(m.next_accuracy, 0.8), due.most - due.counted)
                    * (due.policy -> 'price' ->> 'error')::double precision > (due.policy -> 'price' ->> 'answer')::double precision
             end as is_worth_it
    ) w
  ), joined as (
    select due.id, due.project_id, due.customer_id, due.counted, due.most, due.is_unproven,
           (case when due.counted < due.least then due.least - due.counted else coalesce(max(j.more), 0) end)::smallint as more,
           coalesce(min(j.unsettled) filter (where j.unsettled = 'MAXIMUM_REACHED'), min(j.unsettled)) as unsettled,
           coalesce(jsonb_agg(jsonb_build_object('dimension', j.dimension, 'label', j.label, 'probability', j.probability,
             'stated', j.stated) order by j.dimension) filter (where j.dimension is not null), '[]') as results
    from due left join judged j on j.id = due.id
    group by due.id, due.project_id, due.customer_id, due.counted, due.least, due.most, due.is_unproven
  ), settled as (
    -- Done on the word of newcomers alone: one more, and at the maximum a stronger expert.
    select o.*, o.more <= 0 and o.unsettled is null and o.is_unproven as is_alone,
           o.more <= 0 and o.unsettled is null and o.is_unproven and o.counted < o.most as goes_on
    from joined o
  )
  select s.id, s.project_id, s.customer_id, s.counted,
         case when s.more > 0 or s.goes_on then 'MORE' when s.unsettled is not null or s.is_alone then 'ADJUDICATE' else 'STOP' end,
         (case when s.more > 0 then s.more when s.goes_on then 1 else 0 end)::smallint,
         case when s.is_alone then 'PROBATION_ALONE' when s.more <= 0 then s.unsettled end, s.results
  from settled s
$$;
