-- Figures of experts all of whose results were taken back before there was a way back to what stood before them: a fold gives it.
set local role touchstone_owner;
alter table score_days no force row level security;
alter table quality_scores no force row level security;
alter table grading_dues no force row level security;
insert into grading_dues (tenant_id, expert_id, skill_id)
select d.tenant_id, d.expert_id, d.skill_id
from (
  select distinct on (s.tenant_id, s.expert_id, s.skill_id) s.tenant_id, s.expert_id, s.skill_id, s.seen
  from score_days s where s.task_type_id = 0
  order by s.tenant_id, s.expert_id, s.skill_id, s.day desc
) d
where d.seen > 0
  and not exists (select from quality_scores q where q.tenant_id = d.tenant_id and q.expert_id = d.expert_id and q.skill_id = d.skill_id);
alter table score_days force row level security;
alter table quality_scores force row level security;
alter table grading_dues force row level security;

-- What a human makes of an expert is not undone by what was decided of them before, nor is a door kept that chance had opened: whom
-- a human has taken on is taken for what that human said.
grant update (door) on newcomer_decisions to touchstone_app;
create or replace function app.keep_human_word() returns trigger language plpgsql as $$
begin
  update newcomer_decisions n set status = null, door = case when new.status = 'ACTIVE' then null else n.door end
  where n.tenant_id = new.tenant_id and n.expert_id = new.expert_id and n.skill_id = new.skill_id
    and (n.status is not null or n.door is not null and new.status = 'ACTIVE');
  return null;
end
$$;
create function app.close_door() returns trigger language plpgsql as $$
begin
  new.door := null;
  return new;
end
$$;
create trigger close_door before update of status on expert_skills for each row
  when (old.status is distinct from new.status and new.status = 'ACTIVE' and new.door is not null and current_user <> 'touchstone_system')
  execute function app.close_door();
