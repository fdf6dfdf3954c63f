-- What experts are shown fails pair by pair, as folds do; failures of work that is over go away; and projects that had results before
-- the watch over experts went by what is new are looked at.
set local role touchstone_owner;

alter table work_failures
  drop constraint work_failures_job_check,
  add constraint work_failures_job_check check (job in ('scores', 'effects', 'showing', 'stopping', 'gold', 'watch'));
create index work_failures_due on work_failures (retry_at);

-- (20261206120010_bounded_jobs saw none of them: row security holds for the owner too.)
alter table gradings no force row level security;
alter table watch_dues no force row level security;
insert into watch_dues (tenant_id, project_id) select distinct g.tenant_id, g.project_id from gradings g;
alter table watch_dues force row level security;
alter table gradings force row level security;
