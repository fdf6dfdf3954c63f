-- Tasks that say of themselves that they are critical.
set local role touchstone_owner;
grant update (critical) on tasks to touchstone_app, touchstone_system;
-- app.stronger_lane, for projects without a policy: their critical tasks can end in a dispute.
grant insert on lanes to touchstone_system;
grant update (adjudication_lane_id) on projects to touchstone_system;

-- Makes tasks critical that the caller's transaction has opened with three to five answers: the rule of their project is held
-- to that from the first decision on (app.critical_policy).
create function app.mark_critical(p_tenant bigint, p_batch bigint, p_lines bigint[]) returns void language plpgsql as $$
begin
  update tasks t set critical = true
  where t.tenant_id = p_tenant and t.batch_id = p_batch and t.line = any (p_lines) and t.kind = 'WORK' and t.counted = 0
    and t.wanted between 3 and 5;
end
$$;
