-- Gold that was minted is what the project was sure of already: on it every method is right, and what is fitted on it promises too much.
-- Methods, calibrations and stopping are fitted on truths that nothing of that chose: gold by hand or imported, and what a stronger expert
-- said of tasks that were drawn.
set local role touchstone_owner;

create index golds_by_hand on golds (tenant_id, project_id, task_id) where source <> 'MINTED';
create index task_decisions_drawn on task_decisions (tenant_id, project_id, id) where reason in ('FIRST_GOLD', 'AUDIT');

-- Whether it rests on such truths alone: what was fitted before did not.
alter table inference_versions add column drawn boolean not null default false;
