-- Whoever sleeps is not written until they come back: they leave the queue of those who are to be tried, and are looked at where they are.
set local role touchstone_owner;
set local lock_timeout = '5s';

create index expert_skills_awake on expert_skills (try_at) where try_at is not null and not asleep;
create index expert_skills_asleep on expert_skills (tenant_id, expert_id, skill_id) where try_at is not null and asleep;
drop index expert_skills_try;
