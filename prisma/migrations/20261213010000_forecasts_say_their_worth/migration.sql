-- What a forecast was said to be worth, as it was told: it hangs on who can do the work, also where it is not known when they work.
set local role touchstone_owner;

alter table forecasts add column confidence text check (confidence in ('LOW', 'MEDIUM', 'HIGH'));
