-- Dimensions of an answer differ: who tells a category in 95 of 100 cases and its severity in 60 was weighed by .78 in both. Results are
-- kept by dimension, each weighs by its own accuracy, and claims are filtered by the mean of them as before.
set local role touchstone_owner;

-- By dimension (scores/dimensions.ts), and what the score was shrunk to: with it the figures are a function of the state.
alter table quality_scores
  add column accuracies jsonb not null default '{}',
  add column prior_mean double precision,
  add column prior_strength double precision;

-- Every score is folded once more from its first result, so that what is kept of it has its dimensions.
alter table score_checkpoints no force row level security;
alter table quality_scores no force row level security;
alter table grading_dues no force row level security;
delete from score_checkpoints;
insert into grading_dues (tenant_id, expert_id, skill_id)
select distinct q.tenant_id, q.expert_id, q.skill_id from quality_scores q;
alter table score_checkpoints force row level security;
alter table quality_scores force row level security;
alter table grading_dues force row level security;
