-- Scores and standings as folds over gradings: what is due, what was found, and what follows for an expert's work.
set local role touchstone_owner;

-- How sure the key was: 1 for gold, the posterior of the adjudicated answer for an adjudication.
alter table gradings add weight double precision not null default 1 check (weight > 0 and weight <= 1);

-- Whose score is to be folded again. One row a fact, and never "there is one already": who folds takes the rows first and reads
-- the facts then, so what is recorded meanwhile has a row of its own that stays.
create table grading_dues (
  tenant_id bigint not null,
  id bigint generated always as identity,
  expert_id bigint not null,
  skill_id bigint not null,
  primary key (tenant_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index grading_dues_oldest on grading_dues (id);
create index grading_dues_by_expert on grading_dues (tenant_id, expert_id, skill_id);

-- What a human said of an expert when they gave them the skill: a belief, from which the score starts.
alter table expert_skills
  add vouched_mean double precision check (vouched_mean between 0 and 1),
  add vouched_lower double precision check (vouched_lower between 0 and vouched_mean);
alter table expert_skills no force row level security;
update expert_skills set vouched_mean = quality_mean, vouched_lower = quality_lower where quality_lower > 0;
alter table expert_skills force row level security;

-- What a skill's experts are like on average; scores are shrunk to it.
create table skill_priors (
  tenant_id bigint not null,
  skill_id bigint not null,
  mean double precision not null check (mean between 0 and 1),
  strength double precision not null check (strength > 0),
  updated_at timestamptz(3) not null,
  primary key (tenant_id, skill_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- A score as it was at the end of a UTC day. Experts see days that are over: a score that moves with an answer would tell
-- them that it was gold (rule 10).
create table score_days (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  task_type_id bigint not null,
  day date not null,
  seen integer not null,
  mean double precision not null,
  lower double precision not null,
  upper double precision not null,
  primary key (tenant_id, expert_id, skill_id, task_type_id, day)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create table calibration_days (
  tenant_id bigint not null,
  expert_id bigint not null,
  day date not null,
  pairs integer not null,
  stated double precision not null,
  actual double precision not null,
  error double precision not null,
  use text not null check (use in ('USABLE', 'TOO_FEW', 'SAYS_NOTHING')),
  primary key (tenant_id, expert_id, day)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Where an expert stands in a skill: the fold of quality/pausing over results, pauses and re-tests.
create table standings (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  phase text not null check (phase in ('CLEAR', 'WARNED', 'PAUSED', 'RETEST')),
  reason text,
  since timestamptz(3),
  -- When somebody whom results paused may be tested anew.
  retest_from timestamptz(3),
  -- pausing/pause.ts as JSON text.
  state text not null,
  updated_at timestamptz(3) not null,
  primary key (tenant_id, expert_id, skill_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index standings_retest on standings (retest_from) where retest_from is not null;

-- Each time that a standing changed, with the gradings that it was decided on: for good.
create table standing_notices (
  tenant_id bigint not null,
  id bigint generated always as identity,
  expert_id bigint not null,
  skill_id bigint not null,
  phase text not null check (phase in ('CLEAR', 'WARNED', 'PAUSED', 'RETEST')),
  reason text not null,
  at timestamptz(3) not null,
  -- {factIds, right, of, probabilityBelow}
  evidence jsonb not null,
  primary key (tenant_id, id),
  unique (tenant_id, expert_id, skill_id, at, phase, reason)
);

-- That a re-test began.
create table retests (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  begun_at timestamptz(3) not null,
  primary key (tenant_id, expert_id, skill_id, begun_at)
);

-- A pause by results has nobody who set it, and may end without anybody who lifted it.
alter table pauses
  alter paused_by drop not null,
  -- Ended by a re-test that began, or taken over by a human’s pause; not lifted.
  add returned boolean not null default false,
  add constraint pauses_returned check (not returned or (paused_by is null and resumed_at is not null));

do $$
declare
  own_expert text := 'expert_id = (select app.expert_id())';
  own_past text := own_expert || ' and day < (app.clock_now() at time zone ''UTC'')::date';
  staff text[] := array['OPERATOR', 'ANALYST'];
  t text;
begin
  perform app.protect('grading_dues', 'false', 'false', staff);
  perform app.protect('skill_priors', 'false', 'false', staff);
  perform app.protect('score_days', 'false', own_past, staff);
  perform app.protect('calibration_days', 'false', own_past, staff);
  perform app.protect('standings', 'false', own_expert, staff);
  perform app.protect('standing_notices', 'false', own_expert, staff);
  perform app.protect('retests', 'false', own_expert, staff);
  foreach t in array array['grading_dues', 'skill_priors', 'score_days', 'calibration_days', 'standings', 'standing_notices', 'retests'] loop
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
    execute format('grant insert on %I to touchstone_system', t);
  end loop;
  foreach t in array array['standing_notices', 'retests'] loop
    execute format('create trigger permanent before update or delete on %I for each row execute function app.refuse_change()', t);
    execute format('create trigger permanent_truncate before truncate on %I for each statement execute function app.refuse_change()', t);
  end loop;
end
$$;
create policy line_as_service on grading_dues to touchstone_line using (tenant_id = (select app.service_tenant()));
grant insert on grading_dues to touchstone_app, touchstone_line;
grant update, delete on grading_dues to touchstone_system;
grant update on skill_priors, score_days, calibration_days, standings to touchstone_system;
grant update (status, quality_mean, quality_lower, updated_at) on expert_skills to touchstone_system;
grant update (status) on experts to touchstone_system;
grant update (vouched_mean, vouched_lower) on expert_skills to touchstone_app;
grant insert, update (resumed_at, returned) on pauses to touchstone_system;
grant update (returned) on pauses to touchstone_app;

-- Whatever a fold reads says whose fold is due, in the transaction that records it.
create function app.note_due() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'gradings' then
    insert into grading_dues (tenant_id, expert_id, skill_id) select distinct n.tenant_id, n.expert_id, n.skill_id from noted n;
  elsif tg_table_name = 'voided_gradings' then
    insert into grading_dues (tenant_id, expert_id, skill_id)
    select distinct g.tenant_id, g.expert_id, g.skill_id from noted n join gradings g on g.tenant_id = n.tenant_id and g.id = n.grading_id;
  else
    insert into grading_dues (tenant_id, expert_id, skill_id)
    select distinct n.tenant_id, n.expert_id, n.skill_id from noted n where n.skill_id is not null;
  end if;
  return null;
end
$$;
create trigger due after insert on gradings referencing new table as noted for each statement execute function app.note_due();
create trigger due after insert on voided_gradings referencing new table as noted for each statement execute function app.note_due();
create trigger due after insert on pauses referencing new table as noted for each statement execute function app.note_due();
create trigger due_again after update on pauses referencing new table as noted for each statement execute function app.note_due();

-- Rule 11: once there is a score, only the fold moves the figures that claims are filtered by, and nobody what it starts from.
create function app.guard_quality() returns trigger language plpgsql as $$
begin
  if ((new.vouched_mean, new.vouched_lower) is distinct from (old.vouched_mean, old.vouched_lower)
      or (new.quality_mean, new.quality_lower) is distinct from (old.quality_mean, old.quality_lower) and current_user <> 'touchstone_system')
    and exists (select from quality_scores s where s.tenant_id = new.tenant_id and s.expert_id = new.expert_id and s.skill_id = new.skill_id) then
    raise exception 'The quality of expert % is measured: only gold and adjudication move it.', new.expert_id using errcode = 'XR011';
  end if;
  return new;
end
$$;
create trigger measured before update of quality_mean, quality_lower, vouched_mean, vouched_lower on expert_skills
  for each row execute function app.guard_quality();

-- What follows from a change of standing, under the expert's lock, as a claim takes it (rule 5): a pause by results stops
-- claims of the skill and lets the lease in hand be submitted; a re-test lets the expert in on probation; one who passed it is
-- active. What a human did is done already.
create function app.apply_standing(p_tenant bigint, p_expert bigint, p_skill bigint, p_phase text, p_reason text) returns void language plpgsql as $$
declare
  v_status text;
begin
  select s.status into v_status from expert_skills s
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill for no key update;
  if v_status is null or p_reason in ('HUMAN', 'FRAUD') then
    return;
  end if;
  if p_phase = 'PAUSED' then
    insert into pauses (tenant_id, expert_id, skill_id, reason, status_before)
    values (p_tenant, p_expert, p_skill, p_reason, coalesce(nullif(v_status, 'PAUSED'), 'ACTIVE'))
    on conflict do nothing;
  elsif v_status = 'PAUSED' then
    update pauses p set resumed_at = app.clock_now(), returned = true
    where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id = p_skill and p.resumed_at is null;
  end if;
  update expert_skills s
  set status = case p_phase when 'PAUSED' then 'PAUSED' when 'RETEST' then 'PROBATION'
                 else case when p_reason = 'RETEST_PASSED' or s.status = 'PAUSED' then 'ACTIVE' else s.status end end,
      updated_at = app.clock_now()
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill
    and (p_phase <> 'WARNED' or s.status = 'PAUSED');
end
$$;

-- Pauses an expert (p_skill null) or one skill of theirs. The expert's row is locked as a claim locks it, so that the
-- pause is before a claim or after it, never in between (rule 5). Again while it holds: the first reason
-- stands, but that of a human stands over results.
create or replace function app.pause_expert(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint, p_reason text, p_withdraw boolean)
returns jsonb language plpgsql as $$
declare
  v_status text;
begin
  perform app.enter_service(p_tenant, p_actor);
  select x.status into v_status from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  if not found then
    return jsonb_build_object('outcome', 'NO_EXPERT');
  end if;
  if p_skill is not null then
    select s.status into v_status from expert_skills s
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill for no key update;
    if not found then
      return jsonb_build_object('outcome', 'NO_SKILL');
    end if;
    update expert_skills s set status = 'PAUSED', updated_at = app.clock_now()
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.status <> 'PAUSED';
  else
    update experts x set status = 'PAUSED' where x.tenant_id = p_tenant and x.id = p_expert and x.status <> 'PAUSED';
  end if;
  update pauses p set resumed_at = app.clock_now(), returned = true
  where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id = p_skill and p.resumed_at is null and p.paused_by is null;
  insert into pauses (tenant_id, expert_id, skill_id, reason, status_before, paused_by)
  values (p_tenant, p_expert, p_skill, p_reason, coalesce(nullif(v_status, 'PAUSED'), 'ACTIVE'), p_actor)
  on conflict do nothing;
  if p_withdraw and app.withdraw_lease(p_tenant, p_expert, p_skill) then
    update pauses p set withdrew = true
    where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill and p.resumed_at is null;
  end if;
  return jsonb_build_object('outcome', 'OK');
end
$$;

-- Grades the answers of tasks whose adjudication has just been given: what is right is the most probable class of all answers,
-- the adjudicator's among them by their record; how sure that is stands beside it. The adjudicator's own is not graded.
create function app.grade_adjudications(p_tenant bigint, p_tasks bigint[]) returns void language plpgsql as $$
declare
  v_parents bigint[];
begin
  select coalesce(array_agg(j.parent_id), '{}') into v_parents
  from adjudications j join tasks t on t.tenant_id = p_tenant and t.id = j.task_id and t.state = 'DONE'
  where j.tenant_id = p_tenant and j.task_id = any (p_tasks);
  if v_parents = '{}' then
    return;
  end if;
  insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
                        truth, answered, is_right, stated, graded_at, weight)
  select p_tenant, a.id, a.task_id, a.project_id, a.expert_id, p.skill_id, p.task_type_id, b.dimension, 'ADJUDICATION',
         b.label, coalesce(v.text_value, v.number_value::text), coalesce(v.text_value, v.number_value::text) = b.label,
         n.confidence, app.clock_now(), b.probability
  from (
    select distinct on (q.task_id, q.dimension) q.* from app.task_posteriors(p_tenant, v_parents) q
    where q.label is not null order by q.task_id, q.dimension, q.probability desc, q.position
  ) b
  join answer_values v on v.tenant_id = p_tenant and v.task_id = b.task_id and v.dimension = b.dimension
  join assignments a on a.tenant_id = p_tenant and a.id = v.assignment_id and a.state in ('SUBMITTED', 'ACCEPTED')
  join answers n on n.tenant_id = p_tenant and n.assignment_id = v.assignment_id
  join projects p on p.tenant_id = p_tenant and p.id = a.project_id
  on conflict do nothing;
end
$$;

-- Submits, and what follows from them for their tasks and for who answered.
create or replace function app.submit_all(p_tenant bigint, p_submissions app.submission[]) returns jsonb[] language plpgsql as $$
declare
  v_out jsonb[] := app.store_answers(p_tenant, p_submissions);
  v_tasks bigint[] := array(
    select distinct a.task_id from unnest(p_submissions) s
    join assignments a on a.tenant_id = p_tenant and a.id = s.assignment_id and a.expert_id = s.expert_id);
begin
  perform app.adapt_tasks(p_tenant, v_tasks);
  perform app.grade_adjudications(p_tenant, v_tasks);
  return v_out;
end
$$;
