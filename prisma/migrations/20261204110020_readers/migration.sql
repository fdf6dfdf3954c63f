-- Who has read a task's answers or gold in another role can never claim or adjudicate it (DESIGN 8.14). What was read is kept
-- for each identity; the expert of the same identity is barred by what claims look at anyway: the task's block list, and for
-- a whole project the row that says that the expert has had enough of it.
set local role touchstone_owner;

create table answer_readers (
  tenant_id bigint not null,
  identity_id bigint not null,
  project_id bigint not null,
  -- 0: so much of the project that it counts as all of it.
  task_id bigint not null,
  first_at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, identity_id, project_id, task_id)
);
alter table tallies add is_barred boolean not null default false check (not is_barred or is_full);

do $$
begin
  perform app.protect('answer_readers', 'false', 'false', array['OPERATOR']);
  grant select, insert on answer_readers to touchstone_app;
  grant select on answer_readers to touchstone_system;
  create trigger permanent before update or delete on answer_readers for each row execute function app.refuse_change();
  create trigger permanent_truncate before truncate on answer_readers for each statement execute function app.refuse_change();
end
$$;
grant update (block) on tasks to touchstone_app, touchstone_system;
grant update (barred) on golds to touchstone_app, touchstone_system;

-- Who is barred from a project has had enough of it, whatever is counted.
create function app.keep_barred() returns trigger language plpgsql as $$
begin
  new.is_barred := old.is_barred or new.is_barred;
  new.is_full := new.is_full or new.is_barred;
  return new;
end
$$;
create trigger keep_barred before update on tallies for each row when (old.is_barred) execute function app.keep_barred();

-- Bars an expert from tasks, from their adjudications and from what they adjudicate, and from whole projects. A lease on any
-- of it is withdrawn. A task whose block list is full (1,000) keeps only who waits for it now.
create function app.bar_expert(p_tenant bigint, p_expert bigint, p_tasks bigint[], p_projects bigint[]) returns void language plpgsql as $$
declare
  v_tasks bigint[];
begin
  -- As a claim takes it: the expert is given nothing meanwhile.
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  insert into tallies as y (tenant_id, expert_id, project_id, taken, is_full, is_barred)
  select p_tenant, p_expert, p.id, 0, true, true from unnest(p_projects) as p(id) order by p.id
  on conflict (tenant_id, expert_id, project_id) do update set is_full = true, is_barred = true;

  with asked as (
    select k.id from unnest(p_tasks) as k(id)
    union select j.parent_id from adjudications j where j.tenant_id = p_tenant and j.task_id = any (p_tasks)
  )
  select coalesce(array_agg(f.id), '{}') into v_tasks from (
    select id from asked
    union select j.task_id from adjudications j where j.tenant_id = p_tenant and j.parent_id in (select id from asked)
  ) f;
  update golds g set barred = g.barred || p_expert
  where g.tenant_id = p_tenant and g.task_id = any (v_tasks) and not p_expert = any (g.barred);
  perform from tasks t where t.tenant_id = p_tenant and t.id = any (v_tasks) order by t.id for update;
  update tasks t set block = coalesce(t.block, '{}') || p_expert
  where t.tenant_id = p_tenant and t.id = any (v_tasks) and t.kind <> 'GOLD'
    and not p_expert = any (coalesce(t.block, '{}')) and cardinality(coalesce(t.block, '{}')) < 1000;
  -- An untouched row with an exclusion is a begun one, behind the lane's mark for those.
  update ready r set excl = r.excl || p_expert, phase = greatest(r.phase, 1::smallint),
                     tag = case r.phase when 0 then greatest(r.tag, l.low_begun) else r.tag end
  from lanes l
  where r.tenant_id = p_tenant and r.task_id = any (v_tasks) and not p_expert = any (r.excl)
    and l.tenant_id = r.tenant_id and l.id = r.lane_id;
  delete from ready_directed d where d.tenant_id = p_tenant and d.expert_id = p_expert and d.task_id = any (v_tasks);

  if exists (select from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert and a.state = 'LEASED'
               and (a.task_id = any (v_tasks) or a.project_id = any (p_projects))) then
    perform app.withdraw_lease(p_tenant, p_expert, null);
  end if;
end
$$;

-- Keeps that an identity was shown the answers of tasks, or of whole projects. More than ten tasks of a project at once, or a
-- hundred in all, count as the project: what is kept is bounded. Nothing is done where it is known.
create function app.note_reader(p_tenant bigint, p_identity bigint, p_tasks bigint[], p_projects bigint[]) returns void language plpgsql as $$
declare
  v_whole bigint[];
  v_tasks bigint[];
  v_expert bigint;
