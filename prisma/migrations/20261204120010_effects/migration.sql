-- What results decide comes into effect some minutes and some answers later, at an instant that is drawn: one that followed an
-- answer at once would tell that the answer was gold (rule 10, decision 60). Staff see the decision, experts its effect.
set local role touchstone_owner;

-- What draws are made from. Known to background work alone.
create table effect_seed (
  one boolean primary key default true check (one),
  seed bytea not null check (octet_length(seed) = 32)
);
insert into effect_seed (seed) values (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));
grant select on effect_seed to touchstone_system;

-- Something of an expert in a skill is decided and not yet in effect: at most one wait at a time, which takes along whatever is
-- decided before it ends. For good, with what was drawn.
create table skill_effects (
  tenant_id bigint not null,
  id bigint generated always as identity,
  expert_id bigint not null,
  skill_id bigint not null,
  decided_at timestamptz(3) not null,
  -- In effect from then on and after so many further answers; after answers_max of them, or at latest_at, in any case.
  due_at timestamptz(3) not null,
  latest_at timestamptz(3) not null,
  answers_min smallint not null,
  answers_max smallint not null,
  -- Answers count that are given under assignments after this one, the expert's last at the decision.
  after_assignment bigint not null,
  applied_at timestamptz(3),
  primary key (tenant_id, id),
  check (decided_at <= due_at and due_at <= latest_at and answers_min <= answers_max)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create unique index skill_effects_one on skill_effects (tenant_id, expert_id, skill_id) where applied_at is null;
create index skill_effects_waiting on skill_effects (id) where applied_at is null;

-- Where an expert stands as far as they know: the standing that is in effect.
create table shown_standings (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  phase text not null check (phase in ('CLEAR', 'WARNED', 'PAUSED', 'RETEST')),
  reason text,
  -- Since when it is in effect, and from when the expert may be tested anew: neither says when it was decided.
  since timestamptz(3) not null,
  retest_from timestamptz(3),
  primary key (tenant_id, expert_id, skill_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index shown_standings_retest on shown_standings (retest_from) where retest_from is not null;

-- When an expert was told of a change of standing.
create table shown_notices (
  tenant_id bigint not null,
  notice_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  shown_at timestamptz(3) not null,
  primary key (tenant_id, notice_id)
);
create index standing_notices_by_expert on standing_notices (tenant_id, expert_id, skill_id, id);

-- What results make of a newcomer: the status and the door that are decided. Nulls: no word on it.
create table newcomer_decisions (
  tenant_id bigint not null,
  expert_id bigint not null,
  skill_id bigint not null,
  status text check (status in ('PROBATION', 'ACTIVE')),
  door double precision check (door between 0 and 1),
  decided_at timestamptz(3) not null,
  primary key (tenant_id, expert_id, skill_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

do $$
declare
  own_expert text := 'expert_id = (select app.expert_id())';
  staff text[] := array['OPERATOR', 'ANALYST'];
  t text;
begin
  perform app.protect('skill_effects', 'false', 'false', staff);
  perform app.protect('newcomer_decisions', 'false', 'false', staff);
  perform app.protect('shown_standings', 'false', own_expert, staff);
  perform app.protect('shown_notices', 'false', own_expert, staff);
  foreach t in array array['skill_effects', 'newcomer_decisions', 'shown_standings', 'shown_notices'] loop
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
    execute format('grant insert on %I to touchstone_system', t);
  end loop;
  -- Decided standings, and notices that nobody was told of, are not for experts any more.
  foreach t in array array['standings', 'standing_notices'] loop
    execute format('drop policy read_in_scope on %I', t);
    execute format('drop policy insert_as_service on %I', t);
    execute format('drop policy update_as_service on %I', t);
    execute format('drop policy delete_as_service on %I', t);
    execute format('drop policy system_all on %I', t);
  end loop;
  perform app.protect('standings', 'false', 'false', staff);
  perform app.protect('standing_notices', 'false',
    'exists (select from shown_notices s where s.tenant_id = standing_notices.tenant_id and s.notice_id = standing_notices.id'
    ' and s.expert_id = (select app.expert_id()))', staff);
end
$$;
grant update (applied_at, due_at) on skill_effects to touchstone_system;
grant update on shown_standings, newcomer_decisions to touchstone_system;
create trigger permanent before update or delete on shown_notices for each row execute function app.refuse_change();
create trigger permanent_truncate before truncate on shown_notices for each statement execute function app.refuse_change();

-- A number in [0, 1) that nobody can foretell who does not know the seed, and that is the same whenever it is asked for.
create function app.draw(p_key text) returns double precision language sql stable as $$
  select ('x' || left(encode(sha256(s.seed || convert_to(p_key, 'UTF8')), 'hex'), 13))::bit(52)::bigint / 4503599627370496.0::double precision
  from effect_seed s
$$;

-- What is decided of an expert in a skill and not in effect: figures, standing, notices, how they are taken as a newcomer.
create function app.lacks_effect(p_tenant bigint, p_expert bigint, p_skill bigint,
                                 out figures boolean, out standing boolean, out notices boolean, out newcomer boolean)
language sql stable as $$
  select
    exists (select from expert_skills x
            cross join lateral (select d.mean, d.lower from score_days d
                                where d.tenant_id = p_tenant and d.expert_id = p_expert and d.skill_id = p_skill and d.task_type_id = 0
                                order by d.day desc limit 1) d
            where x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill
              and (x.quality_mean, x.quality_lower) is distinct from (d.mean, d.lower)),
    exists (select from standings s
            left join shown_standings w on w.tenant_id = s.tenant_id and w.expert_id = s.expert_id and w.skill_id = s.skill_id
            where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill
              and (s.phase, s.reason) is distinct from (coalesce(w.phase, 'CLEAR'), w.reason)),
    exists (select from standing_notices n
            where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill
              and not exists (select from shown_notices w where w.tenant_id = n.tenant_id and w.notice_id = n.id)),
    exists (select from newcomer_decisions n
            join expert_skills x on x.tenant_id = n.tenant_id and x.expert_id = n.expert_id and x.skill_id = n.skill_id
            where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and x.status <> 'PAUSED'
              and (x.status, x.door) is distinct from (coalesce(n.status, x.status), n.door))
$$;

-- Brings what is decided into effect, under the expert's lock, as a claim takes it: the figures that claims are filtered by, the
-- notices, and what follows from the standing. Nobody is paused by results without a warning that was in effect: whom
-- results have paused meanwhile is warned first, and paused when the next wait is over.
create function app.apply_effect(p_tenant bigint, p_expert bigint, p_skill bigint) returns void language plpgsql as $$
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
  if v_lacks.figures then
    update expert_skills x set quality_mean = d.mean, quality_lower = d.lower
    from (select d.mean, d.lower from score_days d
          where d.tenant_id = p_tenant and d.expert_id = p_expert and d.skill_id = p_skill and d.task_type_id = 0
          order by d.day desc limit 1) d
    where x.tenant_id = p_tenant and x.expert_id = p_expert and x.skill_id = p_skill;
  end if;
  if v_lacks.newcomer then
    update expert_skills x set status = coalesce(n.status, x.status), door = n.door, updated_at = app.clock_now()
    from newcomer_decisions n
    where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill
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
      and not exists (select from shown_notices w where w.tenant_id = n.tenant_id and w.notice_id = n.id);
    if v_warned is not null then
      v_phase := 'WARNED';
      v_wait := null;
    end if;
  end if;
  insert into shown_notices (tenant_id, notice_id, expert_id, skill_id, shown_at)
  select n.tenant_id, n.id, n.expert_id, n.skill_id, app.clock_now() from standing_notices n
  where n.tenant_id = p_tenant and n.expert_id = p_expert and n.skill_id = p_skill and (v_warned is null or n.id <= v_warned)
    and not exists (select from shown_notices w where w.tenant_id = n.tenant_id and w.notice_id = n.id);
  insert into shown_standings as w (tenant_id, expert_id, skill_id, phase, reason, since, retest_from)
  values (p_tenant, p_expert, p_skill, v_phase, v_reason, app.clock_now(), app.clock_now() + v_wait)
  on conflict (tenant_id, expert_id, skill_id) do update
    set phase = excluded.phase, reason = excluded.reason, since = excluded.since, retest_from = excluded.retest_from;
  perform app.apply_standing(p_tenant, p_expert, p_skill, v_phase, coalesce(v_reason, 'ACCURACY_RECOVERED'));
  if v_warned is not null then
    perform app.await_effect(p_tenant, p_expert, p_skill, false);
  end if;
end
$$;

-- Begins the wait of what was decided of an expert in a skill, if anything was; what a human or the calendar decided does not
-- wait. Two to ten minutes and four to fifteen further answers, whichever is later; never more than twenty to forty answers,
-- so that somebody who guesses does little harm, nor than twelve hours.
create function app.await_effect(p_tenant bigint, p_expert bigint, p_skill bigint, p_at_once boolean) returns void language plpgsql as $$
declare
  v_lacks record;
  v_key text := format('%s/%s/%s/%s', p_tenant, p_expert, p_skill, extract(epoch from app.clock_now()));
begin
  select * into v_lacks from app.lacks_effect(p_tenant, p_expert, p_skill);
  if not (v_lacks.figures or v_lacks.standing or v_lacks.notices or v_lacks.newcomer) then
    return;
  end if;
  insert into skill_effects (tenant_id, expert_id, skill_id, decided_at, due_at, latest_at, answers_min, answers_max, after_assignment)
  select p_tenant, p_expert, p_skill, app.clock_now(), app.clock_now() + make_interval(secs => 120 + 480 * app.draw(v_key || '/wait')),
         app.clock_now() + interval '12 h', 4 + floor(12 * app.draw(v_key || '/min')), 20 + floor(21 * app.draw(v_key || '/max')),
         coalesce((select max(a.id) from assignments a where a.tenant_id = p_tenant and a.expert_id = p_expert), 0)
  on conflict (tenant_id, expert_id, skill_id) where applied_at is null do nothing;
  if p_at_once and v_lacks.standing then
    perform app.apply_effect(p_tenant, p_expert, p_skill);
  end if;
end
$$;

-- What is in effect at the upgrade stays so, and was told when it was decided.
do $$
declare
  t text;
begin
  foreach t in array array['standings', 'standing_notices', 'shown_standings', 'shown_notices'] loop
    execute format('alter table %I no force row level security', t);
  end loop;
  insert into shown_standings (tenant_id, expert_id, skill_id, phase, reason, since, retest_from)
  select tenant_id, expert_id, skill_id, phase, reason, coalesce(since, updated_at), retest_from from standings;
  insert into shown_notices (tenant_id, notice_id, expert_id, skill_id, shown_at)
  select tenant_id, id, expert_id, skill_id, at from standing_notices;
  foreach t in array array['standings', 'standing_notices', 'shown_standings', 'shown_notices'] loop
    execute format('alter table %I force row level security', t);
  end loop;
end
$$;
