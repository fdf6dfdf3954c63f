-- What is looked for in each round, and in each fold, is found by an index and within a bound.
set local role touchstone_owner;

-- Looks at finished tasks in vain say nothing after a day, and go.
create index mint_looks_outdated on mint_looks (looked_at);
-- The least bar of a task type, from below.
create index projects_bars_by_type on projects (tenant_id, skill_id, task_type_id, min_quality) where state = 'RUNNING';
