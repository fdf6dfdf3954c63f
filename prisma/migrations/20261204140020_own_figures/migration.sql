-- An analyst or operator who may act as an expert too sees of themselves what the expert does: a score that moves with an answer,
-- and the instant of a decision, would tell them which answer was gold (rule 10).
set local role touchstone_owner;

-- The expert whom an analyst or operator may also act as; null: none, or somebody else asks.
create function app.own_expert() returns bigint language sql stable as $$
  select case when app.scope_role() in ('ANALYST', 'OPERATOR') then (
    select r.expert_id from identity_roles r
    where r.tenant_id = app.tenant_id() and r.identity_id = app.actor_id() and r.role = 'EXPERT') end
$$;

create policy own_as_expert on score_days as restrictive for select to touchstone_app
  using (tenant_id = (select app.tenant_id()) and (expert_id is distinct from (select app.own_expert()) or day < (app.clock_now() at time zone 'UTC')::date));
create policy own_as_expert on calibration_days as restrictive for select to touchstone_app
  using (tenant_id = (select app.tenant_id()) and (expert_id is distinct from (select app.own_expert()) or day < (app.clock_now() at time zone 'UTC')::date));
create policy own_as_expert on standings as restrictive for select to touchstone_app
  using (tenant_id = (select app.tenant_id()) and expert_id is distinct from (select app.own_expert()));
create policy own_as_expert on standing_notices as restrictive for select to touchstone_app
  using (tenant_id = (select app.tenant_id()) and (expert_id is distinct from (select app.own_expert()) or exists (
    select from shown_notices s where s.tenant_id = standing_notices.tenant_id and s.notice_id = standing_notices.id)));

-- An analyst sees which roles they have: what is refused to whoever may act as an expert is asked in the asker's own scope, and an
-- analyst's showed none.
create policy own_roles on identity_roles for select to touchstone_app
  using ((select app.scope_role()) = 'ANALYST' and tenant_id = (select app.tenant_id()) and identity_id = (select app.actor_id()));
