-- Background reads that grew with what there is: each look goes on from where the last one ended, and writes only what changed.
set local role touchstone_owner;

-- A project whose stopped tasks cannot be looked at waits by itself, as all other work that fails.
alter table work_failures
  drop constraint work_failures_job_check,
  add constraint work_failures_job_check check (job in ('scores', 'effects', 'showing', 'stopping', 'gold', 'watch', 'budget'));

-- Skills are looked at in the order of their keys: nothing is written to those whose bar is as it was. bar_at is when it changed.
drop index skills_by_bar;

-- The fold began anew, for something counts no longer: whether what ended a probation counts still is looked for at its end only.
alter table score_checkpoints add anew boolean not null default false;
