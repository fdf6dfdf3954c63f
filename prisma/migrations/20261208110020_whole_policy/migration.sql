-- The rule that a critical project was held to three to five answers from: what it has again when it is critical no longer.
set local role touchstone_owner;

alter table projects add whole_policy jsonb check (whole_policy is null or is_critical);
grant update (whole_policy) on projects to touchstone_app;
