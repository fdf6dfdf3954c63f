-- Of whoever a human paused nothing is decided by task type any more; what was is taken back by a fold of each.
set local role touchstone_owner;

alter table newcomer_decisions no force row level security;
alter table expert_skills no force row level security;
alter table grading_dues no force row level security;
insert into grading_dues (tenant_id, expert_id, skill_id)
select n.tenant_id, n.expert_id, n.skill_id from newcomer_decisions n
join expert_skills s on s.tenant_id = n.tenant_id and s.expert_id = n.expert_id and s.skill_id = n.skill_id and s.status = 'PAUSED'
where n.type_ids <> '{}';
alter table newcomer_decisions force row level security;
alter table expert_skills force row level security;
alter table grading_dues force row level security;
