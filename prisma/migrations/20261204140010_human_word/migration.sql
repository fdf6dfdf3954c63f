-- What a human makes of an expert's status is not undone by what was decided of them before and is not in effect yet.
set local role touchstone_owner;
grant update (status) on newcomer_decisions to touchstone_app;

-- The status that was decided is no word any more; the next results decide anew. What results bring into effect is no such change.
create function app.keep_human_word() returns trigger language plpgsql as $$
begin
  update newcomer_decisions n set status = null
  where n.tenant_id = new.tenant_id and n.expert_id = new.expert_id and n.skill_id = new.skill_id and n.status is not null;
  return null;
end
$$;
create trigger human_word after update of status on expert_skills for each row
  when (old.status is distinct from new.status and current_user <> 'touchstone_system')
  execute function app.keep_human_word();
