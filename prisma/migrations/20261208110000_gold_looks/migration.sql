-- What experts see of a task beside its payload must not tell gold, whichever came first, gold or tasks: a claim gives gold only
-- in place of a task that looks like it, and gold that is unlike all tasks of its project is set aside (docs/decisions/0097).
set local role touchstone_owner;

-- How a task looks: its media type, and whether it has a name.
create function app.look_of(p_name text, p_content_type text) returns text language sql immutable as $$
  select case when p_name is null then p_content_type else 'NAMED ' || p_content_type end
$$;

-- The looks of a project's tasks, and how long their payloads are. They only become more, and wider.
create table project_looks (
  tenant_id bigint not null,
  project_id bigint not null,
  look text not null,
  bytes_min bigint not null,
  bytes_max bigint not null check (bytes_max >= bytes_min),
  primary key (tenant_id, project_id, look),
  foreign key (tenant_id, project_id) references projects (tenant_id, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
do $$
begin
  perform app.protect('project_looks', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on project_looks to touchstone_app, touchstone_system;
grant insert, update on project_looks to touchstone_system;

alter table golds
  -- Its task's look.
  add look text not null default '',
  -- Why it is given to nobody: it would be told. Null: it may be.
  add aside text check (aside in ('NAME', 'CONTENT_TYPE', 'SIZE'));
grant update (aside, look) on golds to touchstone_app, touchstone_system;
grant update (external_id, content_type) on tasks to touchstone_app, touchstone_system;

alter table tasks no force row level security;
alter table golds no force row level security;
alter table project_looks no force row level security;
insert into project_looks (tenant_id, project_id, look, bytes_min, bytes_max)
select t.tenant_id, t.project_id, app.look_of(t.external_id, t.content_type), min(t.payload_bytes), max(t.payload_bytes)
from tasks t where t.kind = 'WORK' group by 1, 2, 3;
update golds g set look = app.look_of(t.external_id, t.content_type)
from tasks t where t.tenant_id = g.tenant_id and t.id = g.task_id;
alter table tasks force row level security;
alter table golds force row level security;
alter table project_looks force row level security;
alter table golds alter look drop default;

drop index golds_pool;
create index golds_pool on golds (tenant_id, project_id, label, look, turn) where state = 'ACTIVE' and aside is null;

-- Only gold that nobody was shown may look otherwise one day.
create function app.keep_look() returns trigger language plpgsql as $$
begin
  update golds g set look = app.look_of(new.external_id, new.content_type)
  where g.tenant_id = new.tenant_id and g.task_id = new.id and g.exposures = 0 and g.slots = 0;
  if not found then
    raise exception 'Task % may have been seen as it looks.', new.id;
  end if;
  return null;
end
$$;
create trigger tasks_keep_look after update of external_id, content_type on tasks for each row
  when ((old.external_id, old.content_type) is distinct from (new.external_id, new.content_type)) execute function app.keep_look();

-- Takes in how tasks that are being given look: `[{externalId, contentType, payloadBytes}]`. True where the project had none like
-- them; whoever adds another look waits then, so that what follows from all of them is seen by one.
create function app.note_looks(p_tenant bigint, p_project bigint, p_tasks jsonb) returns boolean language plpgsql as $$
declare
  v_looks project_looks[];
begin
  select array_agg(row(p_tenant, p_project, g.look, g.bytes_min, g.bytes_max)::project_looks) into v_looks
  from (
    select app.look_of(r."externalId", r."contentType") as look, min(r."payloadBytes") as bytes_min, max(r."payloadBytes") as bytes_max
    from jsonb_to_recordset(p_tasks) as r("externalId" text, "contentType" text, "payloadBytes" bigint) group by 1
  ) g
  where not exists (select from project_looks l where l.tenant_id = p_tenant and l.project_id = p_project and l.look = g.look
                      and l.bytes_min <= g.bytes_min and l.bytes_max >= g.bytes_max);
  if v_looks is null then
    return false;
  end if;
  perform pg_advisory_xact_lock(7275, (p_project % 2147483647)::integer);
  insert into project_looks as l select * from unnest(v_looks)
  on conflict (tenant_id, project_id, look) do update set
    bytes_min = least(l.bytes_min, excluded.bytes_min), bytes_max = greatest(l.bytes_max, excluded.bytes_max);
  return true;
end
$$;

-- Sets gold aside that no task of its project looks like, and gives again what one looks like by now; where there are no tasks yet
-- none is aside. Payloads are alike in length from half of the shortest to twice the longest. Staff are told.
-- Returns how many golds changed.
create function app.set_gold_aside(p_tenant bigint, p_project bigint) returns integer language plpgsql as $$
declare
  v_changed integer;
  v_aside integer;
begin
  with looks as materialized (
    select l.* from project_looks l where l.tenant_id = p_tenant and l.project_id = p_project
  ), judged as materialized (
    select g.task_id, case
             when not exists (select from looks) or t.payload_bytes between l.bytes_min / 2.0 and 2 * l.bytes_max then null
             when l.look is not null then 'SIZE'
             when exists (select from looks o where o.look in (app.look_of(null, t.content_type), app.look_of('', t.content_type))) then 'NAME'
             else 'CONTENT_TYPE' end as why
    from golds g
    join tasks t on t.tenant_id = g.tenant_id and t.id = g.task_id
    left join looks l on l.look = g.look
    where g.tenant_id = p_tenant and g.project_id = p_project and g.state = 'ACTIVE'
  ), moved as (
    update golds g set aside = j.why from judged j
    where g.tenant_id = p_tenant and g.task_id = j.task_id and g.aside is distinct from j.why
    returning g.aside
  )
  select count(*), count(m.aside) into v_changed, v_aside from moved m;
  if v_aside > 0 then
    perform app.append_event(p_tenant, 'quality/staff', 'GOLD_SET_ASIDE',
      jsonb_build_object('projectId', p_project), null, null);
  end if;
  return v_changed;
end
$$;
