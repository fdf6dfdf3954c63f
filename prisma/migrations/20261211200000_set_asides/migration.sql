-- What somebody has adjudicated says of those they graded as much as the adjudicator is known to be right. Whoever is found to have known gold
-- was known by that: what they adjudicated until then grades nobody, while the finding stands.
set local role touchstone_owner;
set local lock_timeout = '5s';

-- Of whom what they adjudicated is set aside, in which skill, and because of which finding.
create table set_asides (
  tenant_id bigint not null,
  finding_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  -- What was graded by then.
  until timestamptz(3) not null,
  -- The last of their assignments that was gone through, of a walk that is due; and since when it may begin.
  after_assignment bigint not null default 0,
  is_due boolean not null default true,
  due_at timestamptz(3) not null,
  primary key (tenant_id, finding_id, expert_id),
  foreign key (tenant_id, finding_id) references gold_findings (tenant_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index set_asides_due on set_asides (due_at) where is_due;
create index set_asides_of on set_asides (tenant_id, expert_id, skill_id);

do $$
begin
  perform app.protect('set_asides', 'false', 'false', array['OPERATOR', 'ANALYST']);
  grant select, insert on set_asides to touchstone_app, touchstone_system;
  grant update (until, after_assignment, is_due, due_at) on set_asides to touchstone_app, touchstone_system;
  -- The walk lets count again what is set aside no longer.
  grant delete on voided_gradings to touchstone_system;
  grant insert on restored_gradings to touchstone_system;
end
$$;

alter table work_failures drop constraint work_failures_job_check,
  add constraint work_failures_job_check check (job in ('scores', 'effects', 'showing', 'stopping', 'gold', 'watch', 'budget', 'asides'));

-- Until when what an expert adjudicated in a skill is set aside; null: nothing is.
create function app.aside_until(p_tenant bigint, p_expert bigint, p_skill bigint) returns timestamptz language sql stable as $$
  select max(s.until) from set_asides s
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill
    and not exists (select from finding_decisions d where d.tenant_id = p_tenant and d.finding_id = s.finding_id and d.decision = 'DISMISSED')
$$;

-- Goes through some of an expert's assignments after one: what those that are adjudications of a skill have graded is void or counts, as the
-- findings about the expert stand now. Whoever answered an adjudication first has graded by it. Answers the last assignment gone through (null: there
-- are no more), how many gradings were made void and how many count again.
create function app.walk_asides(p_tenant bigint, p_expert bigint, p_skill bigint, p_after bigint, p_limit integer, out last bigint, out voided integer,
  out restored integer) language plpgsql as $$
declare
  v_until timestamptz := app.aside_until(p_tenant, p_expert, p_skill);
  v_dismissed bigint;
  v_graded bigint[];
  v_at timestamptz[];
  v_back bigint[];
begin
  with page as materialized (
    select a.id, a.task_id, a.submitted_at from assignments a
    where a.tenant_id = p_tenant and a.expert_id = p_expert and a.id > p_after
    order by a.id limit p_limit
  ), graded as (
    select g.id, g.graded_at from page a
    join adjudications j on j.tenant_id = p_tenant and j.task_id = a.task_id
    join gradings g on g.tenant_id = p_tenant and g.task_id = j.parent_id and g.kind = 'ADJUDICATION' and g.skill_id = p_skill
    where g.graded_at >= a.submitted_at and not exists (
      select from assignments o where o.tenant_id = p_tenant and o.task_id = a.task_id and o.submitted_at < a.submitted_at)
  )
  select case when count(*) = p_limit then max(p.id) end, (select array_agg(g.id order by g.id) from graded g), (select array_agg(g.graded_at order by g.id) from graded g)
  into last, v_graded, v_at from page p;
  insert into voided_gradings (tenant_id, grading_id, reason, at)
  select p_tenant, g.id, 'ADJUDICATOR', app.clock_now() from unnest(v_graded, v_at) as g(id, graded_at) where g.graded_at <= v_until
  on conflict do nothing;
  get diagnostics voided = row_count;
  v_back := array(
    select g.id from unnest(v_graded, v_at) as g(id, graded_at)
    join voided_gradings v on v.tenant_id = p_tenant and v.grading_id = g.id and v.reason = 'ADJUDICATOR'
    where (g.graded_at <= v_until) is not true);
  restored := cardinality(v_back);
  if restored > 0 then
    -- What they are void for was dismissed last of all that was: a later finding that stands would keep them void.
    select d.finding_id into v_dismissed from set_asides s
    join finding_decisions d on d.tenant_id = p_tenant and d.finding_id = s.finding_id and d.decision = 'DISMISSED'
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill order by d.id desc limit 1;
    insert into restored_gradings (tenant_id, grading_id, finding_id, reason, voided_at)
    select p_tenant, v.grading_id, v_dismissed, v.reason, v.at from voided_gradings v
    where v.tenant_id = p_tenant and v.grading_id = any (v_back);
    delete from voided_gradings v where v.tenant_id = p_tenant and v.grading_id = any (v_back);
  end if;
end
$$;

-- Sets aside what an expert has adjudicated by now, because of a finding about them: the first of it here, the rest by the walk of a job. It begins
-- a minute later, so that what is being graded at this moment has been written by then. Answers how many gradings this made void.
create function app.set_aside(p_tenant bigint, p_finding bigint, p_expert bigint) returns integer language plpgsql as $$
declare
  v_skill bigint;
begin
  insert into set_asides (tenant_id, finding_id, expert_id, skill_id, until, due_at)
  select f.tenant_id, f.id, p_expert, p.skill_id, app.clock_now(), app.clock_now() + interval '1 minute'
  from gold_findings f join projects p on p.tenant_id = f.tenant_id and p.id = f.project_id
  where f.tenant_id = p_tenant and f.id = p_finding
  on conflict (tenant_id, finding_id, expert_id) do update
    set until = excluded.until, after_assignment = 0, is_due = true, due_at = excluded.due_at
  returning skill_id into v_skill;
  return (select w.voided from app.walk_asides(p_tenant, p_expert, v_skill, 0, 1000) w);
end
$$;

-- Lets count again what was set aside because of a finding that means nothing, but for what another that stands sets aside too: as set_aside does.
create function app.take_up(p_tenant bigint, p_finding bigint) returns integer language plpgsql as $$
declare
  v_aside record;
  v_restored integer := 0;
begin
  for v_aside in
    update set_asides s set after_assignment = 0, is_due = true, due_at = app.clock_now() + interval '1 minute'
    where s.tenant_id = p_tenant and s.finding_id = p_finding
    returning s.expert_id, s.skill_id
  loop
    v_restored := v_restored + (select w.restored from app.walk_asides(p_tenant, v_aside.expert_id, v_aside.skill_id, 0, 1000) w);
  end loop;
  return v_restored;
end
$$;

-- As before; and an expert who is paused because of a finding about them, whatever showed it, has graded nobody until then.
create or replace function app.decide_finding(p_tenant bigint, p_actor bigint, p_finding bigint, p_decision text, p_expert bigint, p_reason text, p_withdraw boolean)
returns jsonb language plpgsql as $$
declare
  v_finding gold_findings;
  v_out jsonb;
begin
  perform app.enter_service(p_tenant, p_actor);
  -- One decision after the other: a pause that comes beside a dismissal is lifted by it, or refused.
  perform pg_advisory_xact_lock(hashtextextended('finding/' || p_tenant || '/' || p_finding, 0));
  select * into v_finding from gold_findings f where f.tenant_id = p_tenant and f.id = p_finding;
  if not found then
    return jsonb_build_object('outcome', 'NO_FINDING');
  end if;
  if p_decision = 'PAUSED' then
    if exists (select from finding_decisions d where d.tenant_id = p_tenant and d.finding_id = p_finding and d.decision = 'DISMISSED') then
      return jsonb_build_object('outcome', 'DISMISSED');
    end if;
    if not p_expert = any (v_finding.experts) then
      return jsonb_build_object('outcome', 'NO_EXPERT');
    end if;
    v_out := (select app.pause_expert(p_tenant, p_actor, p_expert, p.skill_id, p_reason, p_withdraw)
              from projects p where p.tenant_id = p_tenant and p.id = v_finding.project_id);
    if v_out ->> 'outcome' <> 'OK' then
      return v_out;
    end if;
  end if;
  insert into finding_decisions (tenant_id, finding_id, decision, expert_id, reason, decided_by, decided_at)
  values (p_tenant, p_finding, p_decision, case p_decision when 'PAUSED' then p_expert end, p_reason, p_actor, app.clock_now())
  on conflict do nothing;
  v_out := jsonb_build_object('outcome', 'OK', 'kind', v_finding.kind, 'projectId', v_finding.project_id::text);
  if p_decision = 'PAUSED' then
    perform app.set_aside(p_tenant, p_finding, p_expert);
    return v_out;
  end if;
  v_out := v_out || app.undo_finding(p_tenant, p_actor, p_finding);
  return v_out || jsonb_build_object('resultsRestored', (v_out ->> 'resultsRestored')::integer + app.take_up(p_tenant, p_finding));
end
$$;

-- What was found before: by itself of who was quick on gold, and of whom a human paused because of it. The walk does the rest. (The owner is held
-- to row level security. There are few findings: the locks are held for an instant, and waited for no longer than said above.)
alter table set_asides no force row level security;
alter table gold_findings no force row level security;
alter table finding_decisions no force row level security;
alter table projects no force row level security;
insert into set_asides (tenant_id, finding_id, expert_id, skill_id, until, due_at)
select f.tenant_id, f.id, e.id, p.skill_id, app.clock_now(), app.clock_now()
from gold_findings f
join projects p on p.tenant_id = f.tenant_id and p.id = f.project_id
cross join unnest(f.experts) as e(id)
where (f.kind = 'QUICK_ON_GOLD' or exists (
    select from finding_decisions d where d.tenant_id = f.tenant_id and d.finding_id = f.id and d.decision = 'PAUSED' and d.expert_id = e.id))
  and not exists (select from finding_decisions d where d.tenant_id = f.tenant_id and d.finding_id = f.id and d.decision = 'DISMISSED');
alter table set_asides force row level security;
alter table gold_findings force row level security;
alter table finding_decisions force row level security;
alter table projects force row level security;
