-- Lifts end by an update each: vacuumed by a share of their own, as the other tables whose rows change.
set local role touchstone_owner;

alter table project_lifts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
