-- How many drafts an expert has left behind is bounded (decision 139): the newest are found without reading all. Neither column ever
-- changes, so that saving a draft again stays a HOT update.
set local role touchstone_owner;

create index drafts_by_expert on drafts (tenant_id, expert_id, assignment_id);
