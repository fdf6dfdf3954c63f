-- What humans say of a pause reaches the expert; a project keeps that it is critical; a gold with a wrong key can be given again.
set local role touchstone_owner;

-- Whether the expert reads the reason: it was written for them. What was written before, or with a finding, may name gold.
alter table pauses
  add told boolean not null default false,
  add resume_reason text check (length(resume_reason) between 1 and 500),
  add constraint pauses_resume_reason check (resume_reason is null or resumed_at is not null);
grant update (told, resume_reason) on pauses to touchstone_app;

do $$
declare
  t text := 'pauses';
begin
  execute format('drop policy read_in_scope on %I', t);
  execute format('drop policy insert_as_service on %I', t);
  execute format('drop policy update_as_service on %I', t);
  execute format('drop policy delete_as_service on %I', t);
  execute format('drop policy system_all on %I', t);
  perform app.protect(t, 'false', 'told and expert_id = (select app.expert_id())', array['OPERATOR', 'ANALYST']);
end
$$;

-- app.pause_expert with a reason that the expert reads; where a pause holds already its first reason stands.
create function app.pause_expert_told(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint, p_reason text, p_withdraw boolean)
returns jsonb language plpgsql as $$
declare
  v_out jsonb := app.pause_expert(p_tenant, p_actor, p_expert, p_skill, p_reason, p_withdraw);
begin
  update pauses p set told = true
  where v_out ->> 'outcome' = 'OK' and p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill
    and p.resumed_at is null and p.paused_by = p_actor and p.paused_at = app.clock_now()::timestamptz(3) and not p.told;
  return v_out;
end
$$;

-- app.resume_expert with its reason.
create function app.resume_expert_told(p_tenant bigint, p_actor bigint, p_expert bigint, p_skill bigint, p_reason text) returns jsonb
language plpgsql as $$
declare
  v_out jsonb := app.resume_expert(p_tenant, p_actor, p_expert, p_skill);
begin
  update pauses p set resume_reason = p_reason, told = p.told or p.paused_by is null
  where v_out ->> 'outcome' = 'OK' and p.tenant_id = p_tenant and p.expert_id = p_expert and p.skill_id is not distinct from p_skill
    and p.resumed_by = p_actor and p.resumed_at = app.clock_now()::timestamptz(3) and p.resume_reason is null;
  return v_out;
end
$$;

-- Held to three to five answers, whatever rule is set: kept, so that a new rule need not say it again.
alter table projects add is_critical boolean not null default false;
grant update (is_critical) on projects to touchstone_app;

-- A payload is gold of a project once; one that was suspended makes room, for it was given with a wrong key.
drop index golds_payload_once;
create unique index golds_payload_once on golds (tenant_id, project_id, payload_key) where state <> 'SUSPENDED';
create index golds_suspended on golds (tenant_id, project_id, payload_key) where state = 'SUSPENDED';
