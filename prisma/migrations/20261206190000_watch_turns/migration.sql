-- The project of each tenant that waits longest for a look, whatever others have waiting.
create index project_watches_fresh_of on project_watches (tenant_id, looked_at nulls first) where is_fresh;
