-- The watch over experts: how far it has looked, what it finds, and what becomes of a finding.
set local role touchstone_owner;

-- SLOW_ON_GOLD: takes care where it counts, so tells gold from other work.
alter table gold_findings
  drop constraint gold_findings_kind_check,
  add constraint gold_findings_kind_check
    check (kind in ('LEAKED', 'UNHEALTHY', 'QUICK_ON_GOLD', 'SLOW_ON_GOLD', 'PEER_GAP', 'SHARED_ERRORS'));

-- Up to which grading the experts of a project have been looked at. No row: up to none.
create table project_watches (
  tenant_id bigint not null,
  project_id bigint not null,
  grading_id bigint not null,
  looked_at timestamptz(3) not null,
  -- A look has a bound: there was more than that.
  has_more boolean not null,
  primary key (tenant_id, project_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- What a human made of a finding: permanent. A finding that nobody has decided about is open.
create table finding_decisions (
  tenant_id bigint not null,
  id bigint generated always as identity,
  finding_id bigint not null,
  decision text not null check (decision in ('DISMISSED', 'PAUSED')),
  -- Who was paused because of it.
  expert_id bigint,
  reason text not null check (length(reason) between 1 and 500),
  decided_by bigint not null,
  decided_at timestamptz(3) not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, finding_id) references gold_findings (tenant_id, id),
  check ((decision = 'PAUSED') = (expert_id is not null))
);
create unique index finding_decisions_once on finding_decisions (tenant_id, finding_id, decision, expert_id) nulls not distinct;
create trigger permanent before update or delete on finding_decisions for each row execute function app.refuse_change();
create trigger permanent_truncate before truncate on finding_decisions for each statement execute function app.refuse_change();

do $$
declare
  t text;
begin
  foreach t in array array['project_watches', 'finding_decisions'] loop
    perform app.protect(t, 'false', 'false', array['OPERATOR', 'ANALYST']);
    execute format('grant select on %I to touchstone_app, touchstone_system', t);
  end loop;
end
$$;
grant insert, update on project_watches to touchstone_system;
grant insert on finding_decisions to touchstone_app;

-- Decides about a finding: it says nothing, or an expert whom it names is paused for the skill of its project, with the same
-- reason. The same decision again changes nothing.
create function app.decide_finding(p_tenant bigint, p_actor bigint, p_finding bigint, p_decision text, p_expert bigint, p_reason text, p_withdraw boolean)
returns jsonb language plpgsql as $$
declare
  v_finding gold_findings;
  v_out jsonb;
begin
  perform app.enter_service(p_tenant, p_actor);
  select * into v_finding from gold_findings f where f.tenant_id = p_tenant and f.id = p_finding;
  if not found then
    return jsonb_build_object('outcome', 'NO_FINDING');
  end if;
  if p_decision = 'PAUSED' then
    if not p_expert = any (v_finding.experts) then
      return jsonb_build_object('outcome', 'NO_EXPERT');
    end if;
    v_out := (select app.pause_expert(p_tenant, p_actor, p_expert, p.skill_id, p_reason, p_withdraw)
              from projects p where p.tenant_id = p_tenant and p.id = v_finding.project_id);
    if v_out ->> 'outcome' <> 'OK' then
      return v_out;
    end if;
  end if;
  insert into finding_decisions (tenant_id, finding_id, decision, expert_id, reason, decided_by, decided_at)
  values (p_tenant, p_finding, p_decision, case p_decision when 'PAUSED' then p_expert end, p_reason, p_actor, app.clock_now())
  on conflict do nothing;
  return jsonb_build_object('outcome', 'OK');
end
$$;
