-- What an adjudicator says of an expert counts by what is known of the adjudicator. Whoever was graded by one is folded once more: whom their errors
-- paused is not until something else happens to be graded. (Of checkpoints the fold knows by itself that another version wrote them.)
set local role touchstone_owner;

alter table gradings no force row level security;
alter table grading_dues no force row level security;
insert into grading_dues (tenant_id, expert_id, skill_id)
select distinct g.tenant_id, g.expert_id, g.skill_id from gradings g where g.kind = 'ADJUDICATION' and g.weight < 1;
alter table gradings force row level security;
alter table grading_dues force row level security;
