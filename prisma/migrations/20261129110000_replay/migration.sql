-- A task may want as many answers as its allow-list can name experts (1,000). Recorded data sets have items that
-- several hundred people answered, and an import keeps each of them. Projects keep their bound of 100: it is the default
-- for tasks that say nothing. Safe while older code runs: it only asks for less.
set local role touchstone_owner;

alter table tasks
  drop constraint tasks_wanted_check,
  add constraint tasks_wanted_check check (wanted between 1 and 1000);
