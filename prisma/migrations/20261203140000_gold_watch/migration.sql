-- How many showings of a gold the watch has looked at.
set local role touchstone_owner;
alter table golds add watched integer not null default 0;
grant update (watched) on golds to touchstone_system;