begin
  with given as (
    select t.id, t.project_id from tasks t where t.tenant_id = p_tenant and t.id = any (p_tasks)
  ), many as (
    select g.project_id from given g group by g.project_id
    having count(*) > 10 or count(*) + (select count(*) from answer_readers a where a.tenant_id = p_tenant and a.identity_id = p_identity
                                          and a.project_id = g.project_id) > 100
  ), noted as (
    insert into answer_readers (tenant_id, identity_id, project_id, task_id)
    select p_tenant, p_identity, w.id, 0 from (select unnest(p_projects) as id union select m.project_id from many m) w order by w.id
    on conflict do nothing
    returning project_id
  )
  select coalesce(array_agg(n.project_id), '{}') into v_whole from noted n;
  with noted as (
    insert into answer_readers (tenant_id, identity_id, project_id, task_id)
    select p_tenant, p_identity, t.project_id, t.id from tasks t
    where t.tenant_id = p_tenant and t.id = any (p_tasks)
      and not exists (select from answer_readers a where a.tenant_id = p_tenant and a.identity_id = p_identity
                        and a.project_id = t.project_id and a.task_id in (0, t.id))
    order by t.project_id, t.id
    on conflict do nothing
    returning task_id
  )
  select coalesce(array_agg(n.task_id), '{}') into v_tasks from noted n;
  if v_whole = '{}' and v_tasks = '{}' then
    return;
  end if;
  select r.expert_id into v_expert from identity_roles r
  where r.tenant_id = p_tenant and r.identity_id = p_identity and r.role = 'EXPERT';
  if found then
    perform app.bar_expert(p_tenant, v_expert, v_tasks, v_whole);
  end if;
end
$$;

-- Whoever becomes an expert is barred from what they have read before.
create function app.bar_new_expert() returns trigger language plpgsql as $$
declare
  v_tasks bigint[];
  v_whole bigint[];
begin
  select coalesce(array_agg(a.task_id) filter (where a.task_id <> 0), '{}'), coalesce(array_agg(a.project_id) filter (where a.task_id = 0), '{}')
  into v_tasks, v_whole
  from answer_readers a where a.tenant_id = new.tenant_id and a.identity_id = new.identity_id;
  if v_tasks <> '{}' or v_whole <> '{}' then
    perform app.bar_expert(new.tenant_id, new.expert_id, v_tasks, v_whole);
  end if;
  return null;
end
$$;
create trigger bar_new_expert after insert on identity_roles for each row when (new.expert_id is not null) execute function app.bar_new_expert();

-- Why there is nothing, in order of what the expert can do about it, and when to ask again: when the next lease of
-- their lanes is due, at most a minute, spread by a fifth so that a crowd does not come back at once; after a full day,
-- at its end.
create or replace function app.empty_json(p_tenant bigint, p_expert bigint, p_skill bigint, p_lanes bigint[]) returns jsonb language plpgsql as $$
declare
  v_reason text;
  v_due double precision;
  v_barred bigint[] := app.barred_projects(p_tenant, p_expert);
begin
  if exists (select from experts x where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'PAUSED') then
    v_reason := 'PAUSED';
  elsif app.is_day_full(p_tenant, p_expert) then
    return jsonb_build_object('outcome', 'EMPTY', 'reason', 'DAILY_CAP_REACHED', 'retryAfterSeconds', greatest(1, ceil(extract(
      epoch from date_trunc('day', app.clock_now(), 'UTC') + interval '1 day' - app.clock_now()))));
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'NO_SKILL';
  elsif not exists (select from expert_skills s where s.tenant_id = p_tenant and s.expert_id = p_expert
                      and (p_skill is null or s.skill_id = p_skill) and s.status <> 'PAUSED') then
    v_reason := 'PAUSED';
  elsif v_barred <> '{}' and exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes)
                                       and r.project_id = any (v_barred) and not p_expert = any (r.excl)) then
    v_reason := case when exists (select from tallies y
                                  join ready r on r.tenant_id = y.tenant_id and r.project_id = y.project_id
                                  where y.tenant_id = p_tenant and y.expert_id = p_expert and y.is_full and not y.is_barred
                                    and r.lane_id = any (p_lanes) and not p_expert = any (r.excl))
                     then 'PROJECT_CAP_REACHED' else 'CONFLICT_OF_INTEREST' end;
  elsif exists (select from ready r join assignments a on a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert
                where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and p_expert = any (r.excl))
    and not exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes) and not exists (
                      select from assignments a where a.tenant_id = r.tenant_id and a.task_id = r.task_id and a.expert_id = p_expert)) then
    v_reason := 'ALL_ANSWERED_BY_YOU';
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and l.min_quality > s.taken_for
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'QUALITY_BELOW_MINIMUM';
  elsif exists (select from expert_skills s
                join lanes l on l.tenant_id = s.tenant_id and l.skill_id = s.skill_id and not l.id = any (p_lanes)
                join ready r on r.tenant_id = l.tenant_id and r.lane_id = l.id
                where s.tenant_id = p_tenant and s.expert_id = p_expert and s.status <> 'PAUSED' and (p_skill is null or s.skill_id = p_skill)) then
    v_reason := 'REQUIREMENTS_NOT_MET';
  elsif exists (select from ready r where r.tenant_id = p_tenant and r.lane_id = any (p_lanes)) then
    v_reason := 'RESERVED_FOR_OTHERS';
  else
    v_reason := 'NO_OPEN_TASK';
  end if;
  select extract(epoch from min(head.due_at) - app.clock_now()) into v_due
  from unnest(p_lanes) as l(lane_id)
  cross join lateral (
    select a.due_at from lease_alarms a where a.tenant_id = p_tenant and a.lane_id = l.lane_id order by a.due_at limit 1
  ) head;
  return jsonb_build_object('outcome', 'EMPTY', 'reason', v_reason,
    'retryAfterSeconds', ceil(least(60, greatest(1, coalesce(v_due, 30))) * (0.9 + 0.2 * random())));
end
$$;
