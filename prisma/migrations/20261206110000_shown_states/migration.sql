-- What experts see of their own figures changes once twenty answers of theirs lie between two states, gold and other alike: a
-- figure that moves with fewer tells which answer was gold (rule 10, decision 64). Staff go on reading what is.
set local role touchstone_owner;

-- Up to where an expert has been shown their state in a skill; skill 0: how well their stated confidence fits, over all skills.
create table shown_marks (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  -- Null: nothing yet. By answers alone, so that it moves alike whatever was gold among them.
  as_of timestamptz(3),
  -- Answers count that are given under assignments after this one.
  after_assignment bigint not null default 0,
  -- Something was graded that is not shown; looked at once a UTC day.
  hidden boolean not null,
  looked_on date,
  primary key (tenant_id, expert_id, skill_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index shown_marks_hidden on shown_marks (looked_on nulls first) where hidden;

-- The states of a skill that an expert was shown, each rounded, with what a standing rests on: the last results.
create table shown_scores (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  as_of timestamptz(3) not null,
  seen integer not null,
  mean double precision not null,
  lower double precision not null,
  upper double precision not null,
  last_right double precision not null,
  last_of integer not null,
  probability_below double precision not null,
  primary key (tenant_id, expert_id, skill_id, as_of)
);

-- How well an expert's stated confidence fits, as they were shown it. What was stated is of all their answers: the mean of what
-- they stated on gold alone would tell which those were, to whoever states a number of its own each time.
create table shown_calibrations (
  tenant_id bigint not null,
  expert_id bigint not null,
  as_of timestamptz(3) not null,
  pairs integer not null,
  stated double precision not null,
  actual double precision not null,
  error double precision not null,
  use text not null check (use in ('USABLE', 'TOO_FEW', 'SAYS_NOTHING')),
  primary key (tenant_id, expert_id, as_of)
);

do $$
declare
  own_expert text := 'expert_id = (select app.expert_id())';
  staff text[] := array['OPERATOR', 'ANALYST'];
  t text;
begin
  perform app.protect('shown_marks', 'false', 'false', staff);
  perform app.protect('shown_scores', 'false', own_expert, staff);
  perform app.protect('shown_calibrations', 'false', own_expert, staff);
  foreach t in array array['shown_marks', 'shown_scores', 'shown_calibrations'] loop
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
    execute format('grant insert on %I to touchstone_system', t);
  end loop;
  foreach t in array array['shown_scores', 'shown_calibrations'] loop
    execute format('create trigger permanent before update or delete on %I for each row execute function app.refuse_change()', t);
    execute format('create trigger permanent_truncate before truncate on %I for each statement execute function app.refuse_change()', t);
  end loop;
  grant update on shown_marks to touchstone_system;
  -- The figures of each day are not for experts any more.
  foreach t in array array['score_days', 'calibration_days'] loop
    execute format('drop policy read_in_scope on %I', t);
    execute format('drop policy insert_as_service on %I', t);
    execute format('drop policy update_as_service on %I', t);
    execute format('drop policy delete_as_service on %I', t);
    execute format('drop policy system_all on %I', t);
    perform app.protect(t, 'false', 'false', staff);
    execute format('drop policy own_as_expert on %I', t);
    execute format('create policy own_as_expert on %I as restrictive for select to touchstone_app'
      ' using (tenant_id = (select app.tenant_id()) and expert_id is distinct from (select app.own_expert()))', t);
  end loop;
end
$$;

alter table skill_effects
  -- Answers in the skill since the last state shown, beside those since the decision: with the minutes, and without them.
  add shown_min smallint not null default 24,
  add shown_max smallint not null default 44,
  -- When what claims are filtered by takes effect in any case.
  add gate_at timestamptz(3),
  -- When it is looked at next: the older the wait, the more rarely.
  add look_at timestamptz(3);
alter table skill_effects no force row level security;
update skill_effects set gate_at = decided_at + interval '2 d', look_at = decided_at;
alter table skill_effects force row level security;
alter table skill_effects alter gate_at set not null, alter look_at set not null;
drop index skill_effects_waiting;
create index skill_effects_waiting on skill_effects (look_at) where applied_at is null;
grant update (look_at, gate_at) on skill_effects to touchstone_system;

-- What is decided of an expert in a skill and not in effect: figures, standing, notices, how they are taken as a newcomer; and
-- whether the expert would see its effect. A notice that a later one has overtaken is not told.
drop function app.lacks_effect(bigint, bigint, bigint);
create function app.lacks_effect(p_tenant bigint, p_expert bigint, p_skill bigint,
                                 out figures boolean, out standing boolean, out notices boolean, out newcomer boolean, out visible boolean)
language plpgsql stable as $$
declare
  v_status boolean;
begin
  figures := exists (
    select from expert_skills x
    cross join lateral (select d.mean, d.lower from score_days d
                        where d.tenant_id = p_tenant and d.expert_id = p_expert and d.skill_id = p_skill and d.task_type_id = 0
                        order by d.day desc limit 1) d
    where x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill
      and (x.quality_mean, x.quality_lower) is distinct from (d.mean, d.lower));
  standing := exists (
    select from standings s
    left join shown_standings w on w.tenant_id = s.tenant_id and w.expert_id = s.expert_id and w.skill_id = s.skill_id
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill
      and (s.phase, s.reason) is distinct from (coalesce(w.phase, 'CLEAR'), w.reason));
  notices := exists (
    select from standing_notices n
    where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and n.id > app.last_told(p_tenant, p_expert, p_skill));
  select coalesce(bool_or((x.status, x.door) is distinct from (coalesce(n.status, x.status), n.door)), false),
         coalesce(bool_or(x.status is distinct from coalesce(n.status, x.status)), false) into newcomer, v_status
  from newcomer_decisions n
  join expert_skills x on x.tenant_id = n.tenant_id and x.expert_id = n.expert_id and x.skill_id = n.skill_id
  where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and x.status <> 'PAUSED';
  visible := standing or notices or v_status;
end
$$;

create function app.last_told(p_tenant bigint, p_expert bigint, p_skill bigint) returns bigint language sql stable as $$
  select coalesce((
    select n.id from standing_notices n
    join shown_notices w on w.tenant_id = n.tenant_id and w.notice_id = n.id
    where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill order by n.id desc limit 1), 0)
$$;

-- Brings up to date what claims are filtered by: the figures, and what a newcomer is taken for.
create function app.apply_gate(p_tenant bigint, p_expert bigint, p_skill bigint) returns void language plpgsql as $$
begin
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  update expert_skills x set quality_mean = d.mean, quality_lower = d.lower
  from (select d.mean, d.lower from score_days d
        where d.tenant_id = p_tenant and d.expert_id = p_expert and d.skill_id = p_skill and d.task_type_id = 0
        order by d.day desc limit 1) d
  where x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill
    and (x.quality_mean, x.quality_lower) is distinct from (d.mean, d.lower);
  update expert_skills x set door = n.door
  from newcomer_decisions n
  where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and x.status <> 'PAUSED'
    and x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill and x.door is distinct from n.door;
  update skill_effects e set gate_at = app.clock_now() + app.draw_days(e, '/gate', 2, 6)
  where e.tenant_id = p_tenant and e.expert_id = p_expert and e.skill_id = p_skill and e.applied_at is null;
end
$$;

-- Days between two bounds, drawn for a wait.
create function app.draw_days(p_wait skill_effects, p_what text, p_from integer, p_to integer) returns interval language sql stable as $$
  select make_interval(secs => 86400 * (p_from + (p_to - p_from)
    * app.draw(format('%s/%s/%s/%s', p_wait.tenant_id, p_wait.id, extract(epoch from app.clock_now()), p_what))))
$$;

-- Brings what is decided into effect, under the expert's lock, as a claim takes it: the figures that claims are filtered by, the
-- notices, and what follows from the standing. Nobody is paused by results without a warning that was in effect: whom
-- results have paused meanwhile is warned first, and paused when the next wait is over.
create or replace function app.apply_effect(p_tenant bigint, p_expert bigint, p_skill bigint) returns void language plpgsql as $$
declare
  v_lacks record;
  v_phase text;
  v_reason text;
  v_wait interval;
  v_warned bigint;
begin
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  update skill_effects e set applied_at = app.clock_now()
  where e.tenant_id = p_tenant and e.expert_id = p_expert and e.skill_id = p_skill and e.applied_at is null;
  if not found then
    return;
  end if;
  select * into v_lacks from app.lacks_effect(p_tenant, p_expert, p_skill);
  perform app.apply_gate(p_tenant, p_expert, p_skill);
  if v_lacks.newcomer then
    update expert_skills x set status = coalesce(n.status, x.status), updated_at = app.clock_now()
    from newcomer_decisions n
    where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and x.status <> coalesce(n.status, x.status)
      and x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill;
  end if;
  if not v_lacks.standing and not v_lacks.notices then
    return;
  end if;
  select s.phase, s.reason, s.retest_from - s.since into v_phase, v_reason, v_wait
  from standings s where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill;
  if v_phase = 'PAUSED' and v_reason = 'ACCURACY_BELOW_BAR'
    and not exists (select from shown_standings w where w.tenant_id = p_tenant and w.expert_id = p_expert and w.skill_id = p_skill
                      and w.phase in ('WARNED', 'PAUSED')) then
    select max(n.id) into v_warned from standing_notices n
    where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and n.phase = 'WARNED'
      and n.id > app.last_told(p_tenant, p_expert, p_skill);
    if v_warned is not null then
      v_phase := 'WARNED';
      v_wait := null;
    end if;
  end if;
  insert into shown_notices (tenant_id, notice_id, expert_id, skill_id, shown_at)
  select n.tenant_id, n.id, n.expert_id, n.skill_id, app.clock_now() from standing_notices n
  where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and (v_warned is null or n.id <= v_warned)
    and n.id > app.last_told(p_tenant, p_expert, p_skill);
  perform app.show_standing(p_tenant, p_expert, p_skill, v_phase, v_reason, v_wait);
  if v_warned is not null then
    perform app.await_effect(p_tenant, p_expert, p_skill, false);
  end if;
end
$$;

create function app.show_standing(p_tenant bigint, p_expert bigint, p_skill bigint, p_phase text, p_reason text, p_wait interval) returns void
language plpgsql as $$
begin
  insert into shown_standings as w (tenant_id, expert_id, skill_id, phase, reason, since, retest_from)
  values (p_tenant, p_expert, p_skill, p_phase, p_reason, app.clock_now(), app.clock_now() + p_wait)
  on conflict (tenant_id, expert_id, skill_id) do update
    set phase = excluded.phase, reason = excluded.reason, since = excluded.since, retest_from = excluded.retest_from;
  perform app.apply_standing(p_tenant, p_expert, p_skill, p_phase, coalesce(p_reason, 'ACCURACY_RECOVERED'));
end
$$;

-- What a human or the calendar decided is in effect at once, and nothing else with it: what results decide waits on.
create function app.apply_at_once(p_tenant bigint, p_expert bigint, p_skill bigint) returns void language plpgsql as $$
declare
  v_standing standings;
begin
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  select * into v_standing from standings s
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.reason in ('HUMAN', 'FRAUD', 'RETEST_BEGUN');
  if not found then
    return;
  end if;
  insert into shown_notices (tenant_id, notice_id, expert_id, skill_id, shown_at)
  select n.tenant_id, n.id, n.expert_id, n.skill_id, app.clock_now() from standing_notices n
  where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and n.reason in ('HUMAN', 'FRAUD', 'RETEST_BEGUN')
    and n.id > app.last_told(p_tenant, p_expert, p_skill);
  if v_standing.reason = 'RETEST_BEGUN' then
    perform app.apply_gate(p_tenant, p_expert, p_skill);
  end if;
  perform app.show_standing(p_tenant, p_expert, p_skill, v_standing.phase, v_standing.reason, v_standing.retest_from - v_standing.since);
end
$$;

-- Begins the wait of what was decided of an expert in a skill, if anything was; what a human or the calendar decided does not
-- wait. Two to ten minutes and four to twenty-three further answers in the skill, whichever is later; without the minutes after
-- twenty-four to forty-three, so that somebody who guesses does little harm. In either case so many after the last state that was shown that
-- twenty answers may have decided it. Whoever answers nothing is told after thirty to sixty days.
create or replace function app.await_effect(p_tenant bigint, p_expert bigint, p_skill bigint, p_at_once boolean) returns void language plpgsql as $$
declare
  v_lacks record;
  v_key text := format('%s/%s/%s/%s', p_tenant, p_expert, p_skill, extract(epoch from app.clock_now()));
begin
  if p_at_once and (app.lacks_effect(p_tenant, p_expert, p_skill)).standing then
    perform app.apply_at_once(p_tenant, p_expert, p_skill);
  end if;
  select * into v_lacks from app.lacks_effect(p_tenant, p_expert, p_skill);
  if not (v_lacks.figures or v_lacks.standing or v_lacks.notices or v_lacks.newcomer) then
    return;
  end if;
  insert into skill_effects (tenant_id, expert_id, skill_id, decided_at, due_at, latest_at, gate_at, look_at, answers_min, answers_max,
                             after_assignment)
  select p_tenant, p_expert, p_skill, app.clock_now(), app.clock_now() + make_interval(secs => 120 + 480 * app.draw(v_key || '/wait')),
         app.clock_now() + make_interval(secs => 86400 * (30 + 30 * app.draw(v_key || '/latest'))),
         app.clock_now() + make_interval(secs => 86400 * (2 + 4 * app.draw(v_key || '/gate'))), app.clock_now(),
         4 + floor(20 * app.draw(v_key || '/min')), 24 + floor(20 * app.draw(v_key || '/max')),
         coalesce((select max(a.id) from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert), 0)
  on conflict (tenant_id, expert_id, skill_id) where applied_at is null do nothing;
end
$$;

-- At the upgrade experts are shown what they were, and what follows is spaced from there.
do $$
declare
  t text;
begin
  foreach t in array array['score_days', 'calibration_days', 'shown_marks', 'shown_scores', 'shown_calibrations', 'assignments'] loop
    execute format('alter table %I no force row level security', t);
  end loop;
  insert into shown_marks (tenant_id, expert_id, skill_id, as_of, after_assignment, hidden)
  select s.tenant_id, s.expert_id, s.skill_id, app.clock_now(),
         coalesce((select max(a.id) from assignments a where a.tenant_id = s.tenant_id and a.expert_id = s.expert_id), 0), true
  from (select distinct tenant_id, expert_id, skill_id from score_days where task_type_id = 0
        union select distinct tenant_id, expert_id, 0 from calibration_days) s;
  insert into shown_scores (tenant_id, expert_id, skill_id, as_of, seen, mean, lower, upper, last_right, last_of, probability_below)
  select distinct on (tenant_id, expert_id, skill_id) tenant_id, expert_id, skill_id, day + interval '1 day', seen, mean, lower, upper, 0, 0, 0
  from score_days where task_type_id = 0 and day < (app.clock_now() at time zone 'UTC')::date
  order by tenant_id, expert_id, skill_id, day desc;
  insert into shown_calibrations (tenant_id, expert_id, as_of, pairs, stated, actual, error, use)
  select distinct on (tenant_id, expert_id) tenant_id, expert_id, day + interval '1 day', pairs, stated, actual, error, use
  from calibration_days where day < (app.clock_now() at time zone 'UTC')::date order by tenant_id, expert_id, day desc;
  foreach t in array array['score_days', 'calibration_days', 'shown_marks', 'shown_scores', 'shown_calibrations', 'assignments'] loop
    execute format('alter table %I force row level security', t);
  end loop;
end
$$;
