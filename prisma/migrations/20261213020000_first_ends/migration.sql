-- A batch has ended once: what goes on weeks later, for an answer was retracted, was done all the same (decision 162).
set local role touchstone_owner;

-- When it was done first: what its forecasts are scored by. And when it last went on after an end: a batch that did teaches nobody.
alter table forecasts
  add first_ended_at timestamptz(3),
  add reopened_at timestamptz(3),
  add check (reopened_at is null or first_ended_at is not null);

create function app.keep_first_end() returns trigger language plpgsql as $$
declare
  -- An end that is taken back so soon was none (an answer was under way, or a task came to want more), unless the deadline has passed since.
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
    if old.reopened_at is null and new.computed_at <= least(old.first_ended_at + c_settles, old.deadline) then
      new.first_ended_at := new.ended_at;
    else
      new.reopened_at := new.computed_at;
    end if;
  end if;
  return new;
end
$$;
create trigger first_end before insert on forecasts for each row when (new.ended_at is not null) execute function app.keep_first_end();
create trigger first_end_kept before update on forecasts for each row
  when (old.ended_at is distinct from new.ended_at) execute function app.keep_first_end();

alter table forecasts no force row level security;
update forecasts set first_ended_at = ended_at where ended_at is not null;
alter table forecasts force row level security;

-- What said that a batch is never done (beyond ten years) is no distance of seconds: it is counted, and not among the distances.
alter table forecast_log drop constraint forecast_log_check,
  add constraint forecast_log_scored_whole check (
    (ended_at is null) = (held is null) and (crps_seconds is null) = (pinball_seconds is null) and (ended_at is not null or crps_seconds is null));
alter table forecast_log no force row level security;
update forecast_log set crps_seconds = null, pinball_seconds = null where crps_seconds is not null and seconds[19] > 10 * 365 * 86400.0;
alter table forecast_log force row level security;
