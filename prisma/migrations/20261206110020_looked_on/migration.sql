-- Marks that were never looked at have a day too, so that the look for the next one is a range of the index and passes none of
-- those that were looked at today.
set local role touchstone_owner;
alter table shown_marks no force row level security;
update shown_marks set looked_on = date '2000-01-01' where looked_on is null;
alter table shown_marks force row level security;
alter table shown_marks alter looked_on set default date '2000-01-01', alter looked_on set not null;
drop index shown_marks_hidden;
create index shown_marks_hidden on shown_marks (looked_on) where hidden;
