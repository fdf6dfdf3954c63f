-- What a stated confidence means is measured in each skill, and in each dimension where there is enough: who knows what they know where it is easy
-- could state .99 where they guess, and nothing but the accuracy was the skill's own.
set local role touchstone_owner;

-- services/quality/confidence/skills.ts: the map of an expert in a skill, shrunk to their map of all skills; of a dimension, shrunk to that.
create table skill_calibrations (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  -- '': of whole answers, for dimensions that have no row of their own.
  dimension text not null,
  pairs integer not null check (pairs >= 1),
  intercept double precision not null,
  slope double precision not null check (slope >= 0),
  -- What the map makes of what they state there, on average: they are surer than usual above it.
  usual double precision not null check (usual > 0 and usual < 1),
  use text not null check (use in ('USABLE', 'TOO_FEW', 'SAYS_NOTHING')),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, expert_id, skill_id, dimension)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

do $$
begin
  perform app.protect('skill_calibrations', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on skill_calibrations to touchstone_app, touchstone_system, touchstone_line;
create policy line_as_service on skill_calibrations to touchstone_line using (tenant_id = (select app.service_tenant()));
-- Rule 11: requests and the line read them and write none.
grant insert, update, delete on skill_calibrations to touchstone_system;

create index gradings_stated_in on gradings (tenant_id, expert_id, skill_id, id) where kind = 'GOLD' and stated is not null;
drop index gradings_stated;

-- Each expert who stated something is calibrated once more.
alter table confidence_calibrations no force row level security;
alter table expert_skills no force row level security;
alter table grading_dues no force row level security;
insert into grading_dues (tenant_id, expert_id, skill_id)
select k.tenant_id, k.expert_id, min(x.skill_id) from confidence_calibrations k
join expert_skills x on x.tenant_id = k.tenant_id and x.expert_id = k.expert_id
group by k.tenant_id, k.expert_id;
alter table confidence_calibrations force row level security;
alter table expert_skills force row level security;
alter table grading_dues force row level security;

-- As it was, but for what a stated confidence means, and for the accuracy of the dimension in place of the answer's.
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
                                         else app.surer(coalesce((s.accuracies ->> d.name)::double precision, s.mean, x.quality_mean, 0.8), coalesce(c.surer, 0)) end)),
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
    select case when k.use = 'USABLE' then k.intercept + k.slope * ln(g.p / (1 - g.p)) - ln(k.usual / (1 - k.usual)) end as surer
    from skill_calibrations k
    cross join lateral (select least(0.99, greatest(0.01, n.confidence::double precision)) as p) g
    where k.tenant_id = p_tenant and k.expert_id = v.expert_id and k.skill_id = p.skill_id and k.dimension in (d.name, '')
      and n.confidence is not null
    -- The dimension's own, where there is enough of it.
    order by k.dimension desc limit 1
  ) c on true
  left join lateral (
    select r.id, r.accuracy, r.matrix, p_chosen and r.accuracy is not null as is_frozen from inference_versions r
    where r.tenant_id = p_tenant and r.project_id = p.id and r.dimension = d.name order by r.number desc limit 1
  ) i on true
  left join inference_experts w on i.is_frozen and w.tenant_id = p_tenant and w.version_id = i.id and w.expert_id = v.expert_id
$$;
