-- When the gold of each running project was last looked at: projects take turns, over all nodes and restarts.
set local role touchstone_owner;

create table gold_refills (
  tenant_id bigint not null,
  project_id bigint not null,
  looked_at timestamptz(3) not null,
  primary key (tenant_id, project_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index gold_refills_oldest on gold_refills (looked_at, project_id);
do $$
begin
  perform app.protect('gold_refills', 'false', 'false', array['OPERATOR', 'ANALYST']);
end
$$;
grant select on gold_refills to touchstone_app, touchstone_system;
grant insert, update, delete on gold_refills to touchstone_system;
