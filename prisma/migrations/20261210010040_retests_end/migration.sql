-- A re-test in which nothing can be graded ended never: staff were told, and could do nothing. Whoever lifts a pause ends the re-test after it
-- too; the skill has the status again that it had before the pause, and only what follows counts.
set local role touchstone_owner;

-- What whoever is in a re-test was before the first pause of its run. A pause that follows on a re-test, by its results or by a human, takes it over
-- from the one before, so that the latest says it; null: they are in none.
create function app.before_retest(p_tenant bigint, p_expert bigint, p_skill bigint) returns text language sql stable as $$
  select p.status_before from shown_standings w
  join pauses p on p.tenant_id = w.tenant_id and p.expert_id = w.expert_id and p.skill_id = w.skill_id
  join expert_skills s on s.tenant_id = w.tenant_id and s.expert_id = w.expert_id and s.skill_id = w.skill_id and s.status = 'PROBATION'
  where w.tenant_id = p_tenant and w.expert_id = p_expert and w.skill_id = p_skill and w.phase = 'RETEST'
  order by p.id desc limit 1
$$;

create or replace function app.resume_expert(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint) returns jsonb language plpgsql as $$
declare
  v_before text;
begin
  perform app.enter_service(p_tenant, p_actor);
  perform from experts x where x.tenant_id = p_tenant and x.id = p_expert for no key update;
  if not found then
    return jsonb_build_object('outcome', 'NO_EXPERT');
  end if;
  if p_skill is not null and not exists (select from expert_skills s
       where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill) then
    return jsonb_build_object('outcome', 'NO_SKILL');
  end if;
  select p.status_before into v_before from pauses p
  where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill and p.resumed_at is null;
  if p_skill is null then
    update experts x set status = 'ACTIVE' where x.tenant_id = p_tenant and x.id = p_expert and x.status = 'PAUSED';
  else
    update expert_skills s set status = coalesce(v_before, 'ACTIVE'), updated_at = app.clock_now()
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.status = 'PAUSED';
    -- In a re-test they are on probation, and were what they were before the pause.
    update expert_skills s set status = coalesce(app.before_retest(p_tenant, p_expert, p_skill), s.status), updated_at = app.clock_now()
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.status = 'PROBATION'
      and exists (select from shown_standings w where w.tenant_id = p_tenant and w.expert_id = p_expert and w.skill_id = p_skill and w.phase = 'RETEST')
      and exists (select from standings w where w.tenant_id = p_tenant and w.expert_id = p_expert and w.skill_id = p_skill and w.phase in ('PAUSED', 'RETEST'));
  end if;
  perform app.close_pauses(p_tenant, p_actor, p_expert, p_skill);
  -- Decided and not in effect, or over but for its re-test: recorded as one that ended as it began.
  insert into pauses (tenant_id, expert_id, skill_id, reason, status_before, paused_at, resumed_at, resumed_by)
  select p_tenant, p_expert, p_skill, s.reason, x.status, app.clock_now(), app.clock_now(), p_actor
  from standings s
  join expert_skills x on x.tenant_id = s.tenant_id and x.expert_id = s.expert_id and x.skill_id = s.skill_id and x.status <> 'PAUSED'
  where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.phase in ('PAUSED', 'RETEST')
    and s.reason not in ('HUMAN', 'FRAUD') and v_before is null;
  return jsonb_build_object('outcome', 'OK');
end
$$;

