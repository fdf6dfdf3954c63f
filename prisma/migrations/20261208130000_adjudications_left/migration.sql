-- Adjudications wait in a lane of their own, for experts of whom more is proven: what is left of them is not what is left of the tasks.
set local role touchstone_owner;

alter table forecasts
  add adjudication_seconds double precision check (adjudication_seconds >= 0),
  add adjudications bigint check (adjudications >= 0);
