-- That all which a skill has to do asks for more than an expert is taken for could be asked, and was told to nobody. It is told when it is in effect, and
-- when it is over: to the expert and, where it is their results, to staff.
set local role touchstone_owner;

-- Whether all that there is to do in a skill asks for more than claims take an expert for.
create function app.is_below(p_skill expert_skills, p_bar double precision) returns boolean language sql immutable as $$
  select coalesce(p_skill.status <> 'PAUSED' and p_skill.taken_for < p_bar and not p_bar <= any (p_skill.type_gates), false)
$$;

create function app.tell_bars() returns trigger language plpgsql as $$
declare
  v_bar double precision;
  v_is boolean;
  v_body jsonb := jsonb_build_object('expertId', new.expert_id, 'skillId', new.skill_id);
begin
  select k.least_bar into v_bar from skills k where k.tenant_id = new.tenant_id and k.id = new.skill_id;
  v_is := app.is_below(new, v_bar);
  -- A pause is another matter, and is told.
  if v_is is distinct from app.is_below(old, v_bar) and new.status <> 'PAUSED' then
    perform app.append_event(new.tenant_id, 'quality/expert/' || new.expert_id, case when v_is then 'BELOW_BAR' else 'BAR_REACHED' end, v_body,
                             null, new.expert_id);
    perform app.append_event(new.tenant_id, 'quality/staff', case when v_is then 'BELOW_BAR' else 'BAR_REACHED' end, v_body, null, null);
  end if;
  return null;
end
$$;
create trigger bars_told after update on expert_skills for each row
  when ((old.status, old.taken_for, old.type_gates) is distinct from (new.status, new.taken_for, new.type_gates)) execute function app.tell_bars();

-- The work has changed, and nobody's results: each expert is told, and staff know of their projects.
create function app.tell_least_bar() returns trigger language plpgsql as $$
begin
  perform app.append_event(s.tenant_id, 'quality/expert/' || s.expert_id,
            case when app.is_below(s, new.least_bar) then 'BELOW_BAR' else 'BAR_REACHED' end,
            jsonb_build_object('expertId', s.expert_id, 'skillId', s.skill_id), null, s.expert_id)
  from expert_skills s
  where s.tenant_id = new.tenant_id and s.skill_id = new.id and app.is_below(s, new.least_bar) <> app.is_below(s, old.least_bar);
  return null;
end
$$;
create trigger least_bar_told after update of least_bar on skills for each row
  when (old.least_bar is distinct from new.least_bar) execute function app.tell_least_bar();
