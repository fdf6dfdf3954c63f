-- How gold ends.
set local role touchstone_owner;

-- Retires or suspends gold, whoever or whatever found reason to. Gold that is suspended was never right: what it graded
-- counts no longer. Retired gold stays right. Gold that has ended already stays as it is, but that what was retired may be
-- suspended yet. The lock lets no answer be graded in between (app.grade_golds).
create function app.end_gold(p_tenant bigint, p_task bigint, p_state text, p_reason text) returns boolean language plpgsql as $$
begin
  perform from golds o where o.tenant_id = p_tenant and o.task_id = p_task for update;
  update golds o set state = p_state, ended_at = app.clock_now(), reason = p_reason
  where o.tenant_id = p_tenant and o.task_id = p_task and o.state in ('ACTIVE', case p_state when 'SUSPENDED' then 'RETIRED' end);
  if not found then
    return false;
  end if;
  if p_state = 'SUSPENDED' then
    insert into voided_gradings (tenant_id, grading_id, reason, at)
    select g.tenant_id, g.id, p_reason, app.clock_now() from gradings g
    where g.tenant_id = p_tenant and g.task_id = p_task and g.kind = 'GOLD'
    on conflict do nothing;
  end if;
  return true;
end
$$;
