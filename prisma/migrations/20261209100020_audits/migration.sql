-- How sure results are is held to truths that were drawn. A project whose gold is all minted has none, unless a share of what it is done with is
-- looked at by a stronger expert, drawn whatever its answers say.
set local role touchstone_owner;

alter table projects add column audit_share double precision not null default 0 check (audit_share between 0 and 0.2);
grant update (audit_share) on projects to touchstone_app;

-- Whether a task is among the share that is drawn: by its id alone, so that it is known of nobody's answer.
create function app.is_drawn(p_tenant bigint, p_task bigint, p_share double precision) returns boolean language sql immutable as $$
  select p_share > 0 and ('x' || substr(md5('audit ' || p_tenant || ' ' || p_task), 1, 8))::bit(32)::bigint / 4294967296.0 < p_share
$$;

create or replace function app.decide_tasks(p_tenant bigint, p_tasks bigint[])
returns table (task_id bigint, project_id bigint, customer_id bigint, answers smallint, next text, more smallint, reason text, results jsonb)
language sql stable as $$
  with due as materialized (
    select k.id, k.project_id, k.customer_id, k.counted, k.policy, k.policy ->> 'kind' as kind, least(l.first, l.most, r.reach) as least,
           least(l.most, r.reach) as most,
           not exists (
             select from assignments a
             join expert_skills x on x.tenant_id = p_tenant and x.expert_id = a.expert_id and x.skill_id = k.skill_id and x.status = 'ACTIVE'
             where a.tenant_id = p_tenant and a.task_id = k.id and a.state in ('SUBMITTED', 'ACCEPTED')) as is_unproven,
           k.allow is null and app.is_drawn(p_tenant, k.id, k.audit_share) as is_drawn
    from (
      select t.*, p.skill_id, p.audit_share, case when t.critical then app.critical_policy(p.redundancy_policy, p.redundancy) else p.redundancy_policy end as policy
      from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
      where t.tenant_id = p_tenant and t.id = any (p_tasks)
        and t.kind = 'WORK' and t.state = 'DONE' and t.counted = t.wanted and p.state = 'RUNNING'
        and not exists (select from task_decisions d where d.tenant_id = p_tenant and d.task_id = t.id
                          and d.answers = t.counted and d.decided_by is null)
    ) k
    cross join lateral (
      select case k.policy ->> 'kind' when 'FIXED' then (k.policy ->> 'answers')::integer
               when 'AGREE' then (k.policy ->> 'agree')::integer else (k.policy ->> 'min')::integer end as first,
             coalesce((k.policy ->> 'max')::integer, (k.policy ->> 'answers')::integer) as most
    ) l
    -- As many answers as a reserved task can get: of those it has not had yet.
    cross join lateral (
      select case when k.allow is not null then k.counted + (
        select count(distinct e.expert_id)::integer from unnest(k.allow) as e(expert_id)
        where not e.expert_id = any (coalesce(k.block, '{}'))
          and not exists (select from assignments a where a.tenant_id = p_tenant and a.task_id = k.id and a.expert_id = e.expert_id
                            and a.state not in ('EXPIRED', 'RELEASED'))) end as reach
    ) r
    where k.policy is not null
  ), posteriors as materialized (
    select q.* from app.task_posteriors(p_tenant, array(select due.id from due)) q
  ), counts as (
    select q.task_id, q.dimension, max(q.votes) as most, array_agg(q.probability) as probabilities, max(q.version_id) as version_id from posteriors q
    group by q.task_id, q.dimension
  ), heads as (
    select c.task_id, c.dimension, c.most, c.probabilities, b.label, b.probability, b.stated, c.version_id,
           (select count(*) from posteriors q where q.task_id = c.task_id and q.dimension = c.dimension and q.votes = c.most) > 1 as is_tied
    from counts c
    cross join lateral (
      select q.label, q.probability, q.stated from posteriors q join due on due.id = q.task_id
      where q.task_id = c.task_id and q.dimension = c.dimension and q.label is not null
      order by case when due.kind <> 'POSTERIOR' then q.votes end desc, round(q.probability::numeric, 12) desc, q.position limit 1
    ) b
    union all
    select n.task_id, n.dimension, n.most, app.as_classes(n.probability), b.value::text, b.probability,
           app.platt(n.intercept, n.slope, b.probability), n.version_id, n.is_tied
    from app.task_numbers(p_tenant, array(select due.id from due)) n
    join due on due.id = n.task_id
    cross join lateral (
      select case when due.kind = 'POSTERIOR' or n.is_tied then n.value else n.middle end as value,
             case when due.kind = 'POSTERIOR' or n.is_tied then n.probability else n.middle_probability end as probability
    ) b
  ), judged as materialized (
    select due.id, h.dimension, h.label, h.probability, h.stated, coalesce(i.method, 'GOLD_BAYES') as method, i.number as version,
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
             when due.kind <> 'POSTERIOR' then case
               when h.is_tied then 'TIE'
               when due.kind = 'AGREE' and h.most < (due.policy ->> 'agree')::integer then 'MAXIMUM_REACHED' end
             when h.probability >= greatest((due.policy ->> 'posterior')::double precision, coalesce(m.threshold, 0)) then null
             when due.counted >= due.most then 'MAXIMUM_REACHED'
             when not w.is_worth_it then 'NOT_WORTH_ITS_PRICE'
           end as unsettled
    from due
    join heads h on h.task_id = due.id
    left join stopping_models m on m.tenant_id = p_tenant and m.project_id = due.project_id and m.dimension = h.dimension
      and m.version_id is not distinct from h.version_id
    left join inference_versions i on i.tenant_id = p_tenant and i.id = h.version_id
    cross join lateral (
      select case when due.kind <> 'POSTERIOR' or jsonb_typeof(due.policy -> 'price') is distinct from 'object' or due.counted >= due.most then true
             else app.gain_of_more(h.probabilities, coalesce(m.next_accuracy, 0.8), due.most - due.counted)
                    * (due.policy -> 'price' ->> 'error')::double precision > (due.policy -> 'price' ->> 'answer')::double precision
             end as is_worth_it
    ) w
  ), joined as (
    select due.id, due.project_id, due.customer_id, due.counted, due.most, due.is_unproven, due.is_drawn,
           (case when due.counted < due.least then due.least - due.counted else coalesce(max(j.more), 0) end)::smallint as more,
           coalesce(min(j.unsettled) filter (where j.unsettled = 'MAXIMUM_REACHED'), min(j.unsettled)) as unsettled,
           coalesce(jsonb_agg(jsonb_build_object('dimension', j.dimension, 'label', j.label, 'probability', j.probability,
             'stated', j.stated, 'method', j.method, 'version', j.version) order by j.dimension) filter (where j.dimension is not null), '[]') as results
    from due left join judged j on j.id = due.id
    group by due.id, due.project_id, due.customer_id, due.counted, due.least, due.most, due.is_unproven, due.is_drawn
  ), settled as (
    -- Done on the word of newcomers alone: one more, and at the maximum a stronger expert.
    select o.*, o.more <= 0 and o.unsettled is null and o.is_unproven as is_alone,
           o.more <= 0 and o.unsettled is null and o.is_unproven and o.counted < o.most as goes_on,
           -- Done, and drawn beforehand to be looked at whatever its answers are.
           o.more <= 0 and o.unsettled is null and not o.is_unproven and o.is_drawn as is_audited
    from joined o
  )
  select s.id, s.project_id, s.customer_id, s.counted,
         case when s.more > 0 or s.goes_on then 'MORE' when s.unsettled is not null or s.is_alone or s.is_audited then 'ADJUDICATE' else 'STOP' end,
         (case when s.more > 0 then s.more when s.goes_on then 1 else 0 end)::smallint,
         case when s.is_alone then 'PROBATION_ALONE' when s.is_audited then 'AUDIT' when s.more <= 0 then s.unsettled end, s.results
  from settled s
$$;
