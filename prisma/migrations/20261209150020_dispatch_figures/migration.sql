-- What metrics ask for of all tenants: jobs by when they are due, offers by when they were made and accepted.
set local role touchstone_owner;
create index jobs_due on jobs (due_by);
create index offers_made on offers (offered_at);
create index offers_accepted on offers (accepted_at) where accepted_at is not null;
