-- How many newcomers of a skill are let in by chance is its tenant's to say; and a door where all that a skill has asks for more than
-- any exception reaches.
set local role touchstone_owner;

alter table skills
  -- The share of newcomers' doors that chance opens; null: the default (services/quality/gold/door.ts).
  add exploration_share double precision check (exploration_share between 0 and 0.5);
grant update (exploration_share) on skills to touchstone_app;

alter table doors
  -- The share that the draw to explore was compared with; null where nothing was drawn.
  add explore_share double precision check (explore_share between 0 and 0.5),
  drop constraint doors_kind_check,
  add constraint doors_kind_check check (kind in ('LOWER_BOUND', 'EXPLORATION', 'SCARCE_SKILL', 'RETEST', 'HIGH_BARS'));
