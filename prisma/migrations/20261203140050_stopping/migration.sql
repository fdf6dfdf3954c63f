-- What the gold of a project says of stopping is fitted from its gradings.
set local role touchstone_owner;
create index gradings_by_project on gradings (tenant_id, project_id, id);
