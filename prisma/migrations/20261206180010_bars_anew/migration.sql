-- Newcomers who were there before the project, its gold or its policy are let in to high bars too.
set local role touchstone_owner;

-- One draw for the same results, however often the fold runs; a high bar, where nothing is drawn, opens a door of its own.
alter table doors drop constraint doors_tenant_id_expert_id_skill_id_results_grading_id_key;
create unique index doors_drawn_once on doors (tenant_id, expert_id, skill_id, results, grading_id) where kind <> 'HIGH_BARS';
create unique index doors_bar_once on doors (tenant_id, expert_id, skill_id, results, grading_id, quality) where kind = 'HIGH_BARS';

alter table skills
  -- The least bar that newcomers are let in to, as of when it was last looked at; null: there is none.
  add high_bar double precision check (high_bar between 0 and 1),
  add bar_at timestamptz(3);
create index skills_by_bar on skills (bar_at nulls first);
grant update (high_bar, bar_at) on skills to touchstone_system;
create index projects_running_by_skill on projects (tenant_id, skill_id, min_quality) where state = 'RUNNING';
