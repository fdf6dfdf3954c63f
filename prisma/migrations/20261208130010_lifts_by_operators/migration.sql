-- A lift is an operator's to allow, so it follows the chance below which an operator has allowed it, whatever threshold a customer sets
-- after; and it lapses unless a judging renews it, so that none outlives the job that would end it.
set local role touchstone_owner;

-- What was set before: from the threshold that was set with it.
alter table risk_policies add lift_below double precision check (lift_below between 0.5 and 0.99);

alter table project_lifts
  add until timestamptz(3) not null default app.clock_now() + interval '10 minutes',
  drop constraint project_lifts_end_reason_check,
  -- LATE: its deadline is past, or is not made any more however much it is lifted.
  add constraint project_lifts_end_reason_check check (end_reason in ('ON_TRACK', 'POLICY', 'LATE'));
grant update (until) on project_lifts to touchstone_system;

-- What has ended is a fact.
create trigger ended before update on project_lifts for each row when (old.ended_at is not null) execute function app.refuse_change();
