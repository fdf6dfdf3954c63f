-- Whoever is tested anew is given work to be tested on, whatever their past results say.
set local role touchstone_owner;
alter table doors
  drop constraint doors_kind_check,
  add constraint doors_kind_check check (kind in ('LOWER_BOUND', 'EXPLORATION', 'SCARCE_SKILL', 'RETEST'));
