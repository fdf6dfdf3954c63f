-- Also of a batch that was late an end that is taken back within the hour was none: it had been taken for one (decision 162), so that such batches taught nobody.
set local role touchstone_owner;

create or replace function app.keep_first_end() returns trigger language plpgsql as $$
declare
  -- An end that is taken back so soon was none (an answer was under way, or a task came to want more), unless it was in time and the deadline
  -- has passed since.
  c_settles constant interval := '1 hour';
begin
  if tg_op = 'INSERT' then
    new.first_ended_at := new.ended_at;
    return new;
  end if;
  new.first_ended_at := old.first_ended_at;
  new.reopened_at := old.reopened_at;
  if old.first_ended_at is null then
    new.first_ended_at := new.ended_at;
  elsif old.ended_at is not null then
    if old.reopened_at is null and new.computed_at <= old.first_ended_at + c_settles
      and not coalesce(old.first_ended_at <= old.deadline and old.deadline < new.computed_at, false) then
      new.first_ended_at := new.ended_at;
    else
      new.reopened_at := new.computed_at;
    end if;
  end if;
  return new;
end
$$;
