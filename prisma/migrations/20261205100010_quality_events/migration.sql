-- What becomes of quality, told with the change: to staff on the tenant's stream, to customers on their project's, to an expert
-- what is in effect for them and nothing before it is.
set local role touchstone_owner;

create function app.tell_quality() returns trigger language plpgsql as $$
declare
  v_row jsonb := to_jsonb(new);
  v_kind text;
  v_body jsonb;
begin
  case tg_table_name
    when 'standing_notices' then
      v_kind := 'STANDING';
      v_body := jsonb_build_object('expertId', new.expert_id, 'skillId', new.skill_id, 'phase', v_row ->> 'phase', 'reason', v_row ->> 'reason');
    when 'shown_notices' then
      insert into stream_events (tenant_id, stream, kind, body, expert_id)
      select n.tenant_id, 'quality/expert/' || n.expert_id, 'STANDING',
             jsonb_build_object('expertId', n.expert_id, 'skillId', n.skill_id, 'phase', n.phase, 'reason', n.reason), n.expert_id
      from standing_notices n where n.tenant_id = new.tenant_id and n.id = (v_row ->> 'notice_id')::bigint;
      return null;
    when 'gold_findings' then
      v_kind := 'FINDING';
      v_body := jsonb_build_object('projectId', new.project_id, 'taskId', v_row -> 'task_id', 'finding', v_row ->> 'kind');
    when 'golds' then
      v_kind := 'GOLD_ENDED';
      v_body := jsonb_build_object('projectId', new.project_id, 'taskId', new.task_id, 'reason', v_row ->> 'reason');
    else
      v_kind := 'ADJUDICATION';
      v_body := jsonb_build_object('projectId', new.project_id, 'taskId', new.task_id, 'reason', v_row ->> 'reason');
      -- Rules have reasons that tell what is to become gold; what a human wrote is for whoever asks.
      perform app.append_event(new.tenant_id, 'quality/project/' || new.project_id, v_kind,
        case when coalesce(v_row ->> 'decided_by', '0') = '0' then v_body - 'reason' else v_body end, (v_row ->> 'customer_id')::bigint, null);
  end case;
  perform app.append_event(new.tenant_id, 'quality/staff', v_kind, v_body, null, null);
  return null;
end
$$;
create trigger told after insert on standing_notices for each row execute function app.tell_quality();
create trigger told after insert on shown_notices for each row execute function app.tell_quality();
create trigger told after insert on gold_findings for each row execute function app.tell_quality();
create trigger told after update of state on golds for each row
  when (old.state = 'ACTIVE' and new.state <> 'ACTIVE') execute function app.tell_quality();
create trigger told after insert on task_decisions for each row
  when (new.next = 'ADJUDICATE') execute function app.tell_quality();