create or replace function app.pause_expert(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint, p_reason text, p_withdraw boolean)
returns jsonb language plpgsql as $$
declare
  v_status text;
  v_before text;
  v_open text;
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
    v_before := app.before_retest(p_tenant, p_expert, p_skill);
    update expert_skills s set status = 'PAUSED', updated_at = app.clock_now()
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.status <> 'PAUSED';
  else
    update experts x set status = 'PAUSED' where x.tenant_id = p_tenant and x.id = p_expert and x.status <> 'PAUSED';
  end if;
  update pauses p set resumed_at = app.clock_now(), returned = true
  where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id = p_skill and p.resumed_at is null and p.paused_by is null
  returning p.status_before into v_open;
  insert into pauses (tenant_id, expert_id, skill_id, reason, status_before, paused_by)
  values (p_tenant, p_expert, p_skill, p_reason, coalesce(v_open, v_before, nullif(v_status, 'PAUSED'), 'ACTIVE'), p_actor)
  on conflict do nothing;
  if p_withdraw and app.withdraw_lease(p_tenant, p_expert, p_skill) then
    update pauses p set withdrew = true
    where p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill and p.resumed_at is null;
  end if;
  return jsonb_build_object('outcome', 'OK');
end
$$;

-- A re-test that fails pauses again. One that ends because its pause counts no longer leaves them what they were before it, as a pause does.
create or replace function app.show_standing(p_tenant bigint, p_expert bigint, p_skill bigint, p_phase text, p_reason text, p_wait interval) returns void
language plpgsql as $$
declare
  v_before text := app.before_retest(p_tenant, p_expert, p_skill);
begin
  insert into shown_standings as w (tenant_id, expert_id, skill_id, phase, reason, since, retest_from)
  values (p_tenant, p_expert, p_skill, p_phase, p_reason, app.clock_now(), app.clock_now() + p_wait)
  on conflict (tenant_id, expert_id, skill_id) do update
    set phase = excluded.phase, reason = excluded.reason, since = excluded.since, retest_from = excluded.retest_from;
  if v_before is not null and p_phase = 'PAUSED' and p_reason not in ('HUMAN', 'FRAUD') then
    insert into pauses (tenant_id, expert_id, skill_id, reason, status_before) values (p_tenant, p_expert, p_skill, p_reason, v_before)
    on conflict do nothing;
  end if;
  perform app.apply_standing(p_tenant, p_expert, p_skill, p_phase, coalesce(p_reason, 'ACCURACY_RECOVERED'));
  if v_before is not null and p_phase in ('CLEAR', 'WARNED') and coalesce(p_reason, '') not in ('RETEST_PASSED', 'HUMAN', 'FRAUD') then
    update expert_skills s set status = v_before, updated_at = app.clock_now()
    where s.tenant_id = p_tenant and s.expert_id = p_expert and s.skill_id = p_skill and s.status = 'PROBATION' and v_before <> 'PROBATION';
  end if;
end
$$;

-- Pauses from before this: the first since they were last in the clear says what they were, where a re-test began in between.
alter table pauses no force row level security;
alter table retests no force row level security;
alter table shown_notices no force row level security;
alter table standing_notices no force row level security;
alter table grading_dues no force row level security;
update pauses u set status_before = f.status_before
from pauses l
cross join lateral (
  select coalesce(max(n.shown_at), '-infinity') as at from shown_notices n
  join standing_notices o on o.tenant_id = n.tenant_id and o.id = n.notice_id and o.phase = 'CLEAR'
  where n.tenant_id = l.tenant_id and n.expert_id = l.expert_id and n.skill_id = l.skill_id and n.shown_at <= l.paused_at) c
cross join lateral (
  select p.status_before, p.paused_at from pauses p
  where p.tenant_id = l.tenant_id and p.expert_id = l.expert_id and p.skill_id = l.skill_id and p.id < l.id and p.paused_at > c.at
  order by p.id limit 1) f
where u.tenant_id = l.tenant_id and u.id = l.id and l.status_before = 'PROBATION' and f.status_before <> 'PROBATION'
  and exists (select from retests r where r.tenant_id = l.tenant_id and r.expert_id = l.expert_id and r.skill_id = l.skill_id
                and r.begun_at >= f.paused_at and r.begun_at <= l.paused_at);
alter table pauses force row level security;
alter table retests force row level security;
alter table shown_notices force row level security;
alter table standing_notices force row level security;
alter table grading_dues force row level security;
