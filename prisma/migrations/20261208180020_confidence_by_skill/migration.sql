-- A stated confidence says how much surer than usual an expert is; how often they are right in a skill only its gold says. What was calibrated
-- where they are right nearly always had taken the place of what was measured where they guess.
set local role touchstone_owner;

-- A probability moved by so many nats of log-odds.
create function app.surer(p double precision, p_nats double precision) returns double precision language sql immutable as $$
  select case when p_nats = 0 then p else 1 / (1 + exp(-(ln(g.p / (1 - g.p)) + p_nats))) end
  from (select least(0.99, greatest(0.01, p)) as p) g
$$;

create or replace function app.task_votes(p_tenant bigint, p_tasks bigint[], p_numbers boolean, p_chosen boolean)
returns table (task_id bigint, dimension text, scale text, declared jsonb, tolerance double precision, label text,
               number double precision, accuracy double precision, matrix jsonb, project_id bigint, version_id bigint)
language sql stable as $$
  with sources as (
    select k.id as task_id, k.id as source_id from unnest(p_tasks) as k(id)
    union all
    select j.parent_id, j.task_id from adjudications j where j.tenant_id = p_tenant and j.parent_id = any (p_tasks)
  )
  select o.task_id, d.name, d.scale, d.declared, d.tolerance, coalesce(v.text_value, v.number_value::text),
         -- Beyond this a square could not be written down.
         least(1e100, greatest(-1e100, v.number_value)),
         least(0.99, greatest(0.01, case when i.is_frozen then coalesce(w.accuracy, i.accuracy)
                                         else app.surer(coalesce(s.mean, x.quality_mean, 0.8), coalesce(c.surer, 0)) end)),
         case when i.is_frozen then case when w.expert_id is null then i.matrix else w.matrix end
              when c.surer is null then s.matrices -> d.name end,
         p.id, i.id
  from sources o
  join tasks t on t.tenant_id = p_tenant and t.id = o.source_id
  join projects p on p.tenant_id = p_tenant and p.id = t.project_id
  join task_types y on y.tenant_id = p_tenant and y.id = p.task_type_id
  cross join lateral (
    select e ->> 'name' as name, coalesce(e -> 'values', '[]') as declared, f.tolerance,
           case when e ->> 'scale' = 'interval' and f.tolerance is null then 'nominal' else e ->> 'scale' end as scale
    from jsonb_array_elements(y.dimensions::jsonb) e
    cross join lateral (select app.tolerance_of(e) as tolerance) f
    where (f.tolerance is not null) = p_numbers
  ) d
  join answer_values v on v.tenant_id = p_tenant and v.task_id = o.source_id and v.dimension = d.name
  join assignments a on a.tenant_id = p_tenant and a.id = v.assignment_id and a.state in ('SUBMITTED', 'ACCEPTED')
  join answers n on n.tenant_id = p_tenant and n.assignment_id = v.assignment_id
  left join quality_scores s on s.tenant_id = p_tenant and s.expert_id = v.expert_id and s.skill_id = p.skill_id
    and s.task_type_id = p.task_type_id
  left join expert_skills x on x.tenant_id = p_tenant and x.expert_id = v.expert_id and x.skill_id = p.skill_id
  left join lateral (
    select k.intercept + k.slope * ln(g.p / (1 - g.p)) - ln(g.usual / (1 - g.usual)) as surer
    from confidence_calibrations k
    cross join lateral (select least(0.99, greatest(0.01, n.confidence::double precision)) as p,
                               least(0.98, greatest(0.02, k.actual)) as usual) g
    where k.tenant_id = p_tenant and k.expert_id = v.expert_id and k.use = 'USABLE' and n.confidence is not null
  ) c on true
  left join lateral (
    select r.id, r.accuracy, r.matrix, p_chosen and r.accuracy is not null as is_frozen from inference_versions r
    where r.tenant_id = p_tenant and r.project_id = p.id and r.dimension = d.name order by r.number desc limit 1
  ) i on true
  left join inference_experts w on i.is_frozen and w.tenant_id = p_tenant and w.version_id = i.id and w.expert_id = v.expert_id
$$;
