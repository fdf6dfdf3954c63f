-- A skill's prior rests on those experts whose results came last, whenever they were folded.
set local role touchstone_owner;

alter table quality_scores
  -- When the last result of the expert in the type was graded; null: before this column.
  add last_at timestamptz(3);
alter table quality_scores no force row level security;
update quality_scores set last_at = to_timestamp((state::jsonb ->> 'lastAtMs')::float8 / 1000);
alter table quality_scores force row level security;
drop index quality_scores_latest;
create index quality_scores_latest on quality_scores (tenant_id, skill_id, last_at desc nulls last, expert_id);

-- Rows of these are changed or taken away in the course of work.
do $$
declare
  t text;
begin
  foreach t in array array['adjudication_waits', 'score_checkpoints', 'skills', 'voided_gradings', 'work_failures'] loop
    execute format('alter table %I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)', t);
  end loop;
end
$$;
