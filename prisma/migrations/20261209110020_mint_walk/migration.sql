-- Finished tasks of which no gold could be made with as many answers as they have, and when that was looked at: they are not looked at again
-- within a day, so that filling up gold walks back through all finished tasks of a project and not through the same ones.
set local role touchstone_owner;

create table mint_looks (
  tenant_id bigint not null,
  project_id bigint not null,
  task_id bigint not null,
  counted integer not null,
  looked_at timestamptz(3) not null,
  primary key (tenant_id, project_id, task_id)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
do $$
begin
  perform app.protect('mint_looks', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on mint_looks to touchstone_app, touchstone_system;
grant insert, update, delete on mint_looks to touchstone_system;
