-- That all which a skill has to do asks for more than an expert is taken for could be asked, and was told to nobody. It is told when it is in effect, and
-- when it is over: to the expert and, where it is their results, to staff.
set local role touchstone_owner;

-- Whether all that there is to do in a skill asks for more than claims take an expert for.
create function app.is_below(p_skill expert_skills, p_bar double precision) returns boolean language sql immutable as $$
  select coalesce(p_skill.status <> 'PAUSED' and p_skill.taken_for < p_bar and not p_bar <= any (p_skill.type_gates), false)
$$;

-- What an expert was told last, and up to which least bar all experts of a skill were told.
alter table expert_skills add told_below boolean not null default false;
grant update (told_below) on expert_skills to touchstone_app, touchstone_system;
alter table skills add told_bar double precision;
grant update (told_bar) on skills to touchstone_system;
create index skills_untold on skills (tenant_id, id) where told_bar is distinct from least_bar;

-- Whoever changes the least bar of a skill waits until what was told by the one before is told for good, and who tells meanwhile waits for the new one.
create function app.hold_bars() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7263, hashint8(new.id));
  return new;
end
$$;
create trigger bars_held before update of least_bar on skills for each row
  when (old.least_bar is distinct from new.least_bar) execute function app.hold_bars();

-- Results of an expert have changed. A pause is another matter, and is told. Each word is told once: what was told last is kept.
create function app.tell_bars() returns trigger language plpgsql as $$
declare
  v_is boolean;
  v_body jsonb := jsonb_build_object('expertId', new.expert_id, 'skillId', new.skill_id);
begin
  perform pg_advisory_xact_lock_shared(7263, hashint8(new.skill_id));
  select app.is_below(new, k.least_bar) into v_is from skills k where k.tenant_id = new.tenant_id and k.id = new.skill_id;
  update expert_skills s set told_below = v_is
  where s.tenant_id = new.tenant_id and s.expert_id = new.expert_id and s.skill_id = new.skill_id and s.told_below <> v_is;
  if found then
    perform app.append_event(new.tenant_id, 'quality/expert/' || new.expert_id, case when v_is then 'BELOW_BAR' else 'BAR_REACHED' end, v_body,
                             null, new.expert_id);
    perform app.append_event(new.tenant_id, 'quality/staff', case when v_is then 'BELOW_BAR' else 'BAR_REACHED' end, v_body, null, null);
  end if;
  return null;
end
$$;
create trigger bars_told after update on expert_skills for each row
  when (new.status <> 'PAUSED' and (old.status, old.taken_for, old.type_gates) is distinct from (new.status, new.taken_for, new.type_gates))
  execute function app.tell_bars();

-- The work has changed, and nobody's results: the next p_limit experts of a skill are told, and staff know of their projects. Who is changed
-- just now is told by whoever does that, or the next time. Whether there is more to do at once.
create function app.tell_least_bars(p_limit integer) returns boolean language plpgsql as $$
declare
  v_skill skills;
  v_found integer;
  v_told integer;
begin
  select * into v_skill from skills k where k.told_bar is distinct from k.least_bar order by random() limit 1 for no key update skip locked;
  if not found then
    return false;
  end if;
  with found as materialized (
    select s.expert_id from expert_skills s
    where s.tenant_id = v_skill.tenant_id and s.skill_id = v_skill.id and s.status <> 'PAUSED'
      and s.told_below <> app.is_below(s, v_skill.least_bar) limit p_limit
  ), held as materialized (
    select s.expert_id, app.is_below(s, v_skill.least_bar) as is_below from expert_skills s
    where s.tenant_id = v_skill.tenant_id and s.skill_id = v_skill.id and s.status <> 'PAUSED' and s.expert_id in (select f.expert_id from found f)
      and s.told_below <> app.is_below(s, v_skill.least_bar) for no key update skip locked
  ), told as (
    update expert_skills s set told_below = h.is_below from held h
    where s.tenant_id = v_skill.tenant_id and s.skill_id = v_skill.id and s.expert_id = h.expert_id
    returning s.expert_id, s.told_below
  ), events as materialized (
    select app.append_event(v_skill.tenant_id, 'quality/expert/' || t.expert_id, case when t.told_below then 'BELOW_BAR' else 'BAR_REACHED' end,
             jsonb_build_object('expertId', t.expert_id, 'skillId', v_skill.id), null, t.expert_id)::text as done
    from told t
  )
  select (select count(*) from found), (select count(*) from events e where e.done is not null) into v_found, v_told;
  if v_found < p_limit and v_told = v_found then
    update skills k set told_bar = v_skill.least_bar where k.tenant_id = v_skill.tenant_id and k.id = v_skill.id;
    return true;
  end if;
  return v_told > 0;
end
$$;
