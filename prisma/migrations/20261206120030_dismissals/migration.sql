-- A finding that means nothing takes back what followed from it by itself.
set local role touchstone_owner;

-- A grading that was void and counts again, and because of which finding: a fact of its own.
create table restored_gradings (
  tenant_id bigint not null,
  grading_id bigint not null,
  finding_id bigint not null,
  -- What it was void for, and since when.
  reason text not null,
  voided_at timestamptz(3) not null,
  at timestamptz(3) not null default app.clock_now(),
  primary key (tenant_id, grading_id, finding_id),
  foreign key (tenant_id, grading_id) references gradings (tenant_id, id)
);
do $$
begin
  perform app.protect('restored_gradings', 'false', 'false', array['OPERATOR', 'ANALYST']);
  grant select on restored_gradings to touchstone_app, touchstone_system;
  grant insert on restored_gradings to touchstone_app;
  create trigger permanent before update or delete on restored_gradings for each row execute function app.refuse_change();
  create trigger permanent_truncate before truncate on restored_gradings for each statement execute function app.refuse_change();
end
$$;

-- What makes a grading void is permanent, until the fact stands that says since when it counts again.
create function app.refuse_unless_restored() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and exists (select from restored_gradings r where r.tenant_id = old.tenant_id and r.grading_id = old.grading_id
                                    and r.reason = old.reason and r.voided_at = old.at) then
    return old;
  end if;
  raise exception 'Rows of % are permanent: % is refused.', tg_table_name, tg_op using errcode = 'XR001';
end
$$;
drop trigger permanent on voided_gradings;
create trigger permanent before update or delete on voided_gradings for each row execute function app.refuse_unless_restored();
grant delete on voided_gradings to touchstone_app;

create function app.note_restored() returns trigger language plpgsql as $$
begin
  insert into grading_dues (tenant_id, expert_id, skill_id, anew)
  select distinct g.tenant_id, g.expert_id, g.skill_id, true from noted n join gradings g on g.tenant_id = n.tenant_id and g.id = n.grading_id;
  return null;
end
$$;
create trigger due after insert on restored_gradings referencing new table as noted for each statement execute function app.note_restored();

-- Takes back what followed by itself from a finding that means nothing, and the pauses that were made from it and still stand:
-- gradings that it made void count again, but for those that another finding which stands makes void too; a gold that was suspended
-- is given again. Gold that was retired stays so: who knew it, or was thought to, may have told its answer.
create function app.undo_finding(p_tenant bigint, p_actor bigint, p_finding bigint) returns jsonb language plpgsql as $$
declare
  v_finding gold_findings;
  v_gradings bigint[];
  v_resumed boolean := false;
  v_lifted integer := 0;
  v_pause record;
begin
  select * into strict v_finding from gold_findings f where f.tenant_id = p_tenant and f.id = p_finding;
  if v_finding.kind in ('LEAKED', 'UNHEALTHY', 'QUICK_ON_GOLD') then
    if v_finding.kind <> 'QUICK_ON_GOLD' then
      perform from golds o where o.tenant_id = p_tenant and o.task_id = v_finding.task_id for update;
    end if;
    v_gradings := array(
      select g.id from gradings g
      join voided_gradings v on v.tenant_id = g.tenant_id and v.grading_id = g.id
        and v.reason = case v_finding.kind when 'UNHEALTHY' then 'UNHEALTHY' else 'LEAKED' end
      where g.tenant_id = p_tenant and g.kind = 'GOLD' and g.project_id = v_finding.project_id
        and case v_finding.kind when 'QUICK_ON_GOLD' then g.expert_id = any (v_finding.experts) else g.task_id = v_finding.task_id end
        and not exists (
          select from gold_findings o
          where o.tenant_id = p_tenant and o.id <> p_finding and o.project_id = g.project_id
            and (o.kind = 'LEAKED' and o.task_id = g.task_id or o.kind = 'QUICK_ON_GOLD' and g.expert_id = any (o.experts))
            and v.reason = 'LEAKED'
            and not exists (select from finding_decisions d where d.tenant_id = p_tenant and d.finding_id = o.id and d.decision = 'DISMISSED')));
    insert into restored_gradings (tenant_id, grading_id, finding_id, reason, voided_at)
    select p_tenant, v.grading_id, p_finding, v.reason, v.at from voided_gradings v
    where v.tenant_id = p_tenant and v.grading_id = any (v_gradings)
    on conflict do nothing;
    delete from voided_gradings v where v.tenant_id = p_tenant and v.grading_id = any (v_gradings);
  end if;
  if v_finding.kind = 'UNHEALTHY' then
    update golds o set state = 'ACTIVE', ended_at = null, reason = null
    where o.tenant_id = p_tenant and o.task_id = v_finding.task_id and o.state = 'SUSPENDED' and o.reason = 'UNHEALTHY';
    v_resumed := found;
  end if;
  for v_pause in
    select distinct p.expert_id, p.skill_id from finding_decisions d
    join pauses p on p.tenant_id = d.tenant_id and p.expert_id = d.expert_id and p.resumed_at is null and p.paused_by = d.decided_by
      and p.reason = d.reason and p.paused_at between d.decided_at - interval '1 s' and d.decided_at
    where d.tenant_id = p_tenant and d.finding_id = p_finding and d.decision = 'PAUSED'
  loop
    perform app.resume_expert(p_tenant, p_actor, v_pause.expert_id, v_pause.skill_id);
    v_lifted := v_lifted + 1;
  end loop;
  return jsonb_build_object('goldResumed', v_resumed, 'resultsRestored', cardinality(coalesce(v_gradings, '{}')), 'pausesLifted', v_lifted);
end
$$;

create or replace function app.decide_finding(p_tenant bigint, p_actor bigint, p_finding bigint, p_decision text, p_expert bigint, p_reason text, p_withdraw boolean)
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
  return jsonb_build_object('outcome', 'OK', 'kind', v_finding.kind, 'projectId', v_finding.project_id::text)
    || case p_decision when 'DISMISSED' then app.undo_finding(p_tenant, p_actor, p_finding) else '{}' end;
end
$$;
